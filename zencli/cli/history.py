"""``undo``, ``history`` and ``restore``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.params import History, Restore, Undo

if TYPE_CHECKING:
    from zencli.pipeline.results import (
        FileChange,
        HistoryResult,
        RestoreResult,
        RevisionLine,
        RunLine,
        UndoResult,
    )
    from zencli.pipeline.runner import Runner

_SHOWN = 4
"""Files of a run that the list of runs names."""


def undo(invocation: Invocation, params: Undo) -> None:
    """Take a run back: every file as it was before."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.undo(params)
        outcome.data, outcome.text = result, _undone(result)

    run_verb("undo", invocation, body)


def history(invocation: Invocation, params: History) -> None:
    """List the runs of a book, or the revisions of one file."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.history(params)
        outcome.data, outcome.text = result, _listed(result)

    run_verb("history", invocation, body)


def restore(invocation: Invocation, params: Restore) -> None:
    """Bring a file back as it was in a revision."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.restore(params)
        outcome.data, outcome.text = result, _restored(result)

    run_verb("restore", invocation, body)


def _undone(result: "UndoResult") -> str:
    lines = [f"undone: {result.verb} ({result.run})"]
    if result.trash is not None:
        return "\n".join([*lines, f"  the book is now in {result.trash}"])
    lines += _files(result.files)
    lines += [f"  edited by hand, kept in the history: {path}" for path in result.edited]
    lines += _stale(result.stale)
    lines.append(f"to have it again: zencli undo {result.book_id} {result.undo}")
    return "\n".join(lines)


def _restored(result: "RestoreResult") -> str:
    if not result.files:
        return f"{result.file} is as in revision {result.revision} already."
    lines = [f"restored: {result.file} as in revision {result.revision}"]
    lines += _files(result.files)
    lines += _stale(result.stale)
    return "\n".join(lines)


def _files(files: "list[FileChange]") -> list[str]:
    return [f"  {file.change} {file.path}" for file in files]


def _stale(numbers: list[int]) -> list[str]:
    return [f"  stale now: {', '.join(map(str, numbers))}"] if numbers else []


def _listed(result: "HistoryResult") -> str:
    if result.file is None:
        return "\n".join(map(_run, result.runs)) or f"No run has changed {result.book_id} yet."
    latest = result.revisions[0].number
    since = [f"{result.file} was edited or deleted by hand since revision {latest}."]
    lines = since if result.edited else []
    return "\n".join([*lines, *map(_revision, result.revisions)])


def _run(line: "RunLine") -> str:
    names = [file.path for file in line.files[:_SHOWN]]
    more = len(line.files) - len(names)
    shown = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    undoes = f" of {line.undoes}" if line.undoes else ""
    undone = " [undone]" if line.undone_by else ""
    return f"{line.run}  {line.verb}{undoes}{undone}  {shown or 'no file'}"


def _revision(line: "RevisionLine") -> str:
    size = "deleted" if line.size is None else f"{line.size} bytes"
    who = f"{line.verb} ({line.run})" if line.run else "by hand"
    now = " [now]" if line.current else ""
    return f"{line.number:>4}  {line.time:%Y-%m-%d %H:%M:%S}  {size}  {who}{now}"
