"""Limits of a book and of a chapter beside those of a run, and prices before the first call."""

import pytest

from zencli.errors import BudgetError
from zencli.llm.budget import Budget, Expected, Meter
from zencli.llm.profiles import Profile
from zencli.llm.types import Usage

PRICED = Profile(price_input=2.0, price_output=8.0)
SOME = Expected(500, 500)


def took(tokens: int, cost: float | None = None) -> Usage:
    return Usage(calls=1, input_tokens=tokens - 100, output_tokens=100, cost=cost)


def refusal(meter: Meter, expected: Expected = SOME, chapter: int | None = None) -> BudgetError:
    with pytest.raises(BudgetError) as caught:
        meter.before(expected, PRICED, chapter)
    return caught.value


def test_what_the_book_took_before_counts_towards_its_budget() -> None:
    budget = Budget(max_tokens=10_000)
    meter = Meter(budget=budget, spent=took(8_000))
    meter.before(SOME, PRICED)
    meter.add(took(1_001), SOME)
    error = refusal(meter)
    assert error.code == "budget.tokens"
    assert "9001 of 10000 of the book" in error.message
    assert "max_tokens under [budget] in book.toml" in error.hint


def test_the_money_of_the_book_has_a_limit_too() -> None:
    meter = Meter(budget=Budget(max_cost=1.0), spent=took(8_000, 0.997))
    error = refusal(meter)
    assert error.code == "budget.cost"
    assert "max_cost under [budget]" in error.hint
    Meter(budget=Budget(max_cost=1.0), spent=took(8_000, 0.9)).before(SOME, PRICED)


def test_a_chapter_has_a_budget_of_its_own_and_what_was_read_back_counts() -> None:
    meter = Meter(budget=Budget(chapter_max_tokens=5_000))
    meter.add(took(4_500), SOME, chapter=7, recalled=True)
    error = refusal(meter, chapter=7)
    assert "4500 of 5000 of chapter 7" in error.message
    assert "chapter_max_tokens" in error.hint
    meter.before(SOME, PRICED, 8)
    meter.before(SOME, PRICED, None)


def test_a_run_and_its_book_are_limited_at_once() -> None:
    meter = Meter(limit_tokens=2_000, budget=Budget(max_tokens=100_000), spent=took(500))
    meter.add(took(1_500), SOME)
    assert "--max-tokens" in refusal(meter).hint


@pytest.mark.parametrize(
    "meter",
    [
        Meter(limit_cost=1.0),
        Meter(budget=Budget(max_cost=1.0)),
        Meter(budget=Budget(chapter_max_cost=1.0)),
    ],
)
def test_a_limit_on_money_is_refused_without_a_price_and_says_how_to_set_one(meter: Meter) -> None:
    meter.check_prices([PRICED, PRICED])
    with pytest.raises(BudgetError) as caught:
        meter.check_prices([PRICED, Profile(name="nowhere", price_input=1.0)])
    assert caught.value.code == "budget.cost"
    assert "nowhere" in caught.value.message
    assert "price_input and price_output" in caught.value.hint


def test_without_a_limit_on_money_no_price_is_needed() -> None:
    Meter(limit_tokens=1, budget=Budget(max_tokens=1)).check_prices([Profile()])
