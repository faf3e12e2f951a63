"""What the chapters so far say of the names and things in a plan, ranked."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from zencli.context.lookup import Lookup
from zencli.context.names import Named, Names, one_of
from zencli.context.passages import Passage, PassageIndex
from zencli.story.state import FactState

CANDIDATES = 10
"""How many passages are read from their chapters."""

LOOKED_AT = 60
"""How many of the places that name a term are weighed against each other."""

LOOKED_INTO = 16
"""How many chapters are opened for their passages."""

MOST_TERMS = 24
OVERLAP = 12
"""Characters of a quotation that is in the prompt already: the passage around it isn't shown."""


@dataclass(frozen=True)
class Found:
    """Something that was found, with the terms that it was found by."""

    passage: Passage
    terms: tuple[str, ...]


Terms = Mapping[str, Sequence[str]]
"""What is looked for: each thing with everything that it is called."""


def terms_in(
    text: str, names: Names, lookup: Lookup, places: Iterable[str]
) -> dict[str, list[str]]:
    """The people, things, places and subjects known so far that a text names."""
    found = {name: names.aliases(name) for name in names.mentioned(text)}
    named = Named(text)
    for thing in [*(place for place in places if place in named), *lookup.named_in(named)]:
        found.setdefault(thing, [thing])
    return dict(list(found.items())[:MOST_TERMS])


def facts_about(
    terms: Terms, facts: Sequence[FactState], before: int
) -> list[tuple[FactState, tuple[str, ...]]]:
    """The facts that name one of the terms: those with rare ones and with several first."""
    texts = [f"{fact.about}\x1f{fact.says}\n" for fact in facts]
    starts = list(accumulate(map(len, texts), initial=0))
    whole = "".join(texts).lower()
    hits: dict[str, set[int]] = {}
    for term, aliases in terms.items():
        places = [p for alias in aliases for p in _every(whole, alias.lower())]
        hits[term] = {bisect_right(starts, place) - 1 for place in places}
    weights = {term: _rarity(len(found), len(facts)) for term, found in hits.items()}
    by_fact: dict[int, list[str]] = {}
    for term, found in hits.items():
        for index in found:
            by_fact.setdefault(index, []).append(term)
    scored = [
        (_recent(facts[index].chapter, before) * sum(weights[t] for t in named), index, named)
        for index, named in by_fact.items()
    ]
    scored.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [(facts[index], tuple(named)) for _, index, named in scored]


def _every(text: str, part: str) -> Iterable[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def passages_about(
    terms: Terms, index: PassageIndex, before: int, shown: str, skip: Iterable[int] = ()
) -> list[Found]:
    """The passages of chapters before ``before`` that name the terms, the best first.

    Rare terms weigh more than frequent ones, late chapters a little more than early ones; a term
    that was found counts less the next time, and a chapter gives one passage: so they are spread.
    ``shown`` is what the prompt says already; chapters in ``skip`` are left out.
    """
    hits: dict[tuple[int, int], list[str]] = {}
    counts: dict[str, int] = {}
    passed = set(skip)
    for term, aliases in terms.items():
        places = {p for alias in aliases for p in index.find(alias, before) if p[0] not in passed}
        counts[term] = len(places)
        for place in places:
            hits.setdefault(place, []).append(term)
    weights = {t: _rarity(count, max(index.chapters, count)) for t, count in counts.items()}

    def score(place: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        return _recent(place[0], before) * sum(weights[term] for term in hits[place]), place

    left = sorted(hits, key=score, reverse=True)[:LOOKED_AT]
    pattern = {term: one_of(aliases) for term, aliases in terms.items()}
    found: list[Found] = []
    used: set[int] = set()
    opened = 0
    while left and len(found) < CANDIDATES and opened < LOOKED_INTO:
        best = max(left, key=score)
        left.remove(best)
        if best[0] in used:
            continue
        passage = index.passage(*best)
        opened += 1
        if passage is None:
            continue
        named = [term for term in hits[best] if pattern[term].search(passage.text)]
        if not named or _told(passage.text, shown):
            continue
        used.add(best[0])
        found.append(Found(passage, tuple(named)))
        for term in named:
            weights[term] *= 0.5
    return found


def _rarity(count: int, of: int) -> float:
    return math.log2(2 + of) / (1 + math.log2(1 + count)) if count else 0.0


def _recent(chapter: int, before: int) -> float:
    return 0.7 + 0.3 * chapter / max(before, 1)


def _told(text: str, shown: str) -> bool:
    """Whether the middle of a passage stands in the prompt already."""
    half = max(0, len(text) // 2 - OVERLAP // 2)
    return text[half : half + OVERLAP] in shown or text[:OVERLAP] in shown
