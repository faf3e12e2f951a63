"""What the next writer does about a commit that was interrupted."""

from pathlib import Path

from zencli.store.changes import Change, Commit, parse_commit
from zencli.store.disk import DISK, Disk, refused
from zencli.store.history import digest_of
from zencli.store.journal import JOURNAL, STAGE, Content, apply, keep_object, write_journal
from zencli.store.layout import BookDir
from zencli.store.paths import writable


def recover(book: BookDir, disk: Disk = DISK) -> str | None:
    """Finish an interrupted commit, or discard one that hadn't begun; the caller holds the lock.

    Returns one sentence for the author when there was something to do, else None. What the author
    changed since the interruption goes to the history before it is replaced. Raises DamagedError
    ``book.damaged`` when the commit record can't be read, UsageError ``usage.path`` when it names
    a file outside the book.
    """
    try:
        told = _finish(book, disk) or _discard(book)
        disk.remove_tree(book.path / STAGE)
    except OSError as error:
        raise refused(error, book.path, "Check the permissions and the free space.") from error
    return told


def _finish(book: BookDir, disk: Disk) -> str | None:
    journal = book.path / JOURNAL
    if not journal.is_file():
        return None
    commit = parse_commit(journal.read_bytes(), JOURNAL)
    for change in commit.changes:
        writable(book.path, change.path)
    apply(book, _with_present_contents(book, commit, disk), disk)
    files = ", ".join(c.path for c in commit.changes if c.before != c.after)
    return f"An interrupted {commit.verb} was finished: {files}."


def _discard(book: BookDir) -> str | None:
    if not any((book.path / STAGE).glob("*/*")):
        return None
    return "An interrupted run had changed nothing; its unfinished files were discarded."


def _with_present_contents(book: BookDir, commit: Commit, disk: Disk) -> Commit:
    stage = book.path / STAGE / commit.run
    changes = [
        _with_present_content(book, change, stage / str(index), disk)
        for index, change in enumerate(commit.changes)
    ]
    if changes == commit.changes:
        return commit
    renewed = commit.model_copy(update={"changes": changes})
    write_journal(book, renewed, disk)
    return renewed


def _with_present_content(book: BookDir, change: Change, staged: Path, disk: Disk) -> Change:
    target = book.path / change.path
    to_do = staged.exists() or (change.after is None and staged.parent.is_dir())
    if not to_do or not target.is_file():
        return change
    data = target.read_bytes()
    present = Content(data, digest_of(data))
    if present.digest in (change.before, change.after):
        return change
    keep_object(book, present, staged.parent, disk)
    return change.model_copy(update={"before": present.digest, "size_before": len(data)})
