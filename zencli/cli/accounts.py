"""``trace``, and the costs of ``status``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command

if TYPE_CHECKING:
    from zencli.pipeline.accounts.costs import CostLine, Costs
    from zencli.pipeline.accounts.trace import TracedCall, TraceResult
    from zencli.pipeline.accounts.trace_params import Trace

_HEAD = ("calls", "input", "cached", "output", "seconds", "cost")


def trace(invocation: Invocation, params: "Trace") -> None:
    """Show the calls of a run, one by one; with ``--verbose`` what was said."""

    def body(outcome: Outcome) -> None:
        from zencli.pipeline.accounts.trace import trace as traced
        from zencli.store.workspace import Workspace

        workspace = Workspace(invocation.root)
        book = workspace.open(params.book_id)
        result = traced(workspace, book, params.run, verbose=invocation.verbose)
        outcome.data = result
        outcome.text = "\n".join(_traced(result, verbose=invocation.verbose))

    run_command("trace", invocation, body)


def cost_lines(costs: "Costs") -> list[str]:
    """The costs of a book as tables."""
    from zencli.pipeline.accounts.costs import PRICES

    if not costs.total.calls:
        return ["No model was called for this book yet."]
    groups = [
        ("", [costs.total]),
        ("by verb", costs.verbs),
        ("by role", costs.roles),
        ("by model", costs.models),
        ("by chapter", costs.chapters),
    ]
    width = max(len(line.name) for _, lines in groups for line in lines)
    told = []
    for title, lines in groups:
        if lines:
            told += ["", _row(title, width, _HEAD), *(_costs(line, width) for line in lines)]
    if costs.total.failed:
        told += ["", f"{costs.total.failed} of the calls gave no usable reply; they are counted."]
    if costs.total.unpriced:
        told += ["", f"No price was known for {costs.total.unpriced} calls. {PRICES}"]
    return told[1:]


def _costs(line: "CostLine", width: int) -> str:
    return _row(
        line.name,
        width,
        (
            f"{line.calls}",
            f"{line.input_tokens}",
            f"{line.cached_share:.0%}",
            f"{line.output_tokens}",
            f"{line.seconds:.0f}",
            _money(line.cost),
        ),
    )


def _row(name: str, width: int, cells: tuple[str, ...]) -> str:
    return f"{name:<{max(width, 10)}}" + "".join(f"{cell:>12}" for cell in cells)


def _money(cost: float | None) -> str:
    return "-" if cost is None else f"{cost:.4f}"


def _traced(result: "TraceResult", *, verbose: bool) -> list[str]:
    lines = [f"{result.verb} ({result.run})"]
    for call in result.calls:
        lines.append(_call(call))
        if verbose:
            lines += _said(call)
    total = result.total
    lines.append(
        f"{total.calls} calls, {total.input_tokens} tokens in ({total.cached_share:.0%} cached), "
        f"{total.output_tokens} out, {total.seconds:.1f} s, cost {_money(total.cost)}"
    )
    if total.recalled:
        lines[-1] += f"; {total.recalled} read back from an earlier run"
    return lines


def _call(call: "TracedCall") -> str:
    chapter = "" if call.chapter is None else f"chapter {call.chapter}: "
    back = ", read back" if call.recalled else ""
    thought = f" ({call.reasoning_tokens} thinking)" if call.reasoning_tokens else ""
    return (
        f"{call.number:>3}  {call.time}  {chapter}{call.step} ({call.role}, {call.model}): "
        f"{call.input_tokens} in ({call.cached_share:.0%} cached), {call.output_tokens} out"
        f"{thought}, {call.seconds:.1f} s, cost {_money(call.cost)}, {call.outcome}{back}"
    )


def _said(call: "TracedCall") -> list[str]:
    if call.messages is None:
        return ["     What was said isn't kept any more."]
    lines = [f"--- {message.role}\n{message.content}" for message in call.messages]
    if call.thinking:
        lines.append(f"--- thinking\n{call.thinking}")
    return [*lines, f"--- reply\n{call.reply}\n"]
