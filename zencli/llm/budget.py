"""Limits on what a run, a book and a chapter may take, checked before each call."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from zencli.errors import BudgetError
from zencli.llm.profiles import Profile
from zencli.llm.types import Usage

_KEPT = "What is done is kept: "
_RUN = _KEPT + "give the same command again with a higher {} to go on from here."
_FILE = _KEPT + "raise {} under [budget] in book.toml, then give the same command again."


@dataclass(frozen=True)
class Expected:
    """What a call was thought to take: its input by estimate, its output at most, in tokens."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Budget:
    """What a book may take from its beginning, and one chapter of it in one run; None: no limit."""

    max_cost: float | None = None
    max_tokens: int | None = None
    chapter_max_cost: float | None = None
    chapter_max_tokens: int | None = None


@dataclass(frozen=True)
class _Limit:
    """``whose`` and ``hint`` are for the message, ``used`` counts towards the limit."""

    tokens: int | None
    cost: float | None
    used: Usage
    whose: str
    hint: str
    fields: tuple[str, str]


class Meter:
    """Counts what a run takes and stops it before the call that could pass a limit.

    ``usage`` is the total of the calls paid for in this run, ``recalled`` of those read back from
    an earlier one. ``spent`` is what the book took before this run. Where an endpoint reports more
    than was expected, more is expected of all later calls: as many times more as it was at worst.
    """

    def __init__(
        self,
        limit_cost: float | None = None,
        limit_tokens: int | None = None,
        *,
        budget: Budget = Budget(),
        spent: Usage | None = None,
    ) -> None:
        self._limit_cost = limit_cost
        self._limit_tokens = limit_tokens
        self._budget = budget
        self._spent = spent or Usage()
        self._chapters: defaultdict[int, Usage] = defaultdict(Usage)
        self.usage = Usage()
        self.recalled = Usage()
        self._times_input = 1.0
        self._times_output = 1.0

    @property
    def limits_cost(self) -> bool:
        """Whether there is any limit on money."""
        return any(limit.cost is not None for limit in self._limits(None))

    def check_prices(self, profiles: Iterable[Profile]) -> None:
        """Raise ``BudgetError`` budget.cost for a limit on money that can't be kept, without a
        price of one of these models."""
        if self.limits_cost:
            for profile in profiles:
                _price(profile, 1, 1)

    def before(self, expected: Expected, profile: Profile, chapter: int | None = None) -> None:
        """Raise ``BudgetError`` when a call of this size could pass a limit."""
        asked = math.ceil(expected.input_tokens * self._times_input)
        written = math.ceil(expected.output_tokens * self._times_output)
        for limit in self._limits(chapter):
            _check_tokens(limit, asked + written)
            if limit.cost is not None:
                _check_cost(limit, _price(profile, asked, written))

    def add(
        self,
        usage: Usage,
        expected: Expected,
        recalled: bool = False,
        chapter: int | None = None,
    ) -> None:
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
        if chapter is not None:
            self._chapters[chapter] += usage

    def _limits(self, chapter: int | None) -> list[_Limit]:
        budget, usage = self._budget, self.usage
        run = _Limit(
            self._limit_tokens, self._limit_cost, usage, "", _RUN, ("--max-tokens", "--max-cost")
        )
        names = ("max_tokens", "max_cost")
        book = _Limit(
            budget.max_tokens, budget.max_cost, self._spent + usage, " of the book", _FILE, names
        )
        names = ("chapter_max_tokens", "chapter_max_cost")
        tokens, cost = budget.chapter_max_tokens, budget.chapter_max_cost
        of_chapter = Usage() if chapter is None else self._chapters[chapter]
        one = _Limit(tokens, cost, of_chapter, f" of chapter {chapter}", _FILE, names)
        return [run, book, one]


def _check_tokens(limit: _Limit, needed: int) -> None:
    if limit.tokens is None:
        return
    used = limit.used.input_tokens + limit.used.output_tokens
    if used + needed > limit.tokens:
        raise BudgetError(
            "budget.tokens",
            f"The next call may take {needed} tokens; {used} of {limit.tokens}{limit.whose}"
            " are used.",
            limit.hint.format(limit.fields[0]),
        )


def _check_cost(limit: _Limit, price: float) -> None:
    assert limit.cost is not None
    spent = limit.used.cost or 0.0
    if spent + price > limit.cost:
        raise BudgetError(
            "budget.cost",
            f"The next call may cost {price:.4f}; {spent:.4f} of {limit.cost:.4f}{limit.whose}"
            " is spent.",
            limit.hint.format(limit.fields[1]),
        )


def _price(profile: Profile, input_tokens: int, output_tokens: int) -> float:
    price = profile.cost(input_tokens, 0, output_tokens)
    if price is None:
        raise BudgetError(
            "budget.cost",
            f"A limit on cost can't be kept: no prices are known for {profile.name}.",
            "Set price_input and price_output (per million tokens) under [model.profile] in"
            " zencli.toml, or use a limit on tokens.",
        )
    return price
