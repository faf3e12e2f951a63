"""The files of a book that agents may read, walked and searched without following a link."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from zencli.agent.tools.places import BIGGEST, DEEPEST
from zencli.store.layout import BookDir

_ENDINGS = (".md", ".txt")
_ASIDE = ("records", "exports", "revisions")
"""Folders whose files are read when they are named, and never found by looking around."""

_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Found:
    """A file: its path in the book and its bytes."""

    path: str
    data: bytes

    @property
    def text(self) -> str:
        """The bytes as text; what isn't UTF-8 in them is left out."""
        return self.data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def paths_of(book: BookDir) -> list[str]:
    """The paths of all such files, numbers in the order of numbers."""
    found = set(_walk(str(book.path), "", 0))
    if book.pending is not None:
        for path, staged in book.pending.files.items():
            if path.endswith(_ENDINGS) and path.split("/")[0] not in (*_ASIDE, ".zencli"):
                (found.discard if staged is None else found.add)(path)
    return sorted(found, key=_natural)


def files_of(book: BookDir, paths: list[str]) -> Iterator[Found]:
    """These files with their bytes; one that is gone, a link, or too large is passed over."""
    root = os.open(book.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in paths:
            if book.pending is not None and path in book.pending.files:
                yield Found(path, (book.read(path) or "").encode())
                continue
            data = _bytes(root, path)
            if data is not None:
                yield Found(path, data)
    finally:
        os.close(root)


def _bytes(root: int, path: str) -> bytes | None:
    try:
        handle = os.open(
            path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=root
        )
    except OSError:
        return None
    try:
        size = os.fstat(handle).st_size
        return os.read(handle, size + 1) if size <= BIGGEST else None
    except OSError:
        return None
    finally:
        os.close(handle)


def _walk(folder: str, inside: str, depth: int) -> Iterator[str]:
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    with entries:
        for entry in entries:
            name = entry.name
            if name.startswith((".", "~")) or (not depth and name in _ASIDE):
                continue
            if entry.is_file(follow_symlinks=False):
                if name.endswith(_ENDINGS):
                    yield inside + name
            elif depth + 1 < DEEPEST and entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{inside}{name}/", depth + 1)


def _natural(path: str) -> list[tuple[int, str]]:
    parts = _DIGITS.split(path)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]
