"""The story's own time along the chapters, with a mark wherever it moves on."""

from collections.abc import Sequence

from zencli.export.report.chart import Draw, Drawn
from zencli.export.report.data import ChapterFigures
from zencli.export.report.scale import Scale, ticks
from zencli.export.report.svg import WIDE, drawing, element, label, rule, shortened

_ROW = 18
_BASE = 30
_MOST_READ = 200


def moments(chapters: Sequence[ChapterFigures]) -> list[ChapterFigures]:
    """The chapters after which the story's time is another than before."""
    found: list[ChapterFigures] = []
    for chapter in chapters:
        if chapter.time and (not found or found[-1].time != chapter.time):
            found.append(chapter)
    return found


def time_line(chapters: Sequence[ChapterFigures], title: str) -> Draw:
    """A mark for each moment; as many of them are written out as there is room for."""
    marked = moments(chapters)
    first, last = chapters[0].number, max(chapters[-1].number, chapters[0].number + 1)

    def draw(width: int) -> Drawn:
        x = Scale(first, last, 16, width - 16)
        most = 10 if width == WIDE else 6
        step = max(1, -(-len(marked) // most))
        written = marked[::step]
        height = _BASE + _ROW * (len(written) + 1)
        parts = [rule(16, _BASE, width - 16, _BASE, "axis")]
        for mark in ticks(last, 8 if width == WIDE else 4, whole=True):
            if first <= mark <= last:
                parts.append(label(x(mark), 14, f"{mark:g}"))
        parts += [element("circle", cx=x(c.number), cy=_BASE, r=2.5, class_="moment")
                  for c in marked]  # fmt: skip
        for row, chapter in enumerate(written):
            at = x(chapter.number)
            parts.append(rule(at, _BASE, at, _BASE + _ROW * (row + 1), "stem"))
        for row, chapter in enumerate(written):  # after the lines, so that none crosses a word
            at, y = x(chapter.number), _BASE + _ROW * (row + 1) + 4
            turned = at > width * 0.55
            room = (at if turned else width - at) - 16
            said = shortened(f"{chapter.number}: {chapter.time}", room)
            parts.append(label(at + (-5 if turned else 5), y, said,
                               "end" if turned else "start", "name"))  # fmt: skip
        apart = -(-len(marked) // _MOST_READ)
        points = [(x(c.number), f"{c.number}: {c.time}") for c in marked[::apart]]
        return Drawn(drawing(width, height, title, "".join(parts)), points)

    return draw
