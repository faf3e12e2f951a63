"""The review gate: what counts, what the reviewer gets, how often, and what the author reads."""

from pathlib import Path

import pytest
from agent_helpers import (
    LONG_ZH,
    Stage,
    body,
    calls,
    draft,
    hands,
    routed,
    says,
    stage,
    user_message,
)

from zencli.agent.evidence import mixed_marks, number_facts, repeated_paragraphs, repeats
from zencli.agent.length_demands import length_demands
from zencli.agent.review import MOST_CHARACTERS, changed_passage
from zencli.prose.count import count_words

PROSE = "".join(
    f"第{n}个绳结，他摸到一处新的毛刺，记在手上。"
    for n in "一二三四五六七八九十甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉"
)
"""More than 500 characters in which little repeats."""


@pytest.fixture
def zh(tmp_path: Path) -> Stage:
    return stage(tmp_path)


def writes(text: str = PROSE) -> tuple[object, ...]:
    return (draft("第三章 潮"), body(text))


def test_B15_the_text_to_judge_is_given_once_and_the_chapter_before_it_too(zh: Stage) -> None:
    zh.turn(
        "接着写一章",
        routed(),
        *writes(),
        says("writer", "写好了。"),
        says("quality_reviewer", "能用。"),
    )
    prompt = zh.prompt("quality_reviewer")
    assert prompt.count(PROSE) == 1
    assert "门外站着一个浑身湿透的人" in prompt


def test_an_opinion_is_given_to_the_author_and_handed_to_nobody(zh: Stage) -> None:
    zh.turn(
        "第二章怎么样", routed("quality_reviewer", "review_only"), says("quality_reviewer", "好。")
    )
    system, user = zh.model.requests[-1].messages
    assert "不交给别人去改" in user.content
    assert "- auditor" in system.content and "- reviser" not in system.content


# --- B14 ----------------------------------------------------------------------------------------


def test_B14_a_body_of_500_words_is_reviewed(zh: Stage) -> None:
    assert count_words(PROSE, "zh") >= 500
    outcome = zh.turn(
        "写第三章",
        routed(),
        *writes(),
        says("writer", "写好了。"),
        says("quality_reviewer", "能用。"),
    )
    assert outcome.result.agents == ["writer", "quality_reviewer"]


def test_B14_outlines_cards_and_chat_do_not_count(zh: Stage) -> None:
    outcome = zh.turn(
        "写人物",
        routed(),
        calls("writer", ("create_file", {"title": "沈默", "type": "character", "content": PROSE})),
        says("writer", PROSE),
    )
    assert outcome.result.agents == ["writer"]


def test_B14_edits_count_by_what_they_write(zh: Stage) -> None:
    edit = {"path": "chapters/0002.md", "edits": [{"op": "append", "text": PROSE}]}
    outcome = zh.turn(
        "接着写第二章",
        routed(),
        reads_then(edit),
        says("writer", "好。"),
        says("quality_reviewer", "行。"),
    )
    assert outcome.result.agents == ["writer", "quality_reviewer"]


def reads_then(edit: dict[str, object]) -> object:
    return calls("writer", ("edit_file", edit))


def test_B14_failed_writes_do_not_count(zh: Stage) -> None:
    edit = {
        "path": "chapters/0002.md",
        "edits": [{"op": "replace", "old": "没有这一句", "new": PROSE}],
    }
    outcome = zh.turn("改掉那句话", routed(), reads_then(edit), says("writer", "没改成。"))
    assert outcome.result.agents == ["writer"]


@pytest.mark.parametrize("choice", [{"review": "off"}, {"fast": True}])
def test_B14_review_can_be_off(zh: Stage, choice: dict[str, object]) -> None:
    steps = [*writes(), says("writer", "写好了。")]
    if "fast" not in choice:
        steps.insert(0, routed())
    assert zh.turn("写第三章", *steps, **choice).result.agents == ["writer"]


def test_B14_review_on_takes_any_word_and_the_threshold_is_configurable(zh: Stage) -> None:
    short = [
        routed(),
        *writes("雨停了。"),
        says("writer", "好。"),
        says("quality_reviewer", "行。"),
    ]
    assert "quality_reviewer" in zh.turn("写", *short, review="on").result.agents
    (zh.root / "zencli.toml").write_text("[agent]\nreview_words = 3\n")
    again = [
        routed(),
        draft("第四章 夜"),
        body("灯灭了。"),
        says("writer", "好。"),
        says("quality_reviewer", "行。"),
    ]
    assert "quality_reviewer" in zh.turn("写", *again).result.agents


# --- B15 ----------------------------------------------------------------------------------------


def test_B15_the_reviewer_gets_saved_text_words_demands_and_facts(zh: Stage) -> None:
    line = "门外站着一个浑身湿透的人，手里提着一盏没有点着的灯。"
    (zh.book.path / "chapters/0002.md").write_text(f"# 来客\n\n{line}\n", "utf-8")
    text = f'{PROSE}\n\n{line}\n\n"走。"他说。\n\n“不走。”\n'
    zh.turn(
        "写第三章，2500字以内", routed(), *writes(text), says("writer", "好。"),
        says("quality_reviewer", "行。"),
    )  # fmt: skip
    prompt = zh.prompt("quality_reviewer")
    saved = zh.read("chapters/0003.md")
    assert saved.strip() in prompt
    assert f"chapters/0003.md（{count_words(saved, 'zh')} 字）" in prompt
    demands = prompt[prompt.index("[作者的篇幅要求]") : prompt.index("[程序查出的事实]")]
    assert "2500字以内" in demands
    assert "每章三千字左右" in demands
    facts = prompt[prompt.index("[程序查出的事实]") :]
    assert "逐字重复" in facts and "chapters/0002.md" in facts
    assert "整段重复" in facts
    assert "引号混用" in facts


def test_B15_of_a_long_old_file_only_the_changed_passage_is_given(zh: Stage) -> None:
    paragraphs = [f"第 {n} 段。" + "海面上什么也没有，灯照出去又回来。" * 8 for n in range(100)]
    old = "# 来客\n\n" + "\n\n".join(paragraphs) + "\n"
    assert len(old) > MOST_CHARACTERS
    (zh.book.path / "chapters/0002.md").write_text(old, "utf-8")
    edit = {
        "path": "chapters/0002.md",
        "edits": [{"op": "insert_after", "anchor": "第 50 段。", "text": PROSE}],
    }
    zh.turn(
        "补一段",
        routed(),
        reads_then(edit),
        says("writer", "好。"),
        says("quality_reviewer", "行。"),
    )
    prompt = zh.prompt("quality_reviewer")
    prompt = prompt[prompt.index("[待审的正文]") :]
    assert "只附本次改动的部分" in prompt
    assert PROSE[:40] in prompt
    assert "第 10 段" not in prompt
    assert "第 90 段" not in prompt


def test_B15_a_new_file_is_given_whole_however_long(zh: Stage) -> None:
    text = "\n\n".join(f"第 {n} 段。{PROSE}" for n in range(25))
    assert len(text) > MOST_CHARACTERS
    zh.turn("写", routed(), *writes(text), says("writer", "好。"), says("quality_reviewer", "行。"))
    assert "第 24 段" in zh.prompt("quality_reviewer")


def test_B15_a_changed_passage_has_its_neighbours() -> None:
    before = "\n\n".join("甲乙丙丁戊己")
    after = before.replace("丙", "丙丙")
    assert changed_passage(before, after) == "乙\n\n丙丙\n\n丁"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "他把那把旧剑横在膝上看着雨下到天亮。后来他把那把旧剑横在膝上看着雨停了。",
            "他把那把旧剑横在膝上看着雨",
        ),
        ("他把旧剑横在膝上。他把旧剑横在腿上。", ""),
    ],
)
def test_B15_repeats_of_fifteen_characters_within_a_chapter(text: str, found: str) -> None:
    passages = [place.passage for place in repeats(text, [], "zh")]
    assert (found in passages) if len(found) >= 15 else not passages


def test_B15_exactly_fifteen_characters_are_reported_and_fourteen_are_not() -> None:
    fifteen = "一二三四五六七八九十甲乙丙丁戊"
    assert [p.passage for p in repeats(f"{fifteen}雨{fifteen}风", [], "zh")] == [fifteen]
    assert repeats(f"{fifteen[:14]}雨{fifteen[:14]}风", [], "zh") == []
    (other,) = repeats(f"他说{fifteen}。", [("chapters/0001.md", f"我想{fifteen}！")], "zh")
    assert other == (fifteen, "chapters/0001.md")


def test_B15_paragraphs_marks_and_numbers() -> None:
    paragraph = "门外站着一个浑身湿透的人，手里提着一盏灯。"
    assert repeated_paragraphs(f"{paragraph}\n\n雨。\n\n{paragraph}", [], "zh")[0].where == ""
    assert [name for name, _, _ in mixed_marks('“好。”他说。"走。"')] == ["“”", '""']
    assert mixed_marks("“好。”他说。“走。”") == []
    one, other = number_facts(
        "门外站着三名护卫。", [("chapters/0001.md", "五名护卫守着门。")], "zh"
    )[0]
    assert {one.where, other.where} == {"", "chapters/0001.md"}
    assert number_facts("三名护卫来了。三名护卫走了。", [], "zh") == []
    assert number_facts("He had three guards.", [("ch", "Five guards stood there.")], "en")


def test_B15_english_repeats_are_longer() -> None:
    text = "He put the lamp on the sill. Then he looked. He put the lamp on the table."
    assert repeats(text, [], "en") == []
    long = "He put the old brass lamp on the sill of the north window."
    assert repeats(f"{long} Rain. {long}", [], "en")[0].passage.startswith("He put the old")


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("写第三章，3000字左右，别拖", ["3000字左右"]),
        ("每章2000-2500字。", ["每章2000-2500字"]),
        ("三千字以内", ["三千字以内"]),
        (
            "a chapter of about 2,000 words, please. No more.",
            ["a chapter of about 2,000 words, please"],
        ),
        ("他只说了三个字，一字不改", []),
        ("写第3章", []),
    ],
)
def test_B15_length_demands_are_found_in_the_authors_words(text: str, clauses: list[str]) -> None:
    assert length_demands([text, text]) == clauses


# --- B16, B23 -----------------------------------------------------------------------------------


def test_B16_the_reviewer_has_no_write_tools_and_hands_back_once(zh: Stage) -> None:
    edit = {
        "path": "chapters/0003.md",
        "edits": [{"op": "replace", "old": "第一个绳结", "new": "头一个绳结"}],
    }
    outcome = zh.turn(
        "写第三章",
        routed(),
        *writes(),
        says("writer", "写好了。"),
        hands("quality_reviewer", "writer", todo=["第1段“第一个绳结”：换个说法"]),
        calls("writer", ("edit_file", edit)),
        says("writer", "改了一处。"),
    )
    names = {t.name for r in zh.model.requests if r.role == "quality_reviewer" for t in r.tools}
    assert names.isdisjoint({"create_file", "edit_file", "delete_file", "parallel_execute"})
    assert outcome.result.agents == ["writer", "quality_reviewer", "writer"]
    assert "第一个绳结" in _rework(zh)
    assert "不再送审" in _rework(zh)
    assert outcome.result.reply.startswith("改了一处。")


def _rework(zh: Stage) -> str:
    """What the writer was given after the review."""
    after = [i for i, r in enumerate(zh.model.requests) if r.role == "quality_reviewer"][-1]
    return user_message(zh.model.requests[after + 1])


def test_B16_a_second_rework_is_not_made(zh: Stage) -> None:
    outcome = zh.turn(
        "写第三章",
        routed(),
        *writes(),
        says("writer", "写好了。"),
        hands("quality_reviewer", "writer", todo=["改"]),
        hands("writer", "quality_reviewer"),
    )
    assert outcome.result.agents == ["writer", "quality_reviewer", "writer"]
    assert outcome.result.stop_reason == "finished"


def test_B23_the_author_sees_one_summary_and_the_writers_question_word_for_word(zh: Stage) -> None:
    asks = "要我接着写第四章吗？"
    outcome = zh.turn(
        "写第三章", routed(), *writes(), says("writer", f"第三章写好了。\n{asks}"),
        says("quality_reviewer", "能用。"),
    )  # fmt: skip
    assert "第三章写好了" not in outcome.result.reply
    assert outcome.result.reply.startswith(f"能用。\n\n{asks}")
    assert asks in zh.prompt("quality_reviewer")
    assert outcome.result.question == asks
    assert outcome.error is not None and outcome.error.code == "agent.question"
    shown = "".join(data["text"] for data in zh.told("content"))
    assert "第三章写好了" not in shown


def test_B23_without_a_review_the_held_words_are_shown(zh: Stage) -> None:
    outcome = zh.turn("写第三章", routed(), *writes("雨停了。"), says("writer", "写好了。"))
    assert outcome.result.reply.startswith("写好了。")
    assert "写好了。" in "".join(data["text"] for data in zh.told("content"))


def test_B15_repeats_are_found_fast_in_a_long_chapter() -> None:
    import time

    text = LONG_ZH * 10
    start = time.perf_counter()
    repeats(text, [("a", text), ("b", text)], "zh")
    assert time.perf_counter() - start < 1.0


def test_B23_when_the_reviewer_says_nothing_the_writers_words_stand(zh: Stage) -> None:
    (zh.root / "zencli.toml").write_text("[agent]\nmax_model_calls = 3\n")
    outcome = zh.turn("写第三章", routed(), *writes(), says("writer", "写好了。"))
    assert outcome.result.stop_reason == "max_model_calls"
    assert outcome.result.agents[-1] == "quality_reviewer"
    assert outcome.result.reply.startswith("写好了。")


def test_B23_a_silent_rework_leaves_the_reviewers_words(zh: Stage) -> None:
    edit = {"path": "chapters/0003.md", "edits": [{"op": "delete", "old": "第一个绳结，"}]}
    handoff = ("handoff_to_agent", {"agent": "writer", "reason": "一处"})
    outcome = zh.turn(
        "写第三章",
        routed(),
        *writes(),
        says("writer", "写好了。"),
        calls("quality_reviewer", handoff, text="第一段要改。"),
        calls("writer", ("edit_file", edit)),
        hands("writer", "quality_reviewer"),
    )
    assert outcome.result.stop_reason == "finished"
