"""The verb ``undo``: a run taken back, in one commit that can be undone itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from zencli.errors import NeedsAuthor, NotFound, UsageError
from zencli.pipeline.past.history_book import file_changes, present_digest
from zencli.pipeline.past.reversal import merged
from zencli.pipeline.past.rewind import Consequences, Contents, chapter_number, follow, know
from zencli.pipeline.results import UndoResult
from zencli.store.changes import Change
from zencli.store.disk import DISK, Disk, refused
from zencli.store.history import RunChanges, content, runs, taken_back
from zencli.store.known_files import KNOWN, VIEWS
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction

VERB = "undo"


@dataclass
class _Plan:
    """What an undo will put back; ``edited`` are files with an edit by hand since the run."""

    contents: Contents = field(default_factory=dict)
    edited: list[str] = field(default_factory=list)
    views: bool = False


def undo(
    book: BookDir,
    run: str | None,
    run_id: str,
    now: datetime,
    *,
    trash: Path,
    confirmed: bool,
    warn: Callable[[str], None],
    disk: Disk = DISK,
) -> UndoResult:
    """Take ``run`` back, or the last one that isn't undone; the caller holds the book's lock.

    A run that made the book moves it into the folder ``trash``. Raises ``NeedsAuthor`` unless
    ``confirmed`` for that, and when a file was edited by hand since; ``NotFound`` for an unknown
    run; ``UsageError`` ``usage.run`` when there is none to undo or a later run built on it.
    """
    history = runs(book)
    target = _target(book, history, run)
    if target.creates:
        return _to_trash(book, target, trash, now, confirmed=confirmed, disk=disk)
    later = _later(history, target)
    plan = _plan(book, history, target, later)
    _check_no_gap(book, target, plan.contents)
    if plan.edited and not confirmed:
        raise NeedsAuthor(
            "book.edited",
            f"Edited by hand since {target.verb} ({target.run}): {', '.join(plan.edited)}.",
            "Add --yes to undo it all the same; your text is kept in the history.",
        )
    transaction = Transaction(book, VERB, run_id, disk, undoes=target.run)
    for path, data in plan.contents.items():
        if data is None:
            transaction.delete(path)
        else:
            transaction.write(path, data)
    follows = Consequences()
    if later or plan.views:
        follows = follow(transaction, book, now, views=plan.views)
    if follows.problem:
        warn(follows.problem)
    if KNOWN not in plan.contents or follows.views:
        know(transaction, book, views=follows.views)
    changes = transaction.commit()
    return UndoResult(
        book_id=book.id,
        run=target.run,
        verb=target.verb,
        undo=run_id,
        files=file_changes(changes),
        edited=plan.edited,
        stale=follows.stale,
        trash=None,
    )


def _target(book: BookDir, history: Sequence[RunChanges], wanted: str | None) -> RunChanges:
    undone = taken_back(history)
    if wanted is None:
        for run in reversed(history):
            if run.run not in undone and not run.undoes and (run.changes or run.creates):
                return run
        raise UsageError("usage.run", f"{book.id} has no run left to undo.")
    found = next((run for run in history if run.run == wanted), None)
    if found is None:
        raise NotFound(
            "run.not_found",
            f"{book.id} has no run {wanted!r} that changed it.",
            f"`zencli history {book.id}` lists the runs.",
        )
    if wanted in undone:
        raise UsageError(
            "usage.run",
            f"{wanted} is undone already.",
            f"To have it again: zencli undo {book.id} {undone[wanted]}",
        )
    return found


def _later(history: Sequence[RunChanges], target: RunChanges) -> list[RunChanges]:
    """The runs after ``target`` that count: a run and its undo, both later, cancel each other."""
    after = history[history.index(target) + 1 :]
    names = {run.run for run in after}
    undone = taken_back(history)
    return [run for run in after if run.run not in undone and run.undoes not in names]


def _plan(
    book: BookDir, history: Sequence[RunChanges], target: RunChanges, later: list[RunChanges]
) -> _Plan:
    plan = _Plan()
    for change in target.changes:
        present = present_digest(book, change.path)
        if present == change.before:
            continue
        if present == change.after:
            plan.contents[change.path] = _before(book, change)
        elif change.path == KNOWN:
            continue  # it follows from what is put back
        elif change.path in VIEWS:
            _plan_view(plan, book, change, later, known=present == _last(history, change.path))
        else:
            _plan_changed(plan, book, change, later)
    return plan


def _plan_view(
    plan: _Plan, book: BookDir, change: Change, later: list[RunChanges], *, known: bool
) -> None:
    """A view that isn't as the run left it; ``known``: a run wrote what it holds now."""
    if not known:
        plan.edited.append(change.path)
    if later:
        plan.views = True
    else:
        plan.contents[change.path] = _before(book, change)


def _plan_changed(plan: _Plan, book: BookDir, change: Change, later: list[RunChanges]) -> None:
    """Another file that isn't as the run left it."""
    together = merged(book, change)
    if together is not None:
        plan.contents |= together
        return
    for run in later:
        if any(change.path == other.path for other in run.changes):
            raise UsageError(
                "usage.run",
                f"{change.path} was changed again later, by {run.verb} ({run.run}).",
                f"Undo that first: zencli undo {book.id} {run.run}",
            )
    plan.edited.append(change.path)
    plan.contents[change.path] = _before(book, change)


def _before(book: BookDir, change: Change) -> bytes | None:
    return None if change.before is None else content(book, change.before)


def _last(history: Sequence[RunChanges], path: str) -> str | None:
    """The digest of a file after the last run that changed it."""
    changes = [change for run in history for change in run.changes if change.path == path]
    return changes[-1].after


def _check_no_gap(book: BookDir, target: RunChanges, contents: Contents) -> None:
    numbers = {chapter_number(path) for path, data in contents.items() if data is None}
    gone = {number for number in numbers if number is not None}
    above = [n for n in book.chapter_numbers() if gone and n > min(gone) and n not in gone]
    if above:
        raise UsageError(
            "usage.run",
            f"{target.verb} ({target.run}) wrote chapter {min(gone)}, and chapter {min(above)} "
            "follows on it.",
            "Undo what was written later first.",
        )


def _to_trash(
    book: BookDir,
    target: RunChanges,
    trash: Path,
    now: datetime,
    *,
    confirmed: bool,
    disk: Disk,
) -> UndoResult:
    """Move the whole book away, in one step."""
    chapters = len(book.chapter_numbers())
    if not confirmed:
        raise NeedsAuthor(
            "book.trash",
            f"Undoing {target.verb} moves {book.id} with {chapters} chapters to the trash.",
            "Add --yes to do so.",
        )
    base = f"{book.id}-{now:%Y%m%dT%H%M%SZ}"
    names = [base, *(f"{base}-{count}" for count in range(2, 1000))]
    try:
        disk.make_folder(trash)
        place = next(trash / name for name in names if not (trash / name).exists())
        disk.rename(book.path, place)
        disk.sync_folder(trash)
        disk.sync_folder(book.path.parent)
    except OSError as error:
        raise refused(error, trash, "Nothing was moved; check the permissions.") from error
    return UndoResult(
        book_id=book.id,
        run=target.run,
        verb=target.verb,
        undo=None,
        files=[],
        edited=[],
        stale=[],
        trash=str(place),
    )
