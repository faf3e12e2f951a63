"""Any OpenAI-compatible endpoint. The only module that imports openai, at the first call."""

import ipaddress
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from zencli.errors import ModelError, UsageError
from zencli.llm import failures, wire
from zencli.llm.profiles import Profile
from zencli.llm.thinking import ThinkingFilter, split_thinking
from zencli.llm.types import OnText, Reply, Request

RETRIES = 2
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
CONNECT_SECONDS = 15.0
NO_KEY = "none"
"""Sent where no key is given: local servers want one and don't look at it."""
CUT_FROM, CUT_SHARE = 1_000, 0.45
"""An endpoint that says to have read less than ``CUT_SHARE`` of a prompt estimated at ``CUT_FROM``
tokens or more has cut it silently."""

Piece = TypeVar("Piece", str, bytes)


class OpenAIModel:
    """One model at one base URL, which is used exactly as typed.

    ``timeout`` is the total time of a call in seconds, retries included. ``profile`` changes when
    the endpoint refuses something that can be left out: what is learned holds for the process.
    """

    def __init__(
        self, base_url: str, model: str, api_key: str, profile: Profile, timeout: float = 600.0
    ) -> None:
        if not _is_url(base_url):
            raise UsageError(
                "usage.base_url",
                f"The base URL {base_url!r} isn't http:// or https:// and a host.",
                "Give the whole URL without spaces, such as http://127.0.0.1:8080/v1.",
            )
        self.name = model
        self.profile = profile
        self._base_url = base_url
        self._key = api_key.strip()
        self._timeout = timeout
        self._place = failures.Place(base_url, model, self._key)
        self._given_up: list[Profile] = []
        self._client: Any = None

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer ``request``, streaming when ``on_text`` is given.

        Raises ``ModelError``: llm.auth, llm.quota, llm.network, llm.timeout, llm.context,
        llm.reply, llm.refused, llm.truncated, llm.endpoint, llm.forbidden. What may pass is tried
        three times, as long as no text was handed on.
        """
        self._refuse_what_cannot_work(request)
        started = time.monotonic()
        call = _Call(on_text, started + self._timeout)
        for attempt in range(RETRIES + 1):
            try:
                collected = self._exchange_teachably(request, call)
                return self._reply(request, collected, time.monotonic() - started)
            except failures.Transient as failure:
                wait = max(failure.wait, FIRST_WAIT * 2**attempt)
                if attempt == RETRIES or call.handed_on or wait > min(LONGEST_WAIT, call.left()):
                    raise failure.error from None
                time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def reject(self, request: Request) -> None:
        """Nothing is kept, so there is nothing to forget."""

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _refuse_what_cannot_work(self, request: Request) -> None:
        if os.environ.get("ZENCLI_FORBID_REQUESTS") == "1" and not is_loopback(self._base_url):
            raise ModelError(
                "llm.forbidden",
                f"Requests are forbidden (ZENCLI_FORBID_REQUESTS=1): {self._place.shown}.",
                "Unset ZENCLI_FORBID_REQUESTS, or use a server on this machine.",
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(
                "llm.auth",
                f"The key for {self._place.shown} holds characters that no key has.",
                "Set ZENCLI_API_KEY again, without quotes, spaces or line ends.",
            )
        size, window = request.estimate(self.profile), self.profile.window
        if size >= window:
            raise failures.context_failure(
                self._place, f"it is about {size} tokens, the window is {window}."
            )

    def _exchange_teachably(self, request: Request, call: "_Call") -> wire.Collected:
        """One exchange, again at once for each thing that the endpoint turns out not to take."""
        while True:
            body = wire.request_body(request, self.name, self.profile, call.on_text is not None)
            try:
                return self._exchange(body, call)
            except failures.Refused as refused:
                learned = wire.lesson(refused.said, body, self.profile)
                if learned is None or learned in self._given_up or call.handed_on:
                    raise refused.error from None
                self._given_up.append(self.profile)
                self.profile = learned

    def _exchange(self, body: dict[str, Any], call: "_Call") -> wire.Collected:
        import httpx2
        import openai

        if self._client is None:
            self._client = self._open()
        limit = openai.Timeout(max(call.left(), 0.001), connect=min(CONNECT_SECONDS, self._timeout))
        create = self._client.chat.completions.with_streaming_response.create
        try:
            with create(**body, timeout=limit) as response:
                return self._collect(response, call)
        except openai.APIStatusError as error:
            _, said = wire.said_in({"error": error.body or error.response.text}) or (0, "")
            wait = _seconds(error.response.headers.get("retry-after", ""))
            raise failures.failure(self._place, error.status_code, said, wait) from None
        except (openai.APIConnectionError, httpx2.RequestError) as error:
            chain = (error, error.__cause__)
            late = any(isinstance(e, httpx2.TimeoutException) for e in chain)
            if late and not any(isinstance(e, httpx2.ConnectTimeout) for e in chain):
                raise failures.timeout_failure(self._place, self._timeout) from None
            said = str(error.__cause__ or error) or type(error).__name__
            raise failures.Transient(failures.network_failure(self._place, said)) from None

    def _open(self) -> Any:
        import openai

        # A proxy of the environment can't reach this machine's own loopback.
        direct = openai.DefaultHttpxClient(trust_env=False) if is_loopback(self._base_url) else None
        return openai.OpenAI(
            base_url=self._base_url,
            api_key=self._key or NO_KEY,
            max_retries=0,
            http_client=direct,
        )

    def _collect(self, response: Any, call: "_Call") -> wire.Collected:
        """Read the reply in the form it comes in, whichever was asked for."""
        collected = wire.Collected()
        call.begin()
        kind = response.headers.get("content-type", "")
        if "event-stream" not in kind:
            body = b"".join(self._in_time(response.iter_bytes(), call))
            self._take(collected, body.decode("utf-8", "replace"), kind, call)
        else:
            for line in self._in_time(response.iter_lines(), call):
                data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if data == "[DONE]":
                    break
                if data:
                    self._take(collected, data, kind, call)
            if not collected.finish_reason:
                raise failures.Transient(failures.cut_stream(self._place))
        call.end()
        return collected

    def _in_time(self, pieces: Iterator[Piece], call: "_Call") -> Iterator[Piece]:
        for piece in pieces:
            if call.left() <= 0:
                raise failures.timeout_failure(self._place, self._timeout)
            yield piece

    def _take(self, collected: wire.Collected, text: str, kind: str, call: "_Call") -> None:
        try:
            body = json.loads(text)
        except json.JSONDecodeError:
            raise failures.no_json(self._place, kind, text) from None
        if not isinstance(body, dict):
            raise failures.no_json(self._place, kind, text)
        if problem := wire.said_in(body):
            raise failures.failure(self._place, *problem)
        call.hand_on(collected.take(body))

    def _reply(self, request: Request, collected: wire.Collected, seconds: float) -> Reply:
        text, inner = split_thinking("".join(collected.content))
        thinking = "".join(collected.thinking) or inner
        finish = collected.finish_reason
        if not collected.choices:
            raise failures.bad_reply(self._place, "answered without any choice")
        if not finish:
            raise failures.bad_reply(self._place, "answered without a finish_reason")
        if finish == "content_filter":
            raise failures.bad_reply(self._place, "stopped at its content filter")
        if not text.strip():
            if finish == "length":
                raise failures.no_room(self._place, wire.output_limit(request, self.profile))
            raise failures.bad_reply(self._place, f"answered with empty text ({finish})")
        self._refuse_silent_cut(request, collected)
        written = text + thinking
        usage = wire.usage_of(collected.usage, request, written, self.profile, seconds)
        return Reply(text, finish, usage, self.name, thinking)

    def _refuse_silent_cut(self, request: Request, collected: wire.Collected) -> None:
        read, size = collected.usage.get("prompt_tokens"), request.estimate(self.profile)
        if read and size >= CUT_FROM and read < CUT_SHARE * size:
            raise failures.context_failure(
                self._place, f"of about {size} tokens only {read} were read; the rest was cut off."
            )


@dataclass
class _Call:
    """What lasts through all attempts of one call. ``deadline`` is on the monotonic clock."""

    on_text: OnText | None
    deadline: float
    handed_on: bool = False
    _filter: ThinkingFilter = field(default_factory=ThinkingFilter)

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def begin(self) -> None:
        self._filter = ThinkingFilter()

    def hand_on(self, piece: str) -> None:
        self._show(self._filter.feed(piece))

    def end(self) -> None:
        self._show(self._filter.end())

    def _show(self, text: str) -> None:
        if text and self.on_text is not None:
            self.handed_on = True
            self.on_text(text)


def _is_url(text: str) -> bool:
    """Whether a request can be made to a URL, as far as its letters tell."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    clean = text.isprintable() and " " not in text and port != 0
    return clean and parts.scheme in ("http", "https") and bool(parts.hostname)


def is_loopback(base_url: str) -> bool:
    """Whether the host of a URL is this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds(text: str) -> float:
    return float(text) if text.replace(".", "", 1).isdigit() else 0.0
