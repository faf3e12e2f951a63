"""Reading an answer in the form it comes in, whichever was asked for."""

import json
from collections.abc import Iterable
from typing import Any

from zencli.llm import failures, wire
from zencli.llm.attempts import retry_after
from zencli.llm.calling import Call
from zencli.llm.deadlines import Watch
from zencli.llm.exchange import Answer, lines
from zencli.llm.place import Place

EVENTS = ("data:", ": ", "event:")
"""What a stream of events begins with, whatever its content type says."""


class Receiver:
    """Reads what an endpoint answers. Whatever it can't read is an error that names the place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def collect(self, answer: Answer, call: Call, watch: Watch) -> wire.Collected:
        """The reply, its text handed on as it comes.

        Raises ``ModelError``, ``Refused`` or ``Transient``, and ``Broken`` when the answer breaks.
        """
        self._check(answer)
        collected = wire.Collected()
        call.begin()
        if "event-stream" in _kind(answer):
            self._stream(lines(answer.pieces), collected, answer, call, watch)
        else:
            watch.whole()
            text = _text(answer)
            if text.startswith(EVENTS):
                self._stream(text.splitlines(), collected, answer, call, watch)
            else:
                self._take(collected, text, answer, call)
        call.finish()
        return collected

    def whole(self, answer: Answer) -> dict[str, Any]:
        """A JSON object that isn't a reply."""
        self._check(answer)
        return self._object(_text(answer), answer)

    def _check(self, answer: Answer) -> None:
        if answer.status >= 400:
            wait = retry_after(answer.headers.get("retry-after", ""))
            said = wire.said_by(_text(answer))
            raise failures.failure(self._place, answer.status, said, wait)

    def _stream(
        self,
        received: Iterable[str],
        collected: wire.Collected,
        answer: Answer,
        call: Call,
        watch: Watch,
    ) -> None:
        for line in received:
            data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
            if data == "[DONE]":
                break
            if data:
                self._take(collected, data, answer, call)
                watch.token()
        if not collected.finish_reason:
            raise failures.Transient(failures.cut_stream(self._place))

    def _take(self, collected: wire.Collected, text: str, answer: Answer, call: Call) -> None:
        body = self._object(text, answer)
        if problem := wire.said_in(body):
            raise failures.failure(self._place, *problem)
        try:
            piece = collected.take(body)
        except (AttributeError, KeyError, TypeError):
            raise failures.no_json(self._place, _kind(answer), text) from None
        call.hand_on(piece)

    def _object(self, text: str, answer: Answer) -> dict[str, Any]:
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise failures.no_json(self._place, _kind(answer), text)
        return body


def _kind(answer: Answer) -> str:
    return answer.headers.get("content-type", "")


def _text(answer: Answer) -> str:
    return b"".join(answer.pieces).decode("utf-8", "replace")
