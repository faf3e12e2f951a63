"""Limits, the breaker, and the count of identical reads."""

from pathlib import Path

import pytest
from agent_helpers import Stage, calls, reads, routed, says, stage, tool_results

from zencli.agent.guards import Breaker, ReadGuard, canonical
from zencli.agent.limits import Limits, Stopped
from zencli.agent.tools.envelope import ToolResult
from zencli.pipeline.configuration.agent_table import AgentTable

FAILED = ToolResult(error_type="anchor_not_found")
MISSING = ToolResult(error_type="tool_not_found")


@pytest.fixture
def zh(tmp_path: Path) -> Stage:
    return stage(tmp_path)


# --- B13 ----------------------------------------------------------------------------------------


def test_B13_the_defaults_are_those_of_the_contract() -> None:
    table = AgentTable()
    numbers = (
        table.max_agent_runs, table.max_tool_turns, table.max_model_calls, table.max_seconds,
        table.review_words,
    )  # fmt: skip
    assert numbers == (12, 60, 120, 1200, 500)


def test_B13_time_is_a_limit_of_its_own() -> None:
    now = [0.0]
    limits = Limits(AgentTable(max_seconds=10), clock=lambda: now[0])
    limits.before_call()
    now[0] = 10.5
    with pytest.raises(Stopped) as stop:
        limits.before_call()
    assert stop.value.reason == "max_seconds"


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("max_tool_turns = 2", "max_tool_turns"),
        ("max_model_calls = 2", "max_model_calls"),
        ("max_seconds = 0.000001", "max_seconds"),
    ],
)
def test_B13_each_limit_has_its_stop_reason_and_exit_code(
    zh: Stage, setting: str, reason: str
) -> None:
    (zh.root / "zencli.toml").write_text(f"[agent]\n{setting}\n")
    paths = ("outline.md", "brief.md", "style.md", "story_bible.md")
    steps = [reads(path) for path in paths]
    outcome = zh.turn("看看", *steps, route="off", leftover=True)
    assert outcome.result.stop_reason == reason
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.exit_code) == ("agent.limit", 6)


def test_B13_the_last_run_is_told_to_finish_and_hands_on_to_nobody(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text("[agent]\nmax_agent_runs = 1\n")
    outcome = zh.turn("规划再写", routed("planner", "standard"), says("planner", "定了。"))
    assert "最后一次" in zh.prompt("planner")
    assert outcome.result.stop_reason == "max_agent_runs"
    assert outcome.result.reply == "定了。"


def test_B13_three_tool_turns_before_the_end_the_agent_is_told(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text("[agent]\nmax_tool_turns = 5\n")
    paths = ("outline.md", "brief.md", "style.md")
    zh.turn("看看", *(reads(p) for p in paths), says("writer", "好。"), route="off")
    told = ["还能再用 3 次" in r.messages[-1].content for r in zh.model.requests]
    assert told == [False, False, True, False]


def test_B13_a_stop_can_be_continued_by_the_agent_that_was_at_work(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text("[agent]\nmax_tool_turns = 1\n")
    zh.turn(
        "规划", routed("planner", "standard", write_content=False),
        reads("outline.md", "planner"), reads("brief.md", "planner"),
    )  # fmt: skip
    outcome = zh.turn("继续", says("planner", "好了。"), latest=True)
    assert outcome.result.routing["source"] == "continue"
    assert outcome.result.agents == ["planner"]


# --- B25, B26 -----------------------------------------------------------------------------------


def test_B26_three_identical_failures_open_the_breaker() -> None:
    breaker = Breaker()
    breaker.record("edit_file", '{"path": "a", "edits": []}', FAILED)
    breaker.record("edit_file", '{"edits": [],  "path": "a"}', FAILED)
    with pytest.raises(Stopped) as stop:
        breaker.record("edit_file", '{"path": "a", "edits": []}', FAILED)
    assert stop.value.reason == "tool_failure_circuit_open"


def test_B26_a_success_resets_the_streak_but_not_the_total() -> None:
    breaker = Breaker()
    for number in range(9):
        breaker.record("edit_file", f'{{"path": "{number % 2}"}}', FAILED)
        breaker.record("query_files", "{}", ToolResult())
    assert (breaker.alike, breaker.total) == (0, 9)
    with pytest.raises(Stopped):
        breaker.record("edit_file", '{"path": "9"}', FAILED)


def test_B25_a_tool_that_is_not_there_opens_it_by_name() -> None:
    breaker = Breaker()
    breaker.record("write_chapter", '{"n": 1}', MISSING)
    breaker.record("query_files", "{}", ToolResult())
    breaker.record("write_chapter", '{"n": 2}', MISSING)
    with pytest.raises(Stopped) as stop:
        breaker.record("write_chapter", '{"n": 3}', MISSING)
    assert stop.value.reason == "repeated_unavailable_tool_call"


def test_B25_in_a_turn_the_model_is_told_and_then_stopped(zh: Stage) -> None:
    steps = [calls("writer", ("write_chapter", {"number": n})) for n in (1, 2, 3)]
    outcome = zh.turn("写", *steps, route="off")
    assert tool_results(zh.model.requests[1])[0]["error_type"] == "tool_not_found"
    assert outcome.result.stop_reason == "repeated_unavailable_tool_call"
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.exit_code) == ("agent.circuit_open", 6)


def test_B26_one_breaker_counts_for_all_agents(zh: Stage) -> None:
    missing = {"path": "chapters/0001.md", "edits": [{"op": "delete", "old": "没有这句话的"}]}
    outcome = zh.turn(
        "规划再写",
        routed("planner", "standard"),
        calls("planner", ("edit_file", missing)),
        calls("planner", ("edit_file", missing)),
        says("planner", "定了。"),
        calls("writer", ("edit_file", missing)),
    )
    assert outcome.result.stop_reason == "tool_failure_circuit_open"
    assert outcome.result.agents == ["planner", "writer"]


# --- B27 ----------------------------------------------------------------------------------------


def test_B27_hint_warning_refusal_and_stop() -> None:
    guard = ReadGuard()
    answers = [guard.ask("writer", "query_files", '{"path": "a.md"}') for _ in range(5)]
    assert answers == ["", "hint", "warning", "refused", "refused"]
    assert guard.ask("planner", "query_files", '{"path": "a.md"}') == ""
    with pytest.raises(Stopped) as stop:
        guard.ask("writer", "query_files", '{"path": "a.md"}')
    assert stop.value.reason == "no_progress"


def test_B27_a_write_to_the_file_resets_its_count() -> None:
    guard = ReadGuard()
    for _ in range(3):
        guard.ask("writer", "query_files", '{"path": "a.md"}')
        guard.ask("writer", "query_files", '{"path": "b.md"}')
        guard.ask("writer", "hybrid_search", '{"query": "灯"}')
    guard.written("a.md")
    assert guard.ask("writer", "query_files", '{"path": "a.md"}') == ""
    assert guard.ask("writer", "query_files", '{"path": "b.md"}') == "refused"
    assert guard.ask("writer", "hybrid_search", '{"query": "灯"}') == ""


def test_B27_in_a_turn_the_hints_stand_with_the_result(zh: Stage) -> None:
    outcome = zh.turn("看看", *[reads("outline.md")] * 6, route="off")
    results = tool_results(zh.model.requests[-1])
    assert "note" not in results[0]
    assert [bool(r.get("note")) for r in results[1:3]] == [True, True]
    assert results[1]["note"] != results[2]["note"]
    assert results[3]["error_type"] == "repeated_read"
    assert outcome.result.stop_reason == "no_progress"


def test_B27_arguments_are_compared_by_meaning() -> None:
    assert canonical('{"b": 1, "a": "甲"}') == canonical('{ "a":"甲","b":1 }')
    assert canonical("not json  at all") == "not json at all"
    assert canonical("") == "{}"


@pytest.mark.parametrize(
    "tool",
    [
        ("create_file", {"title": "第三章 潮", "type": "draft"}),
        ("sub_agent", {"agent": "writer", "instruction": "写第三章"}),
    ],
)
def test_planning_does_not_run_on_into_prose(zh: Stage, tool: tuple[str, dict[str, str]]) -> None:
    outcome = zh.turn(
        "给我第三章的大纲",
        routed("planner", "standard", write_content=False),
        calls("planner", tool),
        says("planner", "大纲定了。"),
    )
    assert tool_results(zh.model.requests[-1])[0]["error_type"] == "not_your_part"
    assert outcome.result.files == []
