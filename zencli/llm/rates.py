"""How many tokens a model makes of a character, learnt from what its endpoint says to have read.

    profile = rates.fixed(model.profile, model.name)    # for composing: the same all through a run
    profile = rates.latest(model.profile, model.name)   # for limits: with what the run has learnt

Either is the profile with better rates, so that every estimate made with it is better too:
``estimate_tokens(text, profile)``, ``request.estimate(profile)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.types import MESSAGE_OVERHEAD, Request

LEAST_TOKENS = 200
"""Of a shorter prompt too much is what the endpoint puts around it."""

MOST_TIMES = 4.0
"""A run never gets further from the rate that its profile has than this, either way."""

SMOOTHING = 0.3
"""How far a rate moves towards what one more call says; the first call is believed at once."""

_WIDE_ONLY = Profile(tokens_per_cjk=1.0, tokens_per_latin=1e-9)
"""Counts the East Asian characters of a text, give or take one."""

TOLERANCE = 0.08
"""What is composed with stays as it is until it is further off than this: a prompt's beginning must
not change with every run, or no cache would know it again."""


@dataclass(frozen=True)
class Rate:
    """Tokens per East Asian character and per other one."""

    cjk: float
    latin: float


class Rates:
    """The rates of all models of a run; ``known`` are those learnt before it, by model."""

    def __init__(self, known: Mapping[str, Rate] | None = None) -> None:
        self._known = dict(known or {})
        self._latest = dict(self._known)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Rates":
        """Those that ``to_json`` told; what can't be read counts as not known."""
        found = {}
        for name, rate in data.items():
            try:
                cjk, latin = map(float, rate)
            except (TypeError, ValueError):
                continue
            if cjk > 0 and latin > 0:
                found[name] = Rate(cjk, latin)
        return cls(found)

    def to_json(self) -> dict[str, list[float]]:
        """The rates that were known when the run began."""
        return {name: [rate.cjk, rate.latin] for name, rate in sorted(self._known.items())}

    def fixed(self, profile: Profile, model: str) -> Profile:
        """The profile with the rates that were known when the run began."""
        return _with(profile, self._known.get(model))

    def latest(self, profile: Profile, model: str) -> Profile:
        """The profile with what was learnt by now."""
        return _with(profile, self._latest.get(model))

    def learn(self, request: Request, profile: Profile, model: str, read: int) -> None:
        """Take in that the endpoint says to have read ``read`` tokens of a request."""
        target = read - MESSAGE_OVERHEAD * (len(request.messages) + len(request.tools))
        text = "".join(request.parts())
        if target < LEAST_TOKENS or not text:
            return
        wide = min(estimate_tokens(text, _WIDE_ONLY), len(text))
        rate = self._latest.get(model)
        believed = 1.0 if rate is None else SMOOTHING
        rate = rate or Rate(profile.tokens_per_cjk, profile.tokens_per_latin)
        moved = _moved(rate, (wide, len(text) - wide), target, believed)
        self._latest[model] = Rate(
            _near(moved.cjk, profile.tokens_per_cjk), _near(moved.latin, profile.tokens_per_latin)
        )

    def grown(self) -> "Rates":
        """What the next run begins with: the known ones, but for those found to be wrong."""
        kept = dict(self._known)
        for name, rate in self._latest.items():
            if name not in kept or _apart(kept[name], rate) > TOLERANCE:
                kept[name] = Rate(round(rate.cjk, 3), round(rate.latin, 3))
        return Rates(kept)


def _moved(rate: Rate, characters: tuple[int, int], target: int, believed: float) -> Rate:
    """Each rate moved by its part in the error (normalised least mean squares)."""
    by_wide, by_others = characters[0] * rate.cjk, characters[1] * rate.latin
    error = target - by_wide - by_others
    step = believed * error / (by_wide**2 + by_others**2)
    return Rate(rate.cjk * (1 + step * by_wide), rate.latin * (1 + step * by_others))


def _near(value: float, usual: float) -> float:
    return min(max(value, usual / MOST_TIMES), usual * MOST_TIMES)


def _apart(one: Rate, other: Rate) -> float:
    return max(abs(other.cjk / one.cjk - 1), abs(other.latin / one.latin - 1))


def _with(profile: Profile, rate: Rate | None) -> Profile:
    if rate is None:
        return profile
    return replace(profile, tokens_per_cjk=rate.cjk, tokens_per_latin=rate.latin)
