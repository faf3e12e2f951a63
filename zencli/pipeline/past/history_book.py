"""The verb ``history``: what was done to a book, and every content that a file had."""

import difflib

from zencli.errors import NotFound
from zencli.pipeline.results import FileChange, HistoryResult, RevisionLine, RunLine
from zencli.store.changes import Change
from zencli.store.history import Revision, digest_of, revisions, runs, taken_back
from zencli.store.layout import BookDir
from zencli.store.paths import inside
from zencli.store.snapshot import snapshot


def history(book: BookDir, file: str | None) -> HistoryResult:
    """The runs of a book, or the revisions of one of its files; the newest first.

    Raises ``NotFound`` ``history.not_found`` for a file that no run has ever touched.
    """
    return snapshot(book, lambda seen: _history(seen, file))


def _history(book: BookDir, file: str | None) -> HistoryResult:
    if file is not None:
        known = known_revisions(book, file)
        # a commit that is under way isn't in the history yet: what it writes is no edit
        moving = book.pending is not None and file in book.pending.files
        digest = known[-1].digest if moving else present_digest(book, file)
        lines = [_revision(number, r, digest) for number, r in enumerate(known, 1)]
        return HistoryResult(
            book_id=book.id,
            file=file,
            runs=[],
            revisions=lines[::-1],
            edited=digest != known[-1].digest,
        )
    done = runs(book)
    undone = taken_back(done)
    lines_of_runs = [
        RunLine(
            run=run.run,
            verb=run.verb,
            time=run.time,
            files=file_changes(run.changes),
            undoes=run.undoes or None,
            undone_by=undone.get(run.run),
        )
        for run in reversed(done)
    ]
    return HistoryResult(book_id=book.id, file=None, runs=lines_of_runs, revisions=[], edited=False)


def known_revisions(book: BookDir, file: str) -> list[Revision]:
    """The revisions of a file, oldest first, at least one.

    Raises ``NotFound`` ``history.not_found`` when there is none.
    """
    inside(book.path, file)
    known = revisions(book, file)
    if known:
        return known
    names = sorted({change.path for run in runs(book) for change in run.changes})
    near = difflib.get_close_matches(file, names, n=3, cutoff=0.6)
    if (book.path / file).is_file():
        hint = "It is kept from the first run on that writes or deletes it."
    else:
        hint = f"Did you mean {' or '.join(near)}?" if near else "Give it as history names it."
    raise NotFound(
        "history.not_found", f"The history of {book.id} has no revision of {file!r}.", hint
    )


def present_digest(book: BookDir, file: str) -> str | None:
    """The digest of what a file holds now, None when there is none."""
    path = inside(book.path, file)
    return digest_of(path.read_bytes()) if path.is_file() else None


def file_changes(changes: list[Change]) -> list[FileChange]:
    """The changes of a commit, as results tell them."""
    return [FileChange(path=change.path, change=change.kind) for change in changes]


def _revision(number: int, revision: Revision, present: str | None) -> RevisionLine:
    return RevisionLine(
        number=number,
        time=revision.time,
        run=revision.run or None,
        verb=revision.verb or None,
        size=None if revision.digest is None else revision.size,
        current=revision.digest == present,
    )
