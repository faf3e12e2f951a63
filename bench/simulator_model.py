"""A model that makes up the simulated novel while zencli asks for it, and times what it isn't."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

from bench.simulator_author import Author, Written
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.types import OnText, Reply, Request, Usage
from zencli.pipeline.outline import STRUCTURE_BATCH

REMEMBERED = 8
"""How many of the latest prompts a later one may share its beginning with."""

CHAPTER_STEPS = ("plan", "write", "audit", "settle")
PIECE = 200


@dataclass(frozen=True)
class Asked:
    """One call: its step, its prompt in tokens, how many of them it shared with an earlier prompt,
    and the seconds of the program's own work before it, on the clock and of the processor."""

    step: str
    tokens: int
    shared: int
    before: float
    busy: float


@dataclass
class SimulatedModel:
    """Answers every step of a book by ``author``; ``calls`` are those since ``begin``."""

    author: Author
    outlined: int = 0
    name: str = "simulated"
    calls: list[Asked] = field(default_factory=list)
    _structured: int = 0
    _recent: list[str] = field(default_factory=list)
    _chapter: Written | None = None
    _left: float = 0.0
    _idle: float = 0.0

    @property
    def profile(self) -> Profile:
        """A large endpoint that counts as DeepSeek does."""
        return Profile(
            name="simulated",
            window=131_072,
            tokens_per_cjk=0.64,
            tokens_per_latin=0.24,
            price_input=0.27,
            price_cached=0.07,
            price_output=1.1,
        )

    def begin(self) -> None:
        """The next chapter is about to be asked for."""
        self.calls, self._chapter = [], None
        self._hand_over()

    def end(self) -> tuple[float, float]:
        """Seconds of the program's own work since ``begin``: on the clock, of the processor."""
        before = time.perf_counter() - self._left + sum(call.before for call in self.calls)
        busy = time.process_time() - self._idle + sum(call.busy for call in self.calls)
        return before, busy

    def _hand_over(self) -> None:
        self._left, self._idle = time.perf_counter(), time.process_time()

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The reply to any step. The time it takes to make it up doesn't count."""
        before, busy = time.perf_counter() - self._left, time.process_time() - self._idle
        text = self._answer(request)
        prompt = "\x1e".join(f"{m.role}\x1f{m.content}" for m in request.messages)
        shared = max((_common(prompt, other) for other in self._recent), default=0)
        self._recent = [*self._recent, prompt][-REMEMBERED:]
        asked = request.estimate(self.profile)
        cached = min(asked, estimate_tokens(prompt[:shared], self.profile))
        written = estimate_tokens(text, self.profile)
        cost = self.profile.cost(asked, cached, written)
        self.calls.append(Asked(request.role, asked, cached, before, busy))
        self._hand_over()
        if on_text is not None:
            for at in range(0, len(text), PIECE):
                on_text(text[at : at + PIECE])
        return Reply(text, "stop", Usage(1, asked, cached, written, cost=cost), self.name)

    def reject(self, request: Request) -> None:
        """Nothing is kept, so there is nothing to forget."""

    def close(self) -> None:
        """Nothing is held open."""

    def _answer(self, request: Request) -> str:
        step = request.role
        if step in ("plan", "write", "settle"):
            if self._chapter is None:
                self._chapter = self.author.chapter()
            chapter = self._chapter
            if step == "write":
                return chapter.prose
            return _json(chapter.plan if step == "plan" else chapter.delta)
        made: dict[str, Any]
        if step == "audit":
            made = {"findings": []}
        elif step == "concept":
            made = self.author.concept()
        elif step == "cast":
            made = self.author.cast()
        elif step == "structure":
            first = self._structured + 1
            self._structured = min(self._structured + STRUCTURE_BATCH, self.author.target)
            made = self.author.structure(first, self._structured)
        elif step == "outline":
            batch = self.author.batch(self.outlined + 1)
            self.outlined = batch.stop - 1
            made = {"chapters": [self.author.outline(number) for number in batch]}
        elif step == "reconcile":
            made = {"problems": []}
        else:
            raise NotImplementedError(f"the simulated model has no reply to step {step!r}")
        return _json(made)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
