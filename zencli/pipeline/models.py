"""The models of a run: made when first needed, shared by roles that use the same, closed once."""

from zencli.llm.types import Model
from zencli.pipeline.settings import ModelChoice, Settings

TEMPERATURES = {
    "architect": 0.8,
    "planner": 0.7,
    "writer": 0.9,
    "auditor": 0.2,
    "reviser": 0.6,
    "normaliser": 0.4,
    "settler": 0.0,
}
"""How freely a role answers when the configuration doesn't say."""


class ModelPool:
    """One model per distinct choice. ``fixed`` answers for every role, whatever is configured."""

    def __init__(self, settings: Settings, fixed: Model | None = None) -> None:
        self._settings = settings
        self._fixed = fixed
        self._made: dict[str, Model] = {}

    def model(self, role: str) -> Model:
        """The model of a role. Raises ``UsageError`` when its profile is wrong."""
        if self._fixed is not None:
            return self._fixed
        choice = self._settings.choice(role)
        key = repr((choice, choice.api_key))
        if key not in self._made:
            self._made[key] = _make(choice)
        return self._made[key]

    def temperature(self, role: str) -> float:
        """The configured temperature of a role, else the role's own."""
        chosen = self._settings.choice(role).temperature
        return TEMPERATURES[role] if chosen is None else chosen

    @property
    def embedded(self) -> bool:
        """Whether any role falls back to the embedded model."""
        return self._fixed is None and any(c.embedded for c in self._settings.models.values())

    def close(self) -> None:
        """Close what was made here; a ``fixed`` model is its maker's."""
        for model in self._made.values():
            model.close()
        self._made.clear()


def _make(choice: ModelChoice) -> Model:
    from zencli.llm.profiles import profile_for

    overrides = dict(choice.profile)
    if choice.max_output is not None:
        overrides["max_output"] = choice.max_output
    if choice.name is None or choice.base_url is None:
        from zencli.llm.embedded import EmbeddedModel

        return EmbeddedModel(timeout=choice.timeout)
    from zencli.llm.client import OpenAIModel

    profile = profile_for(choice.base_url, choice.name, overrides)
    return OpenAIModel(choice.base_url, choice.name, choice.api_key or "", profile, choice.timeout)
