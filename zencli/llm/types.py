"""What goes to a model and what comes back, whichever model it is."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from zencli.llm.profiles import Profile, estimate_tokens

MESSAGE_OVERHEAD = 4
"""Tokens that a chat template adds to each message, about."""


@dataclass(frozen=True)
class Tool:
    """A function that a model may ask for. ``parameters`` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A function that a model asked for. ``arguments`` are its words, perhaps not even JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    An assistant's message may carry the ``tool_calls`` it made and the ``thinking`` before them,
    which some endpoints demand back; a tool's message answers the call ``tool_call_id``.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    thinking: str = ""


@dataclass(frozen=True)
class Usage:
    """What calls took. ``cached_tokens`` are part of the input, ``reasoning_tokens`` of the output.

    ``seconds`` is time waited; ``cost`` is None when no price is known.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            seconds=self.seconds + other.seconds,
            cost=sum(costs) if costs else None,
        )


@dataclass(frozen=True)
class Request:
    """One call. ``role`` names the step that asks (plan, write, ...), for logs and tests.

    ``schema`` is a JSON schema for the reply; the prompt must say in words what it wants too, since
    not every endpoint takes one. ``max_output`` is in tokens; None means the profile's limit. With
    ``tools`` the model may call functions instead of, or after, saying something.
    """

    role: str
    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    schema_name: str = ""
    max_output: int | None = None
    temperature: float | None = None
    tools: tuple[Tool, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Everything of the request as plain JSON data."""
        return {**asdict(self), "messages": [asdict(message) for message in self.messages]}

    def digest(self, model: str) -> str:
        """SHA-256 of the request and the model's name, the same for the same bytes asked for."""
        canonical = json.dumps(
            {"model": model, **self.to_json()},
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
        )
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

    def estimate(self, profile: Profile) -> int:
        """About how many input tokens the request is, tools and earlier tool calls included."""
        text = sum(estimate_tokens(part, profile) for part in self.parts())
        return text + MESSAGE_OVERHEAD * (len(self.messages) + len(self.tools))

    def parts(self) -> Iterator[str]:
        """Every text that the model has to read, in the order it reads them."""
        for tool in self.tools:
            yield f"{tool.name} {tool.description} {json.dumps(tool.parameters)}"
        for message in self.messages:
            yield message.content
            for call in message.tool_calls:
                yield f"{call.name} {call.arguments}"


@dataclass(frozen=True)
class Reply:
    """What a model said, its ``thinking`` kept apart. ``finish_reason`` is never empty.

    ``length`` as finish_reason means that the text was cut off at the output limit. ``text`` may be
    empty when there are ``tool_calls``.
    """

    text: str
    finish_reason: str
    usage: Usage
    model: str
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The reply as plain JSON data, as it is kept on disk."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Reply":
        """The reply that ``to_json`` made ``data`` of."""
        calls = tuple(ToolCall(**call) for call in data.get("tool_calls", ()))
        return cls(**{**data, "usage": Usage(**data["usage"]), "tool_calls": calls})


OnText = Callable[[str], None]


class Model(Protocol):
    """Anything that answers requests."""

    @property
    def name(self) -> str:
        """The model's name as the endpoint knows it."""
        ...

    @property
    def profile(self) -> Profile:
        """What the endpoint can do, as far as it is known by now."""
        ...

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer ``request``. With ``on_text`` the call streams and hands on each piece of text."""
        ...

    def reject(self, request: Request) -> None:
        """The reply to ``request`` was of no use: a model that keeps replies must forget it."""
        ...

    def close(self) -> None:
        """Let go of connections and servers. Closing twice is allowed."""
        ...
