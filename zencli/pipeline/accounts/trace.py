"""``trace``: the calls of one run, with what was said where it is still kept."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from zencli.errors import NotFound
from zencli.pipeline.accounts.costs import CostLine, cost_line
from zencli.store.calls import CALLS, Call, CallFile
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.run_files import kept_calls
from zencli.store.workspace import Workspace

RUNS = f"{MACHINE}/runs"
_SHOWN = 5


class TracedMessage(BaseModel):
    """One message, exactly as it was sent."""

    model_config = ConfigDict(frozen=True)

    role: str
    content: str


class TracedCall(BaseModel):
    """One call. ``messages``, ``reply`` and ``thinking`` are told when asked for, and as long as
    they are kept; None else.

    ``outcome``: ok, length (cut off at the output limit), rejected (nothing could be made of the
    reply), interrupted, or the code of the error that ended it, which makes its numbers estimates.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    time: str
    chapter: int | None
    step: str
    role: str
    model: str
    input_tokens: int
    cached_tokens: int
    cached_share: float
    output_tokens: int
    reasoning_tokens: int
    seconds: float
    cost: float | None
    recalled: bool
    outcome: str
    messages: list[TracedMessage] | None
    reply: str | None
    thinking: str | None


class TraceResult(BaseModel):
    """A run's calls in the order they were made; ``total`` leaves out those read back."""

    model_config = ConfigDict(frozen=True)

    book_id: str
    run: str
    verb: str
    calls: list[TracedCall]
    total: CostLine


def trace(workspace: Workspace, book: BookDir, run: str | None, *, verbose: bool) -> TraceResult:
    """The calls of ``run``, or of the latest run that made any; ``verbose`` with their texts.

    Raises NotFound ``run.not_found`` when no call of the run is known.
    """
    known = CallFile(book.path / CALLS).read()
    wanted = run or (known[-1].run if known else "")
    calls = [call for call in known if call.run == wanted]
    if not calls:
        raise _unknown(book, run, known)
    kept = _kept((workspace.root / RUNS, book.path / RUNS), calls, known) if verbose else {}
    return TraceResult(
        book_id=book.id,
        run=wanted,
        verb=calls[0].verb,
        calls=[_told(n, call, kept) for n, call in enumerate(calls, 1)],
        total=cost_line("all", calls),
    )


def _unknown(book: BookDir, run: str | None, known: list[Call]) -> NotFound:
    if run is None:
        return NotFound("run.not_found", f"No model was called for {book.id} yet.")
    latest = list(dict.fromkeys(call.run for call in known))[-_SHOWN:]
    return NotFound(
        "run.not_found",
        f"No call of a run {run!r} is known.",
        f"The latest runs that called a model: {', '.join(latest) or 'none'}.",
    )


def _kept(folders: tuple[Path, ...], calls: list[Call], known: list[Call]) -> dict[str, Any]:
    """What the runs still hold of these calls, by digest; a reply may lie with an earlier run."""
    wanted = {call.digest for call in calls}
    runs = dict.fromkeys(call.run for call in known if call.digest in wanted)
    return {
        kept.call["digest"][: len(calls[0].digest)]: kept.call
        for name in runs
        for folder in folders
        for kept in kept_calls(folder / name)
    }


def _told(number: int, call: Call, kept: dict[str, Any]) -> TracedCall:
    said = kept.get(call.digest)
    messages = said["request"]["messages"] if said else None
    return TracedCall(
        number=number,
        time=call.time,
        chapter=call.chapter,
        step=call.step,
        role=call.role,
        model=call.model,
        input_tokens=call.input,
        cached_tokens=call.cached,
        cached_share=round(call.cached / call.input, 3) if call.input else 0.0,
        output_tokens=call.output,
        reasoning_tokens=call.reasoning,
        seconds=call.seconds,
        cost=call.cost,
        recalled=call.recalled,
        outcome=call.outcome,
        messages=messages
        and [TracedMessage(role=m["role"], content=m["content"]) for m in messages],
        reply=said["reply"]["text"] if said else None,
        thinking=(said["reply"]["thinking"] or None) if said else None,
    )
