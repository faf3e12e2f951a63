"""One agent's run: the model speaks, tools answer, until it has nothing left to call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zencli.agent.desk import Desk
from zencli.agent.events import AgentEvent
from zencli.agent.guards import ReadAnswer, begins_prose
from zencli.agent.questions import final_question
from zencli.agent.reply import Said
from zencli.agent.speech import Hold, Speech, listen, save_early
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.registry import TOOLS, call_tool
from zencli.agent.turn import AgentRole
from zencli.llm.types import Message, ToolCall


@dataclass
class Run:
    """A run and what came of it.

    ``messages`` go on in a run that repeats this one. ``handoff`` and ``clarification`` are what
    the control tools answered, ``carried`` the handoff of a run that this one goes on from;
    ``filled`` are files that got their body in this run.
    """

    agent: AgentRole
    number: int
    messages: list[Message]
    handoff: Mapping[str, Any] | None = None
    carried: Mapping[str, Any] | None = None
    clarification: str = ""
    filled: list[str] = field(default_factory=list)
    ends_on_file: bool = False

    def question(self, desk: Desk) -> str:
        """What the run asks the author: by tool, or by its last line."""
        return self.clarification or final_question(desk.words.closing(self.number))


def work(desk: Desk, run: Run) -> None:
    """Let the agent work until its reply calls no tool, or it hands on or asks.

    Every reply and its tools' results are in the session before the next call.
    """
    desk.turn.agent = run.agent
    while True:
        speech = listen(desk, run.agent, run.messages, hold=_hold(desk, run))
        _note_speech(desk, run, speech)
        if speech.unsaved is not None:
            desk.breaker.record("file", "", speech.unsaved)
        if not speech.calls:
            _log(desk, run, speech, [])
            if speech.unsaved is None:
                return
            desk.limits.tool_turn()
            run.messages.append(Message("user", speech.unsaved.for_model))
            continue
        desk.limits.tool_turn()
        waited = desk.turn.pending is not None
        results = [_answer(desk, run, call) for call in speech.calls]
        if not waited and save_early(desk, run.agent, speech):
            run.filled.append(speech.filled)
            run.messages.append(desk.again("saved_early", path=speech.filled))
        _log(desk, run, speech, results)
        if run.handoff is not None or run.clarification:
            return
        if desk.limits.wrap_up:
            left = desk.limits.table.max_tool_turns - desk.limits.tool_turns
            run.messages.append(desk.again("wrap_up", left=left))


def _hold(desk: Desk, run: Run) -> Hold:
    """Whether the writer's words wait, because a reviewer's summary may take their place."""
    if run.agent != "writer" or desk.review == "off" or desk.reworking or desk.turn.read_only:
        return "no"
    return "yes" if desk.turn.files.words else "after_body"


def _note_speech(desk: Desk, run: Run, speech: Speech) -> None:
    wrote = bool(desk.turn.files.words)
    called = bool(speech.calls)
    if speech.before:
        ends = not called and not speech.filled
        desk.words.add(
            Said(run.agent, run.number, speech.before, called, wrote and not speech.filled, ends)
        )
    if speech.after:
        desk.words.add(Said(run.agent, run.number, speech.after, called, wrote, not called))
    if speech.filled:
        run.filled.append(speech.filled)
    run.ends_on_file = bool(speech.filled) and not speech.after and not called


def _answer(desk: Desk, run: Run, call: ToolCall) -> ToolResult:
    """Run one tool, tell of it, and put its result into the conversation."""
    turn = desk.turn
    about = {"id": call.id, "name": call.name, "agent": run.agent}
    turn.emit(AgentEvent("tool_call", {**about, "arguments": call.arguments}))
    spec = TOOLS.get(call.name)
    reading = spec is not None and spec.permission == "read"
    told: ReadAnswer = desk.reads.ask(run.agent, call.name, call.arguments) if reading else ""
    if told == "refused":
        result = ToolResult(error_type="repeated_read", for_model=desk.again("refused").content)
    elif begins_prose(run.agent, call.name, call.arguments):
        told_to = desk.again("not_your_part").content
        result = ToolResult(error_type="not_your_part", for_model=told_to)
    else:
        result = call_tool(turn, call.name, call.arguments)
    told_model = result.to_json()
    if told in ("hint", "warning"):
        told_model["note"] = desk.again(told).content
    run.messages.append(_tool_message(call, told_model))
    turn.emit(
        AgentEvent(
            "tool_result",
            {
                **about,
                "status": "success" if result.ok else "error",
                "error_type": result.error_type,
                "text": result.for_author,
                "kept": result.kept,
            },
        )
    )
    if result.error_type == "read_only_request":
        desk.notice_once("read_only")
    if told != "refused":
        desk.breaker.record(call.name, call.arguments, result)
    if result.ok and spec is not None and spec.permission == "write":
        path = result.data.get("path")
        desk.reads.written(path if isinstance(path, str) else "")
    _note_control(run, result)
    return result


def _note_control(run: Run, result: ToolResult) -> None:
    if result.error_type == "invalid_handoff":
        run.handoff = {"agent": run.agent}
    if not result.ok:
        return
    handoff = result.data.get("handoff")
    if isinstance(handoff, dict):
        run.handoff = handoff
    asked = result.data.get("clarification")
    if asked:
        run.clarification = _question_of(asked)


def _question_of(asked: object) -> str:
    """A structured question as the author reads it: the question, then its options."""
    if not isinstance(asked, dict):
        return str(asked)
    lines = [str(asked.get("context", "")).strip(), str(asked.get("question", "")).strip()]
    lines += [f"- {option}" for option in asked.get("options", ())]
    return "\n".join(line for line in lines if line)


def _tool_message(call: ToolCall, content: dict[str, Any]) -> Message:
    return Message("tool", json.dumps(content, ensure_ascii=False), tool_call_id=call.id)


def _log(desk: Desk, run: Run, speech: Speech, results: list[ToolResult]) -> None:
    tools = [
        {"name": call.name, "error": result.error_type, "path": result.data.get("path", "")}
        for call, result in zip(speech.calls, results, strict=False)
    ]
    desk.session.add(
        "step",
        turn=desk.number,
        run=run.number,
        agent=run.agent,
        text="\n\n".join(part for part in (speech.before, speech.after) if part),
        file=speech.filled,
        tools=tools,
    )
