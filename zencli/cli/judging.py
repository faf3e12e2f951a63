"""``waive``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.auditing.waive_params import Waive

if TYPE_CHECKING:
    from zencli.pipeline.auditing.judged_results import WaiveResult
    from zencli.pipeline.runner import Runner


def waive(invocation: Invocation, params: Waive) -> None:
    """Let a finding stand, with the reason, or take that back."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.waive(params)
        outcome.data, outcome.text = result, _waived(result)

    run_verb("waive", invocation, body)


def _waived(result: "WaiveResult") -> str:
    finding = result.finding
    told = f"waived: {finding.waived}" if finding.waived is not None else "it stands again"
    return (
        f"chapter {result.number}: {finding.severity} {finding.dimension} [{finding.id}] {told}\n"
        f"  {result.verdict or 'not audited'}, status {result.status}, "
        f"{result.standing} standing"
    )
