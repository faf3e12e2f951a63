"""The map of who is on stage when: a row a character, a column for each few chapters."""

from collections.abc import Sequence
from itertools import groupby

from zencli.export.report.chart import Draw, Drawn
from zencli.export.report.data import OnStage
from zencli.export.report.scale import columns, labelled
from zencli.export.report.svg import WIDE, box, drawing, label, number_below, shortened

MOST = 40
"""How many characters are drawn; the table has all."""
_ROW, _TOP = 20, 26
_SHADES = 4


def stage_map(
    people: Sequence[OnStage], numbers: Sequence[int], title: str, words: dict[str, str]
) -> Draw:
    """Those with the most chapters first. The stronger the colour, the larger the part of a
    column's chapters that have the character on stage."""
    shown = ranked(people)[:MOST]

    def draw(width: int) -> Drawn:
        wide = width == WIDE
        left, right = (160, 10) if wide else (90, 6)
        cells = columns(numbers, 120 if wide else 40)
        step = (width - left - right) / max(len(cells), 1)
        parts = [
            number_below(left + (at + 0.5) * step, 14, number, width)
            for at, number in labelled(cells, 12 if wide else 5)
        ]
        acting: list[list[str]] = [[] for _ in cells]
        named: list[list[str]] = [[] for _ in cells]
        for row, person in enumerate(shown):
            y = _TOP + _ROW * row
            name = shortened(person.name, left - 12)
            parts.append(label(left - 8, y + 13, name, "end", "name"))
            shades = [_shade(person, [numbers[i] for i in cell.at]) for cell in cells]
            for index, shade in enumerate(shades):
                if shade:
                    (named if shade == "named" else acting)[index].append(person.name)
            at = 0
            for shade, run in groupby(shades):
                size = len(list(run))
                if shade:
                    parts.append(box(left + at * step, y, size * step, _ROW - 4, f"stage {shade}"))
                at += size
        height = _TOP + _ROW * len(shown) + 4
        points = [
            (
                round(left + (at + 0.5) * step, 1),
                f"{cell.label}: {_told(acting[at], named[at], words)}",
            )
            for at, cell in enumerate(cells)
        ]
        return Drawn(drawing(width, height, title, "".join(parts)), points)

    return draw


def ranked(people: Sequence[OnStage]) -> list[OnStage]:
    """Those on stage in the most chapters first."""
    return sorted(people, key=lambda p: (-len(p.acts), -len(p.named), p.name))


def _shade(person: OnStage, chapters: Sequence[int]) -> str:
    """The class of a cell: ``s1`` to ``s4`` for acting, ``named`` for being named, or nothing."""
    acts = sum(number in person.acts for number in chapters)
    if acts:
        return f"s{-(-_SHADES * acts // len(chapters))}"
    return "named" if any(number in person.named for number in chapters) else ""


def _told(acting: Sequence[str], named: Sequence[str], words: dict[str, str]) -> str:
    """Who is on stage, and who is only named."""
    told = words["between"].join(acting) or words["nobody"]
    return f"{told} ({words['only_named']} {words['between'].join(named)})" if named else told
