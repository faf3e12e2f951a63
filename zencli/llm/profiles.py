"""What an endpoint can do, as data. Nothing is called here; the client learns the rest."""

import math
import re
from dataclasses import field, replace
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from zencli.errors import UsageError

SMALL_WINDOW = 16_000

JsonMode = Literal["schema", "grammar", "object", "prompt"]
TokensField = Literal["max_tokens", "max_completion_tokens"]
ToolMode = Literal["native", "prompt"]
Streams = Literal["both", "only", "never"]
Rate = Annotated[float, Field(gt=0)]
Price = Annotated[float, Field(ge=0)] | None


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Profile:
    """The abilities and limits of one model at one endpoint.

    ``json``: how a reply is bound to JSON: by a schema sent along, by a grammar of llguidance made
    of it, by ``json_object``, or by the words of the prompt alone. ``object`` is preferred where a
    schema is known to be placed before the messages, because it would break the prefix that the
    calls of a chapter share.
    ``tools``: whether tools are sent as such, or described in the system message and calls read
    from the text. ``thinking_back``: whether the thinking before a tool call must be sent back.
    ``thinking``: turned on or off, None for the model's own way; ``thinking_on``, ``thinking_off``:
    what is sent for that. ``streams``: whether replies come in pieces, or only so, or never;
    ``json_streamed``, ``tools_streamed``: whether they may while bound to JSON, or with tools.
    ``system_role``: whether the system may have a message of its own.
    ``window`` and ``max_output``: tokens. ``tokens_per_cjk``, ``tokens_per_latin``: tokens per
    character. Prices: money per million tokens, None when unknown; they are the author's to set,
    since a price that is out of date would be worse than none. ``extra_body``: sent with every
    request as it is.
    """

    name: str = "generic"
    json: JsonMode = "object"
    json_streamed: bool = True
    window: Annotated[int, Field(ge=1_024)] = 32_768
    max_output: Annotated[int, Field(ge=1)] = 8_192
    tokens_per_cjk: Rate = 1.0
    tokens_per_latin: Rate = 0.25
    tokens_field: TokensField = "max_tokens"
    streams: Streams = "both"
    stream_usage: bool = True
    system_role: bool = True
    temperature_allowed: bool = True
    tools: ToolMode = "native"
    tools_streamed: bool = True
    thinking_back: bool = False
    thinking: bool | None = None
    thinking_on: dict[str, Any] = field(default_factory=dict)
    thinking_off: dict[str, Any] = field(default_factory=dict)
    price_input: Price = None
    price_cached: Price = None
    price_output: Price = None
    extra_body: dict[str, Any] = field(default_factory=dict)

    @property
    def small(self) -> bool:
        """Whether prompts and schemas must be kept short for this window."""
        return self.window < SMALL_WINDOW

    def thinking_body(self) -> dict[str, Any]:
        """What is sent to turn thinking on or off."""
        if self.thinking is None:
            return {}
        return self.thinking_on if self.thinking else self.thinking_off

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float | None:
        """The price of a call, None when input or output has no price.

        ``cached_tokens`` are part of ``input_tokens``; without a price of their own they cost as
        much as the rest.
        """
        if self.price_input is None or self.price_output is None:
            return None
        cached_price = self.price_input if self.price_cached is None else self.price_cached
        fresh = input_tokens - cached_tokens
        million = fresh * self.price_input + cached_tokens * cached_price
        return (million + output_tokens * self.price_output) / 1_000_000


_TYPE = {
    "thinking_on": {"thinking": {"type": "enabled"}},
    "thinking_off": {"thinking": {"type": "disabled"}},
}
_FLAG = {"thinking_on": {"enable_thinking": True}, "thinking_off": {"enable_thinking": False}}
_TEMPLATE = {name: {"chat_template_kwargs": body} for name, body in _FLAG.items()}
_EFFORT = {
    "thinking_on": {"reasoning_effort": "medium"},
    "thinking_off": {"reasoning_effort": "none"},
}
_REASONING = {
    "thinking_on": {"reasoning": {"enabled": True}},
    "thinking_off": {"reasoning": {"enabled": False}},
}
"""How endpoints turn thinking on and off, each in its own words."""


def _hosted(
    name: str, window: int, max_output: int, cjk: float, latin: float, **more: Any
) -> Profile:
    return replace(
        Profile(name=name, tokens_per_cjk=cjk, tokens_per_latin=latin),
        window=window,
        max_output=max_output,
        **more,
    )


def _local(name: str, window: int, **more: Any) -> Profile:
    usual: dict[str, Any] = {
        "json": "schema",
        "max_output": 4_096,
        "price_input": 0.0,
        "price_output": 0.0,
    }
    return Profile(name=name, window=window, **{**usual, **more})


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(),
        _hosted(
            "openai", 128_000, 16_384, 0.85, 0.22, tokens_field="max_completion_tokens", **_EFFORT
        ),
        _hosted("deepseek", 128_000, 8_192, 0.64, 0.24, thinking_back=True, **_TYPE),
        _hosted("qwen", 128_000, 8_192, 0.7, 0.25, **_FLAG),
        _hosted("kimi", 128_000, 8_192, 0.65, 0.25, **_TYPE),
        _hosted("glm", 128_000, 8_192, 0.65, 0.25, **_TYPE),
        _hosted("openrouter", 64_000, 8_192, 0.85, 0.25, **_REASONING),
        _local("ollama", 8_192, **_EFFORT),
        _local("llama.cpp", 16_384, **_TEMPLATE),
        _local("vllm", 32_768, **_TEMPLATE),
        _local("lmstudio", 8_192),
        _local(
            "embedded",
            8_192,
            json="grammar",
            tools="prompt",
            max_output=1_536,
            tokens_per_cjk=2.2,
            tokens_per_latin=0.25,
            extra_body={"repeat_penalty": 1.1, "seed": 7},
        ),
    )
}

_HOSTS = (
    ("openai.com", "openai"),
    ("deepseek.com", "deepseek"),
    ("dashscope", "qwen"),
    ("aliyuncs.com", "qwen"),
    ("moonshot", "kimi"),
    ("bigmodel.cn", "glm"),
    ("z.ai", "glm"),
    ("openrouter.ai", "openrouter"),
)
_PORTS = {11434: "ollama", 8080: "llama.cpp", 8000: "vllm", 1234: "lmstudio"}
_REASONS = re.compile(r"(^|/)(o\d|gpt-5)")


def profile_for(base_url: str, model: str, overrides: dict[str, Any]) -> Profile:
    """The profile of ``model`` at ``base_url``, with the author's ``overrides`` on top.

    An override ``name`` picks the profile to start from. Raises ``UsageError`` usage.profile for a
    name, key or value that doesn't exist.
    """
    chosen = overrides.get("name") or _recognised(base_url)
    if chosen not in PROFILES:
        raise UsageError(
            "usage.profile",
            f"There is no endpoint profile named {chosen!r}.",
            f"Known profiles: {', '.join(sorted(PROFILES))}.",
        )
    known = set(Profile.__dataclass_fields__)
    if unknown := sorted(set(overrides) - known):
        raise UsageError(
            "usage.profile",
            f"There is no endpoint setting named {', '.join(unknown)}.",
            f"Settings: {', '.join(sorted(known))}.",
        )
    base = PROFILES[chosen]
    if _REASONS.search(model):
        base = replace(base, tokens_field="max_completion_tokens", temperature_allowed=False)
    try:
        profile = replace(base, **overrides)
        if profile.thinking is not None and not profile.thinking_body():
            word = "on" if profile.thinking else "off"
            raise UsageError(
                "usage.profile",
                f"The profile {profile.name!r} doesn't know how thinking is turned {word}.",
                f"Say in the profile, as thinking_{word}, what must be sent for that.",
            )
        return profile
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError("usage.profile", f"Endpoint setting {where!r}: {first['msg']}.") from None


def _recognised(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port or 0
    except ValueError:
        return "generic"
    for fragment, name in _HOSTS:
        if fragment in host:
            return name
    return _PORTS.get(port, "generic")


_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+")


def estimate_tokens(text: str, profile: Profile) -> int:
    """About how many tokens ``text`` is, East Asian characters and others each at their rate."""
    others = len(_WIDE.sub("", text))
    wide = len(text) - others
    return math.ceil(wide * profile.tokens_per_cjk + others * profile.tokens_per_latin)
