"""A loopback endpoint that streams replies and tool calls in fragments, as real ones do."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from zencli.llm.scripted import Step

TEXT_PIECE = 7
ARGUMENT_PIECE = 5


class ToolEndpoint:
    """Plays steps in order, one a request; ``requests`` are the bodies that came.

    ``hold`` is the number of the request (from 1) that is answered with half of its text, and then
    nothing until the endpoint is closed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.steps: list[Step] = []
        self.requests: list[dict[str, Any]] = []
        self.hold = 0
        self.holding = threading.Event()
        self.closed = threading.Event()
        self.lock = threading.Lock()

    def play(self, *steps: Step) -> None:
        self.steps += steps

    def environment(self) -> dict[str, str]:
        return {"ZENCLI_BASE_URL": self.url, "ZENCLI_MODEL": "played", "ZENCLI_API_KEY": "sk-x"}

    def take(self, body: dict[str, Any]) -> tuple[Step | None, int]:
        with self.lock:
            self.requests.append(body)
            number = len(self.requests)
            return (self.steps.pop(0) if self.steps else None), number

    def roles(self, number: int) -> list[str]:
        """The roles of the messages of a request, from 0."""
        return [message["role"] for message in self.requests[number]["messages"]]


def chunks(step: Step) -> Iterator[dict[str, Any]]:
    """The deltas of a streamed reply: text in pieces, then calls with their arguments in pieces."""
    yield {"role": "assistant", "content": ""}
    for at in range(0, len(step.text), TEXT_PIECE):
        yield {"content": step.text[at : at + TEXT_PIECE]}
    for index, call in enumerate(step.tool_calls):
        function = {"name": call.name, "arguments": ""}
        yield {
            "tool_calls": [
                {"index": index, "id": call.id, "type": "function", "function": function}
            ]
        }
    longest = max((len(call.arguments) for call in step.tool_calls), default=0)
    for at in range(0, longest, ARGUMENT_PIECE):
        for index, call in enumerate(step.tool_calls):
            piece = call.arguments[at : at + ARGUMENT_PIECE]
            if piece:
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


@contextmanager
def serving() -> Iterator[ToolEndpoint]:
    """A running endpoint on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            step, number = endpoint.take(body)
            if step is None:
                self._whole(400, {"error": {"message": "The script has no more answers."}})
            elif body.get("stream"):
                self._stream(step, usage_of(body), hold=number == endpoint.hold)
            else:
                message = {"role": "assistant", "content": step.text}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self._whole(200, {"choices": [choice], "usage": usage_of(body)})

        def _whole(self, status: int, content: dict[str, Any]) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, step: Step, usage: dict[str, int], *, hold: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            deltas = list(chunks(step))
            for delta in deltas[: len(deltas) // 2] if hold else deltas:
                self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
            if hold:
                time.sleep(0.2)
                endpoint.holding.set()
                endpoint.closed.wait(60)
                return
            finish = "tool_calls" if step.tool_calls else step.finish_reason
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            self._event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, chunk: dict[str, Any]) -> None:
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.flush()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = ToolEndpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.closed.set()
        server.shutdown()
        thread.join()
        server.server_close()


def usage_of(body: dict[str, Any]) -> dict[str, int]:
    """What the endpoint says a request took: a token a character of Chinese, a quarter else."""
    said = json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False)
    wide = sum(character > "\u2e7f" for character in said)
    prompt = wide + (len(said) - wide) // 4
    return {"prompt_tokens": prompt, "completion_tokens": 20, "total_tokens": prompt + 20}
