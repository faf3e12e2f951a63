"""``suggest``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.suggesting.suggest_params import Suggest

if TYPE_CHECKING:
    from zencli.pipeline.runner import Runner


def suggest(invocation: Invocation, params: Suggest) -> None:
    """Suggest three next steps, as you could ask for them."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        result = runner.suggest(params)
        outcome.data = result
        outcome.text = "\n".join(f"{n}. {step}" for n, step in enumerate(result.suggestions, 1))

    run_verb("suggest", invocation, body)
