"""Choosing what an agent sees of the book: by rank, within a budget, each item full or cut."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["file", "quote", "attachment", "skill", "passage"]

LEAST = 500
"""Characters: an item of lesser rank cut below this, and below half of itself, is left out."""

LARGEST_SHARE = 1 / 3
"""The most of the budget that one item takes that isn't critical."""


class Rank(IntEnum):
    """How much an item matters; what is critical is never left out."""

    CRITICAL = 0
    CONSTRAINT = 1
    RELEVANT = 2
    INSPIRATION = 3


@dataclass(frozen=True)
class Candidate:
    """Something that could be shown. ``score`` orders items of one rank, the higher the earlier;
    ``line`` is where a passage begins in its file, from 1."""

    rank: Rank
    kind: Kind
    name: str
    text: str
    score: float = 0.0
    line: int = 0


@dataclass(frozen=True)
class Item:
    """Something put before the agent: ``shown`` of its ``total`` characters.

    ``edits`` are what the author changed in it since an agent last wrote it.
    """

    kind: Kind
    name: str
    text: str
    total: int
    line: int = 0
    edits: tuple[dict[str, str], ...] = ()

    @property
    def shown(self) -> int:
        """How many characters are shown."""
        return len(self.text)

    @property
    def full(self) -> bool:
        """Whether all of it is shown."""
        return self.shown == self.total


def choose(
    candidates: Iterable[Candidate], budget: int, estimate: Callable[[str], int]
) -> list[Item]:
    """What is shown of the candidates, in the order of their ranks and scores.

    ``budget`` is in tokens, as ``estimate`` counts them. An item that doesn't fit whole is cut to
    what is left.
    """
    left, largest = budget, int(budget * LARGEST_SHARE)
    chosen = []
    for one in sorted(candidates, key=lambda c: (c.rank, -c.score)):
        room = left if one.rank is Rank.CRITICAL else min(left, largest)
        text = fitting(one.text, room, estimate)
        if one.rank is not Rank.CRITICAL and len(text) < min(LEAST, len(one.text) / 2):
            continue
        if text or not one.text:
            left -= estimate(text)
            chosen.append(Item(one.kind, one.name, text, len(one.text), one.line))
    return chosen


def fitting(text: str, room: int, estimate: Callable[[str], int]) -> str:
    """The beginning of ``text`` that takes at most ``room`` tokens, cut at the end of a line."""
    if room <= 0:
        return ""
    if estimate(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    line = text.rfind("\n", low // 2, low)
    return text[: line + 1] if line > 0 else text[:low]
