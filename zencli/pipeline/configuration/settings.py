"""Configuration: defaults, user file, workspace file, book, environment, options; the last wins."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zencli.errors import UsageError
from zencli.llm.budget import Budget
from zencli.pipeline.checking.check_settings import check_settings
from zencli.pipeline.configuration.agent_table import AgentTable
from zencli.pipeline.configuration.model_choice import (
    ModelChoice,
    ModelTables,
    Overrides,
    check_keys,
    model_choices,
    shared_choice,
)
from zencli.pipeline.configuration.search_table import SearchChoice, SearchTable, search_choice

__all__ = ["ROLES", "ModelChoice", "Overrides", "Settings", "load_settings"]

ROLES = (
    "architect", "planner", "writer", "auditor", "reviser", "normaliser", "settler",
    "router", "hook_designer", "quality_reviewer",
)  # fmt: skip


class BudgetTable(BaseModel):
    """``[budget]``: limits of a whole book, and of one chapter of it in one run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_cost: float | None = Field(None, gt=0)
    max_tokens: int | None = Field(None, gt=0)
    chapter_max_cost: float | None = Field(None, gt=0)
    chapter_max_tokens: int | None = Field(None, gt=0)


class ConfigTable(ModelTables):
    """The tables of a configuration file that concern every book."""

    budget: BudgetTable = BudgetTable()
    agent: AgentTable = AgentTable()
    search: SearchTable = SearchTable()


@dataclass(frozen=True)
class Settings:
    """What a run needs to know besides its book: a model for every role, and limits.

    ``max_cost`` and ``max_tokens`` are the run's, ``budget`` is the book's. ``shared`` is
    the model of every role that has none of its own.
    """

    models: Mapping[str, ModelChoice]
    max_cost: float | None = None
    max_tokens: int | None = None
    budget: Budget = field(default_factory=Budget)
    agent: AgentTable = field(default_factory=AgentTable)
    search: SearchChoice = field(default_factory=SearchChoice)
    shared: ModelChoice = field(default_factory=ModelChoice)

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
    when one can't be read or has a wrong value, ``[checks]`` included, and with ``need_keys`` for
    a key that a file names and that isn't set.
    """
    overrides = overrides or Overrides()
    check_settings(book or {})
    user = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME", "~")) / ".config")
    layers = [
        _read(user.expanduser() / "zencli" / "config.toml"),
        _read(root / "zencli.toml"),
        _table(dict(book or {}), "book.toml"),
    ]
    models = model_choices(ROLES, layers, environ, overrides)
    for choice in models.values() if need_keys else ():
        check_keys(choice)
    return Settings(
        models=models,
        max_cost=overrides.max_cost,
        max_tokens=overrides.max_tokens,
        budget=_budget([layer.budget for layer in layers]),
        agent=_agent([layer.agent for layer in layers]),
        search=search_choice([layer.search for layer in layers], environ),
        shared=shared_choice(layers, environ, overrides),
    )


def _agent(tables: list[AgentTable]) -> AgentTable:
    merged = AgentTable()
    for table in tables:
        merged = merged.model_copy(update=table.model_dump(exclude_unset=True))
    return merged


def _budget(tables: list[BudgetTable]) -> Budget:
    merged: dict[str, Any] = {}
    for table in tables:
        merged |= table.model_dump(exclude_none=True)
    return Budget(**merged)


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
        wrong, hint = f"{key}: {first['msg']}", ""
        if first["type"] == "extra_forbidden":
            wrong = f"{key}: there is no such key"
        if str(first["loc"][-1]) == "api_key":
            hint = "A key stays out of files: name the variable that holds it with api_key_env."
        raise UsageError("usage.config", f"{where}: {wrong}.", hint) from error
    return table
