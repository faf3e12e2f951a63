"""The models of a run: made when first needed, shared by roles that use the same, closed once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from zencli.llm.profiles import Profile
from zencli.llm.rates import Rates
from zencli.llm.tape import Tape
from zencli.llm.types import Model
from zencli.pipeline.configuration.settings import ModelChoice, Settings

TEMPERATURES = {
    "architect": 0.8,
    "planner": 0.7,
    "writer": 0.9,
    "auditor": 0.2,
    "reviser": 0.6,
    "normaliser": 0.4,
    "settler": 0.0,
    "router": 0.0,
    "hook_designer": 0.7,
    "quality_reviewer": 0.2,
}
"""How freely a role answers when the configuration doesn't say."""


class ModelPool:
    """One model per distinct choice. ``fixed`` answers for every role, whatever is configured.

    ``rates`` say how many tokens the models make of a character, as far as that was learnt.
    ``tape`` keeps the exchanges in a file, or plays them back.
    ``tell`` is told when a fallback is asked; set it before the first model is.
    """

    def __init__(
        self,
        settings: Settings,
        fixed: Model | None = None,
        rates: Rates | None = None,
        tape: Tape | None = None,
    ) -> None:
        self._settings = settings
        self._fixed = fixed
        self.rates = Rates() if rates is None else rates
        self._tape = tape
        self.tell: Callable[[str], None] = lambda text: None
        self._made: dict[str, Model] = {}

    def model(self, role: str) -> Model:
        """The model of a role. Raises ``UsageError`` when its profile is wrong."""
        if self._fixed is not None:
            return self._fixed
        choice = self._settings.choice(role)
        key = repr((choice, choice.api_key))
        if key not in self._made:
            self._made[key] = _make(choice, self.rates, self._tape, self.tell)
        return self._made[key]

    def profile(self, role: str) -> Profile:
        """What the model of a role can do, with the rates that were known when the run began."""
        model = self.model(role)
        return self.rates.fixed(model.profile, model.name)

    def profiles(self, role: str) -> list[Profile]:
        """The profiles of all who may answer for a role, fallbacks included, for their prices."""
        if self._fixed is not None:
            return [self._fixed.profile]
        choice = self._settings.choice(role)
        return [_profile(one) for one in (choice, *choice.fallbacks)]

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


def _make(
    choice: ModelChoice, rates: Rates, tape: Tape | None, tell: Callable[[str], None]
) -> Model:
    model = _one(choice, rates, tape)
    if not choice.fallbacks:
        return model
    from zencli.llm.fallback import FallbackModel

    spares = [partial(_one, spare, rates, tape) for spare in choice.fallbacks]
    return FallbackModel(model, spares, choice.fallback_on, tell)


def _profile(choice: ModelChoice) -> Profile:
    from zencli.llm.profiles import PROFILES, profile_for

    if choice.name is None or choice.base_url is None:
        return PROFILES["embedded"]
    return profile_for(choice.base_url, choice.name, choice.overrides)


def _one(choice: ModelChoice, rates: Rates, tape: Tape | None) -> Model:
    from zencli.llm.profiles import profile_for

    if choice.name is None or choice.base_url is None:
        from zencli.llm.embedded import EmbeddedModel

        return EmbeddedModel(deadlines=choice.deadlines(), tape=tape)
    from zencli.llm.attempts import Patience
    from zencli.llm.client import OpenAIModel
    from zencli.llm.learned import Memory
    from zencli.llm.model_file import cache_dir
    from zencli.llm.place import Place
    from zencli.llm.transport import Network

    base_url, key, overrides = choice.base_url, choice.api_key or "", choice.overrides
    profile = profile_for(base_url, choice.name, overrides)
    patience = Patience() if choice.retries is None else Patience(choice.retries)
    memory, transport = None, None
    if tape is None:  # what was learned here isn't known where a recording is replayed
        memory = Memory(cache_dir() / "endpoints", base_url, choice.name)
    else:
        place = Place(base_url, choice.name, key)
        transport = tape.transport(place, lambda: Network(base_url, key))
        patience = patience if tape.live else replace(patience, sleep=lambda seconds: None)
    return OpenAIModel(
        base_url,
        choice.name,
        key,
        rates.fixed(profile, choice.name),
        choice.deadlines(),
        patience=patience,
        pinned=frozenset(choice.profile),
        memory=memory,
        transport=transport,
    )
