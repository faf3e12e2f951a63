"""The commit record: put in place in one step, carried out as often as need be."""

import zlib
from pathlib import Path

from zencli.store.changes import Commit
from zencli.store.disk import Disk, spare_name
from zencli.store.history import COMMITS, digest_of, object_path
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE

JOURNAL = f"{MACHINE}/commit.json"
STAGE = f"{MACHINE}/stage"


def keep_object(book: BookDir, data: bytes, spare: Path, disk: Disk) -> None:
    """Put a content into the history; ``spare`` is a folder for the unfinished file."""
    path = object_path(book, digest_of(data))
    if not path.exists():
        temporary = spare / spare_name("object-")
        disk.create(temporary, zlib.compress(data))
        disk.replace(temporary, path)


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
