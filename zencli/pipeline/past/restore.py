"""The verb ``restore``: a file as it was in one of its revisions, and the record that fits it."""

from collections.abc import Callable
from datetime import datetime

from zencli.errors import UsageError
from zencli.pipeline.commit import record_json
from zencli.pipeline.params import Restore
from zencli.pipeline.past.history_book import file_changes, known_revisions
from zencli.pipeline.past.rewind import Contents, chapter_number, follow, know, record_in
from zencli.pipeline.results import RestoreResult
from zencli.store.disk import DISK, Disk
from zencli.store.history import Revision, content, revisions
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.record import Record, text_digest

VERB = "restore"


def restore(
    book: BookDir,
    params: Restore,
    run_id: str,
    now: datetime,
    *,
    warn: Callable[[str], None],
    disk: Disk = DISK,
) -> RestoreResult:
    """Put a file back, in one commit; the caller holds the book's lock.

    A chapter comes back with the record that was made from that text, when there was one. What
    the file holds now goes to the history. Raises ``UsageError`` for a revision that can't be
    restored, ``NotFound`` ``history.not_found`` for a file that has none.
    """
    file, number, revision = _asked(book, params)
    assert revision.digest is not None
    contents: Contents = {file: content(book, revision.digest)}
    chapter = chapter_number(file)
    if chapter is not None:
        contents |= _record_of(book, chapter, contents[file] or b"", warn)
    transaction = Transaction(book, VERB, run_id, disk)
    for path, data in contents.items():
        transaction.write(path, data or b"")
    stale: list[int] = []
    if any(_differs(book, path, data) for path, data in contents.items()):
        follows = follow(transaction, book, now)
        if follows.problem:
            warn(follows.problem)
        know(transaction, book, views=follows.views)
        stale = follows.stale
    changes = transaction.commit()
    return RestoreResult(
        book_id=book.id,
        file=file,
        revision=number,
        run=run_id,
        files=file_changes(changes),
        stale=stale,
    )


def _asked(book: BookDir, params: Restore) -> tuple[str, int, Revision]:
    if params.file is None:
        raise UsageError(
            "usage.file", "Say which file to restore.", f"Try: zencli history {book.id}"
        )
    known = known_revisions(book, params.file)
    number = params.revision
    if number is None or number > len(known):
        what = "Say which revision" if number is None else f"There is no revision {number}"
        raise UsageError(
            "usage.revision",
            f"{what} of {params.file}: it has 1-{len(known)}.",
            f"Try: zencli history {book.id} {params.file}",
        )
    revision = known[number - 1]
    if revision.digest is None:
        raise UsageError(
            "usage.revision",
            f"Revision {number} of {params.file} is its deletion.",
            "Name the one before it.",
        )
    return params.file, number, revision


def _record_of(book: BookDir, chapter: int, data: bytes, warn: Callable[[str], None]) -> Contents:
    """The newest record that was made from this text, still marked stale when it is so now."""
    path = book.record_file(chapter)
    digest = text_digest(data.decode("utf-8-sig", "replace"))
    present = _present_record(book, path)
    if present is not None and present.digest == digest:
        return {}
    for revision in reversed(revisions(book, path)):
        kept = None if revision.digest is None else content(book, revision.digest)
        record = record_in(kept)
        if record is not None and record.digest == digest:
            stale = record.stale or (present.stale if present else None)
            return {path: record_json(record.model_copy(update={"stale": stale})).encode()}
    warn(f"No record was made from this text of chapter {chapter}: it counts as edited by hand.")
    return {}


def _present_record(book: BookDir, path: str) -> Record | None:
    file = book.path / path
    return record_in(file.read_bytes()) if file.is_file() else None


def _differs(book: BookDir, path: str, data: bytes | None) -> bool:
    file = book.path / path
    return (file.read_bytes() if file.is_file() else None) != data
