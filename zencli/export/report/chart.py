"""A chart on the page: drawn for desk and phone, read with the keyboard, a table behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import dumps
from typing import NamedTuple

from zencli.export.report.frame import Frame
from zencli.export.report.svg import NARROW, WIDE, clean, element


@dataclass(frozen=True)
class Table:
    """A table: the names of its columns, and its rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Drawn(NamedTuple):
    """A chart's SVG, and ``(place, what stands there)`` of each of its columns, or of its ``rows``:
    the place is their x, or their y."""

    svg: str
    points: Sequence[tuple[float, str]]
    rows: bool = False


Draw = Callable[[int], Drawn]
"""Draws a chart of a width."""


def reading(frame: Frame, texts: Sequence[str]) -> list[tuple[float, str]]:
    """What a reader gets to hear at each column."""
    return [(frame.middle(index), text) for index, text in enumerate(texts)]


def figure(
    key: str,
    words: dict[str, str],
    draw: Draw | None,
    table: Table,
    legend: Sequence[tuple[str, str]] = (),
    more: str = "",
) -> str:
    """A section of the report. ``legend`` are ``(kind of mark, word)``, ``more`` is said below the
    chart; without ``draw`` the section says that there is nothing to show."""
    head = element("h2", clean(words[key]), id=key)
    if draw is None:
        nothing = words.get(f"{key}_none", words["none"])
        return element("section", head + element("p", clean(nothing), class_="none"))
    about = element("p", clean(words[f"{key}_about"]), class_="about")
    marks = "".join(
        element("li", element("span", "", class_=f"mark {kind}") + clean(word))
        for kind, word in legend
    )
    keys = element("ul", marks, class_="legend") if marks else ""
    drawn = "".join(_drawn(draw, width, words) for width in (WIDE, NARROW))
    told = element("p", clean(more), class_="about") if more else ""
    body = head + about + keys + drawn + told + details(words["table"], table)
    return element("section", body)


def _drawn(draw: Draw, width: int, words: dict[str, str]) -> str:
    svg, points, rows = draw(width)
    kind = "wide" if width == WIDE else "narrow"
    read = element("p", "", class_="reading", aria_live="polite")
    return element(
        "div",
        svg + read,
        class_=f"chart {kind}",
        tabindex="0",
        role="group",
        aria_label=words["row_keys" if rows else "keys"],
        data_along="y" if rows else "x",
        data_points=dumps(points, ensure_ascii=False, separators=(",", ":")),
    )


def details(summary: str, table: Table) -> str:
    """A table that opens on demand."""
    head = "".join(element("th", clean(cell), scope="col") for cell in table.head)
    rows = "".join(
        f"<tr>{''.join([f'<td>{clean(cell)}</td>' for cell in row])}</tr>" for row in table.rows
    )
    body = element("table", element("thead", element("tr", head)) + element("tbody", rows))
    scroll = element("div", body, class_="scroll", tabindex="0", role="region", aria_label=summary)
    return element("details", element("summary", clean(summary)) + scroll)
