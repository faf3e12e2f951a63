"""A loopback endpoint that speaks chat completions by script, faults included."""

import json
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass
class Play:
    """One answer of the server, played as it is written here."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds between the two halves of the body."""
    drop: bool = False
    """Whether the connection is closed before the promised end of the body."""
    at_once: int = 0
    """Bytes that are sent at a time, 0 for all at once."""
    gap: float = 0.0
    """Seconds between such pieces."""
    hang: bool = False
    """Whether nothing more comes after the body, without an end."""
    alive: float = 0.0
    """Seconds between keep-alive comments while it hangs, 0 for none."""


def completion(
    content: str | None = "Hello.", finish: str | None = "stop", **more: Any
) -> dict[str, Any]:
    """A whole chat completion; ``more`` are keys beside ``choices`` (usage, ...)."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"object": "chat.completion", "choices": [choice], "usage": USAGE, **more}


def says(content: str | None = "Hello.", finish: str | None = "stop", **more: Any) -> Play:
    """An answer with a whole chat completion."""
    return Play(body=json.dumps(completion(content, finish, **more)).encode())


def fails(status: int, message: str, **headers: str) -> Play:
    """An answer with an error status."""
    body = json.dumps({"error": {"message": message}}).encode()
    return Play(status, body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def streams(
    pieces: Iterable[dict[str, Any] | str],
    finish: str | None = "stop",
    usage: dict[str, Any] | None = USAGE,
    done: bool = True,
    **more: Any,
) -> Play:
    """An answer in pieces: text, or whole deltas. Without ``finish`` it ends as if cut off."""
    lines = [": keep-alive"]
    for piece in pieces:
        delta = {"content": piece} if isinstance(piece, str) else piece
        lines.append(_data({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}))
    if finish:
        lines.append(_data({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
    if usage:
        lines.append(_data({"choices": [], "usage": usage}))
    if done:
        lines.append("data: [DONE]")
    body = "".join(f"{line}\n\n" for line in lines).encode()
    return Play(body=body, content_type="text/event-stream; charset=utf-8", **more)


def _data(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body, ensure_ascii=False)}"


class ScriptedServer:
    """Plays ``plays`` in order, the last one again and again; ``requests`` holds what was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.plays: list[Play] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.models = ["test-model"]
        self.paths: list[str] = []
        self.listed: dict[str, Any] = {}

    def next(self) -> Play:
        return self.plays[min(len(self.requests), len(self.plays)) - 1]


@contextmanager
def serving() -> Iterator[ScriptedServer]:
    """A running server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            more = {"object": "model", **scripted.listed}
            listed = [{"id": name, **more} for name in scripted.models]
            body = json.dumps({"object": "list", "data": listed}).encode()
            self._play(Play(body=body) if scripted.models else Play(404, b"<html>Not here</html>"))

        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            scripted.requests.append(json.loads(self.rfile.read(size)))
            scripted.paths.append(self.path)
            scripted.keys.append(self.headers.get("authorization", ""))
            self._play(scripted.next())

        def _play(self, play: Play) -> None:
            self.send_response(play.status)
            self.send_header("content-type", play.content_type)
            more = 100 if play.drop or play.hang else 0
            if play.alive:
                self.send_header("connection", "close")
            else:
                self.send_header("content-length", str(len(play.body) + more))
            for name, value in play.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self._send_body(play)
            except OSError:
                self.close_connection = True
            if play.drop or play.hang:
                self.close_connection = True

        def _send_body(self, play: Play) -> None:
            size = play.at_once or len(play.body)
            half = len(play.body) // 2 if play.pause else len(play.body)
            for start in range(0, half, size or 1):
                self.wfile.write(play.body[start : min(start + size, half)])
                self.wfile.flush()
                stopped.wait(play.gap)
            stopped.wait(play.pause)
            self.wfile.write(play.body[half:])
            self.wfile.flush()
            while play.hang and not stopped.wait(play.alive or 0.05):
                if play.alive:
                    self.wfile.write(b": keep-alive\n\n")
                    self.wfile.flush()
                elif self._gone():
                    return

        def _gone(self) -> bool:
            """Whether the client has closed the connection."""
            self.connection.setblocking(False)
            try:
                return not self.connection.recv(1, socket.MSG_PEEK)
            except BlockingIOError:
                return False
            finally:
                self.connection.setblocking(True)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    stopped = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted = ScriptedServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield scripted
    finally:
        stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
