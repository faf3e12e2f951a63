"""The frame of a chart over chapters: its axes, and how columns of chapters lie on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from zencli.export.report.scale import Column, Scale, columns, labelled, ticks
from zencli.export.report.svg import WIDE, label, number_below, rule, short_number

HEIGHT = 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 8, 10, 24
_MOST_COLUMNS = {True: 160, False: 60}


@dataclass(frozen=True)
class Frame:
    """A chart of ``width`` pixels: chapters in ``columns`` along x, values on ``y``."""

    width: int
    columns: tuple[Column, ...]
    y: Scale
    marks: tuple[float, ...]

    @property
    def step(self) -> float:
        """The width of a column with the gap beside it."""
        return (self.width - _LEFT - _RIGHT) / max(len(self.columns), 1)

    def left(self, index: int) -> float:
        """Where a column begins."""
        return round(_LEFT + index * self.step, 1)

    def middle(self, index: int) -> float:
        """The middle of a column."""
        return round(_LEFT + (index + 0.5) * self.step, 1)

    @property
    def right(self) -> float:
        """Where the last column ends."""
        return self.width - _RIGHT

    def axes(self) -> str:
        """Lines and numbers of both axes."""
        parts = []
        for mark in self.marks:
            at = self.y(mark)
            parts.append(rule(_LEFT, at, self.right, at, "grid"))
            parts.append(label(_LEFT - 6, at + 4, short_number(mark), "end"))
        room = 12 if self.width == WIDE else 5
        for index, number in labelled(self.columns, room):
            parts.append(number_below(self.middle(index), HEIGHT - 6, number, self.width))
        return "".join(parts)


def frame(numbers: Sequence[int], highest: float, width: int, *, whole: bool = False) -> Frame:
    """A frame for these chapters and values from 0 to ``highest``, counted in ``whole``
    numbers or measured."""
    marks = ticks(highest, whole=whole)
    y = Scale(0, marks[-1], HEIGHT - _BOTTOM, _TOP)
    return Frame(width, tuple(columns(numbers, _MOST_COLUMNS[width == WIDE])), y, tuple(marks))
