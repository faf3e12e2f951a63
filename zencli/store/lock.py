"""One writer per book: a lock that the kernel frees when its holder dies."""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from zencli.errors import BusyError, NotFound
from zencli.store.disk import refused
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.recovery import recover

_POLL = 0.05
"""Seconds between two attempts: short for a person, no load for the machine."""


@contextmanager
def book_lock(
    book: BookDir,
    verb: str,
    wait: float | None = 0,
    mend: Callable[[BookDir], str | None] = recover,
) -> Iterator[str | None]:
    """Hold the book for writing; yields what ``mend`` had to say, None when all was well.

    ``mend`` sees to what an interrupted run left.

    ``wait`` is in seconds, None for ever. Raises BusyError ``book.busy`` that says who holds the
    book and since when, UsageError ``usage.not_writable`` when the folder can't be written.
    """
    path = book.path / MACHINE / "lock"
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except FileNotFoundError as error:
        raise _moved_away(book) from error
    except OSError as error:
        raise refused(error, book.path, "Check the permissions of the book's folder.") from error
    try:
        _acquire(handle, book, wait)
        _check_in_place(handle, book)
        _tell(handle, {"pid": os.getpid(), "verb": verb, "since": _now()})
        try:
            yield mend(book)
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def holder(book: BookDir) -> dict[str, str | int] | None:
    """``pid``, ``verb``, ``since`` (ISO, UTC) of who took the lock and hasn't given it back.

    It may have died since: only taking the lock tells.
    """
    path = book.path / MACHINE / "lock"
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) and {"pid", "verb", "since"} <= told.keys() else None


def try_lock(handle: int) -> bool:
    """Take the lock of an open file or folder without waiting; whether it was free."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(handle: int) -> None:
    """Take the lock of an open file or folder, however long its holder needs."""
    fcntl.flock(handle, fcntl.LOCK_EX)


def _acquire(handle: int, book: BookDir, wait: float | None) -> None:
    deadline = None if wait is None else time.monotonic() + wait
    while not try_lock(handle):
        left = _POLL if deadline is None else deadline - time.monotonic()
        if left <= 0:
            raise _busy(book)
        time.sleep(min(_POLL, left))


def _check_in_place(handle: int, book: BookDir) -> None:
    """Refuse a lock whose book was moved away (``undo`` of its making) while we waited for it."""
    try:
        in_place = os.path.samestat(os.fstat(handle), (book.path / MACHINE / "lock").stat())
    except OSError:
        in_place = False
    if not in_place:
        raise _moved_away(book)


def _moved_away(book: BookDir) -> NotFound:
    return NotFound(
        "book.not_found", f"{book.id} was moved away meanwhile.", "`zencli list` lists the books."
    )


def _busy(book: BookDir) -> BusyError:
    who = holder(book)
    by = f"{who['verb']} (pid {who['pid']}) since {who['since']}" if who else "another run"
    return BusyError(
        "book.busy", f"{book.id} is held by {by}.", "Try again later, or wait with --wait."
    )


def _tell(handle: int, who: dict[str, str | int]) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, json.dumps(who).encode(), 0)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
