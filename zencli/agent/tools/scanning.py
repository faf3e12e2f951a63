"""The files of a book that agents may read, walked and searched without following a link."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from zencli.agent.tools.places import BIGGEST, DEEPEST
from zencli.store.kept_files import KeptFiles
from zencli.store.layout import BookDir

_ENDINGS = (".md", ".txt")
_ASIDE = ("records", "exports", "revisions")
"""Folders whose files are read when they are named, and never found by looking around."""

_DIGITS = re.compile(r"(\d+)")


_KEPT = KeptFiles()
"""An agent looks through the whole book several times in a turn; reading is a third of it."""


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
    folder = str(book.path)
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in paths:
            if book.pending is not None and path in book.pending.files:
                yield Found(path, (book.read(path) or "").encode())
                continue
            data = _KEPT.read(folder, root, path, BIGGEST)
            if data is not None:
                yield Found(path, data)
    finally:
        os.close(root)


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
