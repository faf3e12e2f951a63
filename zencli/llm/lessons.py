"""What a refusal teaches about an endpoint: other profiles to try, the most likely first.

Only what was sent and is named in the endpoint's message is given up or changed.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from zencli.llm.profiles import JsonMode, Profile, TokensField

LEARNED = (
    "json",
    "json_streamed",
    "tools",
    "tools_streamed",
    "thinking_back",
    "streams",
    "stream_usage",
    "system_role",
    "temperature_allowed",
    "tokens_field",
    "max_output",
    "window",
    "thinking",
)
"""Fields of a profile that lessons may change."""

_OTHER_FIELD: dict[TokensField, TokensField] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_LESS_BOUND: dict[JsonMode, tuple[JsonMode, ...]] = {
    "grammar": ("schema", "object", "prompt"),
    "schema": ("object", "prompt"),
    "object": ("schema", "prompt"),
    "prompt": (),
}
_WINDOW = re.compile(
    r"(?:context (?:length|window|size)\D{0,40}|\bn_ctx\D{1,4}|input length \D{0,20}\[1, ?)"
    r"(\d[\d,]{3,8})",
    re.IGNORECASE,
)
_LEAST_WINDOW = 1_024
_UNKNOWN = re.compile(
    r"un(known|supported|recogni|expected)|not (supported|allowed|permitted)|extra"
)
_MUST_STREAM = re.compile(r"(only|must|requires?|enable)\b.{0,30}\bstream|stream.{0,30}\btrue")
_ROLE = re.compile(r"\bsystem\b.{0,30}\brole|\brole\b.{0,30}\bsystem|system (message|prompt)")


def lessons(said: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    """The profiles worth trying after the body ``sent`` was refused with the words ``said``."""
    words = said.lower()
    for lesson in _LESSONS:
        yield from lesson(words, sent, profile)


def _tools(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if "tools" not in sent or not re.search(r"\btools?\b|tool_|function", words):
        return
    if sent.get("stream") and re.search(r"\bstream", words):
        yield replace(profile, tools_streamed=False)
    yield replace(profile, tools="prompt")


def _thinking(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if "reasoning_content" in words:
        yield replace(profile, thinking_back=not profile.thinking_back)
    for name in profile.thinking_body():
        if name.lower() in words:
            yield replace(profile, thinking=None)


def _json(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    bound = "response_format" in sent or "grammar" in (sent.get("extra_body") or {})
    if not bound or not re.search(r"response_format|schema|grammar|json", words):
        return
    if sent.get("stream") and re.search(r"\bstream", words):
        yield replace(profile, json_streamed=False)
    for mode in _LESS_BOUND[profile.json]:
        if (profile.json, mode) != ("object", "schema") or "json_schema" in words:
            yield replace(profile, json=mode)


def _stream(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if "stream_options" in words:
        if "stream_options" in sent:
            yield replace(profile, stream_usage=False)
    elif re.search(r"\bstream", words):
        if sent.get("stream"):
            yield replace(profile, streams="never")
        elif _MUST_STREAM.search(words):
            yield replace(profile, streams="only")


def _temperature(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if "temperature" in sent and "temperature" in words:
        yield replace(profile, temperature_allowed=False)


def _window(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    told = [int(number.replace(",", "")) for number in _WINDOW.findall(words)]
    smaller = [size for size in told if _LEAST_WINDOW <= size < profile.window]
    if smaller:
        yield replace(profile, window=min(smaller))


def _output(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if profile.tokens_field not in words and "max_tokens" not in words:
        return
    limit = sent.get(profile.tokens_field, 0)
    told = [int(number) for number in re.findall(r"\d+", re.sub(r"(?<=\d),(?=\d{3})", "", words))]
    smaller = [number for number in told if 16 <= number < limit]
    if smaller and not _UNKNOWN.search(words):
        yield replace(profile, max_output=max(smaller))
    yield replace(profile, tokens_field=_OTHER_FIELD[profile.tokens_field])


def _system(words: str, sent: Mapping[str, Any], profile: Profile) -> Iterator[Profile]:
    if profile.system_role and _ROLE.search(words):
        yield replace(profile, system_role=False)


_LESSONS: tuple[Callable[[str, Mapping[str, Any], Profile], Iterator[Profile]], ...] = (
    _window,
    _tools,
    _thinking,
    _json,
    _stream,
    _temperature,
    _output,
    _system,
)


def changed(before: Profile, after: Profile) -> list[str]:
    """The learned fields that differ."""
    return [name for name in LEARNED if getattr(before, name) != getattr(after, name)]
