"""``report``."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.reporting.report_params import Report, ReportResult

if TYPE_CHECKING:
    from zencli.pipeline.runner import Runner


def report(invocation: Invocation, params: Report) -> None:
    """Draw a report of the whole book: one HTML file with charts."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.report(params)
        outcome.data, outcome.text = result, _told(result)
        if params.open and not webbrowser.open(Path(result.path).resolve().as_uri()):
            outcome.warnings.append(f"No browser could be started; open {result.path} yourself.")

    run_verb("report", invocation, body)


def _told(result: ReportResult) -> str:
    hooks = f"{result.hooks} hooks"
    if result.overdue:
        hooks += f" ({len(result.overdue)} overdue: {', '.join(result.overdue[:5])})"
    return f"{result.path}\n{result.chapters} chapters, {hooks}, {result.people} characters"
