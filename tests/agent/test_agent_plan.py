"""Plans: who follows the first agent, at most."""

import pytest

from zencli.agent.routing import Routing, planned_agents, routing_from
from zencli.agent.turn import AgentRole

W, P, H, R = "writer", "planner", "hook_designer", "quality_reviewer"


@pytest.mark.parametrize(
    ("agent", "workflow", "more", "wanted"),
    [
        (W, "quick", {}, ()),
        (P, "standard", {}, (W,)),
        (P, "full", {}, (H, W)),
        (H, "hook_focus", {}, (W,)),
        (R, "review_only", {}, ()),
        (P, "full", {"write_content": False}, (H,)),
        (P, "standard", {"write_content": False}, ()),
        (P, "full", {"read_only": True}, ()),
        (W, "standard", {"read_only": True, "write_content": True}, ()),
        (H, "full", {}, (W,)),
        (W, "full", {}, ()),
        (P, "hook_focus", {}, (H, W)),
        (P, "quick", {}, (W,)),
        (P, "standard", {"write_content": True}, (W,)),
    ],
)
def test_B04_a_plan_is_an_upper_bound(
    agent: AgentRole, workflow: str, more: dict[str, object], wanted: tuple[str, ...]
) -> None:
    assert planned_agents(Routing(agent, workflow, **more)) == wanted  # type: ignore[arg-type]


def test_B09_a_routing_survives_the_session() -> None:
    routing = Routing(P, "full", "why", 0.5, True, False, "第一卷", "llm")
    assert routing_from(routing.to_json()) == routing
    assert routing_from({"agent": "nobody", "workflow": "quick"}) is None
    assert routing_from("writer") is None
    assert routing_from({**routing.to_json(), "later_field": 1}) == routing
