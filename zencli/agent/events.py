"""What a turn tells whoever watches it, as it happens."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

EventType: TypeAlias = Literal[
    "router_decided",
    "agent_selected",
    "thinking",
    "content",
    "tool_call",
    "tool_result",
    "file_created",
    "file_updated",
    "file_content",
    "handoff",
    "notice",
    "usage",
    "error",
    "done",
]


@dataclass(frozen=True)
class AgentEvent:
    """One thing that happened. ``data`` is plain JSON data; its keys belong to the type."""

    type: EventType
    data: dict[str, Any] = field(default_factory=dict)


Emit: TypeAlias = Callable[[AgentEvent], None]


def ignore(event: AgentEvent) -> None:
    """A listener for callers that don't watch."""
