"""Who works on a message: options, what the message shows, and the router."""

import json
from pathlib import Path

import pytest
from agent_helpers import Stage, routed, says, stage
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.preroute import LastTurn, preroute
from zencli.agent.questions import final_question, is_agreement, is_continue, is_vague_edit
from zencli.agent.router import TAIL, parse_routing
from zencli.agent.routing import Routing
from zencli.agent.turn import Asked
from zencli.errors import ModelError, UsageError
from zencli.llm.profiles import Profile
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request


@pytest.fixture
def zh(tmp_path: Path) -> Stage:
    return stage(tmp_path)


# --- B01: options -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "agent"),
    [
        ({"route": "off"}, "writer"),
        ({"route": "planner"}, "planner"),
        ({"route": "hook-designer"}, "hook_designer"),
        ({"route": "quality_reviewer"}, "quality_reviewer"),
        ({"fast": True}, "writer"),
    ],
)
def test_B01_a_chosen_route_calls_no_router(
    zh: Stage, choice: dict[str, object], agent: str
) -> None:
    outcome = zh.turn("看看大纲", says(agent, "看过了。"), **choice)
    assert outcome.result.agents == [agent]
    assert zh.told("router_decided")[0]["source"] in ("off", "agent")


def test_B01_quality_routes_by_llm_and_reviews_any_word(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text('[agent]\nroute = "off"\nreview = "off"\n')
    zh.turn("看看大纲", routed(), says("writer", "看过了。"), quality=True)
    assert zh.told("router_decided")[0]["source"] == "llm"


def test_B01_the_configured_route_holds_without_an_option(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text('[agent]\nroute = "planner"\n')
    assert zh.turn("看看", says("planner", "好。")).result.agents == ["planner"]


@pytest.mark.parametrize(
    "choice",
    [{"route": "editor"}, {"fast": True, "quality": True}, {"session": "a", "latest": True}],
)
def test_B01_contradictions_are_refused_before_any_call(
    zh: Stage, choice: dict[str, object]
) -> None:
    with pytest.raises(UsageError):
        zh.turn("看看", **choice)
    assert zh.model.requests == []


# --- B02: what the router sees ------------------------------------------------------------------


def test_B02_the_first_turn_gives_the_exact_words(zh: Stage) -> None:
    words = "  先给我大纲，\n别写正文。 "
    zh.turn(words, routed("planner", "standard", write_content=False), says("planner", "好。"))
    system, user = zh.model.requests[0].messages
    assert system.role == "system"
    assert user.content == words
    assert zh.model.requests[0].temperature == 0


def test_B02_the_second_turn_gives_tail_routing_and_words(zh: Stage) -> None:
    long = "开头的话。" + "中间。" * 400 + "结尾的话。"
    with zh.agents().talk(_choice()) as talk:
        zh.turn("看看", routed(scope="甲"), says("writer", long), talk=talk)
        first = zh.model.requests[0].messages[0].content
        zh.turn("第二章呢", routed(), says("writer", "好。"), talk=talk)
    system, user = zh.model.requests[0].messages
    assert system.content == first
    assert user.content.endswith("第二章呢")
    assert "结尾的话。" in user.content
    assert "开头的话。" not in user.content
    assert len(user.content) < TAIL + 400
    line = next(ln for ln in user.content.splitlines() if ln.startswith("{"))
    assert json.loads(line)["scope"] == "甲"
    assert "finished" in user.content


def test_B02_the_tail_has_no_list_of_files(zh: Stage) -> None:
    from agent_helpers import body, draft

    with zh.agents().talk(_choice()) as talk:
        zh.turn("写", routed(), draft("潮"), body("短。", "写好了。"), talk=talk)
        assert "chapters/0003.md" in zh.last.result.reply  # type: ignore[union-attr]
        zh.turn("第二章呢", routed(), says("writer", "好。"), talk=talk)
    digest = zh.model.requests[0].messages[1].content
    assert "chapters/0003.md" not in digest and "动了 1 个文件" in digest


def _choice() -> object:
    from zencli.agent.talk import Choice

    return Choice()


# --- B03: what the router says ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "agent", "workflow"),
    [
        ('{"agent": "planner", "workflow": "full"}', "planner", "full"),
        ('好的：\n```json\n{"agent": "Writer", "workflow": "QUICK"}\n```', "writer", "quick"),
        ('{"agent": "hook-designer", "workflow": "hook-focus"}', "hook_designer", "hook_focus"),
        (
            "{'agent': 'quality reviewer', 'workflow': 'review_only',}",
            "quality_reviewer",
            "review_only",
        ),
        ('{"workflow": "standard"}', "planner", "standard"),
        ('{"agent": "quality_reviewer"}', "quality_reviewer", "review_only"),
        ('{"Agent": "planner", "Workflow": "someday"}', "planner", "quick"),
    ],
)
def test_B03_the_answer_is_read_tolerantly(text: str, agent: str, workflow: str) -> None:
    routing = parse_routing(text)
    assert (routing.agent, routing.workflow) == (agent, workflow)
    assert routing.source == "llm"


@pytest.mark.parametrize("text", ["", "planner", "[]", '{"agent": "boss"}', "<html>", "{", "null"])
def test_B03_any_failure_gives_the_writer_with_a_reason_code(text: str) -> None:
    routing = parse_routing(text)
    assert (routing.agent, routing.workflow, routing.source) == ("writer", "quick", "fallback")
    assert routing.reason.startswith("router_")


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_B03_no_answer_breaks_the_reader(text: str) -> None:
    assert parse_routing(text).agent in ("writer", "planner", "hook_designer", "quality_reviewer")


@pytest.mark.parametrize(
    ("value", "read_only"),
    [
        ("true", True),
        ('"true"', True),
        ("false", False),
        ("null", False),
        ('"maybe"', False),
        ("1", False),
    ],
)
def test_B03_read_only_needs_an_explicit_true(value: str, read_only: bool) -> None:
    text = f'{{"agent": "writer", "workflow": "quick", "read_only": {value}}}'
    assert parse_routing(text).read_only is read_only


def test_B03_a_long_scope_is_cut() -> None:
    data = {"agent": "writer", "workflow": "quick", "scope": "甲" * 200, "confidence": "7"}
    routing = parse_routing(json.dumps(data))
    assert len(routing.scope) == 80
    assert routing.confidence == 1.0


class _Failing:
    """A router that fails, and a writer that speaks."""

    def __init__(self) -> None:
        self.name = "failing"
        self.profile = Profile(price_input=0, price_output=0)
        self.writer = ScriptedModel([Step("writer", "好。")])

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if request.role == "router":
            raise ModelError("llm.timeout", "Too slow.")
        return self.writer.complete(request, on_text)

    def reject(self, request: Request) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def test_B03_a_router_that_fails_gives_the_writer(zh: Stage) -> None:
    agents = zh.agents()
    agents.model = _Failing()
    with agents.talk(_choice()) as talk:  # type: ignore[arg-type]
        outcome = talk.turn(Asked("写一段"))
    assert outcome.result.routing["reason"] == "router_timeout"
    assert outcome.result.agents == ["writer"]


# --- B05 to B07: before the router --------------------------------------------------------------

LAST = Routing("planner", "standard", "r", 0.9, False, True, "大纲")


@pytest.mark.parametrize(
    ("message", "vague"),
    [
        ("帮我优化一下", True), ("润色", True), ("改一改吧", True), ("polish it", True),
        ("improve it more", True), ("把第三章优化一下", False), ("优化对白", False),
        ("写第三章", False), ("把林晚的名字改成林夕", False), ("fix chapter 2", False),
        ("帮我优化一下，要那种更紧张的感觉再短些好吗", False),
    ],
)  # fmt: skip
def test_B05_a_vague_wish_names_no_object(message: str, vague: bool) -> None:
    assert is_vague_edit(message) is vague
    found = preroute(Asked(message), None)
    assert (found is not None) is vague
    if found is not None:
        assert (found.agent, found.source) == ("writer", "vague")


@pytest.mark.parametrize(
    "asked",
    [
        Asked("优化一下", files=("chapters/0001.md",)),
        Asked("优化一下", attachments=(("a.txt", "甲"),)),
        Asked("优化一下", quotes=("他走了。",)),
    ],
)
def test_B06_something_shown_makes_it_clear(asked: Asked) -> None:
    assert preroute(asked, None) is None


def test_B06_one_proposed_edit_or_one_question_already_makes_it_clear() -> None:
    one = LastTurn("开头太慢。要我把第一段删掉吗？", "question", "要我把第一段删掉吗？")
    assert preroute(Asked("改一改"), one) is None
    two = LastTurn("要我改开头吗？还是要我改结尾？", "finished")
    assert preroute(Asked("改一改"), two) is not None
    asked_once = LastTurn("改哪里？", "question", "改哪里？", clarified=True)
    assert preroute(Asked("改一改"), asked_once) is None


@pytest.mark.parametrize("message", ["继续", "接着写吧", "Continue.", "go on", "请继续"])
def test_B05_continue_after_a_limit_goes_to_the_last_agent(message: str) -> None:
    assert is_continue(message)
    last = LastTurn("……", "max_tool_turns", agent="hook_designer", routing=LAST)
    found = preroute(Asked(message), last)
    assert found is not None
    assert (found.agent, found.source, found.scope) == ("hook_designer", "continue", "大纲")


def test_B05_continue_after_an_orderly_end_asks_the_router() -> None:
    assert preroute(Asked("继续"), LastTurn("好了。", "finished", routing=LAST)) is None


def test_B07_an_answer_inherits_every_field() -> None:
    last = LastTurn("写哪种题材？", "question", "写哪种题材？", routing=LAST)
    found = preroute(Asked("玄幻，主角是炼丹师"), last)
    assert found is not None
    assert found.to_json() == {**LAST.to_json(), "reason": "answer", "source": "inherited"}
    assert preroute(Asked("玄" * 41), last) is None
    assert preroute(Asked("玄幻"), LastTurn("好了。", "finished", routing=LAST)) is None


@pytest.mark.parametrize(
    ("offer", "answer", "agent"),
    [
        ("要我接着写第二章的正文吗？", "好，写吧", "writer"),
        ("需要我把大纲排出来吗？", "可以", "planner"),
        ("要不要我把伏笔列一遍？", "嗯", "hook_designer"),
        ("Shall I write chapter 2 from the outline?", "yes, please do", "writer"),
        ("Do you want me to review chapter 2?", "sure", "quality_reviewer"),
    ],
)
def test_B07_a_yes_routes_the_proposed_step(offer: str, answer: str, agent: str) -> None:
    last = LastTurn(f"大纲好了。{offer}", "question", offer, routing=LAST)
    found = preroute(Asked(answer), last)
    assert found is not None
    assert found.agent == agent
    assert found.read_only is False
    assert found.scope and found.scope != LAST.scope and not found.scope.endswith(("吗？", "?"))
    assert not found.scope.startswith(("要", "需要", "Shall", "Do you"))
    assert found.write_content is (agent == "writer")


def test_B07_a_no_or_another_order_asks_the_router() -> None:
    last = LastTurn("要我写第二章吗？", "question", "要我写第二章吗？", routing=LAST)
    assert preroute(Asked("不用了"), last) is None
    assert preroute(Asked("把第一章导出成 epub"), last) is None
    assert preroute(Asked("可以，但先改大纲"), last) is None


@pytest.mark.parametrize(
    ("message", "yes"),
    [
        ("好的", True),
        ("OK, do it", True),
        ("要的", True),
        ("三千字", False),
        ("可以，但先改大纲", False),
        ("好的，写得短一点", True),
        ("yes, write it", True),
        ("Yes, and keep it under 2,000 words", True),
        ("好，不过先别动第二章", False),
        ("yes, but not now", False),
    ],
)
def test_B07_what_a_yes_is(message: str, yes: bool) -> None:
    assert is_agreement(message) is yes


def test_B05_none_of_them_calls_a_model(zh: Stage) -> None:
    with zh.agents().talk(_choice()) as talk:  # type: ignore[arg-type]
        zh.turn(
            "想写个新故事", routed("planner", "standard"), says("planner", "什么题材？"), talk=talk
        )
        outcome = zh.turn("玄幻", says("planner", "好。"), says("writer", "写了。"), talk=talk)
    assert outcome.result.routing["source"] == "inherited"


# --- B08, B09 -----------------------------------------------------------------------------------


def test_B08_the_scope_stands_at_the_end_and_is_made_for_each_agent(zh: Stage) -> None:
    zh.turn(
        "定下第三章怎么走，然后写",
        routed("planner", "standard", write_content=True, scope="第三章"),
        says("planner", "定了。"),
        says("writer", "写了。"),
    )
    planner, writer = zh.prompt("planner"), zh.prompt("writer")
    for prompt in (planner, writer):
        tail = prompt[prompt.index("[这一次的要求]") :]
        assert "第三章" in tail
        assert prompt.index("[作者的话]") < prompt.index("[这一次的要求]")
    assert "交给 writer" in planner[planner.index("[这一次的要求]") :]
    assert "交给 writer" not in writer[writer.index("[这一次的要求]") :]


def test_B09_the_decision_is_told_and_stored(zh: Stage) -> None:
    zh.turn("看看", routed(scope="大纲"), says("writer", "好。"))
    assert zh.told("router_decided")[0]["scope"] == "大纲"
    path = next((zh.book.path / ".zencli" / "sessions").iterdir())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    stored = next(line for line in lines if line["type"] == "routing")
    assert stored["decision"]["scope"] == "大纲"


# --- B17: what a question is --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("写好了。\n要我继续吗？", "要我继续吗？"),
        ("Done.\n\n**Shall I go on?**", "**Shall I go on?**"),
        ("要定两件事：\n1. 谁死？\n2. 谁活？", "1. 谁死？\n2. 谁活？"),
        ("改哪里？\n1. 开头\n\n2. 结尾", "改哪里？\n1. 开头\n2. 结尾"),
        ("改哪里：\n1. 开头\n2. 结尾？", "2. 结尾？"),
        ("查了什么？\n" + "- 一处\n" * 7, ""),
        ("他问：“走吗？”\n她没有答。", ""),
        ("写好了。", ""),
        ("", ""),
    ],
)
def test_B17_a_question_is_the_last_line(text: str, question: str) -> None:
    assert final_question(text) == question
