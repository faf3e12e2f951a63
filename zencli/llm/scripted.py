"""A model that answers from a script, for tests and rehearsals."""

from collections.abc import Iterable
from dataclasses import dataclass

from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.types import OnText, Reply, Request, ToolCall, Usage

PIECE = 24
"""Characters in each piece of a streamed reply."""


class ScriptError(AssertionError):
    """The calls made aren't the calls that the script foresaw."""


@dataclass(frozen=True)
class Step:
    """One expected call, named by its role, and the reply to it."""

    role: str
    text: str
    finish_reason: str = "stop"
    tool_calls: tuple[ToolCall, ...] = ()


class ScriptedModel:
    """Plays ``steps`` in order and fails on any call that doesn't fit.

    ``requests`` holds every request answered. Usage is estimated from the texts; as cached count
    the tokens of the longest beginning shared with an earlier request.
    """

    def __init__(
        self, steps: Iterable[Step], *, profile: Profile | None = None, name: str = "scripted"
    ) -> None:
        self.name = name
        self.profile = profile or Profile(name="scripted", price_input=0.0, price_output=0.0)
        self.requests: list[Request] = []
        self._steps = list(steps)

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The next reply of the script. Raises ``ScriptError`` when another call was expected."""
        step = self._next(request)
        usage = self._usage(request, step)
        self.requests.append(request)
        if on_text is not None:
            for start in range(0, len(step.text), PIECE):
                on_text(step.text[start : start + PIECE])
        return Reply(step.text, step.finish_reason, usage, self.name, tool_calls=step.tool_calls)

    def reject(self, request: Request) -> None:
        """Nothing is kept, so there is nothing to forget."""

    def close(self) -> None:
        """Nothing is held open."""

    def done(self) -> None:
        """Raises ``ScriptError`` when steps are left over."""
        if len(self.requests) < len(self._steps):
            raise ScriptError(f"calls that were expected and not made\n{self._history()}")

    def _next(self, request: Request) -> Step:
        position = len(self.requests)
        if position >= len(self._steps):
            raise ScriptError(f"one call too many: {request.role!r}\n{self._history()}")
        step = self._steps[position]
        if step.role != request.role:
            raise ScriptError(
                f"call {position + 1} should be {step.role!r} but is {request.role!r}\n"
                f"{self._history()}"
            )
        return step

    def _history(self) -> str:
        expected = ", ".join(step.role for step in self._steps)
        asked = ", ".join(request.role for request in self.requests)
        return f"expected: {expected}\nanswered: {asked}"

    def _usage(self, request: Request, step: Step) -> Usage:
        asked = request.estimate(self.profile)
        cached = max((self._shared(request, earlier) for earlier in self.requests), default=0)
        calls = "".join(f"{call.name} {call.arguments}" for call in step.tool_calls)
        written = estimate_tokens(step.text + calls, self.profile)
        return Usage(
            calls=1,
            input_tokens=asked,
            cached_tokens=cached,
            output_tokens=written,
            cost=self.profile.cost(asked, cached, written),
        )

    def _shared(self, request: Request, earlier: Request) -> int:
        text, other = _flat(request), _flat(earlier)
        length = next(
            (i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b),
            min(len(text), len(other)),
        )
        return min(estimate_tokens(text[:length], self.profile), request.estimate(self.profile))


def _flat(request: Request) -> str:
    tools = "".join(f"\x1d{tool.name}\x1f{tool.parameters}" for tool in request.tools)
    said = "".join(f"\x1e{m.role}\x1f{m.content}{m.tool_calls or ''}" for m in request.messages)
    return tools + said
