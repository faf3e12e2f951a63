"""What ``doctor --online`` finds out about an endpoint."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class OnlineCheck(BaseModel):
    """One thing that was tried; ``code`` is of the error that it ended with, or None."""

    model_config = ConfigDict(frozen=True)

    name: Literal["models", "plain", "streamed", "structured", "tools"]
    works: bool
    message: str
    seconds: float
    code: str | None
    hint: str


class OnlineModel(BaseModel):
    """A model that was tried out; ``name`` and ``base_url`` are None for the embedded one.

    ``works``: it can write, and its structured replies can be read. ``window_from``: whether the
    endpoint told its window, or it is only what the profile says. ``profile``: the settings that
    fit, as they go under ``profile`` in zencli.toml. ``written``: where they were put, or None.
    """

    model_config = ConfigDict(frozen=True)

    roles: list[str]
    name: str | None
    base_url: str | None
    works: bool
    models: list[str]
    checks: list[OnlineCheck]
    first_token_seconds: float | None
    window: int
    window_from: Literal["endpoint", "profile"]
    profile: dict[str, Any]
    written: str | None
