"""The commit record: put in place in one step, carried out as often as need be."""

import zlib
from dataclasses import dataclass
from pathlib import Path

from zencli.store.changes import Commit
from zencli.store.disk import Disk, spare_name
from zencli.store.history import COMMITS, object_path
from zencli.store.layout import BookDir
from zencli.store.line_delta import HEAD_LENGTH, Head, head, packed
from zencli.store.paths import MACHINE

JOURNAL = f"{MACHINE}/commit.json"
STAGE = f"{MACHINE}/stage"


_LARGE = 32_768
"""From this many bytes on a content is kept as what changed in it, where it can be."""

_DEEPEST = 200
"""How many deltas may rest on each other; reading a content applies all of them."""


@dataclass(frozen=True)
class Content:
    """The bytes of a file and their SHA-256."""

    data: bytes
    digest: str


def keep_object(
    book: BookDir, new: Content, spare: Path, disk: Disk, before: Content | None = None
) -> None:
    """Put a content into the history; ``spare`` is a folder for the unfinished file.

    ``before`` is what the file held until now and the history has already. The views of a long
    book are megabytes that change in a few lines with every chapter: kept whole each time they
    would soon outgrow the book.
    """
    path = object_path(book, new.digest)
    if not path.exists():
        temporary = spare / spare_name("object-")
        disk.create(temporary, _as_delta(book, new.data, before) or _whole(new.data))
        disk.replace(temporary, path)


def _whole(data: bytes) -> bytes:
    return zlib.compress(data, 1 if len(data) > _LARGE else -1)


def _as_delta(book: BookDir, data: bytes, before: Content | None) -> bytes | None:
    if before is None or min(len(before.data), len(data)) < _LARGE:
        return None
    try:
        with object_path(book, before.digest).open("rb") as file:
            below = head(file.read(HEAD_LENGTH))
    except FileNotFoundError:
        return None
    depth = (below.depth if below else 0) + 1
    if depth > _DEEPEST:
        return None
    delta = packed(before.data, data, Head(before.digest, depth))
    return delta if len(delta) * 10 < len(data) else None


def write_journal(book: BookDir, commit: Commit, disk: Disk) -> None:
    """Put the commit record in place in one step."""
    temporary = book.path / STAGE / commit.run / spare_name("journal-")
    disk.create(temporary, commit.model_dump_json(indent=1).encode())
    disk.replace(temporary, book.path / JOURNAL)
    disk.sync_folder(book.path / MACHINE)


def apply(book: BookDir, commit: Commit, disk: Disk) -> None:
    """Carry out a commit record; may be repeated after any interruption.

    The stage is removed when all files are in place, so without one only the record is left to
    be moved.
    """
    root = book.path
    stage = root / STAGE / commit.run
    folders = set()
    to_do = stage.is_dir()
    for change in commit.changes:
        if change.after is None and to_do:
            disk.unlink(root / change.path)
            folders.add((root / change.path).parent)
    for index, change in enumerate(commit.changes):
        staged, target = stage / str(index), root / change.path
        if change.after is not None:
            folders.add(target.parent)
            if staged.exists():
                disk.make_folder(target.parent)
                disk.replace(staged, target)
    for folder in sorted(folders):
        if folder.is_dir():
            disk.sync_folder(folder)
    disk.remove_tree(stage)
    disk.replace(root / JOURNAL, root / COMMITS / f"{commit.number:06d}.json")
    disk.sync_folder(root / MACHINE)
    disk.sync_folder(root / COMMITS)
