"""What a revision may not lose: people, numbers, what is said aloud."""

from zencli.context.canon import Canon
from zencli.prose.figures import figures, motifs, numbers, with_units
from zencli.prose.segment import dialogue_share, quoted_spans
from zencli.story.book import Language
from zencli.story.delta import Delta

LEAST_SPEECH = 0.7
"""The share of its dialogue, by share of the prose, that a chapter keeps under a surface mode."""

_SPOKEN = 0.05
"""A chapter with less dialogue than this has none to lose."""

_MOST_TOLD = 30


def people_in(canon: Canon, prose: str) -> dict[str, list[str]]:
    """Everybody with a card whom the prose names: the name on the card, and how it calls them."""
    found = {c.name: [n for n in (c.name, *c.aliases) if n and n in prose] for c in canon.cards}
    return {name: called for name, called in found.items() if called}


def lost_people(canon: Canon, old: str, new: str) -> list[str]:
    """Whom the old prose names by name or alias and the new one doesn't at all."""
    still = people_in(canon, new)
    return [called[0] for name, called in people_in(canon, old).items() if name not in still]


def lost_figures(old: str, new: str, language: Language) -> list[str]:
    """The numbers that the old prose states and the new one doesn't, as the old one writes them.

    One that comes again and again must still be said of what it counts: a date of the same value
    doesn't stand for it.
    """
    still, said = numbers(new, language), with_units(new, language)
    lost = [written for value, written in figures(old, language).items() if value not in still]
    often = motifs(old, language).items()
    return lost + [written for pair, written in often if pair[0] in still and pair not in said]


def lost_speech(old: str, new: str, language: Language) -> list[str]:
    """Numbers that somebody said and nobody says any more; ``dialogue`` when most talk is gone."""
    lost = lost_figures(_spoken(old), _spoken(new), language)
    was, now = dialogue_share(old, language), dialogue_share(new, language)
    return [*lost, "dialogue"] if was > _SPOKEN and now < was * LEAST_SPEECH else lost


def recorded_figures(delta: Delta | None) -> str:
    """The sentences and quantities of a delta: the numbers in them are facts of the story."""
    if delta is None:
        return ""
    told = [item.quote for item in delta.items] + [item.quantity for item in delta.items]
    told += [fact.quote for fact in delta.facts] + [step.quote for step in delta.hooks]
    told += [change.quote for change in delta.characters]
    return "\n".join(told)


def to_keep(canon: Canon, prose: str, stated: str) -> list[str]:
    """The names of the prose and the numbers of ``stated`` that the reviser is told to keep."""
    names = [called[0] for called in people_in(canon, prose).values()]
    numbers = figures(stated, canon.config.language).values()
    return list(dict.fromkeys([*names, *numbers]))[:_MOST_TOLD]


def _spoken(prose: str) -> str:
    return "\n".join(prose[start:end] for start, end in quoted_spans(prose))
