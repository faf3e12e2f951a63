"""A cover for a book that has none: title and author on a pattern made from the book's id.

Twice: the pattern alone as PNG, and an SVG that lays the words over it, which the reader's own
fonts draw. Letters drawn here would need a font with every character of Chinese, and would come
out differently, or as empty boxes, on another machine.
"""

import hashlib
import struct
import zlib
from colorsys import hls_to_rgb
from html import escape

from zencli.export.manuscript import Manuscript, one_line
from zencli.story.book import Language

WIDTH, HEIGHT = 1200, 1800
"""Of both drawings, in pixels."""

_TILE = 100
_COLUMNS, _ROWS = WIDTH // _TILE, HEIGHT // _TILE
_TONES = (0.22, 0.29, 0.36, 0.45)
_PANEL = (150, 400, 900, 760)
_MOST_LINES = 5
_FONTS: dict[Language, str] = {
    "zh": "'Songti SC', 'Source Han Serif SC', 'Noto Serif CJK SC', SimSun, serif",
    "en": "Georgia, 'Times New Roman', serif",
}

Colour = tuple[int, int, int]


def cover_svg(manuscript: Manuscript, image: str) -> str:
    """The drawing as an ``svg`` element for a page; ``image`` is where the PNG is found."""
    frame = _hex(palette(manuscript.book.id)[2])
    left, top, width, height = _PANEL
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' version="1.1" width="100%" height="100%"'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="xMidYMid meet" role="img">',
        f"<title>{escape(manuscript.title)}</title>",
        f'<image width="{WIDTH}" height="{HEIGHT}" xlink:href="{escape(image)}"/>',
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="#fbfaf6"/>',
        f'<rect x="{left + 20}" y="{top + 20}" width="{width - 40}" height="{height - 40}"'
        f' fill="none" stroke="{frame}" stroke-width="4"/>',
        *_words(manuscript),
        "</svg>",
    ]
    return "\n".join(parts)


def cover_png(book_id: str) -> bytes:
    """The pattern as a PNG with a palette of four colours."""
    rows = []
    for tones in pattern(book_id):
        # four pixels a byte, all of one tone: a tile is a whole number of bytes
        row = b"".join(bytes((tone * 0b01010101,)) * (_TILE // 4) for tone in tones)
        rows.append((b"\0" + row) * _TILE)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 2, 3, 0, 0, 0)
    colours = b"".join(map(bytes, palette(book_id)))
    chunks = [
        (b"IHDR", header),
        (b"PLTE", colours),
        (b"IDAT", zlib.compress(b"".join(rows), 6)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def palette(book_id: str) -> list[Colour]:
    """Four tones of one colour, dark to light."""
    hue = int.from_bytes(_digest(book_id)[:2], "big") / 65536
    tones = [hls_to_rgb(hue, light, 0.35) for light in _TONES]
    return [(round(r * 255), round(g * 255), round(b * 255)) for r, g, b in tones]


def pattern(book_id: str) -> list[list[int]]:
    """Rows of tiles, each the number of its tone; left and right mirror each other."""
    bits = int.from_bytes(b"".join(_digest(f"{book_id}/{i}") for i in range(2)), "big")
    rows = []
    for _ in range(_ROWS):
        half = []
        for _ in range(_COLUMNS // 2):
            bits, tone = divmod(bits, 4)
            half.append(tone)
        rows.append([*half, *half[::-1]])
    return rows


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _words(manuscript: Manuscript) -> list[str]:
    language = manuscript.book.language
    author = one_line(manuscript.imprint.author)
    _, top, width, height = _PANEL
    lines, size = _fitted(manuscript.title, language, width - 160, height - 260)
    leading = size * 1.35
    y = top + (height - 140 - leading * len(lines)) / 2 + size
    found = []
    for number, line in enumerate(lines):
        found.append(_text(line, round(y + number * leading), size, language, bold=True))
    if author:
        shown = _cut(author, 26 if language == "en" else 13)
        found.append(_text(shown, top + height - 80, 56, language, bold=False))
    return found


def _text(line: str, y: int, size: int, language: Language, *, bold: bool) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{WIDTH // 2}" y="{y}" text-anchor="middle" font-size="{size}"{weight}'
        f' font-family="{_FONTS[language]}" fill="#1c1b19">{escape(line, quote=False)}</text>'
    )


def _fitted(title: str, language: Language, width: int, height: int) -> tuple[list[str], int]:
    """The title's lines and the largest size at which they fit; a very long one is cut."""
    for size in (150, 120, 96, 76, 60):
        lines = _wrapped(title, int(width / size * 2), language)
        if len(lines) <= _MOST_LINES and len(lines) * size * 1.35 <= height:
            return lines, size
    return [*lines[: _MOST_LINES - 1], _cut("".join(lines[_MOST_LINES - 1 :]), 15)], 60


def _wrapped(text: str, most: int, language: Language) -> list[str]:
    """Lines of at most ``most`` halves of an em; words are kept whole where they fit."""
    pieces = text if language == "zh" else [f"{word} " for word in text.split(" ")]
    lines = [""]
    for piece in pieces:
        if lines[-1] and _halves(lines[-1] + piece.rstrip()) > most:
            lines.append("")
        for letter in piece if _halves(piece) > most else [piece]:
            if lines[-1] and _halves(lines[-1] + letter) > most + 1:
                lines.append("")
            lines[-1] += letter
    return [line.strip() for line in lines if line.strip()]


def _halves(text: str) -> int:
    """About how wide a text is: what isn't plain Latin takes a whole em."""
    return sum(1 if letter < "\u2000" else 2 for letter in text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
