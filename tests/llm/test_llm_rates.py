"""How many tokens a model makes of a text is learnt from what its endpoint reports."""

from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.rates import LEAST_TOKENS, MOST_TIMES, TOLERANCE, Rates
from zencli.llm.types import MESSAGE_OVERHEAD, Message, Request

PROFILE = Profile(tokens_per_cjk=1.0, tokens_per_latin=0.25)
MODEL = "m"


def request(wide: int, others: int) -> Request:
    """A request of so many Chinese and other characters."""
    return Request("write", (Message("user", "雨" * wide + "rain " * (others // 5)),))


def read_by(cjk: float, latin: float, wide: int, others: int) -> int:
    """What an endpoint with these rates reports of it."""
    return round(wide * cjk + others // 5 * 5 * latin) + MESSAGE_OVERHEAD


def learned(rates: Rates, cjk: float, latin: float, *prompts: tuple[int, int]) -> Rates:
    for wide, others in prompts:
        rates.learn(request(wide, others), PROFILE, MODEL, read_by(cjk, latin, wide, others))
    return rates


def test_one_reply_mends_the_estimate_of_the_next_prompt_like_it() -> None:
    rates = learned(Rates(), 0.64, 0.24, (9_000, 500))
    mended = request(12_000, 700).estimate(rates.latest(PROFILE, MODEL))
    assert abs(mended / read_by(0.64, 0.24, 12_000, 700) - 1) < 0.02


@settings(max_examples=30)
@given(st.floats(0.5, 2.0), st.floats(0.15, 0.6), st.lists(st.booleans(), min_size=30, max_size=40))
def test_chinese_and_english_are_learnt_apart(
    cjk: float, latin: float, languages: list[bool]
) -> None:
    prompts = [(6_000, 600) if chinese else (200, 12_000) for chinese in languages]
    rates = learned(Rates(), cjk, latin, *prompts, *[(6_000, 600), (200, 12_000)] * 8)
    profile = rates.latest(PROFILE, MODEL)
    size = request(6_000, 600).estimate(profile)
    assert abs(size / read_by(cjk, latin, 6_000, 600) - 1) < 0.1


def test_one_odd_report_moves_what_was_learnt_only_a_little() -> None:
    rates = learned(Rates(), 0.64, 0.24, *[(9_000, 500)] * 5)
    before = request(9_000, 500).estimate(rates.latest(PROFILE, MODEL))
    rates.learn(request(9_000, 500), PROFILE, MODEL, before * 2)
    after = request(9_000, 500).estimate(rates.latest(PROFILE, MODEL))
    assert 1.0 < after / before < 1.4


@given(st.integers(LEAST_TOKENS + 4, 10**9))
def test_no_report_takes_a_rate_out_of_its_bounds(read: int) -> None:
    rates = Rates()
    for _ in range(4):
        rates.learn(request(900, 2_000), PROFILE, MODEL, read)
    profile = rates.latest(PROFILE, MODEL)
    assert 1 / MOST_TIMES <= profile.tokens_per_cjk <= MOST_TIMES
    assert 1 / MOST_TIMES <= profile.tokens_per_latin / 0.25 <= MOST_TIMES


def test_a_short_prompt_teaches_nothing() -> None:
    rates = learned(Rates(), 3.0, 3.0, (20, 20))
    assert rates.latest(PROFILE, MODEL) == PROFILE


def test_another_model_is_another_matter() -> None:
    rates = learned(Rates(), 0.64, 0.24, (9_000, 500))
    assert rates.latest(PROFILE, "other") == PROFILE


def test_what_is_composed_with_stays_the_same_through_a_run() -> None:
    rates = learned(Rates(), 0.64, 0.24, (9_000, 500))
    assert rates.fixed(PROFILE, MODEL) == PROFILE
    following = rates.grown()
    text = "雨" * 1_000
    assert abs(estimate_tokens(text, following.fixed(PROFILE, MODEL)) - 640) < 30


def test_small_differences_never_change_what_prompts_are_composed_with() -> None:
    rates = learned(Rates(), 0.64, 0.24, (9_000, 500)).grown()
    known = rates.to_json()
    for times in (1 - TOLERANCE / 2, 1 + TOLERANCE / 2, 1.0):
        learned(rates, 0.64 * times, 0.24 * times, *[(9_000, 500)] * 3)
        assert rates.grown().to_json() == known
    assert learned(rates, 0.8, 0.24, *[(9_000, 500)] * 9).grown().to_json() != known


def test_what_was_learnt_survives_the_disk_and_nonsense_is_passed_over() -> None:
    told = learned(Rates(), 0.64, 0.24, (9_000, 500)).grown().to_json()
    again = Rates.from_json({**told, "a": "x", "b": [1], "c": [0, -1], "d": None})
    assert again.to_json() == told
