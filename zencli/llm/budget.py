"""Limits on what a run may take, checked before each call."""

import math
from dataclasses import dataclass

from zencli.errors import BudgetError
from zencli.llm.profiles import Profile
from zencli.llm.types import Usage

_HINT = "What is done is kept: give the same command again with a higher {} to go on from here."


@dataclass(frozen=True)
class Expected:
    """What a call was thought to take: its input by estimate, its output at most, in tokens."""

    input_tokens: int
    output_tokens: int


class Meter:
    """Counts what a run takes and stops it before the call that could pass a limit.

    ``usage`` is the total of the calls paid for in this run, ``recalled`` of those read back from
    an earlier one. Where an endpoint reports more than was expected, more is expected of all later
    calls: as many times more as it was at worst.
    """

    def __init__(self, limit_cost: float | None = None, limit_tokens: int | None = None) -> None:
        self._limit_cost = limit_cost
        self._limit_tokens = limit_tokens
        self.usage = Usage()
        self.recalled = Usage()
        self._times_input = 1.0
        self._times_output = 1.0

    def before(self, expected: Expected, profile: Profile) -> None:
        """Raise ``BudgetError`` when a call of this size could pass a limit."""
        asked = math.ceil(expected.input_tokens * self._times_input)
        written = math.ceil(expected.output_tokens * self._times_output)
        self._check_tokens(asked + written)
        self._check_cost(profile, asked, written)

    def add(self, usage: Usage, expected: Expected, recalled: bool = False) -> None:
        """Count a finished call of which ``expected`` was thought before."""
        self._times_input = max(
            self._times_input, usage.input_tokens / max(expected.input_tokens, 1)
        )
        self._times_output = max(
            self._times_output, usage.output_tokens / max(expected.output_tokens, 1)
        )
        if recalled:
            self.recalled += usage
        else:
            self.usage += usage

    def _check_tokens(self, needed: int) -> None:
        if self._limit_tokens is None:
            return
        used = self.usage.input_tokens + self.usage.output_tokens
        if used + needed > self._limit_tokens:
            raise BudgetError(
                "budget.tokens",
                f"The next call may take {needed} tokens; {used} of {self._limit_tokens} are used.",
                _HINT.format("--max-tokens"),
            )

    def _check_cost(self, profile: Profile, input_tokens: int, output_tokens: int) -> None:
        if self._limit_cost is None:
            return
        price = profile.cost(input_tokens, 0, output_tokens)
        if price is None:
            raise BudgetError(
                "budget.cost",
                f"A limit on cost can't be kept: no prices are known for {profile.name}.",
                "Set price_input and price_output (per million tokens) of the model in zencli.toml,"
                " or use --max-tokens.",
            )
        spent = self.usage.cost or 0.0
        if spent + price > self._limit_cost:
            raise BudgetError(
                "budget.cost",
                f"The next call may cost {price:.4f}; {spent:.4f} of {self._limit_cost:.4f}"
                " is spent.",
                _HINT.format("--max-cost"),
            )
