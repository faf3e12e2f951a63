"""Which models a recording was made with, so that it can be replayed without configuring them."""

from dataclasses import asdict, replace
from typing import Any

from zencli.errors import UsageError
from zencli.llm.place import masked_url
from zencli.pipeline.configuration.model_choice import ModelChoice
from zencli.pipeline.configuration.settings import Settings


def head_of(settings: Settings) -> dict[str, Any]:
    """The models of every role, without keys and what may be secret in a URL."""
    return {"models": {role: _told(choice) for role, choice in settings.models.items()}}


def _told(choice: ModelChoice) -> dict[str, Any]:
    data = asdict(choice)
    del data["api_key"], data["key_variable"]
    if choice.base_url is not None:
        data["base_url"] = masked_url(choice.base_url)
    data["fallbacks"] = [_told(spare) for spare in choice.fallbacks]
    return {name: value for name, value in data.items() if value not in (None, [], {})}


def as_recorded(settings: Settings, head: dict[str, Any]) -> Settings:
    """``settings`` with the models that a recording was made with. Raises ``UsageError``."""
    try:
        models = {role: _choice(data) for role, data in head["models"].items()}
        return replace(settings, models={**settings.models, **models})
    except (LookupError, TypeError, AttributeError):
        raise UsageError(
            "usage.replay", "The recording doesn't say which models were asked.", ""
        ) from None


def _choice(data: dict[str, Any]) -> ModelChoice:
    fallbacks = tuple(_choice(spare) for spare in data.get("fallbacks", ()))
    codes = tuple(data["fallback_on"])
    return ModelChoice(**{**data, "fallbacks": fallbacks, "fallback_on": codes})
