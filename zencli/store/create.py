"""Making a new book: the whole folder appears at once, or nothing does."""

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from zencli.errors import UsageError
from zencli.store.calls import CALLS
from zencli.store.changes import Change, Commit
from zencli.store.disk import DISK, Disk, refused, spare_name
from zencli.store.history import COMMITS, OBJECTS, digest_of
from zencli.store.layout import BookDir
from zencli.store.lock import wait_for_lock
from zencli.store.paths import writable
from zencli.store.workspace import Workspace, check_book_id

_UNFINISHED = ".new-"

_MANY = 64
_AT_ONCE = 8


@dataclass(frozen=True)
class Origin:
    """The run that makes a book, for the history: its verb and its id (a plain file name)."""

    verb: str
    run_id: str


def check_writable(folder: Path) -> None:
    """Raise UsageError ``usage.not_writable`` unless a file can be made in ``folder``.

    A folder that doesn't exist yet is judged by the nearest one above it that does. Tried with a
    real file, because permission bits don't tell of read-only disks or of the superuser.
    """
    place = folder
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    probe = place / spare_name(".tmp-")
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise refused(error, place, f"Check the permissions of {str(place)!r}.") from error


def check_free(workspace: Workspace, book_id: str) -> None:
    """Raise UsageError ``usage.book_id`` or ``book.exists`` unless a book may get this id."""
    check_book_id(book_id)
    if os.path.lexists(workspace.books_dir / book_id):
        raise UsageError(
            "book.exists",
            f"There is a book {book_id!r} already.",
            "Choose another id or title; an existing book is never replaced.",
        )


def create_book(
    workspace: Workspace,
    book_id: str,
    files: Mapping[str, str | bytes],
    disk: Disk = DISK,
    *,
    origin: Origin | None = None,
    calls: bytes = b"",
) -> BookDir:
    """Make a book of these files (path in the book to content).

    With ``origin`` its history begins with them, so that each can be restored and the run undone.
    ``calls`` are the model calls that it took so far, as its ``calls.jsonl`` holds them.

    It is built in a hidden folder beside the others and renamed. Raises UsageError
    ``usage.book_id``, ``book.exists``, ``usage.path`` or ``usage.not_writable``; nothing is left
    of a failure, and what a killed process left is removed by the next call.
    """
    check_free(workspace, book_id)
    books = workspace.books_dir
    try:
        disk.make_folder(books)
        handle = os.open(books, os.O_RDONLY | os.O_CLOEXEC)
        try:
            contents = {
                path: content.encode() if isinstance(content, str) else content
                for path, content in files.items()
            }
            own = _first_commit(contents, origin) if origin else {}
            own |= {CALLS: calls} if calls else {}
            return _create_alone(workspace, book_id, (contents, own), disk, handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise refused(error, books, f"Check the permissions of {str(books)!r}.") from error


def _create_alone(
    workspace: Workspace,
    book_id: str,
    files: tuple[Mapping[str, bytes], Mapping[str, bytes]],
    disk: Disk,
    handle: int,
) -> BookDir:
    books = workspace.books_dir
    wait_for_lock(handle)
    check_free(workspace, book_id)
    for left in books.glob(f"{_UNFINISHED}*"):
        disk.remove_tree(left)
    folder = books / spare_name(_UNFINISHED)
    try:
        _fill(folder, files, disk)
        disk.rename(folder, books / book_id)
    except BaseException:
        disk.remove_tree(folder)
        raise
    disk.sync_folder(books)
    return BookDir(books / book_id)


def _first_commit(files: Mapping[str, bytes], origin: Origin) -> dict[str, bytes]:
    """The history of a book that begins with these files."""
    changes = [
        Change(path=path, after=digest_of(data), size_after=len(data))
        for path, data in sorted(files.items())
    ]
    commit = Commit(
        number=1,
        run=origin.run_id,
        verb=origin.verb,
        time=datetime.now(UTC),
        creates=True,
        changes=changes,
    )
    history = {f"{OBJECTS}/{digest_of(data)}": zlib.compress(data) for data in files.values()}
    history[f"{COMMITS}/000001.json"] = commit.model_dump_json(indent=1).encode()
    return history


def _fill(folder: Path, files: tuple[Mapping[str, bytes], Mapping[str, bytes]], disk: Disk) -> None:
    """Write the author's files, whose paths are checked, and those that are our own."""
    disk.make_folder(folder)
    folders = {folder}
    contents, own = files
    paths = {writable(folder, relative): data for relative, data in sorted(contents.items())}
    paths |= {folder / relative: data for relative, data in sorted(own.items())}
    for path in paths:
        disk.make_folder(path.parent)
        folders.add(path.parent)
    _create_all(paths, disk)
    for made in sorted(folders):
        disk.sync_folder(made)


def _create_all(files: Mapping[Path, bytes], disk: Disk) -> None:
    """Write the files. Many at once wait for the disk together, in half the time."""
    if len(files) < _MANY:
        for path, data in files.items():
            disk.create(path, data)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for done in [threads.submit(disk.create, path, data) for path, data in files.items()]:
            done.result()
