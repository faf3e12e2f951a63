"""The real command as a subprocess, and a loopback endpoint that plays the sample scripts."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jsonschema
from cli_contract import SCHEMAS, check_envelope
from cli_zygote import zygote
from scripts import Script

from zencli.llm.profiles import PROFILES, estimate_tokens
from zencli.llm.scripted import Step

REPO = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "zencli")
KEY = "sk-unkind-0123456789abcdef"
PIECE = 40
"""Characters of one streamed piece."""


@dataclass
class Answer:
    """What the endpoint does with one request: a text, or a status with words, or a long wait.

    ``hold`` streams half of the text and then nothing until the server is closed; ``cut`` closes
    the connection there. ``slow`` takes more than two seconds for it.
    """

    text: str = ""
    status: int = 200
    hold: bool = False
    cut: bool = False
    slow: bool = False


@dataclass
class Endpoint:
    """An OpenAI-compatible endpoint on a loopback port that plays answers in their order.

    ``bodies`` are the requests as they came, ``keys`` their bearer keys, ``paths`` where they went.
    ``finished`` counts the answers that were sent whole.
    """

    answers: list[Answer] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    finished: int = 0
    holding: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        endpoint = self

        class Handler(_Handler):
            owner = endpoint

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def play(self, *steps: Step | Answer) -> None:
        """Answer the next requests with these, after what is still to be played."""
        made = [s if isinstance(s, Answer) else Answer(s.text) for s in steps]
        with self._lock:
            self.answers += made

    def take(self, body: dict[str, Any], key: str, path: str) -> Answer:
        with self._lock:
            self.bodies.append(body)
            self.keys.append(key)
            self.paths.append(path)
            nothing = Answer("The script has no more answers.", status=400)
            return self.answers.pop(0) if self.answers else nothing

    def sent(self) -> None:
        with self._lock:
            self.finished += 1

    def environment(self) -> dict[str, str]:
        """The variables that make a command use this endpoint."""
        return {"ZENCLI_BASE_URL": self.url, "ZENCLI_MODEL": "played", "ZENCLI_API_KEY": KEY}

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    owner: Endpoint

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        answer = self.owner.take(body, key, self.path)
        if answer.status != 200:
            self._whole(answer.status, {"error": {"message": answer.text, "code": "refused"}})
        elif body.get("stream"):
            self._stream(body, answer)
        else:
            self._whole(200, _completion(body, answer.text))
            self.owner.sent()

    def _whole(self, status: int, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any], answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text = answer.text[: len(answer.text) // 2] if answer.hold or answer.cut else answer.text
        for at in range(0, len(text), PIECE):
            self._event({"choices": [{"index": 0, "delta": {"content": text[at : at + PIECE]}}]})
            if answer.slow:
                time.sleep(3 * PIECE / len(text))
        if answer.hold:
            self.owner.holding.set()
            self.owner.closed.wait(60)
        if answer.hold or answer.cut:
            return
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self._event({"choices": [], "usage": _usage(body, text)})
        self.wfile.write(b"data: [DONE]\n\n")
        self.owner.sent()

    def _event(self, chunk: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()


def _completion(body: dict[str, Any], text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "model": "played", "choices": [choice], "usage": _usage(body, text)}


def _usage(body: dict[str, Any], text: str) -> dict[str, Any]:
    asked = prompt_tokens(body)
    return {
        "prompt_tokens": asked,
        "completion_tokens": estimate_tokens(text, PROFILES["generic"]),
        "prompt_tokens_details": {"cached_tokens": asked // 2},
    }


def prompt_tokens(body: dict[str, Any]) -> int:
    """What the endpoint says to have read of a request."""
    texts = [message["content"] for message in body["messages"]]
    return sum(estimate_tokens(text, PROFILES["generic"]) for text in texts)


@dataclass(frozen=True)
class Result:
    """What a command did: its exit code and what it printed, as text and as bytes."""

    code: int
    out: str
    err: str
    raw_out: bytes
    raw_err: bytes

    def json(self) -> dict[str, Any]:
        """The one object on stdout, checked against the contract and ``zencli schema VERB``."""
        assert self.raw_out.endswith(b"}\n"), self.out
        assert self.raw_out.count(b"\n") == 1
        envelope: dict[str, Any] = json.loads(self.raw_out.decode("utf-8"))
        check_envelope(envelope, self.out, self.code)
        if envelope["command"] in SCHEMAS:
            jsonschema.validate(envelope["data"], data_schema(envelope["command"]))
        return envelope


def environment(**more: str | None) -> dict[str, str]:
    """The environment of a command: the test's own, the checkout on the path, and ``more``.

    None takes a variable out.
    """
    env = {**os.environ, "PYTHONPATH": str(REPO), "PYTHONDONTWRITEBYTECODE": "1"}
    for name, value in more.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


@cache
def data_schema(verb: str) -> dict[str, Any]:
    """What ``zencli schema VERB`` prints."""
    done = zygote().run(["schema", verb], REPO, environment(), b"")
    assert done.code == 0
    schema: dict[str, Any] = json.loads(done.out)
    return schema


@dataclass
class Shell:
    """A folder to give commands in, with the variables that are set there."""

    root: Path
    variables: dict[str, str | None] = field(default_factory=dict)
    before: Sequence[str] = ()

    def __call__(self, *words: str | Path, stdin: bytes | None = b"", **more: str | None) -> Result:
        given = {**self.variables, **more}
        starts = any(name.startswith(("PYTHON", "LC_", "LANG")) for name in given)
        if self.before or starts or stdin is None:
            code, out, err = self._started(words, given, stdin)
        else:
            code, out, err = zygote().run(
                [*map(str, words)], self.root, environment(**given), stdin
            )
        return Result(code, out.decode("utf-8"), err.decode("utf-8"), out, err)

    def _started(
        self, words: Sequence[str | Path], given: dict[str, str | None], stdin: bytes | None
    ) -> tuple[int, bytes, bytes]:
        """With Python started anew, for what is about the start."""
        done = subprocess.run(
            [*self.before, *COMMAND, *map(str, words)],
            cwd=self.root,
            env=environment(**given),
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def start(self, *words: str, **more: str | None) -> "subprocess.Popen[bytes]":
        """The command, running; the caller waits for it."""
        return subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.root,
            env=environment(**{**self.variables, **more}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def tree(root: Path, *, machine: bool = True) -> dict[str, str]:
    """Every file and folder below ``root`` with the digest of its bytes.

    Without ``machine`` the folders ``.zencli`` are left out: a run that called a model is logged.
    """
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not machine and ".zencli" in path.relative_to(root).parts:
            continue
        is_file = path.is_file()
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else "folder"
    return found


def refuses(
    shell: Shell, words: list[str], code: str, status: int, said: str, *, machine: bool = True
) -> Result:
    """Give a command as text and as JSON; both must refuse alike and change nothing."""
    before = tree(shell.root, machine=machine)
    told = shell(*words)
    assert told.code == status, told.err
    assert told.out == ""
    assert said in told.err
    assert "Traceback" not in told.err
    error = shell(*words, "--json").json()["error"]
    assert error["code"] == code
    assert said in error["message"]
    assert error["message"].endswith((".", "?")) or code == "llm.auth"
    assert tree(shell.root, machine=machine) == before
    return told


def wait_for(event: threading.Event) -> None:
    """Wait until the endpoint is where the test wants it."""
    assert event.wait(60), "the endpoint never got there"
    time.sleep(0.3)


def init_words(script: Script) -> list[str]:
    """The words of the command that begins a script's book."""
    meta = script.meta
    return [
        "init-book", "--instruction", "-", "--title", meta["title"], "--genre", meta["genre"],
        "--platform", meta["platform"], "--language", meta["language"],
        "--target-chapters", str(meta["target_chapters"]),
        "--chapter-words", str(meta["chapter_words"]),
    ]  # fmt: skip
