"""The verb ``suggest``: three next steps in the author's voice, for one cheap call or none."""

from zencli.context.canon import Canon
from zencli.context.layers import Layer
from zencli.errors import ModelError
from zencli.pipeline.overview import BookStatusView, book_status
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.suggesting.by_rule import COUNT, suggested
from zencli.pipeline.suggesting.suggest_params import SuggestResult
from zencli.prose.segment import tail
from zencli.store.layout import BookDir
from zencli.story.documents.outline import around
from zencli.story.lenient import Lenient
from zencli.story.state import State

TAIL_CHARS = 400
RECENT = 3
MOST_HOOKS = 8
LONGEST = {"zh": 60, "en": 200}
"""Characters of one suggestion."""


class Suggestions(Lenient):
    """What a model proposes."""

    steps: list[str] = []


def suggest_by_rule(book: BookDir) -> SuggestResult:
    """Three steps without a model."""
    status = book_status(book)
    return _result(status, suggested(status, _state(book, status)), by_model=False)


def suggest(ctx: RunContext, book: BookDir) -> SuggestResult:
    """Three steps by the planner's model; by rule when it can't be reached or read."""
    status = book_status(book)
    state = _state(book, status)
    try:
        reply = ctx.structured(
            "planner", "suggest", [_task(ctx, book, status, state)], Suggestions,
            check=lambda value: _problems(value, status),
        )  # fmt: skip
    except ModelError as error:
        ctx.warn(f"Suggested by rule: {error.message}")
        return _result(status, suggested(status, state), by_model=False)
    return _result(status, [" ".join(step.split()) for step in reply.steps[:COUNT]], by_model=True)


def _result(status: BookStatusView, steps: list[str], *, by_model: bool) -> SuggestResult:
    return SuggestResult(
        book_id=status.book_id, suggestions=steps, source="model" if by_model else "built-in"
    )


def _state(book: BookDir, status: BookStatusView) -> State:
    latest = status.chapters[-1].number if status.chapters else 0
    return Canon.load(book).state_before(latest + 1)


def _problems(reply: Suggestions, status: BookStatusView) -> list[str]:
    longest = LONGEST[status.language]
    steps = [" ".join(step.split()) for step in reply.steps]
    different = len({step for step in steps if step}) >= COUNT
    fits = all(len(step) <= longest for step in steps[:COUNT])
    if status.language == "zh":
        return ([] if different else [f"要{COUNT}条各不相同的建议"]) + (
            [] if fits else [f"每条不超过{longest}字"]
        )
    return ([] if different else [f"{COUNT} different steps are wanted"]) + (
        [] if fits else [f"a step has at most {longest} characters"]
    )


def _task(ctx: RunContext, book: BookDir, status: BookStatusView, state: State) -> Layer:
    latest = status.chapters[-1].number if status.chapters else 0
    end = ""
    if status.chapters:
        end = tail(book.chapter(latest)[1], TAIL_CHARS)
    hooks = sorted(
        (h for h in state.hooks.values() if h.unpaid and h.planted),
        key=lambda hook: (hook.due or 10**6, hook.planted),
    )[:MOST_HOOKS]
    text = ctx.prompts.render(
        "agent/suggest",
        title=status.title,
        latest=latest,
        target_chapters=status.target_chapters,
        failed=[c.number for c in status.chapters if c.status == "failed"][:5],
        edited=[c.number for c in status.chapters if "edited" in c.flags][:5],
        summaries=list(state.summaries[-RECENT:]),
        hooks=hooks,
        entry=around(book.read("outline.md") or "", latest + 1, before=0, after=0),
        focus=(book.read("focus.md") or "").strip()[:600],
        tail=end,
        longest=LONGEST[status.language],
    )
    return Layer("task", text)
