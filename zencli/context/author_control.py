"""What the author decides of a chapter's context: pinned facts, entries kept out, timed notes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from zencli.context.author_notes import (
    Ranged,
    Span,
    active_notes,
    kept_out,
    pinned_facts,
    split_card,
    timed_notes,
    without_lists,
)
from zencli.context.canon import Canon
from zencli.story.foundation import Character
from zencli.story.labels import chapter_word

LOOK_BACK = 5
"""How many chapters back it may be known since when a timed note is in force."""


@dataclass(frozen=True)
class Control:
    """The author's decisions for one chapter.

    ``out`` is kept out of this chapter, ``never`` of all. ``notes`` are the texts of ``focus.md``
    that hold, ``first_seen`` the chapter that first saw each timed note. ``cards`` are without
    their pinned facts, ``rules`` without the lists.
    """

    pins: tuple[str, ...] = ()
    out: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    first_seen: Mapping[str, int] = field(default_factory=dict)
    cards: tuple[Character, ...] = ()
    rules: str = ""

    def keeps(self, *labels: str) -> bool:
        """Whether none of these words is the name of an entry that is kept out."""
        return not self.out or self.out.isdisjoint(label.strip().casefold() for label in labels)

    def keeps_chapter(self, number: int) -> bool:
        """Whether a chapter may be told of: ``第 12 章`` and ``Chapter 12`` may be kept out."""
        return not self.out or self.keeps(*(chapter_word(number, each) for each in ("zh", "en")))


def control_of(canon: Canon, number: int) -> Control:
    """Read the author's decisions.

    Raises DamagedError ``book.damaged`` for chapters that can't be read, with the file and line.
    """
    rules = canon.files["rules.md"]
    pins = pinned_facts(rules, "rules.md")
    cards = []
    for card in canon.cards:
        told, rest = split_card(card.card, f"the card of {card.name}")
        pins += [replace(pin, text=_about(card.name, pin.text)) for pin in told]
        cards.append(card.model_copy(update={"card": rest}) if told else card)
    out = [entry for entry in kept_out(rules, "rules.md") if number in entry.span]
    notes = timed_notes(canon.files["focus.md"])
    latest = max(canon.records, default=0)
    if number < latest:  # an open note is about the chapters to come
        notes = [note for note in notes if not note.open]
    texts, first_seen = active_notes(notes, number, _seen(canon, number))
    return Control(
        pins=tuple(pin.text for pin in pins if number in pin.span),
        out=_folded(out),
        never=_folded(entry for entry in out if entry.span == Span()),
        notes=tuple(texts),
        first_seen=first_seen,
        cards=tuple(cards),
        rules=without_lists(rules),
    )


def _folded(entries: Iterable[Ranged]) -> frozenset[str]:
    return frozenset(entry.text.strip().casefold() for entry in entries)


def _about(name: str, text: str) -> str:
    return text if name in text else f"{name}：{text}" if _wide(text) else f"{name}: {text}"


def _wide(text: str) -> bool:
    return any("\u3400" <= char <= "\u9fff" for char in text)


def _seen(canon: Canon, number: int) -> Mapping[str, int]:
    """Which chapter first saw each timed note, as the chapter itself or the nearest one knows."""
    for chapter in range(number, number - LOOK_BACK - 1, -1):
        record = canon.records.get(chapter)
        if record is not None and record.notes is not None:
            return record.notes
    return {}
