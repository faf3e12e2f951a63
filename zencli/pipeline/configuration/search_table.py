"""``[search]`` of the configuration: an embedding model that helps to find by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from zencli.errors import UsageError


class SearchTable(BaseModel):
    """The table as a file has it. ``api_key_env`` names the variable that holds the key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None


@dataclass(frozen=True)
class SearchChoice:
    """Which embedding model is asked; none when ``model`` is "". The key isn't in ``repr``."""

    base_url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)


def search_choice(tables: Sequence[SearchTable], environ: Mapping[str, str]) -> SearchChoice:
    """The choice of all layers, lowest first.

    Raises UsageError ``usage.config`` for a model without its base URL, or the other way round.
    The key of the models is never sent here: the table names its own.
    """
    merged = SearchTable()
    for table in tables:
        merged = merged.model_copy(update=table.model_dump(exclude_none=True))
    if merged.base_url is None and merged.model is None:
        return SearchChoice()
    if merged.base_url is None or merged.model is None:
        missing = "base_url" if merged.base_url is None else "model"
        raise UsageError(
            "usage.config", f"[search] lacks {missing}.", "Give base_url and model, or neither."
        )
    key = environ.get(merged.api_key_env, "") if merged.api_key_env else ""
    return SearchChoice(merged.base_url, merged.model, key)
