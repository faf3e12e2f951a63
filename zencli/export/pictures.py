"""Pictures that go into a book: what kind they are, how large, and that they do no harm."""

import re
import struct
from dataclasses import dataclass
from typing import Literal

PictureKind = Literal["png", "jpeg", "gif", "webp", "svg"]

MEDIA_TYPES: dict[PictureKind, str] = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
}
ENDINGS: dict[PictureKind, str] = {
    "png": "png", "jpeg": "jpg", "gif": "gif", "webp": "webp", "svg": "svg"
}  # fmt: skip

MOST_BYTES = 4 * 1024 * 1024
"""What the EPUB standard's validator recommends at most."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_FORBIDDEN = frozenset(
    _SVG + name
    for name in [
        "script",
        "foreignObject",
        "handler",
        "listener",
        "set",
        "animate",
        "animateTransform",
    ]
)
_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:px)?\s*")
_ELSEWHERE = re.compile(r"url\(\s*['\"]?(?!#)|@import", re.I)
# Start-of-frame markers of JPEG: C0-CF but the tables C4, C8 and CC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of an image file as it is. Width and height are pixels (units in an SVG)."""

    data: bytes
    kind: PictureKind
    width: int
    height: int


def read_picture(data: bytes) -> Picture:
    """Know a picture by its content.

    Raises ValueError with the end of a sentence: it is too large, cut off, an SVG with scripts or
    links, or in no known form.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"is larger than {MOST_BYTES // 1024 // 1024} MB")
    for kind, signature, read in (
        ("png", rb"\x89PNG\r\n\x1a\n", _png),
        ("jpeg", rb"\xff\xd8\xff", _jpeg),
        ("gif", rb"GIF8[79]a", _gif),
        ("webp", rb"RIFF....WEBP", _webp),
        ("svg", rb"(?:\xef\xbb\xbf)?\s*<", _svg),
    ):
        if re.match(signature, data, re.DOTALL):
            try:
                width, height = read(data)
            except (struct.error, IndexError) as error:
                raise ValueError("is cut off or damaged") from error
            if width < 1 or height < 1:
                raise ValueError("has no size")
            return Picture(data, kind, width, height)  # type: ignore[arg-type]
    raise ValueError("is neither PNG, JPEG, GIF, WebP nor SVG")


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR" or b"IEND" not in data[-16:]:
        raise ValueError("is cut off or damaged")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError("is cut off or damaged")
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            if b"\xff\xd9" not in data[at:]:
                raise ValueError("is cut off or damaged")
            return width, height
        step = 0 if marker in _ALONE else struct.unpack(">H", data[at + 2 : at + 4])[0]
        at += 1 if marker == 0xFF else 2 + step


def _gif(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack("<HH", data[6:10])
    return width, height


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X":
        return 1 + _three(data, 24), 1 + _three(data, 27)
    if form == b"VP8L":
        bits = struct.unpack("<I", data[21:25])[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _three(data: bytes, at: int) -> int:
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16


def _svg(data: bytes) -> tuple[int, int]:
    from xml.etree import ElementTree

    if b"<!DOCTYPE" in data or b"<!ENTITY" in data or b"<?xml-stylesheet" in data:
        raise ValueError("is an SVG with a document type or style sheet of its own; leave it out")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"is no SVG that can be read: {error}") from error
    if root.tag != _SVG + "svg":
        raise ValueError("is neither PNG, JPEG, GIF, WebP nor SVG")
    for element in root.iter():
        if element.tag in _FORBIDDEN or not _harmless(element.attrib, element.text or ""):
            raise ValueError("is an SVG with scripts, animation or links; only drawings are taken")
    return _drawn_size(root.attrib)


def _harmless(attributes: dict[str, str], text: str) -> bool:
    for name, value in attributes.items():
        if name.lower().startswith("on") or _ELSEWHERE.search(value):
            return False
        if name in ("href", _XLINK) and not value.startswith("#"):
            return False
    return not _ELSEWHERE.search(text)


def _drawn_size(attributes: dict[str, str]) -> tuple[int, int]:
    width, height = (_NUMBER.fullmatch(attributes.get(name, "")) for name in ("width", "height"))
    if width and height:
        return round(float(width[1])), round(float(height[1]))
    box = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
    if len(box) == 4 and all(_NUMBER.fullmatch(part) for part in box[2:]):
        return round(float(box[2])), round(float(box[3]))
    raise ValueError("is an SVG that doesn't say how large it is; give it a viewBox")
