"""``handoff_to_agent``: passing the turn on, with what the next one must know."""

from typing import Any, get_args

from zencli.agent.routing import WRITING
from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.refusal import ToolRefused, asks_first, only_reads
from zencli.agent.tools.spec import ToolSpec, arguments, said, text, texts
from zencli.agent.tools.wording import tell
from zencli.agent.turn import AgentRole, Turn

_LISTS = ("completed", "todo", "evidence", "artifact_refs")


def handoff_to_agent(turn: Turn, given: dict[str, Any]) -> ToolResult:
    """Check a handoff; the loop acts on the ``handoff`` in the data.

    Raises ToolRefused ``invalid_handoff`` for one to the agent itself; ``clarify_first`` and, for
    one to an agent that writes, ``read_only_request``, so that the agent answers itself.
    """
    target = given["agent"]
    if turn.clarify_first:
        raise asks_first(turn)
    if turn.read_only and target in WRITING:
        raise only_reads(turn)
    if target == turn.agent:
        raise ToolRefused(
            "invalid_handoff", f"You are the {target} already.", "Go on with the work yourself."
        )
    packet = {
        "agent": target,
        "reason": clean(given["reason"]),
        "context": clean(given.get("context", "")),
        **{name: [clean(item) for item in given.get(name, [])] for name in _LISTS},
    }
    return ToolResult(
        data={"handoff": packet},
        for_model=f"Handing on to {target}. Say nothing more.",
        for_author=tell(turn, "hands_on", agent=target),
    )


SPEC = ToolSpec(
    name="handoff_to_agent",
    description=said(
        "自己的部分做完、下一步该别人做时，把这一轮交给他。",
        "Hand this turn on to another agent, when your part is done and the next step is his.",
    ),
    parameters=arguments(
        ["agent", "reason"],
        agent={
            "type": "string",
            "enum": list(get_args(AgentRole)),
            "description": said("交给谁", "who goes on"),
        },
        reason=text("为什么交给他", "why he is to go on"),
        context=text("他须知道的情况", "what he must know"),
        completed=texts("已完成的事", "what is done"),
        todo=texts("要他做的事", "what he is to do"),
        evidence=texts("依据：原文、字数、检查结果", "passages, lengths, results of checks"),
        artifact_refs=texts("相关文件的路径", "paths of the files it is about"),
    ),
    permission="control",
    handler=handoff_to_agent,
)
