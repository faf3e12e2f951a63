"""Making a new book: the whole folder appears at once, or nothing does."""

import os
from collections.abc import Mapping
from pathlib import Path

from zencli.errors import UsageError
from zencli.store.disk import DISK, Disk, refused, spare_name
from zencli.store.layout import BookDir
from zencli.store.lock import wait_for_lock
from zencli.store.paths import writable
from zencli.store.workspace import Workspace, check_book_id

_UNFINISHED = ".new-"


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
    workspace: Workspace, book_id: str, files: Mapping[str, str | bytes], disk: Disk = DISK
) -> BookDir:
    """Make a book of these files (path in the book to content).

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
            return _create_alone(workspace, book_id, files, disk, handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise refused(error, books, f"Check the permissions of {str(books)!r}.") from error


def _create_alone(
    workspace: Workspace,
    book_id: str,
    files: Mapping[str, str | bytes],
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


def _fill(folder: Path, files: Mapping[str, str | bytes], disk: Disk) -> None:
    disk.make_folder(folder)
    folders = {folder}
    for relative, content in sorted(files.items()):
        path = writable(folder, relative)
        disk.make_folder(path.parent)
        folders.add(path.parent)
        disk.create(path, content.encode() if isinstance(content, str) else content)
    for made in sorted(folders):
        disk.sync_folder(made)
