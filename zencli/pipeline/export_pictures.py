"""The pictures of an export: the cover, and those that the chapters refer to."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from zencli.errors import UsageError
from zencli.export.manuscript import ManuscriptChapter
from zencli.export.pictures import MOST_BYTES, Picture, read_picture
from zencli.export.pieces import picture_names
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE, inside

_COVERS = ("png", "jpeg", "svg")
_LEAST = 100
_MOST = 10_000
"""Pixels that a side of a cover may have."""


def cover_of(path: str | None) -> Picture | None:
    """The cover that was given. Raises UsageError ``usage.cover`` for one that can't be used."""
    if path is None:
        return None
    try:
        file = Path(path)
        if file.stat().st_size > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES // 1024 // 1024} MB")
        picture = read_picture(file.read_bytes())
        if picture.kind not in _COVERS:
            raise ValueError(f"is {picture.kind.upper()}, neither PNG, JPEG nor SVG")
        if not all(_LEAST <= side <= _MOST for side in (picture.width, picture.height)):
            size = f"{picture.width} by {picture.height}"
            raise ValueError(f"is {size} pixels; each side may have {_LEAST} to {_MOST:,}")
    except OSError as error:
        raise UsageError(
            "usage.cover", f"The cover {path} can't be read: {error.strerror}.", "Check the path."
        ) from error
    except ValueError as error:
        raise UsageError(
            "usage.cover", f"The cover {path} {error}.", "Give a PNG, JPEG or SVG image."
        ) from error
    return picture


def pictures_of(
    book: BookDir, chapters: Iterable[ManuscriptChapter]
) -> tuple[dict[str, Picture], list[str]]:
    """The pictures by the name that chapters give them, and a sentence for each that can't be
    used. Names are looked up beside the chapter, then in the book's folder; never outside it."""
    found: dict[str, Picture] = {}
    told: dict[str, str] = {}
    for chapter in chapters:
        for name in picture_names(chapter.prose):
            if name in found or name in told:
                continue
            try:
                found[name] = _picture(book, name)
            except ValueError as error:
                told[name] = f"chapter {chapter.number}: the picture {name} {error}"
    return found, list(told.values())


def _picture(book: BookDir, name: str) -> Picture:
    if ":" in name or name.startswith(("/", "#")):
        raise ValueError("isn't in the book's folder")
    plain = unquote(name)
    for place in (f"chapters/{plain}", plain):
        relative = _normal(place)
        if relative is None or relative.split("/")[0] == MACHINE:
            continue
        try:
            file = inside(book.path, relative)
            if file.is_file():
                if file.stat().st_size > MOST_BYTES:
                    raise ValueError(f"is larger than {MOST_BYTES // 1024 // 1024} MB")
                return read_picture(file.read_bytes())
        except (UsageError, OSError):
            continue
    raise ValueError("isn't in the book's folder")


def _normal(path: str) -> str | None:
    """The path without ``.`` and ``..``; None when it leads out of the book."""
    parts: list[str] = []
    for part in PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or None
