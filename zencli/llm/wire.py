"""Chat completions on the wire: the body of a request, what is read from replies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zencli.llm.grammar import json_grammar
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.thinking import split_thinking
from zencli.llm.tool_calls import CollectedCalls
from zencli.llm.tool_text import sound_arguments, without_tools
from zencli.llm.types import Message, Request, Tool, Usage

MARGIN = 1.1
"""How much longer than estimated a prompt may turn out."""
LEAST_OUTPUT = 256


def streamed(request: Request, profile: Profile, wanted: bool) -> bool:
    """Whether the reply is asked for in pieces: as wanted, where the endpoint can."""
    if request.tools and not profile.tools_streamed:
        return False
    return profile.streams == "only" or (wanted and profile.streams == "both")


def request_body(
    request: Request, model: str, profile: Profile, stream: bool, size: int | None = None
) -> dict[str, Any]:
    """The arguments of a chat completion, by what the profile allows.

    ``size`` is the exact number of input tokens where it is known.
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": messages(request, profile),
        profile.tokens_field: output_limit(request, profile, size),
    }
    if request.temperature is not None and profile.temperature_allowed:
        body["temperature"] = request.temperature
    if request.tools and profile.tools == "native":
        body["tools"] = [_tool(tool) for tool in request.tools]
    extra = {**profile.extra_body, **profile.thinking_body()}
    if request.schema is not None and not (stream and not profile.json_streamed):
        if profile.json == "grammar":
            extra["grammar"] = json_grammar(request.schema)
        else:
            body |= _response_format(request, profile)
    if stream:
        body["stream"] = True
        if profile.stream_usage:
            body["stream_options"] = {"include_usage": True}
    if extra:
        body["extra_body"] = extra
    return body


def messages(request: Request, profile: Profile) -> list[dict[str, Any]]:
    """The conversation as it is sent."""
    said = list(request.messages)
    if profile.tools == "prompt":
        said = without_tools(said, request.tools)
    if not profile.system_role:
        said = _without_system(said)
    return [_message(message, request, profile) for message in said]


def _without_system(messages: list[Message]) -> list[Message]:
    """What the system says, put before what the user says first."""
    said = "\n\n".join(m.content for m in messages if m.role == "system")
    rest = [m for m in messages if m.role != "system"]
    if said and rest and rest[0].role == "user":
        rest[0] = replace(rest[0], content=f"{said}\n\n{rest[0].content}")
    elif said:
        rest.insert(0, Message("user", said))
    return rest


def _message(message: Message, request: Request, profile: Profile) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        sent["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": sound_arguments(call)},
            }
            for call in message.tool_calls
        ]
    # What demands thinking back misses it in a message that had none, too.
    if profile.thinking_back and message.role == "assistant" and request.tools:
        sent["reasoning_content"] = message.thinking
    return sent


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def output_limit(request: Request, profile: Profile, size: int | None = None) -> int:
    """How many tokens the reply may have: asked for, allowed, and left in the window."""
    left = profile.window - (size or int(request.estimate(profile) * MARGIN))
    wanted = min(request.max_output or profile.max_output, profile.max_output)
    return min(wanted, max(LEAST_OUTPUT, left))


def _response_format(request: Request, profile: Profile) -> dict[str, Any]:
    if profile.json == "schema":
        schema = {
            "name": request.schema_name or request.role.replace(" ", "_") or "reply",
            "strict": True,
            "schema": request.schema,
        }
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if profile.json == "object":
        return {"response_format": {"type": "json_object"}}
    return {}


@dataclass
class Collected:
    """What a reply has brought so far, whole or in pieces."""

    content: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    choices: int = 0
    calls: CollectedCalls = field(default_factory=CollectedCalls)

    def take(self, body: Mapping[str, Any]) -> str:
        """Take in a completion or a chunk of one; returns the content it brought."""
        usage = body.get("usage")
        self.usage = usage if isinstance(usage, dict) and usage else self.usage
        choices = body.get("choices") or []
        if not choices:
            return ""
        self.choices += 1
        choice = choices[0]
        part = choice.get("delta") or choice.get("message") or {}
        self.thinking.append(_said(part.get("reasoning_content") or part.get("reasoning")))
        self.finish_reason = str(choice.get("finish_reason") or "") or self.finish_reason
        for call in part.get("tool_calls") or []:
            self.calls.take(call, whole="delta" not in choice)
        piece = _said(part.get("content"))
        self.content.append(piece)
        return piece

    def blank(self) -> bool:
        """Whether the reply ended in good order and yet says nothing."""
        text, _ = split_thinking("".join(self.content))
        ended = self.choices > 0 and self.finish_reason in ("stop", "tool_calls")
        return ended and not text.strip() and not self.calls


def said_in(body: Mapping[str, Any]) -> tuple[int, str] | None:
    """``(status, message)`` of an error in a normal reply, or None. Status 0: not told."""
    error = body.get("error")
    if not error and "choices" not in body:
        told = body.get("message") or body.get("detail") or body.get("msg")
        error = {**body, "message": told} if told else None
    if not error:
        return None
    if not isinstance(error, Mapping):
        return 0, str(error)
    code = str(error.get("code") or "")
    status = int(code) if code.isdecimal() and 400 <= int(code) < 600 else 0
    words = error.get("message") or json.dumps(error, ensure_ascii=False)
    return status, f"{words} {code if code and not status else ''}".strip()


def said_by(text: str) -> str:
    """What an error body says, whatever its form."""
    try:
        body = json.loads(text)
    except ValueError:
        return text
    found = said_in(body) if isinstance(body, dict) else None
    rest = body.get("error") if isinstance(body, dict) else None
    size = f" (n_ctx {rest['n_ctx']})" if isinstance(rest, Mapping) and "n_ctx" in rest else ""
    return f"{found[1]}{size}" if found else text


def _said(content: object) -> str:
    """Text as it comes: a string, or a list of parts, of which those of text count."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def number(reported: Mapping[str, Any], name: str) -> int:
    """A number of tokens that an endpoint reports, 0 where it reports none."""
    value = reported.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _cached(reported: Mapping[str, Any]) -> int:
    inside = _table(reported.get("prompt_tokens_details"))
    names = ("prompt_cache_hit_tokens", "cache_read_input_tokens")
    return max(number(inside, "cached_tokens"), *(number(reported, name) for name in names))


def tokens_read(reported: Mapping[str, Any]) -> int:
    """How many tokens of the prompt were read, 0 where that isn't reported.

    Some gateways leave out what came from a cache or went into one, and tell it beside.
    """
    asked = number(reported, "prompt_tokens")
    beside = _cached(reported) + number(reported, "cache_creation_input_tokens")
    return asked + beside if asked and beside > asked else asked


def usage_of(
    reported: Mapping[str, Any], request: Request, written: str, profile: Profile, seconds: float
) -> Usage:
    """The usage of one call as reported, or estimated where the endpoint reports nothing."""
    outside = _table(reported.get("completion_tokens_details"))
    cached = _cached(reported)
    asked = tokens_read(reported) or request.estimate(profile)
    output = number(reported, "completion_tokens") or estimate_tokens(written, profile)
    return Usage(
        calls=1,
        input_tokens=asked,
        cached_tokens=cached,
        output_tokens=output,
        reasoning_tokens=number(outside, "reasoning_tokens"),
        seconds=seconds,
        cost=profile.cost(asked, cached, output),
    )
