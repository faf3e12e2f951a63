"""From numbers to places on a drawing: scales, ticks, and chapters put together into columns."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_LEAST = 1e-9
"""What is smaller is nothing: ticks have ten decimals."""


@dataclass(frozen=True)
class Scale:
    """Maps ``low``..``high`` to ``start``..``end`` pixels, straight; values outside are held in."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value in pixels, rounded to a tenth."""
        span = self.high - self.low or 1.0
        share = min(1.0, max(0.0, (value - self.low) / span))
        return round(self.start + share * (self.end - self.start), 1)


def ticks(highest: float, most: int = 5, *, whole: bool = False) -> list[float]:
    """Round values from 0 to at least ``highest``, at most ``most`` steps apart by 1, 2 or 5;
    only whole numbers where something is counted."""
    if highest < _LEAST:
        return [0.0, 1.0]
    rough = highest / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999999)
    step = max(step, 1.0) if whole else step
    steps = max(1, math.ceil(highest / step - 1e-9))
    return [round(step * i, 10) for i in range(steps + 1)]


@dataclass(frozen=True)
class Column:
    """Neighbouring chapters drawn as one: ``first``..``last`` by number, ``at`` their indexes."""

    first: int
    last: int
    at: range

    @property
    def label(self) -> str:
        """The chapters' numbers."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def columns(numbers: Sequence[int], most: int) -> list[Column]:
    """Ascending chapter numbers in at most ``most`` columns of about the same size."""
    count = min(most, len(numbers))
    edges = [len(numbers) * i // count for i in range(count + 1)] if count else []
    return [
        Column(numbers[start], numbers[stop - 1], range(start, stop))
        for start, stop in pairwise(edges)
    ]


def labelled(drawn: Sequence[Column], most: int) -> list[tuple[int, int]]:
    """Which columns get a number under them, and which number: all of a few, else those that hold
    a round one, and the first where there is room."""
    if len(drawn) <= most:
        return [(index, column.first) for index, column in enumerate(drawn)]
    firsts = [column.first for column in drawn]
    found = []
    for mark in map(int, ticks(drawn[-1].last, most, whole=True)):
        index = bisect_right(firsts, mark) - 1
        if index >= 0 and mark <= drawn[index].last:
            found.append((index, mark))
    if not found or found[0][0] * most > len(drawn):
        found.insert(0, (0, firsts[0]))
    return found
