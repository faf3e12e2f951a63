"""What keeps a turn from going in circles: failures that repeat, and reads that do."""

import json
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zencli.agent.limits import Stopped
from zencli.agent.routing import PLANNING
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.turn import AgentRole
from zencli.llm.reading import read_object

MOST_ALIKE = 3
MOST_FAILURES = 10
MOST_UNAVAILABLE = 3
HINT_AT, WARN_AT, REFUSE_AT = 2, 3, 4
MOST_REFUSALS = 3

ReadAnswer: TypeAlias = Literal["", "hint", "warning", "refused"]


@dataclass
class Breaker:
    """Opens at three identical failures in a row, or ten in all; one a turn, for all agents."""

    total: int = 0
    alike: int = 0
    last: tuple[str, str, str] | None = None
    unavailable: dict[str, int] = field(default_factory=dict)

    def record(self, name: str, arguments: str, result: ToolResult) -> None:
        """Count an outcome. Raises ``Stopped`` when the breaker opens."""
        if result.ok:
            self.alike, self.last = 0, None
            return
        failure = (name, canonical(arguments), result.error_type)
        self.alike = self.alike + 1 if failure == self.last else 1
        self.last = failure
        self.total += 1
        if result.error_type == "tool_not_found":
            self.unavailable[name] = self.unavailable.get(name, 0) + 1
            if self.unavailable[name] >= MOST_UNAVAILABLE:
                raise Stopped(
                    "repeated_unavailable_tool_call",
                    f"a tool that isn't there ({name}) was called {MOST_UNAVAILABLE} times.",
                )
        if self.alike >= MOST_ALIKE or self.total >= MOST_FAILURES:
            raise Stopped(
                "tool_failure_circuit_open",
                f"{self.alike} identical failures in a row, {self.total} in all, "
                f"the last one {result.error_type}.",
            )


@dataclass
class ReadGuard:
    """Counts the identical reads of each agent; a write resets those it may have changed."""

    counts: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refusals: int = 0

    def ask(self, agent: str, name: str, arguments: str) -> ReadAnswer:
        """Count a read and say what is to be told about it.

        Raises ``Stopped`` at the third refusal of the turn.
        """
        key = (agent, name, canonical(arguments))
        self.counts[key] = self.counts.get(key, 0) + 1
        count = self.counts[key]
        if count >= REFUSE_AT:
            self.refusals += 1
            if self.refusals >= MOST_REFUSALS:
                raise Stopped("no_progress", "the same passages were read again and again.")
            return "refused"
        return "warning" if count == WARN_AT else "hint" if count == HINT_AT else ""

    def written(self, path: str) -> None:
        """A file was changed: reads that name it, or no file at all, count from 0 again.

        An empty ``path`` is any file.
        """
        stale = [
            key
            for key in self.counts
            if not path or path in key[2] or ('"path"' not in key[2] and '"paths"' not in key[2])
        ]
        for key in stale:
            del self.counts[key]

    def forget(self, agent: str) -> None:
        """The agent no longer has what it read: its reads count from 0 again."""
        for key in [key for key in self.counts if key[0] == agent]:
            del self.counts[key]


def begins_prose(agent: AgentRole, name: str, arguments: str) -> bool:
    """Whether a planning agent is about to begin a chapter, which is the writer's part."""
    if agent not in PLANNING:
        return False
    given = read_object(arguments) or {}
    if name == "create_file":
        return given.get("type") in ("draft", "script")
    return name == "sub_agent" and given.get("agent") == "writer"


def canonical(arguments: str) -> str:
    """Arguments in one form, whatever the order of their keys and their spaces."""
    try:
        return json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, sort_keys=True)
    except ValueError:
        return " ".join(arguments.split())
