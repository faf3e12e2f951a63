"""Chat completions on the wire: the body of a request, what is read from replies, and lessons."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zencli.llm.grammar import json_grammar
from zencli.llm.profiles import Profile, TokensField, estimate_tokens
from zencli.llm.types import Request, Usage

MARGIN = 1.1
"""How much longer than estimated a prompt may turn out."""
LEAST_OUTPUT = 256
_OTHER_FIELD: dict[TokensField, TokensField] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


def request_body(request: Request, model: str, profile: Profile, stream: bool) -> dict[str, Any]:
    """The arguments of a chat completion, by what the profile allows."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        profile.tokens_field: output_limit(request, profile),
    }
    if request.temperature is not None and profile.temperature_allowed:
        body["temperature"] = request.temperature
    extra = dict(profile.extra_body)
    if request.schema is not None and profile.json == "grammar":
        extra["grammar"] = json_grammar(request.schema)
    elif request.schema is not None:
        body |= _response_format(request, profile)
    if stream:
        body["stream"] = True
        if profile.stream_usage:
            body["stream_options"] = {"include_usage": True}
    if extra:
        body["extra_body"] = extra
    return body


def output_limit(request: Request, profile: Profile) -> int:
    """How many tokens the reply may have: asked for, allowed, and left in the window."""
    left = profile.window - int(request.estimate(profile) * MARGIN)
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


def lesson(said: str, sent: Mapping[str, Any], profile: Profile) -> Profile | None:
    """What a refused request teaches about the endpoint: the profile to try next, or None.

    ``said`` is the server's message, ``sent`` the body it refused. Only what was sent and is named
    in the message is given up.
    """
    words = said.lower()
    if "response_format" in sent and any(w in words for w in ("response_format", "schema")):
        return replace(profile, json="object" if profile.json == "schema" else "prompt")
    if "stream_options" in sent and "stream_options" in words:
        return replace(profile, stream_usage=False)
    if "temperature" in sent and "temperature" in words:
        return replace(profile, temperature_allowed=False)
    if profile.tokens_field in words:
        return replace(profile, tokens_field=_OTHER_FIELD[profile.tokens_field])
    return None


@dataclass
class Collected:
    """What a reply has brought so far, whole or in pieces."""

    content: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    choices: int = 0

    def take(self, body: Mapping[str, Any]) -> str:
        """Take in a completion or a chunk of one; returns the content it brought."""
        self.usage = body.get("usage") or self.usage
        choices = body.get("choices") or []
        if not choices:
            return ""
        self.choices += 1
        choice = choices[0]
        part = choice.get("delta") or choice.get("message") or {}
        self.thinking.append(part.get("reasoning_content") or part.get("reasoning") or "")
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        piece: str = part.get("content") or ""
        self.content.append(piece)
        return piece


def said_in(body: object) -> tuple[int, str] | None:
    """``(status, message)`` of an error in a normal reply, or None. Status 0: not told."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error:
        return None
    if not isinstance(error, dict):
        return 0, str(error)
    code = error.get("code")
    status = code if isinstance(code, int) else 0
    return status, f"{error.get('message') or json.dumps(error)} {'' if status else code or ''}"


def usage_of(
    reported: Mapping[str, Any], request: Request, written: str, profile: Profile, seconds: float
) -> Usage:
    """The usage of one call as reported, or estimated where the endpoint reports nothing."""
    inside = reported.get("prompt_tokens_details") or {}
    outside = reported.get("completion_tokens_details") or {}
    cached = inside.get("cached_tokens") or reported.get("prompt_cache_hit_tokens") or 0
    asked = reported.get("prompt_tokens") or request.estimate(profile)
    output = reported.get("completion_tokens") or estimate_tokens(written, profile)
    return Usage(
        calls=1,
        input_tokens=asked,
        cached_tokens=cached,
        output_tokens=output,
        reasoning_tokens=outside.get("reasoning_tokens") or 0,
        seconds=seconds,
        cost=profile.cost(asked, cached, output),
    )
