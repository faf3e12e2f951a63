"""Going on where an interrupted run of the same command stopped."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from zencli.pipeline.past.history_book import file_changes
from zencli.pipeline.results import UndoResult
from zencli.store.changes import Commit
from zencli.store.history import first_and_last, runs
from zencli.store.layout import BookDir
from zencli.store.run_files import EarlierRun, latest_begun, mark_done
from zencli.store.runs import RunLog


class Goal(NamedTuple):
    """The chapters that a command set out to write."""

    first: int
    last: int


@dataclass(frozen=True)
class Resume:
    """A command, the log of its run, and the earlier run of the same command that didn't end.

    ``log`` is None in a dry run, ``earlier`` when there is nothing to go on with.
    """

    command: dict[str, Any] = field(default_factory=dict)
    log: RunLog | None = None
    earlier: EarlierRun | None = None

    @property
    def run_id(self) -> str:
        """The id of this run."""
        return self.log.id if self.log else ""

    @property
    def goal(self) -> Goal | None:
        """The chapters that the earlier run set out to write."""
        told = self.earlier.begun.get("goal") if self.earlier else None
        return Goal(*told) if told else None

    def begin(self, goal: Goal | None = None) -> None:
        """Put on disk what this run sets out to do, before it does anything."""
        if self.log is not None:
            self.log.note("command", {"command": self.command, "goal": goal})

    def note_result(self, result: BaseModel) -> None:
        """Put on disk what this run will have to say, just before its commit."""
        if self.log is not None:
            self.log.note("result", result.model_dump(mode="json"))

    def finished(self, book: BookDir) -> tuple[dict[str, Any], Commit] | None:
        """What the earlier run had to say, and its commit, when it was stopped after that.

        The commit is the book's latest, or made the book. The command is then done: its run counts
        as ended from now on.
        """
        known = first_and_last(book) if self.earlier else None
        if self.earlier is None or known is None:
            return None
        first, last = known
        made = first if first.creates and first.own_run == self.earlier.id else last
        if made.own_run != self.earlier.id:
            return None
        result = self.earlier.note("result")
        mark_done(self.earlier)
        return result, made


def resume_of(
    folder: Path, verb: str, command: dict[str, Any], log: RunLog | None = None, *, fresh: bool
) -> Resume:
    """What a command can go on with; nothing when ``fresh``. ``folder`` is ``.zencli/runs``."""
    earlier = None if fresh else latest_begun(folder, verb)
    if earlier is not None and earlier.begun.get("command") != command:
        earlier = None
    return Resume(command, log, earlier)


def undone_already(book: BookDir, resume: Resume) -> UndoResult | None:
    """What an interrupted undo of the same command did, when it was stopped after that."""
    done = resume.finished(book)
    if done is None:
        return None
    _, commit = done
    verbs = {run.run: run.verb for run in runs(book)}
    return UndoResult(
        book_id=book.id,
        run=commit.undoes,
        verb=verbs.get(commit.undoes, ""),
        undo=commit.run,
        files=file_changes(commit.changes),
        edited=[],
        stale=[],
        trash=None,
    )
