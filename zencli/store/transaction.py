"""Changing a book: all files of a transaction, or none.

    1. new contents go to ``.zencli/stage/<run>/``; they and the contents they replace go to the
       history (all fsynced)
    2. ``.zencli/commit.json`` is moved into place: from here on the commit happens
    3. the staged files are moved over the old ones, deleted files are unlinked
    4. the stage is removed and ``commit.json`` moved to the history

``recovery.recover`` finishes a commit that was stopped after 2 and discards one stopped before.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from zencli.errors import DamagedError, UsageError
from zencli.store.atomic import file_mode
from zencli.store.changes import RUN_ID, Change, Commit
from zencli.store.disk import DISK, Disk, refused
from zencli.store.history import COMMITS, OBJECTS, commit_numbers, digest_of
from zencli.store.journal import JOURNAL, STAGE, Content, apply, keep_object, write_journal
from zencli.store.layout import BookDir
from zencli.store.paths import writable

_FINISH = "Give any verb for this book again: the change is then finished."


class Transaction:
    """Collects changes of a book whose lock the caller holds; ``commit`` makes them.

    ``run_id`` is a plain file name; several transactions of one run may share it, one after the
    other. ``undoes`` is the run that this one takes back. Nothing touches the disk before
    ``commit``.
    """

    def __init__(
        self, book: BookDir, verb: str, run_id: str, disk: Disk = DISK, *, undoes: str = ""
    ) -> None:
        if not re.fullmatch(RUN_ID, run_id):
            raise ValueError(f"no run id: {run_id!r}")
        self._book = book
        self._verb = verb
        self._run_id = run_id
        self._disk = disk
        self._undoes = undoes
        self._contents: dict[str, bytes | None] = {}
        self._kept: list[bytes] = []
        self._seen: dict[str, bytes] = {}

    def write(self, relative: str, content: str | bytes) -> None:
        """Make ``relative`` hold ``content`` (text becomes UTF-8); the last call for a path wins.

        Raises UsageError ``usage.path`` for a path outside the book, in the program's own folder,
        through a symlink, or of a folder.
        """
        writable(self._book.path, relative)
        self._contents[relative] = content.encode() if isinstance(content, str) else content

    def delete(self, relative: str) -> None:
        """Delete ``relative``; a file that doesn't exist is no error. Raises as ``write`` does."""
        writable(self._book.path, relative)
        self._contents[relative] = None

    def keep(self, text: str) -> None:
        """Put a text into the history although no file changes: the author's own, to be known by
        its digest later."""
        self._kept.append(text.encode())

    def keep_file(self, relative: str) -> None:
        """Have the history tell what an edited file holds, although this run doesn't change it.

        It's told with the changes of this transaction; without any there is nothing to tell.
        """
        path = writable(self._book.path, relative)
        if path.is_file():
            self._seen[relative] = path.read_bytes()

    @property
    def staged(self) -> Mapping[str, bytes | None]:
        """What will be written so far, by path; None for a file that will be deleted."""
        return self._contents

    def commit(self) -> list[Change]:
        """Make all changes at once and return those that changed something, by path.

        Without any there is no commit, but for an undo: that its run is taken back is kept.
        Raises UsageError ``usage.path`` when a file stands where a folder is needed, and
        ``usage.not_writable`` when the disk refuses: the book is then as before, or, when the
        commit had already begun, it is finished by the next verb.
        """
        if (self._book.path / JOURNAL).exists():
            raise DamagedError(
                "book.damaged", f"A change of {self._book.id} is unfinished.", _FINISH
            )
        try:
            changes, replaced = self._changes()
            if not changes and not self._undoes:
                return []
            self._check_folders(changes)
            commit = self._prepare([*changes, *self._unchanged()], replaced)
        except OSError as error:
            self._disk.unlink(self._book.path / JOURNAL)
            self._disk.remove_tree(self._stage)
            raise refused(error, self._book.path, "Nothing was changed.") from error
        try:
            apply(self._book, commit, self._disk)
        except OSError as error:
            raise refused(error, self._book.path, _FINISH) from error
        self._contents.clear()
        return changes

    @property
    def _stage(self) -> Path:
        return self._book.path / STAGE / self._run_id

    def _changes(self) -> tuple[list[Change], dict[str, Content]]:
        """What will change, by path, and the contents that will be replaced, by path too."""
        changes: list[Change] = []
        replaced: dict[str, Content] = {}
        for relative, new in sorted(self._contents.items()):
            path = writable(self._book.path, relative)
            old = path.read_bytes() if path.is_file() else None
            if old != new:
                change = _change(relative, old, new)
                changes.append(change)
                if old is not None and change.before is not None:
                    replaced[relative] = Content(old, change.before)
        return changes, replaced

    def _unchanged(self) -> list[Change]:
        """The files that are told as they are."""
        seen = ((path, data) for path, data in self._seen.items() if path not in self._contents)
        return [_change(path, data, data) for path, data in seen]

    def _check_folders(self, changes: list[Change]) -> None:
        written = {change.path for change in changes if change.after is not None}
        for relative in written:
            for parent in list(Path(relative).parents)[:-1]:
                if parent.as_posix() in written or (self._book.path / parent).is_file():
                    raise UsageError(
                        "usage.path",
                        f"{relative!r} can't be written: {parent.as_posix()!r} is a file.",
                        "Give it another name.",
                    )

    def _prepare(self, changes: list[Change], replaced: dict[str, Content]) -> Commit:
        """Everything up to the commit record in its place."""
        root, disk = self._book.path, self._disk
        disk.remove_tree(self._stage)
        for folder in (self._stage, root / OBJECTS, root / COMMITS):
            disk.make_folder(folder)
        told = (*self._kept, *self._seen.values())
        texts = [Content(data, digest_of(data)) for data in told]
        for old in (*replaced.values(), *texts):
            keep_object(self._book, old, self._stage, disk)
        for index, change in enumerate(changes):
            new = self._contents.get(change.path)
            if new is not None and change.after is not None:
                # kept now, because the author may edit or delete the file by hand at any time
                kept, before = Content(new, change.after), replaced.get(change.path)
                keep_object(self._book, kept, self._stage, disk, before)
                disk.create(self._stage / str(index), new, file_mode(root / change.path))
        disk.sync_folder(self._stage)
        disk.sync_folder(root / OBJECTS)
        commit = Commit(
            number=max(commit_numbers(self._book), default=0) + 1,
            run=self._run_id,
            verb=self._verb,
            time=datetime.now(UTC),
            undoes=self._undoes,
            changes=changes,
        )
        write_journal(self._book, commit, disk)
        return commit


def _change(relative: str, old: bytes | None, new: bytes | None) -> Change:
    return Change(
        path=relative,
        before=None if old is None else digest_of(old),
        after=None if new is None else digest_of(new),
        size_before=len(old or b""),
        size_after=len(new or b""),
    )
