"""Each workflow as a conversation, streamed over HTTP with tool calls split into fragments."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_endpoint import ToolEndpoint, serving
from agent_helpers import (
    WHEN,
    Stage,
    body,
    calls,
    draft,
    hands,
    reads,
    routed,
    says,
    stage,
)

from zencli.agent.talk import Agents, Choice, Outcome
from zencli.agent.turn import Asked
from zencli.llm.scripted import Step

PROSE = "".join(
    f"第{n}个绳结，他摸到一处新的毛刺，记在手上。"
    for n in "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉"
)
ADD = {"path": "outline.md", "edits": [{"op": "append", "text": "第三章：潮退了，她下海。"}]}


@pytest.fixture(scope="module")
def running() -> Iterator[ToolEndpoint]:
    with serving() as endpoint:
        yield endpoint


class Stream:
    """Turns against the endpoint."""

    def __init__(self, made: Stage, endpoint: ToolEndpoint) -> None:
        self.stage = made
        self.endpoint = endpoint
        endpoint.steps.clear()
        endpoint.requests.clear()

    def turn(self, message: str | Asked, *steps: Step, **choice: object) -> Outcome:
        self.endpoint.play(*steps)
        agents = Agents(
            self.stage.root,
            emit=self.stage.events.append,
            clock=lambda: WHEN,
            environ=self.endpoint.environment(),
        )
        with agents.talk(Choice(**choice)) as talk:  # type: ignore[arg-type]
            outcome = talk.turn(message if isinstance(message, Asked) else Asked(message))
        assert self.endpoint.steps == [], "replies that nobody asked for"
        return outcome


@pytest.fixture
def zh(tmp_path: Path, running: ToolEndpoint) -> Stream:
    return Stream(stage(tmp_path), running)


def test_quick(zh: Stream) -> None:
    outcome = zh.turn(
        "写第三章",
        routed(scope="第三章"),
        calls(
            "writer", ("query_files", {"path": "outline.md"}), ("query_files", {"path": "style.md"})
        ),
        draft("第三章 潮"),
        body("雨停了。\n\n她下了海。", "\n第三章写好了。"),
    )
    assert outcome.result.stop_reason == "finished"
    assert zh.stage.read("chapters/0003.md") == "# 潮\n\n雨停了。\n\n她下了海。\n"
    assert outcome.result.reply.startswith("第三章写好了。")
    assert zh.endpoint.roles(2) == ["system", "user", "assistant", "tool", "tool"]
    results = [json.loads(m["content"]) for m in zh.endpoint.requests[2]["messages"][3:]]
    assert [r["status"] for r in results] == ["success", "success"]
    assert (
        "".join(e["text"] for e in zh.stage.told("file_content")).strip()
        == "雨停了。\n\n她下了海。"
    )


def test_standard_with_review_and_rework(zh: Stream) -> None:
    edit = {
        "path": "chapters/0003.md",
        "edits": [{"op": "replace", "old": "第一个绳结", "new": "头一个绳结"}],
    }
    outcome = zh.turn(
        "先定第三章怎么走，再写",
        routed("planner", "standard", write_content=True, scope="第三章"),
        calls("planner", ("edit_file", ADD)),
        says("planner", "第三章：退潮，下海。"),
        draft("第三章 潮"),
        body(PROSE),
        says("writer", "写好了。"),
        hands("quality_reviewer", "writer", todo=["第1段“第一个绳结”换说法"]),
        calls("writer", ("edit_file", edit)),
        says("writer", "第三章写好了，改了一处。"),
    )
    assert outcome.result.agents == ["planner", "writer", "quality_reviewer", "writer"]
    assert "头一个绳结" in zh.stage.read("chapters/0003.md")
    assert outcome.result.reply.startswith("第三章：退潮，下海。\n\n第三章写好了，改了一处。")


def test_full(zh: Stream) -> None:
    outcome = zh.turn(
        "开第二卷：结构、伏笔、第一章一起来",
        routed("planner", "full", write_content=True),
        calls("planner", ("edit_file", ADD)),
        says("planner", "结构定了。"),
        calls(
            "hook_designer",
            ("create_file", {"title": "伏笔", "type": "document", "content": "铜灯｜谁点的？"}),
        ),
        says("hook_designer", "埋了一条。"),
        draft("第三章 潮"),
        body("雨停了。", "\n写好了。"),
    )
    assert outcome.result.agents == ["planner", "hook_designer", "writer"]
    assert [e["kind"] for e in zh.stage.told("handoff")] == ["planned", "planned"]


def test_hook_focus_without_prose(zh: Stream) -> None:
    outcome = zh.turn(
        "把开着的伏笔理一遍，不写正文",
        routed("hook_designer", "hook_focus", write_content=False),
        reads("outline.md", "hook_designer"),
        says("hook_designer", "开着两条。"),
    )
    assert outcome.result.agents == ["hook_designer"]


def test_review_only(zh: Stream) -> None:
    outcome = zh.turn(
        "第二章写得怎么样",
        routed("quality_reviewer", "review_only", write_content=False),
        reads("chapters/0002.md", "quality_reviewer"),
        says("quality_reviewer", "能用。"),
    )
    assert outcome.result.files == []
    offered = {t["function"]["name"] for t in zh.endpoint.requests[1]["tools"]}
    assert "create_file" not in offered and "query_files" in offered


def test_read_only(zh: Stream) -> None:
    outcome = zh.turn(
        "只看看，别动文件", routed(read_only=True), draft("第三章 潮"), says("writer", "没有动。")
    )
    assert outcome.result.files == []
    assert not zh.stage.exists("chapters/0003.md")


def test_vague_then_answered(zh: Stream) -> None:
    first = zh.turn("优化一下", says("writer", "改开头，还是改对话？"), session="a")
    assert first.error is not None and first.error.exit_code == 4
    second = zh.turn("改开头", says("writer", "改好了。"), session="a")
    assert second.result.routing["source"] == "inherited"
    assert second.result.stop_reason == "finished"


def test_question_then_yes(zh: Stream) -> None:
    asked = zh.turn(
        "只要第三章的大纲，先别动文件",
        routed("planner", "standard", write_content=False, read_only=True, scope="第三章大纲"),
        says("planner", "潮退了，她下海。\n要我把第三章写成正文吗？"),
        session="a",
    )
    assert asked.result.stop_reason == "question"
    yes = zh.turn("好，写吧", draft("第三章 潮"), body("雨停了。", "\n写好了。"), session="a")
    assert yes.result.routing["source"] == "agreed"
    assert yes.result.routing["read_only"] is False
    assert [f.path for f in yes.result.files] == ["chapters/0003.md"]


def test_limit_then_continue(zh: Stream) -> None:
    (zh.stage.root / "zencli.toml").write_text("[agent]\nmax_model_calls = 2\n")
    stopped = zh.turn(
        "规划", routed("planner", "standard", write_content=False), reads("outline.md", "planner"),
        reads("style.md", "planner"), session="a",
    )  # fmt: skip
    assert stopped.result.stop_reason == "max_model_calls"
    assert stopped.error is not None and stopped.error.exit_code == 6
    going = zh.turn("继续", says("planner", "规划好了。"), session="a")
    assert going.result.agents == ["planner"]
    assert going.result.stop_reason == "finished"


def test_breaker(zh: Stream) -> None:
    wrong = {"path": "outline.md", "edits": [{"op": "delete", "old": "这里没有这样的一句话"}]}
    outcome = zh.turn("删那句", *[calls("writer", ("edit_file", wrong))] * 3, route="off")
    assert outcome.result.stop_reason == "tool_failure_circuit_open"
    assert outcome.error is not None and outcome.error.code == "agent.circuit_open"


def test_marks_and_bodies_split_anywhere_arrive_whole(zh: Stream) -> None:
    text = "她写下：`<file>`。\n\n```\n</file>\n```\n\n“好。”"
    outcome = zh.turn("写第三章", draft("第三章 潮"), body(text, "\n好了。"), route="off")
    assert zh.stage.read("chapters/0003.md") == f"# 潮\n\n{text}\n"
    assert outcome.result.reply.startswith("好了。")


def test_B90_thinking_is_an_event_and_no_part_of_the_reply(zh: Stream) -> None:
    outcome = zh.turn("看看", says("writer", "<think>先看大纲。</think>看完了。"), route="off")
    assert outcome.result.reply == "看完了。"
    assert [e["text"] for e in zh.stage.told("thinking")] == ["先看大纲。"]
