"""Configuration: defaults, user file, workspace file, book, environment, options; the last wins.

A key is read from the environment alone; a file may only name the variable that holds it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zencli.errors import UsageError

ROLES = ("architect", "planner", "writer", "auditor", "reviser", "normaliser", "settler")
OPENAI = "https://api.openai.com/v1"
"""Where a model named without an endpoint is asked, as the openai client does."""


class ModelTable(BaseModel):
    """``[model]`` and ``[models.ROLE]`` of a configuration file."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    name: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    max_output: int | None = Field(None, ge=16)
    timeout: float | None = Field(None, gt=0)
    profile: dict[str, Any] = {}


class BudgetTable(BaseModel):
    """``[budget]``: limits of one run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_cost: float | None = Field(None, gt=0)
    max_tokens: int | None = Field(None, gt=0)


class ConfigTable(BaseModel):
    """The tables of a configuration file that concern every book."""

    model_config = ConfigDict(extra="ignore", frozen=True, protected_namespaces=())

    model: ModelTable = ModelTable()
    models: dict[str, ModelTable] = {}
    budget: BudgetTable = BudgetTable()


@dataclass(frozen=True)
class ModelChoice:
    """Which model a role uses. The key never shows in ``repr``.

    ``key_variable`` is the environment variable that a file names for the key.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_output: int | None = None
    timeout: float = 600.0
    profile: Mapping[str, Any] = field(default_factory=dict)
    key_variable: str | None = None

    @property
    def embedded(self) -> bool:
        """No model and no endpoint were configured."""
        return self.name is None


@dataclass(frozen=True)
class Overrides:
    """What the options of this one command say."""

    model: str | None = None
    base_url: str | None = None
    timeout: float | None = None
    max_cost: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class Settings:
    """What a run needs to know besides its book: a model for every role, and limits."""

    models: Mapping[str, ModelChoice]
    max_cost: float | None = None
    max_tokens: int | None = None

    def choice(self, role: str) -> ModelChoice:
        return self.models[role]


def load_settings(
    root: Path,
    book: Mapping[str, Any] | None,
    environ: Mapping[str, str],
    overrides: Overrides | None = None,
    *,
    need_keys: bool = True,
) -> Settings:
    """Merge all layers.

    ``book`` is the raw ``book.toml``. Raises ``UsageError`` naming the file, and the line or key,
    when one can't be read, and with ``need_keys`` for a key that a file names and that isn't set.
    """
    overrides = overrides or Overrides()
    user = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "~")) / ".config")
    layers = [
        _read(user.expanduser() / "zencli" / "config.toml"),
        _read(root / "zencli.toml"),
        _table(dict(book or {}), "book.toml"),
    ]
    common = _common(layers, environ, overrides)
    models = {role: _choice(role, common, layers, environ, overrides) for role in ROLES}
    for choice in models.values() if need_keys else ():
        _check_key(choice)
    budgets = [layer.budget for layer in layers]
    return Settings(
        models=models,
        max_cost=_last([*(b.max_cost for b in budgets), overrides.max_cost]),
        max_tokens=_last([*(b.max_tokens for b in budgets), overrides.max_tokens]),
    )


def _last(values: Any) -> Any:
    found = None
    for value in values:
        if value is not None:
            found = value
    return found


def _read(path: Path) -> ConfigTable:
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ConfigTable()
    except OSError as error:
        raise UsageError(
            "usage.config", f"{path}: {error.strerror}.", "Make the file readable."
        ) from error
    try:
        data = tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("usage.config", f"{path}: {error}.", "Correct the file.") from error
    return _table(data, str(path))


def _table(data: dict[str, Any], where: str) -> ConfigTable:
    try:
        table = ConfigTable.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UsageError("usage.config", f"{where}: {key}: {first['msg']}.") from error
    unknown = sorted(set(table.models) - set(ROLES))
    if unknown:
        raise UsageError(
            "usage.config",
            f"{where}: there is no role models.{unknown[0]}.",
            f"Roles are {', '.join(ROLES)}.",
        )
    return table


def _common(
    layers: list[ConfigTable], environ: Mapping[str, str], overrides: Overrides
) -> ModelTable:
    merged = ModelTable()
    for layer in layers:
        merged = _over(merged, layer.model)
    from_environment = ModelTable(
        name=environ.get("ZENCLI_MODEL") or None,
        base_url=environ.get("ZENCLI_BASE_URL") or environ.get("OPENAI_BASE_URL") or None,
    )
    return _over(merged, from_environment)


def _over(low: ModelTable, high: ModelTable) -> ModelTable:
    changes = {k: v for k, v in high.model_dump(exclude_unset=True).items() if v not in (None, {})}
    if "profile" in changes:
        changes["profile"] = {**low.profile, **changes["profile"]}
    return low.model_copy(update=changes)


def _choice(
    role: str,
    common: ModelTable,
    layers: list[ConfigTable],
    environ: Mapping[str, str],
    overrides: Overrides,
) -> ModelChoice:
    table = common
    for layer in layers:
        if role in layer.models:
            own = layer.models[role]
            if own.base_url and not own.api_key_env:
                # another endpoint must never be sent the common endpoint's key
                table = table.model_copy(update={"api_key_env": None})
            table = _over(table, own)
    name = overrides.model or table.name
    base_url = overrides.base_url or table.base_url
    if base_url is not None and name is None:
        raise UsageError(
            "usage.model",
            f"The endpoint {base_url} is configured without a model.",
            "Set ZENCLI_MODEL, --model, or name under [model].",
        )
    return ModelChoice(
        name=name,
        base_url=base_url or (OPENAI if name else None),
        api_key=_key(table, common, environ),
        temperature=table.temperature,
        max_output=table.max_output,
        timeout=overrides.timeout or table.timeout or 600.0,
        profile=table.profile,
        key_variable=table.api_key_env,
    )


def _key(table: ModelTable, common: ModelTable, environ: Mapping[str, str]) -> str | None:
    own = environ.get("ZENCLI_API_KEY")
    if own and (table.base_url, table.api_key_env) == (common.base_url, common.api_key_env):
        return own
    if table.api_key_env:
        return environ.get(table.api_key_env) or None
    if table.base_url != common.base_url:
        return None
    return own or environ.get("OPENAI_API_KEY") or None


def _check_key(choice: ModelChoice) -> None:
    if choice.key_variable and not choice.api_key:
        raise UsageError(
            "usage.key",
            f"The configuration takes the key from {choice.key_variable}, which isn't set.",
            f"Set {choice.key_variable} in the environment.",
        )
