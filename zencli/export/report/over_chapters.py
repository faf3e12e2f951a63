"""Charts over the chapters: columns, stacked columns, and a line, each with what it's held to."""

from collections.abc import Callable, Sequence
from statistics import fmean

from zencli.export.report.chart import Draw, Drawn, reading
from zencli.export.report.data import Band, ChapterFigures
from zencli.export.report.frame import HEIGHT, Frame, frame
from zencli.export.report.scale import Column
from zencli.export.report.svg import box, drawing, element

Value = Callable[[ChapterFigures], float]
Chapters = Sequence[ChapterFigures]

_WIDEST = 64
"""Pixels of a column at most, so that few chapters don't become walls."""


def lengths(chapters: Chapters, title: str, words: dict[str, str]) -> Draw:
    """The length of each chapter against its target and the soft band around it."""
    highest = max(max(c.words, c.target * 1.15) for c in chapters)

    def draw(width: int) -> Drawn:
        grid = frame([c.number for c in chapters], highest, width, whole=True)
        parts, texts = [grid.axes()], []
        for index, column in enumerate(grid.columns):
            target = _mean(chapters, column, lambda c: c.target)
            if target:
                top, bottom = grid.y(target * 1.15), grid.y(target * 0.85)
                parts.append(box(grid.left(index), top, grid.step + 0.3, bottom - top, "band"))
            got = _mean(chapters, column, lambda c: c.words)
            parts.append(_bar(grid, index, 0, got, "length"))
            texts.append(f"{column.label}: {got:,.0f} {words['of']} {target:,.0f}")
        targets = [_mean(chapters, c, lambda x: x.target) for c in grid.columns]
        parts.append(_line(grid, targets, "target", to_edges=True))
        return Drawn(drawing(width, HEIGHT, title, "".join(parts)), reading(grid, texts))

    return draw


def stacked(
    chapters: Chapters,
    title: str,
    layers: Sequence[tuple[str, str, Value]],
    *,
    mean: bool,
    shown: str = ",.0f",
) -> Draw:
    """Columns of ``(kind, word, value)`` layers, the first at the bottom: sums or means.

    ``shown`` is how a value is written; those of the default are counted in whole numbers.
    """
    whole = shown.endswith("0f")

    def total(column: Column, value: Value) -> float:
        figures = [value(chapters[i]) for i in column.at]
        return fmean(figures) if mean else sum(figures)

    def draw(width: int) -> Drawn:
        numbers = [c.number for c in chapters]
        grid = frame(numbers, 1, width)
        heights = [[total(c, value) for _, _, value in layers] for c in grid.columns]
        grid = frame(numbers, max(sum(h) for h in heights), width, whole=whole)
        parts, texts = [grid.axes()], []
        for index, (column, values) in enumerate(zip(grid.columns, heights, strict=True)):
            base = 0.0
            for (kind, _, _), value in zip(layers, values, strict=True):
                if value:
                    parts.append(_bar(grid, index, base, base + value, kind))
                base += value
            said = ", ".join(
                f"{word} {value:{shown}}"
                for (_, word, _), value in zip(layers, values, strict=True)
            )
            texts.append(f"{column.label}: {said}")
        return Drawn(drawing(width, HEIGHT, title, "".join(parts)), reading(grid, texts))

    return draw


def measured(chapters: Chapters, title: str, value: Value, band: Band) -> Draw:
    """A line over the chapters with the band of human novels; a column shows its highest value,
    so that one bad chapter of many isn't hidden."""
    highest = max(band.high * 1.2, *(value(c) for c in chapters))

    def draw(width: int) -> Drawn:
        grid = frame([c.number for c in chapters], highest, width)
        top, bottom = grid.y(band.high), grid.y(band.low)
        parts = [box(grid.left(0), top, grid.right - grid.left(0), bottom - top, "band")]
        values = [max(value(chapters[i]) for i in c.at) for c in grid.columns]
        parts += [grid.axes(), _line(grid, values, "measure")]
        texts = [f"{c.label}: {v:.2f}" for c, v in zip(grid.columns, values, strict=True)]
        return Drawn(drawing(width, HEIGHT, title, "".join(parts)), reading(grid, texts))

    return draw


def _mean(chapters: Chapters, column: Column, value: Value) -> float:
    return fmean(value(chapters[i]) for i in column.at)


def _bar(grid: Frame, index: int, low: float, high: float, kind: str) -> str:
    top, bottom = grid.y(high), grid.y(low)
    gap = max(min(2.0, grid.step * 0.2), grid.step - _WIDEST)
    return box(grid.left(index) + gap / 2, top, grid.step - gap, bottom - top, kind)


def _line(grid: Frame, values: Sequence[float], kind: str, *, to_edges: bool = False) -> str:
    """Through the columns' middles, and on to the edges of the chart if wished; a single column
    gets a line across it."""
    points = [f"{grid.middle(i)} {grid.y(v)}" for i, v in enumerate(values)]
    if to_edges or len(points) == 1:
        first, last = grid.y(values[0]), grid.y(values[-1])
        points = [f"{grid.left(0)} {first}", *points, f"{grid.right} {last}"]
    return element("path", d="M" + "L".join(points), class_=kind)
