"""What can still be had of a book whose own files are damaged: its history, read part by part."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from zencli.errors import DamagedError, NotFound, UsageError
from zencli.store.changes import Commit, parse_commit
from zencli.store.disk import DISK, Disk, refused, spare_name
from zencli.store.history import COMMITS, commit_numbers, content
from zencli.store.journal import JOURNAL, STAGE
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.recovery import recover

DAMAGED = f"{MACHINE}/damaged"
"""Where files of the program's own that can't be read are put."""


@dataclass(frozen=True)
class Kept:
    """The history of a book as far as it can be read."""

    book: BookDir

    @cached_property
    def _read(self) -> tuple[list[Commit], list[str]]:
        commits, damaged = [], []
        for number in commit_numbers(self.book):
            name = f"{COMMITS}/{number:06d}.json"
            try:
                commits.append(parse_commit((self.book.path / name).read_bytes(), name))
            except (DamagedError, OSError):
                damaged.append(name)
        return commits, damaged

    @property
    def damaged(self) -> list[str]:
        """The commit records that can't be read."""
        return self._read[1]

    @cached_property
    def _digests(self) -> dict[str, list[str | None]]:
        """By path every content it had, oldest first, None where it was deleted."""
        found: dict[str, list[str | None]] = {}
        for commit in self._read[0]:
            for change in commit.changes:
                known = found.setdefault(change.path, [])
                if change.before is not None and change.before not in known[-1:]:
                    known.append(change.before)
                known.append(change.after)
        return found

    def last(self, path: str) -> str | None:
        """The digest of a file as the last run left it, None when it had none or deleted it."""
        return self._digests.get(path, [None])[-1]

    def paths(self) -> list[str]:
        """The files that the last run to touch them left in the book, sorted."""
        return sorted(path for path, known in self._digests.items() if known[-1] is not None)

    def contents(self, path: str) -> Iterator[bytes]:
        """Every content of a file that is still whole, the newest first."""
        for digest in dict.fromkeys(reversed(self._digests.get(path, []))):
            if digest is not None:
                try:
                    yield content(self.book, digest)
                except (NotFound, DamagedError):
                    continue


def recover_or_set_aside(book: BookDir, disk: Disk = DISK) -> str | None:
    """Like ``recover``; a commit record that can't be carried out is set aside instead of raised.

    Some of its files may then be in place and others not.
    """
    try:
        return recover(book, disk)
    except (DamagedError, UsageError) as error:
        if not (book.path / JOURNAL).is_file():
            raise
        set_aside(book, [JOURNAL], disk)
        disk.remove_tree(book.path / STAGE)
        return f"An interrupted change can't be finished and was set aside: {error.message}"


def set_aside(book: BookDir, names: Sequence[str], disk: Disk = DISK) -> None:
    """Move files of the program's own to ``.zencli/damaged/``."""
    folder = book.path / DAMAGED
    try:
        disk.make_folder(folder)
        for name in names:
            stem = os.path.basename(name)
            disk.replace(book.path / name, folder / spare_name(f"{stem}-"))
        disk.sync_folder(folder)
    except OSError as error:
        raise refused(error, book.path, "Check the permissions and the free space.") from error
