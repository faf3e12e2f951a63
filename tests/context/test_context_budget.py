"""Budgets: flat, never raising, what one section leaves goes to the next; tiers of summaries."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import Planted, for_planner, pack_of, shared

from zencli.context.budget import Allowance, fit_text
from zencli.context.layers import MOST, SHARES
from zencli.context.plan_fit import fit_plan, said
from zencli.context.wording import unquoted
from zencli.llm.profiles import PROFILES, Profile, estimate_tokens
from zencli.story.delta import Delta, Fact, HookEvent
from zencli.story.documents.outline import volumes
from zencli.story.plan import Plan, Scene
from zencli.story.state import FactState, Hook, State, Summary
from zencli.story.tiers import Arc, Fold, Volume, divided


def take(tokens: int = 100) -> Allowance:
    return Allowance(tokens, {"a": 0.5, "b": 0.5}, len, {"b": 3})


def test_what_a_section_leaves_goes_to_the_next() -> None:
    allowance = take()
    assert allowance.items("a", ["x" * 8], str, lambda x: "why") == ["x" * 8]
    assert allowance.limit("b") == 90
    kept = allowance.items("b", ["y" * 20] * 9, str, lambda y: "why", beyond=5)
    section = allowance.sections[1]
    assert (len(kept), section.items, section.cut) == (3, 3, 11), "no more than three of it"
    assert section.taken[0].why == "why" and section.left[0] == "y" * 20


def test_an_entry_that_is_too_long_is_passed_over_for_shorter_ones() -> None:
    kept = take().items("a", ["x" * 80, "one", "two"], str, str)
    assert kept == ["one", "two"]


@given(st.text(max_size=400), st.integers(-5, 60))
@settings(max_examples=60)
def test_a_text_is_cut_to_its_limit_and_never_raises(text: str, limit: int) -> None:
    kept, cut = fit_text(text, limit, len)
    assert len(kept) <= max(limit, 0) or kept == text
    assert (kept == text) or cut > 0


def test_a_cut_text_keeps_whole_lines_and_no_heading_without_content() -> None:
    text = "## A\n\nOne.\n\n## B\n\n- first\n- second\n- third\n\n## C\n\nLast."
    assert fit_text(text, 40, len) == ("## A\n\nOne.\n\n## B\n\n- first\n- second", 3)
    assert fit_text(text, 22, len)[0] == "## A\n\nOne."
    assert fit_text(text, 999, len) == (text, 0)


def test_quotation_marks_arent_doubled() -> None:
    assert unquoted("“Never mind.”", "en") == "Never mind."
    assert unquoted("“Nine,” he said.", "en") == "‘Nine,’ he said."
    assert unquoted("“来了。”", "zh") == "“来了。”"


def test_every_part_shares_its_whole_budget_out() -> None:
    assert all(abs(sum(shares.values()) - 1) < 0.011 for shares in SHARES.values())


def test_a_plan_that_is_too_long_loses_what_the_chapter_can_do_without() -> None:
    scene = Scene(where="桥头", want="要" * 900, turn="转" * 900)
    plan = Plan(purpose="做" * 500, details=["气味"] * 20, keep=["钱"] * 20, scenes=[scene] * 3)
    shown, cut = fit_plan(plan, 600, len)
    assert (shown.details, len(shown.scenes)) == ([], 3)
    assert cut > 20 and len(said(shown)) < 800
    assert fit_plan(plan, 99_999, len) == (plan, 0)


@pytest.mark.parametrize("profile", ["embedded", "ollama", "generic", "deepseek", "openai"])
def test_no_book_is_too_long_or_too_full_for_its_budget(tmp_path: Path, profile: str) -> None:
    crowd = "\n".join(f"- 地方{n}：{'很远，' * 40}" for n in range(90))
    files = {
        "brief.md": "要求。" * 3000,
        "story_bible.md": f"# 长河\n\n## 世界与规则\n\n{'规矩。' * 4000}\n\n## 场所\n\n{crowd}\n",
        "rules.md": f"# 规则\n\n## 不许\n\n{'- 不许这样。' * 2000}\n",
        "style.md": "# 文风\n\n" + "短句。" * 3000,
        "focus.md": "快一点。" * 3000,
        "secrets.md": "# 底牌\n\n" + "\n".join(f"## S{n}\n\n{'真相。' * 300}\n" for n in range(60)),
        "timeline.md": "# 时间线\n\n" + "\n".join(f"- {n} 年：{'事' * 200}" for n in range(200)),
        **{f"characters/p{n}.md": f"# 人物{n}\n\n{'他说。' * 900}\n" for n in range(60)},
    }
    deltas = {
        n: Delta(
            summary="发生了很多事。" * 200,
            facts=[Fact(about="灯", says=f"{n}{k}" * 40, quote="x" * 300) for k in range(20)],
            hooks=[
                HookEvent(id="new", do="plant", promise="谁？" * 100, due=n + 1, quote="x" * 90)
            ],
        )
        for n in range(1, 9)
    }
    prose = {n: f"人物{n}在地方{n}。" * 400 for n in range(1, 9)}
    book = Planted("zh", deltas, prose, files=files).write(tmp_path, 8)
    model = PROFILES[profile]
    pack = pack_of(book, 9, profile=model)
    plan = Plan(
        purpose="做" * 3000,
        scenes=[Scene(where="地方3", who=[f"人物{n}" for n in range(60)], want="要" * 900)] * 9,
        keep=["记住"] * 900,
    )
    size = {
        "book": pack.constitution.text,
        "story": pack.story.text,
        "needs": pack.needs(plan).text,
        "planner": for_planner(pack),
    }
    for part, text in size.items():
        fixed = 3_500 if part == "book" and not model.small else 400
        assert estimate_tokens(text, model) <= MOST[part] * 1.25 + fixed, part
    assert sum(estimate_tokens(t, model) for t in size.values()) < model.window * 0.8


def grown(last: int) -> dict[int, Delta]:
    """A book in which every chapter tells about as much as every other."""
    return {
        n: Delta(
            summary=f"第{n:04d}天，他过了河，换了船，又丢了一样东西，天黑才到。" * 2,
            time=f"第{n:04d}天",
            facts=[
                Fact(about=f"渡口{n:04d}", says="水深三尺，桥断了", quote="水深三尺") for _ in "ab"
            ],
            hooks=[
                HookEvent(id="new", do="plant", promise=f"渡口{n:04d}的船是谁沉的？", quote="沉")
            ],
        )
        for n in range(1, last + 1)
    }


def test_chapter_600_costs_what_chapter_60_costs(tmp_path: Path) -> None:
    prose = {n: f"渡口{n:04d}。他等了一天，船没有来，天上下着雨。" * 9 for n in range(1, 600)}
    book = Planted("zh", grown(599), prose).write(tmp_path, 599)
    plan = Plan(purpose="他回到渡口0007，去找渡口0033沉掉的船", scenes=[Scene(want="过河")])
    model = Profile(window=128_000)
    sizes = [
        estimate_tokens(shared(pack, plan) + for_planner(pack), model)
        for pack in (pack_of(book, number, profile=model) for number in (60, 600))
    ]
    assert sizes[1] <= 1.05 * sizes[0]


def state_of(last: int) -> State:
    summaries = tuple(
        Summary(number=n, title=f"T{n}", text=f"第{n}章的大事。后面还有。")
        for n in range(1, last + 1)
    )
    facts = tuple(
        FactState(about="a", says=f"{n}", chapter=n, quote=f"第{n}句话")
        for n in range(1, last + 1)
        for _ in range(2 if n % 5 == 0 else 1)
    )
    hook = Hook(id="H1", promise="?", status="paid", planted=3, quote="钟响了", last=17)
    return State(number=last, summaries=summaries, facts=facts, hooks={"H1": hook})


def test_an_arc_is_folded_into_its_weightiest_chapters_each_with_its_sentence() -> None:
    fold = Fold(state_of(30), "zh")
    tier = fold.arc(Arc(1, 10, "渡河"), before=25)
    assert tier is not None and (tier.first, tier.last, tier.title) == (1, 10, "渡河")
    assert "第3章的大事（第 3 章：「钟响了」）。" in tier.text
    assert "第10章的大事（第 10 章：「第10句话」）。" in tier.text, "the last one is among them"
    assert "第5章的大事" in tier.text and "第2章的大事" not in tier.text
    assert "后面还有" not in tier.text
    cut = fold.arc(Arc(1, 10), before=4)
    assert cut is not None and cut.last == 3 and "第5章" not in cut.text
    assert fold.arc(Arc(40, 50), before=60) is None


def test_a_volume_is_folded_from_its_arcs_and_a_models_summary_stands_instead() -> None:
    fold = Fold(state_of(30), "zh", {(1, 10): "他过了河（第 3 章）。"})
    tier = fold.volume(Volume("卷一", (Arc(1, 10), Arc(11, 20), Arc(21, 30))))
    assert tier is not None and tier.text.count("的大事") == 3
    assert "第17章的大事" in tier.text, "a hook was paid there"
    arc = fold.arc(Arc(1, 10), before=25)
    assert arc is not None and arc.text == "他过了河（第 3 章）。"


def test_chapters_beyond_the_outline_are_divided_evenly() -> None:
    text = "## 第 1 卷 河（第 1-12 章）\n\n### 渡口（第 1-5 章）\n\n### 断桥（第 6-12 章）\n"
    known = volumes(text)
    assert known == [Volume("第 1 卷 河", (Arc(1, 5, "渡口"), Arc(6, 12, "断桥")))]
    spans = [(v.first, v.last) for v in divided(known, 70)]
    assert spans == [(1, 12), (13, 62), (63, 112)]


def test_recent_chapters_are_told_whole_older_by_arc_and_the_oldest_by_volume(
    tmp_path: Path,
) -> None:
    arcs = "".join(f"### 段{n}（第 {n * 10 - 9}-{n * 10} 章）\n\n" for n in range(1, 9))
    first, second = arcs.split("### 段5")
    outline = f"# 大纲\n\n## 上卷（第 1-40 章）\n\n{first}## 下卷（第 41-80 章）\n\n### 段5{second}"
    deltas = {n: Delta(summary=f"第{n}章的大事。细节{n}。") for n in range(1, 70)}
    book = Planted("zh", deltas, files={"outline.md": outline}).write(tmp_path, 69)
    told = pack_of(book, 70).story.text
    assert all(f"细节{n}" in told for n in range(64, 70))
    assert "细节63" not in told and "第63章的大事" in told
    assert "第 41-50 章《段5》：" in told and "第 1-40 章《上卷》：" in told
    assert "段2" not in told
    assert told.index("上卷") < told.index("段5") < told.index("细节64")
    assert "细节60" not in told + pack_of(book, 50).story.text
