"""The verbs that map onto the Runner, one function each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.errors import JudgedError, ZencliError
from zencli.pipeline.params import Approve, Audit, InitBook, Revise, WriteNext

if TYPE_CHECKING:
    from zencli.pipeline.results import AuditResult, ReviseResult, WriteNextResult
    from zencli.pipeline.runner import Runner


def init_book(invocation: Invocation, params: InitBook) -> None:
    """Plan a book from a brief and write its foundation."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.cli import render

        result = runner.init_book(params)
        outcome.data, outcome.text = result, render.init_book(result)

    run_verb("init-book", invocation, body)


def write_next(invocation: Invocation, params: WriteNext) -> None:
    """Write the next chapters."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.cli import render
        from zencli.pipeline.partly import PartlyDone

        try:
            result = runner.write_next(params)
            outcome.error = _write_error(result)
        except PartlyDone as error:
            result, outcome.error = error.result, error
        outcome.data, outcome.text = result, render.write_next(result)

    run_verb("write-next", invocation, body)


def _write_error(result: "WriteNextResult") -> ZencliError | None:
    from zencli.errors import ModelError

    failed = [str(c.number) for c in result.chapters if c.status == "failed"]
    if failed:
        return JudgedError(
            "audit.failed",
            f"Chapter {', '.join(failed)} was written, but judged not good enough.",
            "Read the findings, then revise it.",
        )
    unknown = [str(c.number) for c in result.chapters if c.verdict == "unknown"]
    if unknown:
        return ModelError(
            "audit.unknown",
            f"Chapter {', '.join(unknown)} was written, but the audit couldn't be read.",
            "Audit it again.",
        )
    return None


def audit(invocation: Invocation, params: Audit) -> None:
    """Judge chapters."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.cli import render
        from zencli.pipeline.auditing.audit_book import unreadable
        from zencli.pipeline.partly import PartlyDone

        if params.trend:
            _trend(runner, params, outcome)
            return
        try:
            result = runner.audit(params)
            outcome.error = unreadable(result) or _judged(result, params)
        except PartlyDone as error:
            result, outcome.error = error.result, error
        outcome.data = result
        if params.report is None:
            outcome.text = render.audit(result)
        else:
            from zencli.pipeline.reports import render_report

            outcome.text = render_report(
                result, params.report, runner.workspace.root, params.fail_on
            )

    run_verb("audit", invocation, body)


def _trend(runner: "Runner", params: Audit, outcome: Outcome) -> None:
    from zencli.cli.judged_text import trend_text

    result = runner.trend(params)
    outcome.data, outcome.text = result, trend_text(result)


def _judged(result: "AuditResult", params: Audit) -> ZencliError | None:
    from zencli.story.findings import at_or_above

    level = params.fail_on
    if level == "never":
        return None
    failed = [str(c.number) for c in result.chapters if at_or_above(c.findings, level)]
    if not failed:
        return None
    return JudgedError(
        "audit.failed",
        f"Chapter {', '.join(failed)}: a finding of severity {level} or worse stands.",
        "Revise the chapter, waive the finding, or set --fail-on.",
    )


def revise(invocation: Invocation, params: Revise) -> None:
    """Revise one chapter."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.cli import render

        result = runner.revise(params)
        outcome.data, outcome.text = result, render.revise(result)
        outcome.error = _rejected(result, params)

    run_verb("revise", invocation, body)


def _rejected(result: "ReviseResult", params: Revise) -> ZencliError | None:
    asked = bool(params.instruction) or params.mode != "spot-fix"
    nothing_to_do = result.findings_before == 0 and not asked
    if result.applied or nothing_to_do:
        return None
    return JudgedError(
        "revise.rejected",
        f"The revision of chapter {result.number} wasn't kept: {result.reason}",
        "Read the candidate; --force keeps it." if result.candidate else "",
    )


def approve(invocation: Invocation, params: Approve) -> None:
    """Mark chapters as approved."""
    _approve("approve", invocation, params, approved=True)


def unapprove(invocation: Invocation, params: Approve) -> None:
    """Take an approval back."""
    _approve("unapprove", invocation, params, approved=False)


def _approve(name: str, invocation: Invocation, params: Approve, *, approved: bool) -> None:
    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.cli import render

        result = runner.approve(params, approved=approved)
        outcome.data, outcome.text = result, render.approve(result)

    run_verb(name, invocation, body)


def run_verb(name: str, invocation: Invocation, body: Callable[["Runner", Outcome], None]) -> None:
    """Run a body with a Runner; a dry run's preview becomes the outcome."""

    def whole(outcome: Outcome) -> None:
        from zencli.cli import render
        from zencli.cli.preview import preview
        from zencli.cli.progress import Progress
        from zencli.pipeline.events import ignore
        from zencli.pipeline.run_context import Previewed
        from zencli.pipeline.runner import Runner

        options = invocation.run_options()
        listener = ignore if invocation.quiet else Progress()
        runner = Runner(invocation.root, options, listener=listener)
        try:
            body(runner, outcome)
        except Previewed as previewed:
            outcome.data, outcome.text = preview(previewed), render.preview(previewed)
        finally:
            outcome.warnings = [*runner.warnings, *outcome.warnings]
            outcome.usage = usage_data(runner)

    run_command(name, invocation, whole)


def usage_data(runner: "Runner") -> dict[str, Any]:
    """What the run took, as the JSON object shows it."""
    usage = runner.usage
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
    }
