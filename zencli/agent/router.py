"""Asking the router who works on a request, and reading its answer whatever it looks like."""

import json
from dataclasses import replace
from typing import Any

from zencli.agent.preroute import LastTurn
from zencli.agent.routing import AGENTS, MOST_SCOPE, WORKFLOWS, Routing, Workflow
from zencli.agent.turn import AgentRole
from zencli.context.prompts import Prompts
from zencli.errors import ModelError
from zencli.llm.reading import read_object
from zencli.llm.types import Message, Model, Request

TAIL = 600
"""Characters of the last reply's end that the router sees."""
MOST_OUTPUT = 1_000
MOST_REASON = 200

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "agent": {"type": "string", "enum": list(AGENTS)},
        "workflow": {"type": "string", "enum": list(WORKFLOWS)},
        "reason": {"type": "string"},
        "confidence": {"type": "number"},
        "write_content": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "read_only": {"type": "boolean"},
        "scope": {"type": "string"},
    },
    "required": [
        "agent", "workflow", "reason", "confidence", "write_content", "read_only", "scope",
    ],
    "additionalProperties": False,
}  # fmt: skip
_FIRST: dict[Workflow, AgentRole] = {
    "quick": "writer",
    "standard": "planner",
    "full": "planner",
    "hook_focus": "hook_designer",
    "review_only": "quality_reviewer",
}


def ask_router(
    model: Model, prompts: Prompts, message: str, last: LastTurn | None, temperature: float
) -> Routing:
    """The router's decision; writer and ``quick`` with a reason code when there is none."""
    request = router_request(prompts, message, last, temperature)
    try:
        reply = model.complete(request)
    except ModelError as error:
        return _fallback(f"router_{error.code.removeprefix('llm.')}")
    if reply.finish_reason == "length":
        return _fallback("router_cut_off")
    return parse_routing(reply.text)


def router_request(
    prompts: Prompts, message: str, last: LastTurn | None, temperature: float
) -> Request:
    """The router's call: a system prompt that never changes, and what differs."""
    return Request(
        role="router",
        messages=(
            Message("system", prompts.render("agent/router")),
            Message("user", router_input(prompts, message, last)),
        ),
        schema=_SCHEMA,
        schema_name="Routing",
        max_output=MOST_OUTPUT,
        temperature=temperature,
    )


def router_input(prompts: Prompts, message: str, last: LastTurn | None) -> str:
    """The author's exact words; after a first turn also how the last one ended and was routed."""
    if last is None:
        return message
    routing = last.routing.to_json() if last.routing else {}
    return prompts.render(
        "agent/router_input",
        message=message,
        tail=last.reply.strip()[-TAIL:],
        stop_reason=last.stop_reason,
        question=bool(last.question),
        files=last.files,
        routing=json.dumps(routing, ensure_ascii=False, sort_keys=True),
    )


def parse_routing(text: str) -> Routing:
    """The decision in a router's reply, tolerantly read.

    An unknown agent follows from the workflow and the other way round; with neither of them known
    the request goes to the writer.
    """
    found = read_object(text)
    if found is None:
        return _fallback("router_unreadable")
    data = {_plain(key): value for key, value in found.items()}
    agent = next((a for a in AGENTS if _plain(data.get("agent")) == a), None)
    workflow = next((w for w in WORKFLOWS if _plain(data.get("workflow")) == w), None)
    if agent is None and workflow is None:
        return _fallback("router_unknown_agent")
    if workflow is None:
        workflow = "review_only" if agent == "quality_reviewer" else "quick"
    routing = Routing(agent or _FIRST[workflow], workflow)
    return replace(
        routing,
        reason=_text(data.get("reason"))[:MOST_REASON],
        confidence=_share(data.get("confidence")),
        write_content=_flag(data.get("write_content")),
        read_only=_flag(data.get("read_only")) is True,
        scope=_text(data.get("scope"))[:MOST_SCOPE],
    )


def _fallback(reason: str) -> Routing:
    return Routing("writer", "quick", reason, 0.0, source="fallback")


def _plain(value: object) -> str:
    return str(value or "").strip().lower().replace("-", "_").replace(" ", "_")


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(_plain(value))


def _share(value: object) -> float:
    try:
        return min(1.0, max(0.0, float(str(value))))
    except ValueError:
        return 0.0
