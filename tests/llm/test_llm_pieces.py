"""Profiles, estimates, thinking, usage, digests, budgets and the scripted model."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.errors import BudgetError, UsageError
from zencli.llm.budget import Expected, Meter
from zencli.llm.exchange import is_loopback
from zencli.llm.profiles import PROFILES, Profile, estimate_tokens, profile_for
from zencli.llm.scripted import ScriptedModel, ScriptError, Step
from zencli.llm.thinking import ThinkingFilter, split_thinking
from zencli.llm.types import Message, Reply, Request, Usage

ASK = Request("write", (Message("system", "You write."), Message("user", "Go.")))
PRICED = Profile(price_input=2.0, price_cached=0.5, price_output=8.0)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen"),
        ("https://api.moonshot.cn/v1", "kimi"),
        ("https://open.bigmodel.cn/api/paas/v4", "glm"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://127.0.0.1:8080/v1", "llama.cpp"),
        ("http://gpu:8000/v1", "vllm"),
        ("http://localhost:1234/v1", "lmstudio"),
        ("https://models.example.invalid/v1", "generic"),
        ("http://host:notaport/v1", "generic"),
    ],
)
def test_well_known_endpoints_are_recognised(url: str, name: str) -> None:
    assert profile_for(url, "m", {}).name == name


def test_reasoning_models_get_their_own_fields() -> None:
    profile = profile_for("https://openrouter.ai/api/v1", "openai/gpt-5-mini", {})
    assert profile.tokens_field == "max_completion_tokens"
    assert profile.temperature_allowed is False


def test_the_author_overrides_anything() -> None:
    profile = profile_for("http://h/v1", "m", {"name": "vllm", "window": 9_000, "json": "prompt"})
    assert (profile.name, profile.window, profile.json) == ("vllm", 9_000, "prompt")
    assert profile.price_input == 0.0
    assert profile.small


@pytest.mark.parametrize(
    ("overrides", "named"),
    [({"windw": 1}, "windw"), ({"window": "big"}, "window"), ({"name": "bard"}, "bard")],
)
def test_a_wrong_setting_is_named(overrides: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named) as caught:
        profile_for("http://h/v1", "m", overrides)
    assert caught.value.code == "usage.profile"


def test_tokens_are_estimated_by_script() -> None:
    assert estimate_tokens("雨下了。", PROFILES["deepseek"]) == 3
    assert estimate_tokens("x" * 100, PROFILES["openai"]) == 22
    assert estimate_tokens("", Profile()) == 0


@pytest.mark.parametrize(
    ("content", "text", "thinking"),
    [
        ("Rain.", "Rain.", ""),
        ("<think>Hm.</think>\n\nRain.", "Rain.", "Hm."),
        ("<think>a</think>x<think>b</think>y", "xy", "a\nb"),
        ("Hm.</think>Rain.", "Rain.", "Hm."),
        ("<think>Hm", "", "Hm"),
    ],
)
def test_thinking_is_told_apart(content: str, text: str, thinking: str) -> None:
    assert split_thinking(content) == (text, thinking)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from(["<think>a<b</think>", "雨 ", "<", "x</", "th"]), max_size=5),
    st.lists(st.integers(1, 4), min_size=1),
)
def test_a_stream_shows_the_same_text_whatever_its_pieces(
    parts: list[str], sizes: list[int]
) -> None:
    content, shown, start = "".join(parts), "", 0
    stream = ThinkingFilter()
    while start < len(content):
        size = sizes[start % len(sizes)]
        shown += stream.feed(content[start : start + size])
        start += size
    shown += stream.end()
    assert shown == split_thinking(content)[0].lstrip()


def test_usages_add_up_and_unknown_costs_stay_unknown() -> None:
    one = Usage(calls=1, input_tokens=10, cached_tokens=4, output_tokens=2, seconds=0.5)
    total = one + one
    assert (total.calls, total.input_tokens, total.cached_tokens) == (2, 20, 8)
    assert total.cost is None
    assert (one + Usage(cost=0.25)).cost == 0.25


def test_cached_tokens_cost_their_own_price() -> None:
    assert PRICED.cost(1_000_000, 500_000, 100_000) == pytest.approx(1.0 + 0.25 + 0.8)
    assert Profile(price_input=1.0).cost(1, 0, 1) is None


def test_a_digest_depends_on_everything_that_is_asked() -> None:
    others = [
        replace(ASK, role="plan"),
        replace(ASK, messages=ASK.messages[:1]),
        replace(ASK, schema={"type": "object"}),
        replace(ASK, max_output=5),
        replace(ASK, temperature=0.0),
    ]
    digests = {r.digest("m") for r in (ASK, *others)} | {ASK.digest("other")}
    assert len(digests) == 7
    assert ASK.digest("m") == replace(ASK).digest("m")
    assert len(ASK.digest("m")) == 64


def test_a_reply_survives_the_disk() -> None:
    reply = Reply("雨", "stop", Usage(calls=1, cost=0.1), "m", "hm")
    assert Reply.from_json(reply.to_json()) == reply


def test_a_limit_on_tokens_stops_before_the_call_that_could_pass_it() -> None:
    meter = Meter(limit_tokens=1_000)
    meter.before(Expected(500, 500), PRICED)
    meter.add(Usage(calls=1, input_tokens=400, output_tokens=100), Expected(500, 500))
    meter.before(Expected(300, 200), PRICED)
    with pytest.raises(BudgetError) as caught:
        meter.before(Expected(300, 201), PRICED)
    assert caught.value.code == "budget.tokens"
    assert "--max-tokens" in caught.value.hint


def test_a_limit_on_cost_counts_the_price_of_the_output_too() -> None:
    meter = Meter(limit_cost=0.01)
    meter.before(Expected(1_000, 1_000), PRICED)
    meter.add(Usage(calls=1, cost=0.001), Expected(1_000, 1_000))
    with pytest.raises(BudgetError) as caught:
        meter.before(Expected(1_000, 1_000), PRICED)
    assert caught.value.code == "budget.cost"


def test_a_limit_on_cost_needs_prices() -> None:
    with pytest.raises(BudgetError, match="no prices are known"):
        Meter(limit_cost=1.0).before(Expected(1, 0), Profile())


@pytest.mark.parametrize("recalled", [False, True])
def test_a_call_that_took_more_than_expected_makes_later_ones_expected_dearer(
    recalled: bool,
) -> None:
    meter = Meter(limit_tokens=10_000)
    meter.before(Expected(1_000, 500), PRICED)
    used = Usage(calls=1, input_tokens=4_000, output_tokens=1_000)
    meter.add(used, Expected(1_000, 500), recalled=recalled)
    left = 10_000 - (0 if recalled else 5_000)
    fits, too_long = Expected(left // 8, left // 4), Expected(left // 8 + 1, left // 4)
    meter.before(fits, PRICED)
    with pytest.raises(BudgetError, match=f"may take {left + 4} tokens"):
        meter.before(too_long, PRICED)
    meter.add(Usage(calls=1, input_tokens=10), Expected(1_000, 500), recalled=True)
    with pytest.raises(BudgetError):
        meter.before(too_long, PRICED)


def test_a_call_that_took_less_than_expected_changes_nothing() -> None:
    meter = Meter(limit_cost=0.02)
    meter.add(Usage(calls=1, input_tokens=10, output_tokens=1, cost=0.0), Expected(1_000, 500))
    meter.before(Expected(6_000, 1_000), PRICED)
    with pytest.raises(BudgetError):
        meter.before(Expected(6_001, 1_000), PRICED)


def test_recalled_calls_use_up_no_limit() -> None:
    meter = Meter(limit_tokens=100)
    meter.add(Usage(calls=1, input_tokens=5_000), Expected(5_000, 0), recalled=True)
    meter.before(Expected(50, 0), PRICED)
    assert meter.usage == Usage()
    assert meter.recalled.input_tokens == 5_000


def test_the_script_is_played_in_order_and_in_pieces() -> None:
    model = ScriptedModel([Step("write", "雨" * 50), Step("audit", "{}", "length")])
    pieces: list[str] = []
    assert model.complete(ASK, pieces.append).text == "".join(pieces) == "雨" * 50
    assert len(pieces) > 1
    assert model.complete(replace(ASK, role="audit")).finish_reason == "length"
    model.done()


def test_the_script_counts_what_earlier_requests_began_with_as_cached() -> None:
    model = ScriptedModel([Step("write", "a"), Step("write", "b")])
    long = replace(ASK, messages=(Message("system", "x" * 4_000), Message("user", "one")))
    other = replace(long, messages=(long.messages[0], Message("user", "two")))
    assert model.complete(long).usage.cached_tokens == 0
    usage = model.complete(other).usage
    assert 1_000 <= usage.cached_tokens < usage.input_tokens


def test_calls_that_do_not_fit_the_script_fail_and_say_what_was_expected() -> None:
    model = ScriptedModel([Step("plan", "{}")])
    with pytest.raises(ScriptError, match="should be 'plan' but is 'write'"):
        model.complete(ASK)
    with pytest.raises(ScriptError, match="not made"):
        model.done()
    model.complete(replace(ASK, role="plan"))
    with pytest.raises(ScriptError, match="one call too many: 'write'"):
        model.complete(ASK)


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://127.0.0.1.example.invalid/v1", False),
        ("https://10.0.0.1/v1", False),
    ],
)
def test_loopback_is_told_from_the_rest_of_the_world(url: str, own: bool) -> None:
    assert is_loopback(url) is own
