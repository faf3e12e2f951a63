"""A model whose replies are on disk before they are used, and are never paid for twice."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from zencli.errors import ZencliError
from zencli.llm.budget import Expected, Meter
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.rates import Rates
from zencli.llm.types import Model, OnText, Reply, Request, Usage
from zencli.store.calls import ANSWERED, INTERRUPTED, Call

SAVE_SECONDS = 2.0
"""How much of a stream a kill may cost, in seconds."""

_ANSWERED = ("llm.reply", "llm.truncated", INTERRUPTED)
"""How a call ends that the endpoint may have answered, and charged for, without any text."""

_DIGITS = 16
"""How much of a request's digest tells it from the others of a book."""


class ReplyLog(Protocol):
    """Where replies are kept: ``zencli.store.runs.RunLog``."""

    def recall(self, digest: str) -> dict[str, Any] | None: ...
    def keep(
        self, digest: str, role: str, request: dict[str, Any], reply: dict[str, Any]
    ) -> None: ...
    def keep_partial(self, role: str, text: str) -> None: ...
    def reject(self, digest: str) -> None: ...
    def sources(self) -> set[str]: ...
    def note(self, name: str, data: dict[str, Any]) -> None: ...


class CallBook(Protocol):
    """Where every call is put down for good: ``zencli.store.calls.CallFile``."""

    def add(self, call: Call) -> None: ...
    def reject(self, run: str, digest: str) -> None: ...
    def of_runs(self, runs: Iterable[str]) -> bytes: ...


@dataclass(frozen=True)
class CallDone:
    """A call that was answered; ``recalled`` when the reply was read back from an earlier run."""

    role: str
    usage: Usage
    recalled: bool
    model: str


@dataclass(frozen=True)
class Purpose:
    """What calls are for: the run and its verb, the role that answers, the chapter at work."""

    run: str = ""
    verb: str = ""
    role: str = ""
    chapter: int | None = None


class RecordedModel:
    """Answers from the log of a run when it can, else asks ``model`` and keeps its reply first.

    Every call goes into ``calls`` with its ``purpose``, and teaches ``rates`` how the model counts.
    """

    def __init__(
        self,
        model: Model,
        run: ReplyLog,
        meter: Meter,
        on_call: Callable[[CallDone], None],
        *,
        purpose: Purpose = Purpose(),
        calls: CallBook | None = None,
        rates: Rates | None = None,
    ) -> None:
        self._model = model
        self._run = run
        self._meter = meter
        self._on_call = on_call
        self._purpose = purpose
        self._calls = calls
        self._rates = Rates() if rates is None else rates

    @property
    def name(self) -> str:
        """The name of the model behind the log."""
        return self._model.name

    @property
    def profile(self) -> Profile:
        """The profile of the model behind the log."""
        return self._model.profile

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The kept reply, or a new one. Raises ``BudgetError`` before a call too many.

        The text of a stream is kept as a partial reply while it comes and when it breaks.
        """
        digest = request.digest(self.name)
        kept = self._run.recall(digest)
        recalled = kept is not None
        if kept is not None:
            reply = Reply.from_json(kept)
            if on_text is not None:
                on_text(reply.text)
            self._put_down(digest, request, reply.usage, reply.model, _outcome(reply), recalled)
        else:
            reply = self._ask(digest, request, on_text)
            # before the reply is kept: a call that was paid for is never missing
            self._put_down(digest, request, reply.usage, reply.model, _outcome(reply))
            self._run.keep(digest, request.role, request.to_json(), reply.to_json())
        self._rates.learn(request, self._model.profile, reply.model, reply.usage.input_tokens)
        self._meter.add(
            reply.usage, self._expected(request), recalled=recalled, chapter=self._purpose.chapter
        )
        self._on_call(CallDone(request.role, reply.usage, recalled, reply.model))
        return reply

    def reject(self, request: Request) -> None:
        """Forget the reply to ``request``, so that a resumed run asks afresh."""
        digest = request.digest(self.name)
        self._run.reject(digest)
        if self._calls is not None:
            self._calls.reject(self._purpose.run, digest[:_DIGITS])

    def close(self) -> None:
        """Close the model behind the log."""
        self._model.close()

    def _expected(self, request: Request) -> Expected:
        profile = self._rates.latest(self._model.profile, self.name)
        return Expected(request.estimate(profile), request.max_output or profile.max_output)

    def _ask(self, digest: str, request: Request, on_text: OnText | None) -> Reply:
        self._meter.before(
            self._expected(request), self._model.profile, chapter=self._purpose.chapter
        )
        pieces: list[str] = []
        started = saved = time.monotonic()

        def hand_on(piece: str) -> None:
            nonlocal saved
            pieces.append(piece)
            if time.monotonic() - saved > SAVE_SECONDS:
                self._run.keep_partial(request.role, "".join(pieces))
                saved = time.monotonic()
            assert on_text is not None
            on_text(piece)

        try:
            return self._model.complete(request, None if on_text is None else hand_on)
        except BaseException as error:
            text = "".join(pieces)
            if text:
                self._run.keep_partial(request.role, text)
            outcome = error.code if isinstance(error, ZencliError) else INTERRUPTED
            if text or outcome in _ANSWERED:
                usage = self._guessed(request, text, time.monotonic() - started)
                self._put_down(digest, request, usage, self.name, outcome)
            raise

    def _guessed(self, request: Request, text: str, seconds: float) -> Usage:
        """What a call took that ended without saying so."""
        profile = self._rates.latest(self._model.profile, self.name)
        asked, written = request.estimate(profile), estimate_tokens(text, profile)
        cost = profile.cost(asked, 0, written)
        return Usage(1, asked, output_tokens=written, seconds=seconds, cost=cost)

    def _put_down(
        self,
        digest: str,
        request: Request,
        usage: Usage,
        model: str,
        outcome: str,
        recalled: bool = False,
    ) -> None:
        if self._calls is None:
            return
        about = self._purpose
        self._calls.add(
            Call(
                time=datetime.now(UTC).isoformat(timespec="seconds"),
                run=about.run,
                verb=about.verb,
                chapter=about.chapter,
                role=about.role,
                step=request.role,
                model=model,
                input=usage.input_tokens,
                cached=usage.cached_tokens,
                output=usage.output_tokens,
                reasoning=usage.reasoning_tokens,
                seconds=round(usage.seconds, 2),
                cost=usage.cost,
                recalled=recalled,
                outcome=outcome,
                digest=digest[:_DIGITS],
            )
        )


def _outcome(reply: Reply) -> str:
    return "length" if reply.finish_reason == "length" else ANSWERED
