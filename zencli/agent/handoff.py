"""The packet that an agent gets from the one before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zencli.agent.decision import HandoffKind
from zencli.agent.turn import AgentRole
from zencli.context.prompts import Prompts

MOST_CONTEXT = 1_500
"""Characters of an agent's last words that are handed on."""


@dataclass(frozen=True)
class Packet:
    """What is handed on: how things stand, what is done, what is to do, and what it rests on."""

    sender: AgentRole
    receiver: AgentRole
    kind: HandoffKind
    context: str = ""
    completed: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    question: str = ""

    def to_json(self) -> dict[str, Any]:
        """The packet as the event tells it."""
        return {
            "from": self.sender,
            "to": self.receiver,
            "kind": self.kind,
            "context": self.context,
            "completed": list(self.completed),
            "todo": list(self.todo),
            "evidence": list(self.evidence),
            "artifact_refs": list(self.files),
        }

    def render(self, prompts: Prompts) -> str:
        """The packet as the next agent reads it; a planned one carries its fixed note."""
        return prompts.render("agent/handoff", **vars(self))


def packet(
    sender: AgentRole,
    receiver: AgentRole,
    kind: HandoffKind,
    *,
    asked: Mapping[str, Any] | None,
    closing: str,
    scope: str,
    files: Sequence[str],
    question: str = "",
) -> Packet:
    """The packet of a handoff.

    ``asked`` is what an agent said with its handoff tool; of a planned handoff there is only its
    ``closing`` text, and the to-do is the scope.
    """
    said = asked or {}
    todo = _listed(said.get("todo"))
    if scope and kind == "planned":
        todo = (scope, *todo)
    context = str(said.get("context") or said.get("reason") or "").strip()
    return Packet(
        sender=sender,
        receiver=receiver,
        kind=kind,
        context=context or ("" if kind == "review" else closing.strip()[-MOST_CONTEXT:]),
        completed=_listed(said.get("completed")) or tuple(files),
        todo=todo,
        evidence=_listed(said.get("evidence")),
        files=_listed(said.get("artifact_refs")) or tuple(files),
        question=question,
    )


def _listed(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    if isinstance(value, list | tuple):
        return tuple(str(item).strip() for item in value if str(item).strip())
    return ()
