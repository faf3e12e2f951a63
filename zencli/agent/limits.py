"""What ends a turn before its work is done: each a stop reason, raised where it is noticed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zencli.errors import BudgetError, ModelError, NeedsAuthor, ZencliError
from zencli.pipeline.configuration.agent_table import AgentTable

StopReason: TypeAlias = Literal[
    "finished",
    "question",
    "invalid_handoff",
    "max_agent_runs",
    "max_tool_turns",
    "max_model_calls",
    "max_seconds",
    "tool_failure_circuit_open",
    "repeated_unavailable_tool_call",
    "no_progress",
    "budget",
    "model_failed",
    "interrupted",
    "failed",
]
"""Why a turn ended, as a stable word."""

LIMITS: tuple[StopReason, ...] = (
    "max_agent_runs", "max_tool_turns", "max_model_calls", "max_seconds",
)  # fmt: skip
CONTINUABLE: tuple[StopReason, ...] = (
    *LIMITS, "tool_failure_circuit_open", "repeated_unavailable_tool_call", "no_progress",
    "budget", "model_failed", "interrupted",
)  # fmt: skip
"""The stops after which "continue" goes to the agent that was at work."""

WRAP_UP = 3
"""Tool turns before the limit at which an agent is told to come to an end."""


class Stopped(Exception):
    """The turn ends here; ``detail`` is one sentence for the author."""

    def __init__(self, reason: StopReason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass
class Limits:
    """Counts a turn's agent runs, model calls and seconds, and an agent's tool turns."""

    table: AgentTable
    clock: Callable[[], float] = time.monotonic
    runs: int = 0
    calls: int = 0
    tool_turns: int = 0
    _since: float = field(init=False)

    def __post_init__(self) -> None:
        self._since = self.clock()

    def begin_run(self) -> None:
        """Count an agent's run. Raises ``Stopped`` for one too many."""
        if self.runs >= self.table.max_agent_runs:
            raise Stopped("max_agent_runs", f"{self.runs} agent runs are the limit of a turn.")
        self.runs += 1
        self.tool_turns = 0

    def before_call(self) -> None:
        """Count a model call. Raises ``Stopped`` for one too many or too late."""
        self.check_time()
        if self.calls >= self.table.max_model_calls:
            raise Stopped("max_model_calls", f"{self.calls} model calls are the limit of a turn.")
        self.calls += 1

    def check_time(self) -> None:
        """Raise ``Stopped`` when the turn's time is over."""
        if self.clock() - self._since > self.table.max_seconds:
            raise Stopped("max_seconds", f"{self.table.max_seconds:g} s are the limit of a turn.")

    def tool_turn(self) -> None:
        """Count a reply with tool calls. Raises ``Stopped`` for one too many."""
        if self.tool_turns >= self.table.max_tool_turns:
            raise Stopped(
                "max_tool_turns", f"{self.tool_turns} tool turns are the limit of an agent's run."
            )
        self.tool_turns += 1

    @property
    def last_run(self) -> bool:
        """Whether the run that began last is the turn's last one."""
        return self.runs >= self.table.max_agent_runs

    @property
    def wrap_up(self) -> bool:
        """Whether the agent is to be told now to come to an end."""
        return self.tool_turns == max(self.table.max_tool_turns - WRAP_UP, 1)


def stop_error(reason: StopReason, question: str, detail: str) -> ZencliError | None:
    """The error that a turn's end means for the exit code; None for a turn that is done."""
    if reason == "finished":
        return None
    if reason == "question":
        hint = 'Answer: zencli agent --continue "..."'
        return NeedsAuthor("agent.question", f"The agent asks: {question}", hint)
    if reason == "invalid_handoff":
        return ModelError("agent.handoff", "An agent handed on to itself.", _GO_ON)
    code = "agent.limit" if reason in LIMITS else "agent.circuit_open"
    return BudgetError(code, f"Stopped ({reason}): {detail}", _GO_ON)


_GO_ON = 'What was saved is kept. To go on: zencli agent --continue "continue"'
