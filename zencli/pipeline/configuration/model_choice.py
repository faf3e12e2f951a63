"""Which model a role uses: tables of the configuration, environment, options, and fallbacks.

A key is read from the environment alone; a file may only name the variable that holds it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from zencli.errors import UsageError
from zencli.llm.place import masked_url

if TYPE_CHECKING:
    from zencli.llm.deadlines import Deadlines

OPENAI = "https://api.openai.com/v1"
"""Where a model named without an endpoint is asked, as the openai client does."""

Code = Literal[
    "llm.auth",
    "llm.context",
    "llm.endpoint",
    "llm.network",
    "llm.quota",
    "llm.refused",
    "llm.reply",
    "llm.timeout",
    "llm.truncated",
]
FALLBACK_ON: tuple[Code, ...] = ("llm.network", "llm.quota", "llm.refused", "llm.timeout")
"""Errors after which the next model is asked, unless ``fallback_on`` says otherwise."""

Seconds = float | None


class ModelTable(BaseModel):
    """``[model]`` and ``[models.NAME]`` of a configuration file. Times are in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    name: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    max_output: int | None = Field(None, ge=16)
    thinking: bool | None = None
    timeout: Seconds = Field(None, gt=0)
    connect: Seconds = Field(None, gt=0)
    first_token: Seconds = Field(None, gt=0)
    between_tokens: Seconds = Field(None, gt=0)
    retries: int | None = Field(None, ge=0, le=10)
    fallback: list["str | ModelTable"] | None = None
    fallback_on: list[Code] | None = None
    profile: dict[str, Any] = {}


class ModelTables(BaseModel):
    """The tables of one configuration file that concern models."""

    model_config = ConfigDict(extra="ignore", frozen=True, protected_namespaces=())

    model: ModelTable = ModelTable()
    models: dict[str, ModelTable] = {}


@dataclass(frozen=True)
class Overrides:
    """What the options of this one command say."""

    model: str | None = None
    base_url: str | None = None
    timeout: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class ModelChoice:
    """Which model a role uses. The key never shows in ``repr``.

    ``key_variable`` is the environment variable that a file names for the key. ``timeout`` is the
    total time of a call; None is the usual. ``fallbacks`` are asked in turn after an error of
    ``fallback_on``.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_output: int | None = None
    thinking: bool | None = None
    timeout: Seconds = None
    connect: Seconds = None
    first_token: Seconds = None
    between_tokens: Seconds = None
    retries: int | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str | None = None
    fallbacks: tuple["ModelChoice", ...] = ()
    fallback_on: tuple[str, ...] = FALLBACK_ON

    @property
    def embedded(self) -> bool:
        """No model and no endpoint were configured."""
        return self.name is None

    @property
    def overrides(self) -> dict[str, Any]:
        """What the configuration says about the profile."""
        said = {"max_output": self.max_output, "thinking": self.thinking}
        return dict(self.profile) | {k: v for k, v in said.items() if v is not None}

    def same_model(self, other: "ModelChoice") -> bool:
        """Whether both are the same model at the same endpoint."""
        return (self.name, self.base_url) == (other.name, other.base_url)

    def deadlines(self) -> "Deadlines":
        """The times of a call, a server on this machine being given more."""
        from zencli.llm.deadlines import LOCAL, Deadlines
        from zencli.llm.exchange import is_loopback

        here = self.base_url is None or is_loopback(self.base_url)
        usual = LOCAL if here else Deadlines()
        times = {f.name: getattr(self, _TIMES.get(f.name, f.name)) for f in fields(Deadlines)}
        return Deadlines(**{k: v or getattr(usual, k) for k, v in times.items()})


_TIMES = {"total": "timeout"}


def model_choices(
    roles: Sequence[str],
    layers: Sequence[ModelTables],
    environ: Mapping[str, str],
    overrides: Overrides,
) -> dict[str, ModelChoice]:
    """The choice of every role, ``layers`` lowest first. Raises ``UsageError``."""
    return dict(_Choices(roles, layers, environ, overrides).all())


def shared_choice(
    layers: Sequence[ModelTables], environ: Mapping[str, str], overrides: Overrides
) -> ModelChoice:
    """The choice of a role that has no table of its own, fallbacks aside."""
    return _Choices((), layers, environ, overrides).shared()


def check_keys(choice: ModelChoice) -> None:
    """Raise ``UsageError`` for a variable that holds no key, of a model or its fallbacks."""
    for one in (choice, *choice.fallbacks):
        if one.key_variable and not one.api_key:
            raise UsageError(
                "usage.key",
                f"The configuration takes the key from {one.key_variable}, which isn't set.",
                f"Set {one.key_variable} in the environment.",
            )


class _Choices:
    def __init__(
        self,
        roles: Sequence[str],
        layers: Sequence[ModelTables],
        environ: Mapping[str, str],
        overrides: Overrides,
    ) -> None:
        self._roles = roles
        self._layers = layers
        self._environ = environ
        self._overrides = overrides
        self._common = self._merged()

    def all(self) -> Iterator[tuple[str, ModelChoice]]:
        named = {name for layer in self._layers for name in layer.models}
        used: set[str] = set()
        for role in self._roles:
            table = self._layered(role)
            entries = table.fallback or []
            used |= {entry for entry in entries if isinstance(entry, str)}
            fallbacks = tuple(self._fallback(entry, role, named) for entry in entries)
            yield role, self._choice(table, self._overrides, fallbacks)
        unknown = sorted(named - used - {*self._roles})
        if unknown:
            raise UsageError(
                "usage.config",
                f"There is no role models.{unknown[0]}, and no fallback names it.",
                f"Roles are {', '.join(self._roles)}.",
            )

    def shared(self) -> ModelChoice:
        return self._choice(self._common, self._overrides, ())

    def _merged(self) -> ModelTable:
        merged = ModelTable()
        for layer in self._layers:
            merged = _over(merged, layer.model)
        environ = self._environ
        from_environment = ModelTable(
            name=environ.get("ZENCLI_MODEL") or None,
            base_url=environ.get("ZENCLI_BASE_URL") or environ.get("OPENAI_BASE_URL") or None,
        )
        return _over(merged, from_environment)

    def _layered(self, name: str) -> ModelTable:
        table = self._common
        for layer in self._layers:
            if name in layer.models:
                table = _elsewhere(table, layer.models[name])
        return table

    def _fallback(self, entry: str | ModelTable, role: str, named: set[str]) -> ModelChoice:
        if isinstance(entry, ModelTable):
            return self._choice(_elsewhere(self._common, entry), Overrides(), ())
        if entry not in named:
            raise UsageError(
                "usage.config",
                f"The fallback {entry!r} of {role} has no table models.{entry}.",
                "Add the table, or put the model's name and base_url in its place.",
            )
        return self._choice(self._layered(entry), Overrides(), ())

    def _choice(
        self, table: ModelTable, overrides: Overrides, fallbacks: tuple[ModelChoice, ...]
    ) -> ModelChoice:
        name = overrides.model or table.name
        base_url = overrides.base_url or table.base_url
        if base_url is not None and name is None:
            raise UsageError(
                "usage.model",
                f"The endpoint {masked_url(base_url)} is configured without a model.",
                "Set ZENCLI_MODEL, --model, or name under [model].",
            )
        if table.api_key_env and not re.fullmatch(r"[A-Za-z_]\w*", table.api_key_env):
            raise UsageError(
                "usage.config",
                "api_key_env must be the name of an environment variable, and no key.",
                "Put the key into a variable, and the variable's name into the file.",
            )
        same = ("temperature", "max_output", "thinking", "connect", "first_token",
                "between_tokens", "retries", "profile")  # fmt: skip
        return ModelChoice(
            name=name,
            base_url=base_url or (OPENAI if name else None),
            api_key=self._key(table),
            timeout=overrides.timeout or table.timeout,
            key_variable=table.api_key_env,
            fallbacks=fallbacks,
            fallback_on=FALLBACK_ON if table.fallback_on is None else tuple(table.fallback_on),
            **{field_name: getattr(table, field_name) for field_name in same},
        )

    def _key(self, table: ModelTable) -> str | None:
        environ, common = self._environ, self._common
        own = environ.get("ZENCLI_API_KEY")
        if own and (table.base_url, table.api_key_env) == (common.base_url, common.api_key_env):
            return own
        if table.api_key_env:
            return environ.get(table.api_key_env) or None
        if table.base_url != common.base_url:
            return None
        return own or environ.get("OPENAI_API_KEY") or None


def _elsewhere(low: ModelTable, high: ModelTable) -> ModelTable:
    """``low`` with what ``high`` says. Another endpoint gets neither the key nor the profile."""
    if high.base_url and high.base_url != low.base_url:
        low = low.model_copy(update={"profile": {}})
    if high.base_url and not high.api_key_env:
        low = low.model_copy(update={"api_key_env": None})
    return _over(low, high)


def _over(low: ModelTable, high: ModelTable) -> ModelTable:
    set_here = {name: getattr(high, name) for name in high.model_fields_set}
    changes = {k: v for k, v in set_here.items() if v is not None and v != {}}
    if "profile" in changes:
        changes["profile"] = {**low.profile, **changes["profile"]}
    return low.model_copy(update=changes)
