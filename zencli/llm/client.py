"""Any OpenAI-compatible endpoint: asks, tries again what may pass, learns what to leave out."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from zencli.errors import ModelError, UsageError
from zencli.llm import failures, wire
from zencli.llm.attempts import LONGEST_WAIT, Patience
from zencli.llm.calling import Call
from zencli.llm.deadlines import Deadlines, Watch
from zencli.llm.exchange import Broken, Transport, is_loopback, is_url
from zencli.llm.learned import Memory
from zencli.llm.lessons import changed, lessons
from zencli.llm.place import Place, masked_url
from zencli.llm.profiles import Profile
from zencli.llm.receive import Receiver
from zencli.llm.thinking import split_thinking
from zencli.llm.tool_text import read_calls
from zencli.llm.transport import Network
from zencli.llm.types import OnText, Reply, Request, ToolCall

CUT_FROM, CUT_SHARE = 1_000, 0.45
"""An endpoint that says to have read less than ``CUT_SHARE`` of a prompt estimated at ``CUT_FROM``
tokens or more has cut it silently."""
TOO_MUCH = 10_000_000
"""Output tokens that no endpoint has."""
MOST_LESSONS = 12
"""Refusals that one call may learn from."""
SURE_AFTER = 2
"""Times that a reply comes only in the other form before that form is asked for first."""


class OpenAIModel:
    """One model at one base URL, which is used exactly as typed.

    ``profile`` changes when the endpoint refuses something that can be left out, apart from the
    fields in ``pinned``; ``memory`` keeps what was learned. ``count`` tells the exact number of
    tokens of a request.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str,
        profile: Profile,
        deadlines: Deadlines | None = None,
        *,
        patience: Patience | None = None,
        pinned: frozenset[str] = frozenset(),
        memory: Memory | None = None,
        transport: Transport | None = None,
        count: Callable[[Request], int | None] | None = None,
    ) -> None:
        if not is_url(base_url):
            raise UsageError(
                "usage.base_url",
                f"The base URL {masked_url(base_url)!r} isn't http:// or https:// and a host.",
                "Give the whole URL without spaces, such as http://127.0.0.1:8080/v1.",
            )
        self.name = model
        self.profile = memory.recall(profile, pinned) if memory else profile
        self._base_url = base_url
        self._key = api_key.strip()
        self._deadlines = deadlines or Deadlines()
        self._patience = patience or Patience()
        self._pinned = pinned
        self._memory = memory
        self._counter = count
        self._place = Place(base_url, model, self._key)
        self._receiver = Receiver(self._place)
        self._transport = transport or Network(base_url, self._key)
        self._only_otherwise = {"streams": 0, "tools_streamed": 0}

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer ``request``, streaming when ``on_text`` is given.

        Raises ``ModelError``: llm.auth, llm.quota, llm.network, llm.timeout, llm.context,
        llm.reply, llm.refused, llm.truncated, llm.endpoint, llm.forbidden. What may pass is tried
        again, as long as no text was handed on.
        """
        self._refuse_what_cannot_work()
        self._check_fits(request)
        call = Call(request, on_text, self.profile, time.monotonic() + self._deadlines.total)
        try:
            reply = self._patiently(call)
        except ModelError:
            self.profile = replace(call.before, window=self.profile.window)
            raise
        if call.learned and self._memory is not None:
            self._memory.keep({name: getattr(self.profile, name) for name in call.learned})
        return reply

    def count(self, request: Request) -> int | None:
        """The exact number of tokens of a request, None when nobody counts them."""
        return None if self._counter is None else self._counter(request)

    def listed(self) -> list[dict[str, Any]]:
        """The models that the endpoint lists, each with its ``id``. Raises ``ModelError``."""
        self._refuse_what_cannot_work()
        watch = self._watch(time.monotonic() + self._deadlines.total, streaming=False)
        try:
            found = self._receiver.whole(self._transport.models(watch)).get("data") or []
        except Broken as broken:
            raise _plain(failures.broken_failure(self._place, broken, self._deadlines)) from None
        except (failures.Refused, failures.Transient) as failure:
            raise failure.error from None
        return [dict(item) for item in found if isinstance(item, Mapping) and "id" in item]

    def adapt(self, **changes: Any) -> None:
        """Go on with another profile."""
        self.profile = replace(self.profile, **changes)

    def told_limits(self, request: Request) -> Profile:
        """The profile with the limits that the endpoint tells when far too much is asked for.

        Raises ``ModelError`` for a failure that has nothing to do with that.
        """
        end = time.monotonic() + self._deadlines.total
        call = Call(request, _enough, self.profile, end)
        body = self._body(request, self.profile, self.profile.streams != "never")
        body[self.profile.tokens_field] = TOO_MUCH
        try:
            self._exchange(body, call)
        except _Enough:
            return self.profile
        except failures.Refused as refused:
            told = list(lessons(refused.said, body, self.profile))
            return replace(
                self.profile,
                window=min([p.window for p in told], default=self.profile.window),
                max_output=min([p.max_output for p in (self.profile, *told)]),
            )
        except failures.Transient as failure:
            raise failure.error from None
        return self.profile

    def reject(self, request: Request) -> None:
        """Nothing is kept, so there is nothing to forget."""

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _refuse_what_cannot_work(self) -> None:
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

    def _check_fits(self, request: Request) -> None:
        exact = self.count(request)
        size, window = exact or request.estimate(self.profile), self.profile.window
        if size >= window:
            about = "" if exact else "about "
            raise failures.context_failure(
                self._place, f"it is {about}{size} tokens, the window is {window}."
            )

    def _patiently(self, call: Call) -> Reply:
        attempt = 0
        while True:
            try:
                return self._answered(call)
            except failures.Transient as failure:
                busy = failure.error.code == "llm.quota"
                wait = self._patience.wait(attempt, failure.wait, busy=busy)
                attempt += 1
                error = failure.error
                if call.handed_on:
                    raise failures.BrokenStream(error.code, error.message, error.hint) from None
                longest = min(LONGEST_WAIT, call.left())
                most = min(self._patience.retries, failure.most)
                if attempt > most or wait > longest:
                    raise error from None
                self._patience.sleep(wait)

    def _answered(self, call: Call) -> Reply:
        collected = self._teachably(call)
        if collected.blank() and not call.handed_on:
            collected = self._otherwise(call) or collected
        return self._reply(call, collected)

    def _teachably(self, call: Call) -> wire.Collected:
        """One exchange, again at once for each thing that the endpoint turns out not to take."""
        while True:
            stream = wire.streamed(call.request, self.profile, call.on_text is not None)
            body = self._body(call.request, self.profile, stream)
            try:
                return self._exchange(body, call)
            except (failures.Refused, failures.Transient) as refused:
                if call.handed_on or not self._learns(refused, body, call):
                    raise
            self._check_fits(call.request)

    def _learns(
        self, refused: "failures.Refused | failures.Transient", body: dict[str, Any], call: Call
    ) -> bool:
        """Whether there is another profile to try; ``profile`` is that one then."""
        blocked: list[str] = []
        more = bool(refused.said) and len(call.tried) < MOST_LESSONS
        for learned in lessons(refused.said, body, self.profile) if more else ():
            fields = changed(self.profile, learned)
            if self._pinned & set(fields):
                blocked += fields
            elif learned not in call.tried:
                call.tried.append(self.profile)
                call.learned |= set(fields)
                self.profile = learned
                return True
        if isinstance(refused, failures.Refused):
            if self._memory is not None and refused.error.code == "llm.endpoint":
                self._memory.forget()
            if blocked:
                raise failures.pinned_failure(blocked, refused.error)
            raise refused.error
        return False

    def _otherwise(self, call: Call) -> wire.Collected | None:
        """An empty reply asked for once more in another form; None when that is of no use either.

        A reply bound to JSON is asked for unbound; any other whole instead of in pieces, or in
        pieces instead of whole, since some gateways can do only one of the two.
        """
        request, profile = call.request, self.profile
        stream = wire.streamed(request, profile, call.on_text is not None)
        bound = request.schema is not None and profile.json in ("schema", "object")
        other = replace(profile, json="prompt") if bound else profile
        try:
            body = self._body(request, other, stream if bound else not stream)
            found = self._exchange(body, call)
        except (ModelError, failures.Refused, failures.Transient) as failure:
            if call.handed_on:
                raise _plain(failure) from None
            return None
        if not found.blank() and not bound:
            self._prefer(call, whole=stream)
        return found

    def _prefer(self, call: Call, *, whole: bool) -> None:
        """A reply came only in the other form; when that isn't by chance, begin with it."""
        name = "tools_streamed" if call.request.tools and whole else "streams"
        self._only_otherwise[name] += 1
        if self._only_otherwise[name] < SURE_AFTER or name in self._pinned:
            return
        if name == "tools_streamed":
            self.profile = replace(self.profile, tools_streamed=False)
        else:
            self.profile = replace(self.profile, streams="never" if whole else "only")

    def _body(self, request: Request, profile: Profile, stream: bool) -> dict[str, Any]:
        return wire.request_body(request, self.name, profile, stream, self.count(request))

    def _watch(self, end: float, *, streaming: bool) -> Watch:
        return Watch(self._deadlines, end, streaming=streaming)

    def _exchange(self, body: dict[str, Any], call: Call) -> wire.Collected:
        watch = self._watch(call.end, streaming=body.get("stream", False))
        try:
            with self._transport.send(call.request.role, body, watch) as answer:
                return self._receiver.collect(answer, call, watch)
        except Broken as broken:
            raise failures.broken_failure(self._place, broken, self._deadlines) from None

    def _reply(self, call: Call, collected: wire.Collected) -> Reply:
        request, finish = call.request, collected.finish_reason
        text, inner = split_thinking("".join(collected.content))
        thinking = "".join(collected.thinking) or inner
        if not collected.choices:
            raise failures.bad_reply(self._place, "answered without any choice")
        if not finish:
            raise failures.bad_reply(self._place, "answered without a finish_reason")
        if finish == "content_filter":
            raise failures.bad_reply(self._place, "stopped at its content filter")
        text, calls = _calls(request, collected, text)
        if not text.strip() and not calls:
            if finish == "length":
                raise failures.no_room(self._place, wire.output_limit(request, self.profile))
            raise failures.bad_reply(self._place, f"answered with empty text ({finish})")
        self._refuse_silent_cut(request, collected)
        written = text + thinking + "".join(found.name + found.arguments for found in calls)
        seconds = time.monotonic() - call.started
        usage = wire.usage_of(collected.usage, request, written, self.profile, seconds)
        return Reply(text, finish, usage, self.name, thinking, calls)

    def _refuse_silent_cut(self, request: Request, collected: wire.Collected) -> None:
        read, size = wire.tokens_read(collected.usage), request.estimate(self.profile)
        if read and size >= CUT_FROM and read < CUT_SHARE * size:
            raise failures.CutPrompt(self._place, size, read)


class _Enough(Exception):
    """A reply began: nothing was refused, and the rest isn't waited for."""


def _enough(piece: str) -> None:
    raise _Enough


def _plain(failure: Exception) -> ModelError:
    error = getattr(failure, "error", failure)
    assert isinstance(error, ModelError)
    return error


def _calls(
    request: Request, collected: wire.Collected, text: str
) -> tuple[str, tuple[ToolCall, ...]]:
    """The text without the calls in it, and the calls; those in prose count where no others are."""
    cut = collected.finish_reason == "length"
    if request.tools and not collected.calls:
        text, written = read_calls(text, {tool.name for tool in request.tools})
        for name, arguments in written:
            function = {"name": name, "arguments": arguments}
            collected.calls.take({"function": function}, whole=True)
    return text, collected.calls.calls(request.tools, len(request.messages), cut=cut)
