"""Drawing: SVG elements as text, with everything from a book made harmless."""

import re
from functools import cache
from html import escape

WIDE, NARROW = 880, 340
"""Widths in pixels that every chart is drawn for: a desk, and a phone."""


_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff&<>\"']")


def clean(text: str) -> str:
    """Text for HTML: escaped, without characters that HTML doesn't allow."""
    if not _UNCLEAN.search(text):
        return text
    allowed = "".join(c for c in text if c in "\t\n" or (c >= " " and not "\x7f" <= c <= "\x9f"))
    return escape(allowed.encode("utf-8", "replace").decode(), quote=True)


@cache
def _key(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def element(name: str, content: str = "", **attributes: str | float) -> str:
    """``<name …>content</name>``; ``class_`` is written ``class`` and ``a_b`` as ``a-b``.

    ``content`` is markup already; values of attributes are escaped or numbers.
    """
    given = "".join(
        f' {_key(key)}="{clean(value) if isinstance(value, str) else value}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{content}</{name}>"


def label(x: float, y: float, text: str, anchor: str = "middle", kind: str = "tick") -> str:
    """A word on a drawing."""
    return element("text", clean(text), x=x, y=y, text_anchor=anchor, class_=kind)


def number_below(x: float, y: float, number: int, width: float) -> str:
    """The number of a column, moved to the left where it would be cut at the right edge."""
    text = str(number)
    return label(round(min(x, width - 3.6 * len(text)), 1), y, text)


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A rectangle."""
    return element(
        "rect", x=x, y=y, width=round(width, 1), height=round(max(height, 0), 1), class_=kind
    )


def drawing(width: int, height: float, title: str, content: str) -> str:
    """A whole chart; ``title`` is what a screen reader says of it."""
    return element(
        "svg",
        content,
        class_="wide" if width == WIDE else "narrow",
        viewBox=f"0 0 {width} {round(height)}",
        role="img",
        aria_label=title,
    )


def shortened(text: str, width: float) -> str:
    """``text`` cut so that it is about ``width`` pixels at most at 12 pixels a letter's height."""
    room, used = width, 0.0
    for at, character in enumerate(text):
        used += 12 if ord(character) > 0x2E7F else 6.6
        if used > room:
            return text[: max(at - 1, 1)].rstrip() + "…"
    return text


def short_number(value: float) -> str:
    """A number on an axis: 900, 20k, 1.5M."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1_000:g}k" if value >= 10_000 else f"{value:g}"
