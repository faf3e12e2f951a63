"""Reading a book while it is being changed: one committed state, no lock, no waiting.

A commit takes effect when its record is in place, although its files are moved one by one after
that (by the next writer, when this one was killed). Who reads meanwhile reads the staged files.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from zencli.errors import BusyError, ZencliError
from zencli.store.changes import parse_commit
from zencli.store.history import COMMITS, commit_numbers
from zencli.store.journal import JOURNAL, STAGE
from zencli.store.layout import BookDir, Pending

TRIES = 200
"""How often a reader begins anew because a commit came between; commits are seconds apart."""

T = TypeVar("T")

_Mark = tuple[int, bool, int, int]
"""Number of the latest commit, whether its files are being moved, and what tells its record from
another one of that number."""


def snapshot(book: BookDir, read: Callable[[BookDir], T]) -> T:
    """What ``read`` returns for one committed state of the book.

    ``read`` is given the book to read from and may be called several times. Raises what it raises;
    BusyError ``book.busy`` when the book never stands still.
    """
    for _ in range(TRIES):
        mark, seen = _look(book)
        try:
            result = read(seen)
        except (ZencliError, OSError):
            if _look(book)[0] == mark:
                raise
            continue
        if _look(book)[0] == mark:
            return result
    raise BusyError("book.busy", f"{book.id} is being changed all the time.", "Try again later.")


def as_committed(book: BookDir) -> BookDir:
    """The book to read from: with the staged files of a commit that is under way."""
    return _look(book)[1]


def _look(book: BookDir) -> tuple[_Mark, BookDir]:
    path = book.path / JOURNAL
    try:
        commit = parse_commit(path.read_bytes(), JOURNAL)
    except OSError:
        latest = _latest(book)
        mark = (latest, False, *_identity(book.path / COMMITS / f"{latest:06d}.json"))
        return mark, replace(book, pending=None)
    stage = book.path / STAGE / commit.run
    files = {
        change.path: None if change.after is None else stage / str(index)
        for index, change in enumerate(commit.changes)
    }
    return (commit.number, True, *_identity(path)), replace(book, pending=Pending(stage, files))


def _latest(book: BookDir) -> int:
    try:
        return max(commit_numbers(book), default=0)
    except OSError:  # the book has no history that can be read, and so no commit either
        return 0


def _identity(path: Path) -> tuple[int, int]:
    try:
        seen = path.stat()
    except OSError:
        return 0, 0
    return seen.st_ino, seen.st_mtime_ns
