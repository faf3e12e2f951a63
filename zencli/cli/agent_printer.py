"""The events of a turn on their way out: lines of JSON, or who works and the prose on stderr."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TextIO

from zencli.agent.events import AgentEvent
from zencli.cli.output import printable_json
from zencli.cli.terminal import hush, interactive, safe


class EventLines:
    """Prints each event as a JSON object of one line, numbered and dated; one final event."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._count = 0
        self._over = False

    def __call__(self, event: AgentEvent) -> None:
        if self._over:
            return
        self._over = event.type in ("done", "error")
        self._count += 1
        line = {
            **event.data,
            "seq": self._count,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "type": event.type,
        }
        try:
            self._stream.write(printable_json(line) + "\n")
            self._stream.flush()
        except BrokenPipeError:
            hush(self._stream)


class Narrator:
    """Tells a person who works and what they do; the prose as it comes, on a terminal."""

    def __init__(self, stream: TextIO | None = None, *, verbose: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._live = interactive(self._stream)
        self._verbose = verbose
        self._reply_follows = interactive(sys.stdout)
        self._open = False
        self._tellers: dict[str, Callable[[dict[str, Any]], None]] = {
            "router_decided": self._routed,
            "agent_selected": lambda data: self._line(f"[{data['agent']}]"),
            "handoff": lambda data: self._line(f"{data['from']} -> {data['to']} ({data['kind']})"),
            "tool_call": self._called,
            "tool_result": self._answered,
            "content": self._said,
            "file_content": lambda data: self._piece(data["text"]),
            "thinking": self._thought,
            "notice": lambda data: self._line(data["text"]),
            "usage": self._used,
        }

    def __call__(self, event: AgentEvent) -> None:
        teller = self._tellers.get(event.type)
        if teller is None:
            return
        try:
            teller(event.data)
            self._stream.flush()
        except BrokenPipeError:
            hush(self._stream)

    def _routed(self, data: dict[str, Any]) -> None:
        scope = f": {data['scope']}" if data["scope"] else ""
        only = ", read-only" if data["read_only"] else ""
        self._line(f"{data['agent']}, {data['workflow']}{only}{scope} ({data['reason']})")

    def _called(self, data: dict[str, Any]) -> None:
        if self._verbose:
            self._line(f"  {data['name']} {_short(data['arguments'])}")

    def _answered(self, data: dict[str, Any]) -> None:
        failed = "" if data["status"] == "success" or data.get("kept") else "! "
        told = data["text"] or f"{data['name']} {data.get('error_type', '')}".strip()
        self._line(f"  {failed}{told}")

    def _said(self, data: dict[str, Any]) -> None:
        if not self._reply_follows:  # on a terminal it would stand there twice
            self._piece(data["text"])

    def _thought(self, data: dict[str, Any]) -> None:
        if self._verbose:
            self._line(f"  ({_short(data['text'])})")

    def _used(self, data: dict[str, Any]) -> None:
        if self._verbose:
            cached = f" ({data['cached_tokens']} cached)" if data["cached_tokens"] else ""
            self._line(
                f"  {data['role']}: {data['input_tokens']} tokens in{cached}, "
                f"{data['output_tokens']} out"
            )

    def _piece(self, text: str) -> None:
        if self._live:
            self._stream.write(safe(text))
            self._open = not text.endswith("\n")

    def _line(self, text: str) -> None:
        if self._open:
            self._stream.write("\n")
            self._open = False
        self._stream.write(safe(text) + "\n")


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= 120 else one[:119] + "…"
