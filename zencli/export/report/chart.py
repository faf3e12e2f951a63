"""A chart on the page: drawn for desk and phone, read with the keyboard, a table behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from json import dumps

from zencli.export.report.frame import Frame
from zencli.export.report.svg import NARROW, WIDE, clean, element


@dataclass(frozen=True)
class Table:
    """A table: the names of its columns, and its rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Draw = Callable[[int], tuple[str, Sequence[tuple[float, str]]]]
"""Draws a chart of a width: its SVG, and ``(x, what stands there)`` for each column."""


def reading(frame: Frame, texts: Sequence[str]) -> list[tuple[float, str]]:
    """What a reader gets to hear at each column."""
    return [(frame.middle(index), text) for index, text in enumerate(texts)]


def figure(
    key: str,
    words: dict[str, str],
    draw: Draw | None,
    table: Table,
    legend: Sequence[tuple[str, str]] = (),
) -> str:
    """A section of the report. ``legend`` are ``(kind of mark, word)``; without ``draw`` the
    section says that there is nothing to show yet."""
    head = element("h2", clean(words[key]), id=key)
    if draw is None:
        return element("section", head + element("p", clean(words["none"]), class_="none"))
    about = element("p", clean(words[f"{key}_about"]), class_="about")
    marks = "".join(
        element("li", element("span", "", class_=f"mark {kind}") + clean(word))
        for kind, word in legend
    )
    keys = element("ul", marks, class_="legend") if marks else ""
    drawn = "".join(_drawn(draw, width, words) for width in (WIDE, NARROW))
    body = head + about + keys + drawn + details(words["table"], table)
    return element("section", body)


def _drawn(draw: Draw, width: int, words: dict[str, str]) -> str:
    svg, points = draw(width)
    kind = "wide" if width == WIDE else "narrow"
    if not points:
        return element("div", svg, class_=f"chart {kind}")
    read = element("p", "", class_="reading", aria_live="polite")
    columns = dumps(points, ensure_ascii=False, separators=(",", ":"))
    return element(
        "div",
        svg + read,
        class_=f"chart {kind}",
        tabindex="0",
        role="group",
        aria_label=words["keys"],
        data_columns=columns,
    )


def details(summary: str, table: Table) -> str:
    """A table that opens on demand."""
    head = "".join(element("th", clean(cell), scope="col") for cell in table.head)
    rows = "".join(
        element("tr", "".join(element("td", clean(cell)) for cell in row)) for row in table.rows
    )
    body = element("table", element("thead", element("tr", head)) + element("tbody", rows))
    scroll = element("div", body, class_="scroll", tabindex="0", role="region", aria_label=summary)
    return element("details", element("summary", clean(summary)) + scroll)
