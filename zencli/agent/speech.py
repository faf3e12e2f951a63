"""Listening to one reply: chat text to the author, a file's body into its file, calls for tools."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zencli.agent.desk import Desk
from zencli.agent.events import AgentEvent
from zencli.agent.file_stream import FileStream, Piece, save_body, save_draft
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.turn import AgentRole
from zencli.llm.types import Message, Reply, ToolCall

MOST_CONTINUATIONS = 3

Hold: TypeAlias = Literal["no", "after_body", "yes"]
"""Whether chat text waits until it is known that no reviewer speaks instead."""


@dataclass
class Speech:
    """A whole reply: chat text ``before`` and ``after`` a file's body, the file that was
    ``filled``, what kept a body from being saved (``unsaved``), a body that came before its file
    (``early``), and the tools called."""

    before: str = ""
    after: str = ""
    filled: str = ""
    early: str = ""
    unsaved: ToolResult | None = None
    calls: tuple[ToolCall, ...] = ()


@dataclass
class _Ear:
    """Sorts what comes in, and tells whoever watches, or holds it back."""

    desk: Desk
    agent: AgentRole
    hold: Hold
    stream: FileStream
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Take in a piece of the stream."""
        self.take(self.stream.feed(text))

    def take(self, pieces: Iterable[Piece]) -> None:
        """Tell what the pieces are."""
        for part, text in pieces:
            if part == "file":
                pending = self.desk.turn.pending
                about = {"path": pending.path if pending else "", "text": text}
                self.desk.turn.emit(AgentEvent("file_content", about))
            else:
                self._chat(text)

    def _chat(self, text: str) -> None:
        late = self.stream.started
        (self.after if late else self.before).append(text)
        event = AgentEvent("content", {"agent": self.agent, "text": text})
        if self.hold == "yes" or (self.hold == "after_body" and late):
            self.desk.held.append(event)
        else:
            self.desk.turn.emit(event)


def listen(desk: Desk, agent: AgentRole, messages: list[Message], *, hold: Hold) -> Speech:
    """The agent's next reply, appended to ``messages``; its file body is saved before it returns.

    A reply that was cut off is gone on with. When anything breaks the stream, the body so far is
    kept as a draft beside its file.
    """
    ear = _Ear(desk, agent, hold, FileStream(desk.turn))
    try:
        reply = _whole(desk, agent, messages, ear)
        ear.take(ear.stream.end())
    except BaseException:
        _keep_draft(desk, ear)
        raise
    speech = Speech("".join(ear.before).strip(), "".join(ear.after).strip())
    speech.calls, speech.early = reply.tool_calls, ear.stream.early
    _save(desk, ear, reply, speech)
    return speech


def _whole(desk: Desk, agent: AgentRole, messages: list[Message], ear: _Ear) -> Reply:
    """The reply, gone on with while it is cut off at the output limit."""
    for attempt in range(MOST_CONTINUATIONS + 1):
        reply = desk.ask(agent, messages, ear.hear)
        messages.append(
            Message("assistant", reply.text, tool_calls=reply.tool_calls, thinking=reply.thinking)
        )
        if reply.thinking:
            about = {"agent": agent, "text": reply.thinking}
            desk.turn.emit(AgentEvent("thinking", about))
        if reply.finish_reason != "length" or reply.tool_calls or attempt == MOST_CONTINUATIONS:
            break
        messages.append(desk.again("cut_off"))
    return reply


def _save(desk: Desk, ear: _Ear, reply: Reply, speech: Speech) -> None:
    """Put the body into its file."""
    turn = desk.turn
    if not ear.stream.started or turn.pending is None:
        return
    if not ear.stream.complete and reply.finish_reason == "length":
        _keep_draft(desk, ear)
        return
    path = turn.pending.path
    result = save_body(turn, ear.stream.body, ear.stream.complete)
    about = {"path": path, "status": "success" if result.ok else "error", "text": result.for_author}
    turn.emit(AgentEvent("tool_result", {"name": "file", "agent": ear.agent, **about}))
    if result.ok:
        speech.filled = path
        return
    speech.unsaved = result
    _note_draft(desk, result)


def save_early(desk: Desk, agent: AgentRole, speech: Speech) -> bool:
    """Put a body that stood in the same reply as the call which made its file into that file."""
    turn = desk.turn
    if not speech.early.strip() or speech.filled or turn.pending is None:
        return False
    path = turn.pending.path
    result = save_body(turn, speech.early, complete=True)
    about = {"path": path, "status": "success" if result.ok else "error", "text": result.for_author}
    turn.emit(AgentEvent("tool_result", {"name": "file", "agent": agent, **about}))
    if not result.ok:
        _note_draft(desk, result)
        return False
    speech.filled = path
    desk.words.cut(speech.early)
    return True


def _keep_draft(desk: Desk, ear: _Ear) -> None:
    if desk.turn.pending is not None and ear.stream.body.strip():
        _note_draft(desk, save_draft(desk.turn, ear.stream.body))


def _note_draft(desk: Desk, result: ToolResult) -> None:
    path = result.data.get("draft")
    if isinstance(path, str):
        desk.drafts.append(path)
        desk.notice_once("draft", path=path)
