"""Which number each heading gets, and what is strange about the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from zencli.prose.chapter_marks import Mark

_SHOWN = 10


class Unclear(ValueError):
    """A text whose chapters can't be told apart without the author; ``hint`` says how."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Numbered:
    """The marks that count, in order, with their numbers (None for a volume)."""

    kept: tuple[Mark, ...]
    numbers: tuple[int | None, ...]
    told: tuple[str, ...]


_NO_CHAPTER = Unclear(
    "No line reads as the heading of a chapter.",
    "Say which lines are headings: --split REGEX, such as --split '^[0-9]+$'.",
)


def numbered(marks: Sequence[Mark], *, in_order: bool) -> Numbered:
    """Number the marks. ``in_order``: count them unless their own numbers already rise.

    Raises ``Unclear`` without any chapter, or for numbers that begin again outside of volumes.
    """
    marks = _without_last_volumes(marks)
    if not any(mark.heading.kind != "volume" for mark in marks):
        raise _NO_CHAPTER
    own = [m.heading.number for m in marks if m.heading.kind == "chapter"]
    known = [number for number in own if number is not None]
    rising = all(a < b for a, b in pairwise(known))
    if len(known) < len(own) or (in_order and not rising):
        reason = "the headings carry no numbers" if not known else "the numbers don't rise"
        return _through(marks, f"the chapters are numbered in their order: {reason}")
    if _by_volume(marks):
        return _through(marks, "the numbers begin again in a volume: chapters are counted through")
    return _by_their_own(marks)


def _without_last_volumes(marks: Sequence[Mark]) -> list[Mark]:
    kept = list(marks)
    while kept and kept[-1].heading.kind == "volume":
        kept.pop()
    return kept


def _by_volume(marks: Sequence[Mark]) -> bool:
    """Whether a number comes again, and only ever in another volume."""
    seen: set[int | None] = set()
    inside: set[int | None] = set()
    again = False
    volume = ""
    for mark in marks:
        heading = mark.heading
        begun = heading.text if heading.kind == "volume" else heading.volume
        if begun and begun != volume:
            volume, inside = begun, set()
        if heading.kind == "chapter":
            if heading.number in inside:
                return False
            again |= heading.number in seen
            inside.add(heading.number)
            seen.add(heading.number)
    return again


def _through(marks: Sequence[Mark], why: str) -> Numbered:
    numbers: list[int | None] = []
    following = 1
    begun = False
    for mark in marks:
        heading = mark.heading
        if heading.kind == "volume":
            numbers.append(None)
        elif not begun and (heading.kind == "prologue" or heading.number == 0):
            numbers.append(0)
        else:
            numbers.append(following)
            following += 1
        begun |= heading.kind != "volume"
    return Numbered(tuple(marks), tuple(numbers), (why,))


def _by_their_own(marks: Sequence[Mark]) -> Numbered:
    chapters = [i for i, mark in enumerate(marks) if mark.heading.kind == "chapter"]
    first, last = (chapters[0], chapters[-1]) if chapters else (len(marks), -1)
    following = max((marks[i].heading.number or 0 for i in chapters), default=0) + 1
    kept: list[Mark] = []
    numbers: list[int | None] = []
    told: list[str] = []
    used: set[int] = set()
    repeated = False
    for index, mark in enumerate(marks):
        number = mark.heading.number
        if mark.heading.kind == "volume":
            kept.append(mark)
            numbers.append(None)
            continue
        if mark.heading.kind == "prologue":
            number = 0 if index < first else None
        elif mark.heading.kind == "epilogue":
            number = following if index > last else None
            following += index > last
        if number is None or number in used:
            if mark.heading.kind == "chapter" and repeated:
                raise _begins_again(mark)
            repeated = mark.heading.kind == "chapter"
            told.append(_left(mark, number))
            continue
        repeated = False
        used.add(number)
        kept.append(mark)
        numbers.append(number)
    while kept and numbers[-1] is None:  # a volume whose chapters were all left out
        kept.pop()
        numbers.pop()
    told += _steps([(m, n) for m, n in zip(kept, numbers, strict=True) if n is not None])
    return Numbered(tuple(kept), tuple(numbers), tuple(told))


def _left(mark: Mark, number: int | None) -> str:
    text = mark.heading.text
    why = "stands among the chapters" if number is None else f"is chapter {number} a second time"
    return f"{mark.where}: {text!r} {why}; it stays a line of the text"


def _begins_again(mark: Mark) -> Unclear:
    return Unclear(
        f"The chapter numbers begin again before {mark.where} ({mark.heading.text}), "
        "and no volume begins there.",
        "Number the headings, put volume headings in, or count them through with "
        "--split '^第.+章' or --split '^Chapter '.",
    )


def _steps(chapters: list[tuple[Mark, int]]) -> list[str]:
    """Numbers that jump, and chapters that stand after later ones."""
    told = []
    for (_, before), (mark, number) in pairwise(chapters):
        if number > before + 1:
            told.append(f"{mark.where}: the numbers jump from {before} to {number}")
        elif number < before:
            told.append(f"{mark.where}: chapter {number} stands after chapter {before}")
    more = len(told) - _SHOWN
    return told[:_SHOWN] + ([f"and {more} more such steps in the numbers"] if more > 0 else [])
