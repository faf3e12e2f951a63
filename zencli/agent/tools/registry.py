"""All tools of the agents: who has which, and the one way of calling them."""

from collections.abc import Mapping
from typing import Any

from zencli.agent.tools import (
    clarify,
    create_file,
    delete_file,
    edit_file,
    handoff,
    hybrid_search,
    load_skill,
    parallel,
    query_files,
    sub_agent_tool,
    update_project,
)
from zencli.agent.tools.arguments import checked, read_arguments
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.refusal import ToolRefused, asks_first, only_reads, result_of
from zencli.agent.tools.spec import ToolSpec
from zencli.agent.turn import AgentRole, Turn
from zencli.errors import ZencliError
from zencli.llm.types import Tool
from zencli.story.book import Language

_MEMORY = {"notes", "tasks", "author_quotes", "proposals"}
"""What ``update_project`` may still write when the router alone said read-only."""

_JUDGING = {"auditor", "exporter"}
"""Sub-agents that change none of the author's texts."""


def tools_of(agent: AgentRole, language: Language) -> tuple[Tool, ...]:
    """The tools that an agent is offered, always in the same order and with the same bytes."""
    return tuple(
        Tool(spec.name, spec.description[language], spec.schema(language))
        for spec in _SPECS
        if _offered(agent, spec)
    )


def call_tool(turn: Turn, name: str, arguments: str | Mapping[str, Any]) -> ToolResult:
    """Run a tool for the working agent. Every expected failure comes back in the envelope.

    ``arguments`` are a model's words, or the object itself.
    """
    try:
        spec = TOOLS.get(name)
        if spec is None or not _offered(turn.agent, spec):
            raise _unknown(turn, name)
        given = read_arguments(arguments) if isinstance(arguments, str) else dict(arguments)
        if not spec.checks_itself:
            given = checked(given, spec.schema("en"))
        _check_allowed(turn, spec, given)
        return spec.handler(turn, given)
    except ZencliError as error:
        if error.code == "interrupted":
            raise
        return result_of(error)


def _offered(agent: AgentRole, spec: ToolSpec) -> bool:
    """The reviewer has nothing that writes, but for the audit among the sub-agents."""
    return agent != "quality_reviewer" or spec.permission != "write" or spec.name == "sub_agent"


def _unknown(turn: Turn, name: str) -> ToolRefused:
    names = [spec.name for spec in _SPECS if _offered(turn.agent, spec)]
    return ToolRefused(
        "tool_not_found", f"There is no tool {name[:60]!r} here.", f"There are: {', '.join(names)}."
    )


def _check_allowed(turn: Turn, spec: ToolSpec, given: dict[str, Any]) -> None:
    """Raises ToolRefused ``read_only_request`` or ``clarify_first`` for a call that writes."""
    if spec.permission != "write" or _writes_nothing(turn, spec, given):
        return
    if turn.read_only:
        raise only_reads(turn)
    if turn.clarify_first:
        raise asks_first(turn)


def _writes_nothing(turn: Turn, spec: ToolSpec, given: dict[str, Any]) -> bool:
    """Whether a call of a writing tool is harmless where the router said read-only."""
    if turn.read_only == "author":
        return False
    if spec.name == "update_project":
        return given.keys() <= _MEMORY
    return spec.name == "sub_agent" and given.get("agent") in _JUDGING


_SPECS: tuple[ToolSpec, ...] = (
    query_files.SPEC,
    hybrid_search.SPEC,
    create_file.SPEC,
    edit_file.SPEC,
    delete_file.SPEC,
    update_project.SPEC,
    parallel.parallel_spec(call_tool),
    sub_agent_tool.SPEC,
    handoff.SPEC,
    clarify.SPEC,
    load_skill.LOAD,
    load_skill.RESOURCE,
)
TOOLS: dict[str, ToolSpec] = {spec.name: spec for spec in _SPECS}
