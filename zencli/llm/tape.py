"""Exchanges kept in a file, and runs made from that file without a network.

JSON Lines: a head that says which models were asked, then one line an exchange: the step, the body
of the request, and the answer as it came, status and bytes, or what broke it. Keys, passwords and
queries of URLs are taken out before a line is written.
"""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from zencli import __version__
from zencli.errors import ModelError, UsageError
from zencli.llm.deadlines import Watch
from zencli.llm.exchange import Answer, Broken, Transport
from zencli.llm.place import Place

FORM = 1
_HEADERS = ("content-type", "retry-after")


class Tape(Protocol):
    """A file of exchanges, written or read. ``live`` says whether a network is needed.

    ``head`` is what the file says first; a recording takes it from the first run.
    """

    live: bool
    head: dict[str, Any]

    def begin(self, head: dict[str, Any]) -> None:
        """Say first which models are asked."""
        ...

    def transport(self, place: Place, network: Callable[[], Transport]) -> Transport:
        """What carries the requests to a place."""
        ...


class Recording:
    """Keeps every exchange in a new file.

    Raises ``UsageError`` usage.record when the file exists or can't be written.
    """

    live = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.head: dict[str, Any] = {}
        if path.exists():
            raise UsageError(
                "usage.record", f"{path} exists already.", "Name another file to record into."
            )

    def begin(self, head: dict[str, Any]) -> None:
        """Write which models are asked, unless an earlier run of the same command did."""
        if self.head:
            return
        self.head = {"record": FORM, "zencli": __version__, **head}
        try:
            self._path.open("x").close()
        except OSError as error:
            raise UsageError(
                "usage.record",
                f"{self._path} can't be written: {error.strerror}.",
                "Name another file to record into.",
            ) from None
        self.write(self.head)

    def transport(self, place: Place, network: Callable[[], Transport]) -> Transport:
        """The network, overheard."""
        return _Overheard(self, place, network())

    def write(self, line: dict[str, Any], place: Place | None = None) -> None:
        """Add a line, without the secrets of ``place``."""
        text = json.dumps(line, ensure_ascii=False)
        if any("\ud800" <= char <= "\udfff" for char in text):  # bytes that are no UTF-8
            text = json.dumps(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write((place.masked(text) if place else text) + "\n")


class _Overheard:
    def __init__(self, tape: Recording, place: Place, network: Transport) -> None:
        self._tape = tape
        self._place = place
        self._network = network

    @contextmanager
    def send(self, step: str, body: dict[str, Any], watch: Watch) -> Iterator[Answer]:
        heard: dict[str, Any] = {"step": step, "model": self._place.model, "request": body}
        pieces: list[bytes] = []
        try:
            with self._network.send(step, body, watch) as answer:
                heard["status"] = answer.status
                heard["headers"] = {k: v for k, v in answer.headers.items() if k in _HEADERS}
                answer.pieces = _kept(answer.pieces, pieces)
                yield answer
        except Broken as broken:
            heard["broken"] = [broken.kind, self._place.quoted(broken.said), broken.limit]
            raise
        finally:
            if "status" not in heard:
                heard.setdefault("broken", ["read", "interrupted", "total"])
            said = b"".join(pieces).decode("utf-8", "surrogateescape")
            refused = heard.get("status", 200) >= 400
            heard["answer"] = self._place.cleaned(said) if refused else said
            self._tape.write(heard, self._place)

    def models(self, watch: Watch) -> Answer:
        return self._network.models(watch)

    def close(self) -> None:
        self._network.close()


def _kept(pieces: Any, into: list[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        into.append(piece)
        yield piece


class Replaying:
    """Answers from a file that was recorded.

    Raises ``UsageError`` usage.replay when the file isn't one.
    """

    live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._left: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        try:
            lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
            self.head: dict[str, Any] = lines[0]
            known = self.head["record"] == FORM
            for heard in lines[1:]:
                self._left[_key(heard["model"], heard["request"])].append(heard)
        except OSError as error:
            raise UsageError(
                "usage.replay", f"{path} can't be read: {error.strerror}.", "Name a recording."
            ) from None
        except (ValueError, LookupError, TypeError):
            known = False
        if not known:
            raise UsageError(
                "usage.replay",
                f"{path} is no recording of this version.",
                "Make one with --record.",
            )

    def begin(self, head: dict[str, Any]) -> None:
        """The file says already which models were asked."""

    def transport(self, place: Place, network: Callable[[], Transport]) -> Transport:
        """The file in place of the network."""
        return _Replayed(self, place.model)

    def take(self, step: str, model: str, body: dict[str, Any]) -> dict[str, Any]:
        """The next answer to a request. Raises ``ModelError`` llm.not_recorded without one."""
        waiting = self._left[_key(model, body)]
        if not waiting:
            raise ModelError(
                "llm.not_recorded",
                f"{self._path} holds no (further) answer of {model} for step {step}.",
                "Replay the same command, with the book and the prompts as they were when it was"
                " recorded.",
            )
        return waiting.popleft()


class _Replayed:
    def __init__(self, tape: Replaying, model: str) -> None:
        self._tape = tape
        self._model = model

    @contextmanager
    def send(self, step: str, body: dict[str, Any], watch: Watch) -> Iterator[Answer]:
        heard = self._tape.take(step, self._model, body)
        if "status" not in heard:
            raise Broken(*heard["broken"])
        yield Answer(heard["status"], heard["headers"], _replayed(heard))

    def models(self, watch: Watch) -> Answer:
        raise Broken("connect", "a recording lists no models")

    def close(self) -> None:
        """Nothing is held open."""


def _replayed(heard: dict[str, Any]) -> Iterator[bytes]:
    yield heard["answer"].encode("utf-8", "surrogateescape")
    if "broken" in heard:
        raise Broken(*heard["broken"])


def _key(model: str, body: dict[str, Any]) -> str:
    return json.dumps([model, body], ensure_ascii=False, sort_keys=True)
