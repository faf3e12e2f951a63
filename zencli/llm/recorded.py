"""A model whose replies are on disk before they are used, and are never paid for twice."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from zencli.llm.budget import Expected, Meter
from zencli.llm.profiles import Profile
from zencli.llm.types import Model, OnText, Reply, Request, Usage

SAVE_SECONDS = 2.0
"""How much of a stream a kill may cost, in seconds."""


class ReplyLog(Protocol):
    """Where replies are kept: ``zencli.store.runs.RunLog``."""

    def recall(self, digest: str) -> dict[str, Any] | None: ...
    def keep(
        self, digest: str, role: str, request: dict[str, Any], reply: dict[str, Any]
    ) -> None: ...
    def keep_partial(self, role: str, text: str) -> None: ...
    def reject(self, digest: str) -> None: ...


@dataclass(frozen=True)
class CallDone:
    """A call that was answered; ``recalled`` when the reply was read back from an earlier run."""

    role: str
    usage: Usage
    recalled: bool
    model: str


class RecordedModel:
    """Answers from the log of a run when it can, else asks ``model`` and keeps its reply first."""

    def __init__(
        self, model: Model, run: ReplyLog, meter: Meter, on_call: Callable[[CallDone], None]
    ) -> None:
        self._model = model
        self._run = run
        self._meter = meter
        self._on_call = on_call

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
        if kept is not None:
            reply = Reply.from_json(kept)
            if on_text is not None:
                on_text(reply.text)
        else:
            reply = self._ask(request, on_text)
            self._run.keep(digest, request.role, request.to_json(), reply.to_json())
        recalled = kept is not None
        self._meter.add(reply.usage, self._expected(request), recalled=recalled)
        self._on_call(CallDone(request.role, reply.usage, recalled, reply.model))
        return reply

    def reject(self, request: Request) -> None:
        """Forget the reply to ``request``, so that a resumed run asks afresh."""
        self._run.reject(request.digest(self.name))

    def close(self) -> None:
        """Close the model behind the log."""
        self._model.close()

    def _expected(self, request: Request) -> Expected:
        profile = self._model.profile
        return Expected(request.estimate(profile), request.max_output or profile.max_output)

    def _ask(self, request: Request, on_text: OnText | None) -> Reply:
        self._meter.before(self._expected(request), self._model.profile)
        if on_text is None:
            return self._model.complete(request)
        pieces: list[str] = []

        saved = time.monotonic()

        def hand_on(piece: str) -> None:
            nonlocal saved
            pieces.append(piece)
            if time.monotonic() - saved > SAVE_SECONDS:
                self._run.keep_partial(request.role, "".join(pieces))
                saved = time.monotonic()
            on_text(piece)

        try:
            return self._model.complete(request, hand_on)
        except BaseException:
            if pieces:
                self._run.keep_partial(request.role, "".join(pieces))
            raise
