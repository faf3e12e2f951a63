"""Who works on a request, and the order of those who may: the decision and its plan, as data."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from zencli.agent.turn import AgentRole

Workflow: TypeAlias = Literal["quick", "standard", "full", "hook_focus", "review_only"]

AGENTS: tuple[AgentRole, ...] = get_args(AgentRole)
WORKFLOWS: tuple[Workflow, ...] = get_args(Workflow)
PLANNING: tuple[AgentRole, ...] = ("planner", "hook_designer")
WRITING: tuple[AgentRole, ...] = ("planner", "hook_designer", "writer")
"""The agents that have write tools."""

MOST_SCOPE = 80
"""Characters of a scope that are kept."""

_PLANS: dict[Workflow, tuple[AgentRole, ...]] = {
    "quick": ("writer",),
    "standard": ("planner", "writer"),
    "full": ("planner", "hook_designer", "writer"),
    "hook_focus": ("hook_designer", "writer"),
    "review_only": ("quality_reviewer",),
}


@dataclass(frozen=True)
class Routing:
    """What was decided about a request.

    ``write_content``: whether prose is wanted, None when nobody said. ``read_only``: the author
    said that nothing may be changed. ``scope``: what is to be delivered, in a few words.
    ``source`` says who decided: ``llm``, ``off``, ``agent``, ``vague``, ``continue``,
    ``inherited``, ``agreed``, or ``fallback``, whose ``reason`` is then a stable word.
    """

    agent: AgentRole
    workflow: Workflow
    reason: str = ""
    confidence: float = 0.0
    write_content: bool | None = None
    read_only: bool = False
    scope: str = ""
    source: str = "llm"

    def to_json(self) -> dict[str, Any]:
        """The decision as plain JSON data."""
        return asdict(self)


def routing_from(data: Any) -> Routing | None:
    """The routing that ``to_json`` made, None when it isn't one (any more)."""
    if not isinstance(data, dict):
        return None
    known = {name: value for name, value in data.items() if name in Routing.__dataclass_fields__}
    if known.get("agent") not in AGENTS or known.get("workflow") not in WORKFLOWS:
        return None
    return Routing(**known)


def planned_agents(routing: Routing) -> tuple[AgentRole, ...]:
    """The agents that follow the first one, in order: an upper bound.

    Without prose wanted there is no writer; a read-only request, and an agent that the author chose
    himself, have no followers at all. What the workflow has before the first agent is over, and so
    is the first agent itself.
    """
    if routing.read_only or routing.source == "agent":
        return ()
    plan = _PLANS[routing.workflow]
    if routing.write_content is False:
        plan = tuple(agent for agent in plan if agent != "writer")
    if routing.agent in plan:
        return plan[plan.index(routing.agent) + 1 :]
    return plan
