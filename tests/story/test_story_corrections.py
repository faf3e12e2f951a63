"""The author's corrections: read from edited views, folded in, and told when a chapter differs."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from zencli.story.book import Language
from zencli.story.corrections import (
    FIELDS,
    AuthorCorrection,
    corrected,
    corrections_from,
    corrections_json,
    overruled,
)
from zencli.story.delta import CharacterChange, Delta, Fact, HookEvent, ItemEvent, RelationChange
from zencli.story.documents.view_entry import Unreadable
from zencli.story.documents.view_parse import hook_corrections, state_corrections
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.fold import before_chapter, canonical_names, fold, fold_on, opening_state
from zencli.story.foundation import FirstHook, Foundation, StartingCharacter
from zencli.story.state import State

FOUNDATION = Foundation(
    characters=[
        StartingCharacter(name="祝满", aliases=["阿满"], start="在桥上"),
        StartingCharacter(name="葛顺", start="在塘边"),
    ],
    hooks=[FirstHook(id="H1", promise="谁挖的塘？", due=3)],
)
NAMES = canonical_names(FOUNDATION)
FIRST = Delta(
    summary="报水。",
    time="初八",
    reader_knows="葛顺没有挖。",
    characters=[
        CharacterChange(
            name="阿满",
            status="累",
            place="桥上",
            condition="伤",
            goal="报水",
            learned=["水高", "门开"],
        )
    ],
    items=[ItemEvent(owner="阿满", item="竹竿", quantity="一根", where="墙边", quote="竿")],
    relations=[RelationChange(a="阿满", b="葛顺", now="生疏")],
    facts=[Fact(about="塘", says="矮八寸", quote="矮"), Fact(about="水", says="二则", quote="二")],
    hooks=[HookEvent(id="H1", do="plant", quote="爬不过去", clue="湿脚", kind="谜")],
)
TOLD = [(1, "报水", FIRST)]
STATE = fold(FOUNDATION, TOLD)
LANGUAGES: list[Language] = ["zh", "en"]


def edited(old: str, new: str, *, times: int = 1) -> list[AuthorCorrection]:
    """The corrections of ``state.md`` with one place changed."""
    text = render_state(STATE, "zh")
    assert text.count(old) >= 1, text
    return state_corrections(text, text.replace(old, new, times), STATE, 2, "zh")


def after(corrections: list[AuthorCorrection]) -> State:
    return corrected(STATE, corrections, NAMES)


def words(c: AuthorCorrection) -> tuple[Any, ...]:
    return c.kind, c.key, c.field, c.was, c.value


# --- what an edit of state.md means


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("所在：桥上", "所在：闸上", ("character", "祝满", "place", "桥上", "闸上")),
        ("；目标：报水", "", ("character", "祝满", "goal", "报水", None)),
        ("：累；", "：死了；", ("character", "祝满", "status", "累", "死了")),
        ("在塘边", "在牢里", ("character", "葛顺", "start", "在塘边", "在牢里")),
        ("水高；门开", "水高", ("character", "祝满", "knows", "门开", None)),
        ("水高；门开", "水高；门开；灯灭", ("character", "祝满", "knows", None, "灯灭")),
        ("，墙边）", "，河里）", ("item", "祝满\x1f竹竿", "where", "墙边", "河里")),
        ("，一根，", "，两根，", ("item", "祝满\x1f竹竿", "quantity", "一根", "两根")),
        ("（得到，", "（损坏，", ("item", "祝满\x1f竹竿", "change", "gains", "breaks")),
        ("：生疏", "：好", ("relation", "祝满\x1f葛顺", "now", "生疏", "好")),
        ("矮八寸", "矮一尺", ("fact", "塘", "says", "矮八寸", "矮一尺")),
        ("- 水：二则（第 1 章）\n", "", ("fact", "水", "says", "二则", None)),
        ("- 水：", "- 灯：灭了\n- 水：", ("fact", "灯", "says", None, "灭了")),
        ("此刻：初八", "此刻：初九", ("story", "", "time", "初八", "初九")),
        ("- 读者相信：葛顺没有挖。\n", "", ("story", "", "reader_knows", "葛顺没有挖。", None)),
        ("：报水。", "：她报了水。", ("summary", "1", "text", "报水。", "她报了水。")),
    ],
)
def test_an_edited_line_is_a_correction(old: str, new: str, expected: tuple[Any, ...]) -> None:
    found = edited(old, new)
    assert [words(c) for c in found] == [expected]
    assert [c.at for c in found] == [2]
    corrected_view = render_state(after(found), "zh")
    wanted = render_state(STATE, "zh").replace(old, new, 1)
    assert state_corrections(corrected_view, wanted, after(found), 2, "zh") == []


def test_a_new_person_and_a_removed_thing() -> None:
    added = edited("- 葛顺：", "- 焦书办：在衙门；所在：衙门\n- 葛顺：")
    assert after(added).characters["焦书办"].place == "衙门"
    assert after(added).characters["焦书办"].status == "在衙门"
    (removed,) = edited("- 祝满：竹竿（得到，一根，墙边）（第 1 章）\n", "")
    assert (removed.kind, removed.field) == ("item", "")
    assert after([removed]).items == {}


def test_the_correction_shows_when_the_view_is_rendered_again() -> None:
    for old, new in (("在塘边", "在牢里"), ("所在：桥上", "所在：闸上"), ("矮八寸", "矮一尺")):
        assert new in render_state(after(edited(old, new)), "zh")
    before = opening_state(FOUNDATION)
    text = render_state(before, "zh")
    changed = text.replace("在塘边", "在塘边；所在：木笼")
    found = state_corrections(text, changed, before, 1, "zh")
    assert "所在：木笼" in render_state(corrected(before, found, NAMES), "zh")


def test_half_width_marks_and_other_bullets_are_as_good() -> None:
    text = render_state(STATE, "zh")
    line = next(row for row in text.splitlines() if row.startswith("- 祝满（"))
    plain = line.replace("- ", "* ").replace("：", ":").replace("（", "(").replace("）", ")")
    assert state_corrections(text, text.replace(line, plain), STATE, 2, "zh") == []


def test_a_line_may_be_wrapped_and_moved() -> None:
    text = render_state(STATE, "zh")
    wrapped = text.replace("；知道：", "\n  ；知道：")
    assert state_corrections(text, wrapped, STATE, 2, "zh") == []
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("- 祝满（"))
    moved = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
    assert moved != lines
    assert state_corrections(text, "\n".join(moved), STATE, 2, "zh") == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("- 葛顺：在塘边", "- 葛顺在塘边", "no colon"),
        ("（得到，", "（偷走，", "isn't one of"),
        ("## 人物", "## 人们", "no heading"),
        ("：生疏", "：", "how they stand"),
        ("- 祝满 / 葛顺（第 1 章）：生疏", "- 祝满和葛顺：生疏", "A / B"),
        ("- 第 1 章 报水", "- 报水", "chapter"),
        ("- 此刻：初八", "- 天气：晴", "isn't known"),
        ("## 物件与数目\n", "## 物件与数目\n\n他们很好。\n", "list item"),
        ("- 葛顺：在塘边", "- 葛顺：在塘边\n- 葛顺：在牢里", "twice"),
    ],
)
def test_what_cant_be_read_is_told_with_its_line(old: str, new: str, reason: str) -> None:
    text = render_state(STATE, "zh")
    assert old in text, text
    changed = text.replace(old, new, 1)
    with pytest.raises(Unreadable, match=reason) as caught:
        state_corrections(text, changed, STATE, 2, "zh")
    differing = [
        number
        for number, (a, b) in enumerate(zip(text.split("\n"), changed.split("\n"), strict=False), 1)
        if a != b
    ]
    assert caught.value.number in (differing[0], differing[0] + 1, differing[0] + 2)


def test_a_thing_known_that_holds_the_mark_between_two_is_one() -> None:
    learned = Delta(characters=[CharacterChange(name="祝满", learned=["灯；灭"])])
    state = fold(FOUNDATION, [*TOLD, (2, "", learned)])
    text = render_state(state, "zh")
    for old, gone in (("；灯；灭", "灯；灭"), ("门开；", "门开")):
        (one,) = state_corrections(text, text.replace(old, ""), state, 3, "zh")
        assert (one.field, one.was, one.value) == ("knows", gone, None)


# --- hooks.md


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("谁挖的塘？", "塘是谁挖的？", ("hook", "H1", "promise", "谁挖的塘？", "塘是谁挖的？")),
        ("状态：未了", "状态：已还", ("hook", "H1", "status", "open", "paid")),
        ("最迟：第 3 章", "最迟：第 9 章", ("hook", "H1", "due", "3", "9")),
        ("- 最迟：第 3 章\n", "", ("hook", "H1", "due", "3", None)),
        ("- 类型：谜\n", "- 类型：物件\n", ("hook", "H1", "kind", "谜", "物件")),
        ("  - 湿脚\n", "", ("hook", "H1", "clues", "湿脚", None)),
        ("  - 湿脚", "  - 湿脚\n  - 石头", ("hook", "H1", "clues", None, "石头")),
    ],
)
def test_an_edited_hook_is_a_correction(old: str, new: str, expected: tuple[Any, ...]) -> None:
    text = render_hooks(STATE.hooks, "zh")
    assert old in text, text
    changed = text.replace(old, new)
    found = hook_corrections(text, changed, 2)
    assert [words(c) for c in found] == [expected]
    hooks = after(found).hooks
    assert hook_corrections(render_hooks(hooks, "zh"), changed, 2) == []


def test_hooks_are_added_and_removed() -> None:
    text = render_hooks(STATE.hooks, "zh")
    added = hook_corrections(text, text + "\n## H2\n\n- 期待：绳子做什么用？\n- 状态：未了\n", 2)
    assert after(added).hooks["H2"].promise == "绳子做什么用？"
    removed = hook_corrections(text, "# 悬念\n", 2)
    assert after(removed).hooks == {}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("状态：未了", "状态：忘了", 7),
        ("最迟：第 3 章", "最迟：以后", 10),
        ("- 期待：谁挖的塘？\n", "", 3),
        ("- 类型：谜", "- 颜色：红", 6),
        ("# 悬念\n", "# 悬念\n\n随便写。\n", 3),
    ],
)
def test_a_hook_that_cant_be_read_is_told_with_its_line(old: str, new: str, line: int) -> None:
    text = render_hooks(STATE.hooks, "zh")
    assert old in text, text
    with pytest.raises(Unreadable) as caught:
        hook_corrections(text, text.replace(old, new), 2)
    assert caught.value.number == line


# --- laws

plain = st.text(alphabet="甲乙丙丁戊ab", min_size=1, max_size=3)
odd = st.text(alphabet="甲乙；：:; ，,（）()/#-*第1章\t", max_size=6)

KNOWN = ["水高", "门开", "灯灭", "丙"]
"""No more than a view shows of one person."""


def deltas_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[Delta]:
    names = st.sampled_from(["祝满", "阿满", "葛顺", "晏婆"])
    change = st.sampled_from(["gains", "loses", "breaks"])
    return st.builds(
        Delta,
        summary=text,
        time=text,
        reader_knows=text,
        characters=st.lists(
            st.builds(
                CharacterChange,
                name=names,
                status=text,
                place=text,
                condition=text,
                goal=text,
                learned=st.lists(st.sampled_from(KNOWN), max_size=2),
            ),
            max_size=3,
        ),
        items=st.lists(
            st.builds(ItemEvent, owner=names, item=text, change=change, quantity=text, where=text),
            max_size=2,
        ),
        relations=st.lists(
            st.builds(RelationChange, a=names, b=st.just("邬管事"), now=text), max_size=2
        ),
        facts=st.lists(st.builds(Fact, about=text, says=text), max_size=3),
        hooks=st.lists(
            st.builds(
                HookEvent,
                id=st.sampled_from(["H1", "H2"]),
                do=st.sampled_from(["plant", "advance", "pay"]),
                promise=text,
                kind=text,
                due=st.integers(0, 9),
                clue=text,
            ),
            max_size=2,
        ),
    )


def states_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[State]:
    told = st.lists(deltas_of(text), max_size=3)
    return told.map(lambda ds: fold(FOUNDATION, [(n, f"题{n}", d) for n, d in enumerate(ds, 1)]))


@given(states_of(odd), st.sampled_from(LANGUAGES))
def test_a_view_that_wasnt_touched_has_no_difference(state: State, language: Language) -> None:
    text = render_state(state, language)
    assert state_corrections(text, text, state, 9, language) == []
    hooks = render_hooks(state.hooks, language)
    assert hook_corrections(hooks, hooks, 9) == []


@settings(max_examples=50)
@given(states_of(plain), states_of(plain), st.sampled_from(LANGUAGES))
def test_from_any_view_to_any_other_the_corrections_make_the_state(
    old: State, new: State, language: Language
) -> None:
    before, wanted = render_state(old, language), render_state(new, language)
    found = state_corrections(before, wanted, old, 9, language)
    found += hook_corrections(
        render_hooks(old.hooks, language), render_hooks(new.hooks, language), 9
    )
    made = corrected(old, found, NAMES)
    assert said(made) == said(new)


def said(state: State) -> tuple[Any, ...]:
    """All that the views show of a state, but for when each thing was last told."""
    return (
        state.time,
        state.reader_knows,
        {
            n: (
                c.status or (c.start if c.as_of == 0 else ""),
                *(c.place, c.condition, c.goal, {k.what for k in c.knows[-5:]}),
            )
            for n, c in state.characters.items()
        },
        {k: (i.change, i.quantity, i.where) for k, i in state.items.items()},
        {k: r.now for k, r in state.relations.items()},
        {(f.about, f.says) for f in state.facts},
        {(s.number, s.title, s.text) for s in state.summaries},
        {
            i: (h.promise, h.kind, h.status, h.planted, h.quote, h.due, set(h.clues))
            for i, h in state.hooks.items()
        },
    )


values = st.none() | st.sampled_from(["1", "2", "open", "gains", "别的"])
corrections = st.lists(
    st.builds(
        lambda at, kind, key, field, was, value: {
            "from": at, "kind": kind, "key": key, "field": field, "was": was, "value": value,
        },
        st.integers(0, 6),
        st.sampled_from(sorted(FIELDS)),
        st.sampled_from(["祝满", "阿满", "H1", "1", "塘", "祝满\x1f竹竿", "祝满\x1f葛顺", "新"]),
        st.sampled_from(sorted({name for names in FIELDS.values() for name in names} | {""})),
        values,
        values,
    ),
    max_size=6,
)  # fmt: skip


def usable(raw: list[dict[str, Any]]) -> list[AuthorCorrection]:
    found = []
    for one in raw:
        try:
            found.append(AuthorCorrection.model_validate(one))
        except ValidationError:
            continue
    return found


@given(corrections, st.lists(deltas_of(plain), max_size=5), st.lists(st.integers(0, 5), max_size=3))
def test_the_chapters_may_be_told_in_any_parts_with_corrections_too(
    raw: list[dict[str, Any]], ds: list[Delta], cuts: list[int]
) -> None:
    told = [(n, f"题{n}", d) for n, d in enumerate(ds, 1)]
    found = usable(raw)
    state = opening_state(FOUNDATION)
    bounds = [0, *sorted(cuts), len(told)]
    for first, last in pairwise(bounds):
        state = fold_on(state, told[first:last], NAMES, found)
    assert state == fold(FOUNDATION, told, found)


@given(corrections)
def test_corrections_are_stored_and_read_back(raw: list[dict[str, Any]]) -> None:
    found = usable(raw)
    assert list(corrections_from(corrections_json(found))) == found


# --- the fold


def place(at: int, where: str) -> AuthorCorrection:
    return AuthorCorrection(at=at, kind="character", key="阿满", field="place", value=where)


def test_a_correction_holds_from_its_chapter_on_and_not_before() -> None:
    told = [(n, "", Delta(summary=f"{n}")) for n in (1, 2, 3)]
    one = [place(3, "闸上")]
    seen = {
        n: before_chapter(fold(FOUNDATION, told[: n - 1], one), n, NAMES, one)
        .characters["祝满"]
        .place
        for n in (1, 2, 3, 4)
    }
    assert seen == {1: "", 2: "", 3: "闸上", 4: "闸上"}


def test_a_later_chapter_moves_the_story_on() -> None:
    moved = Delta(characters=[CharacterChange(name="祝满", place="河上")])
    state = fold(FOUNDATION, [*TOLD, (2, "", moved)], [place(2, "闸上")])
    assert state.characters["祝满"].place == "河上"


def test_the_summary_of_a_chapter_that_was_written_anew_isnt_the_one_corrected() -> None:
    one = AuthorCorrection(at=2, kind="summary", key="1", field="text", was="报水。", value="改。")
    assert fold(FOUNDATION, [*TOLD, (2, "", None)], [one]).summaries[0].text == "改。"
    anew = FIRST.model_copy(update={"summary": "又写了。"})
    assert fold(FOUNDATION, [(1, "", anew), (2, "", None)], [one]).summaries[0].text == "又写了。"


def told_against(one: AuthorCorrection, delta: Delta) -> list[str]:
    before = corrected(STATE, [one], NAMES)
    return overruled(before, fold_on(before, [(2, "", delta)], NAMES), [one], NAMES)


def test_a_chapter_that_says_otherwise_is_told_with_both() -> None:
    moved = Delta(characters=[CharacterChange(name="祝满", place="河上")])
    (sentence,) = told_against(place(2, "闸上"), moved)
    assert "祝满" in sentence
    assert "'闸上'" in sentence
    assert "'河上'" in sentence
    assert "chapter 2" in sentence


@pytest.mark.parametrize(
    ("one", "delta"),
    [
        ({"kind": "fact", "key": "塘", "field": "says", "was": "矮八寸"},
         Delta(facts=[Fact(about="塘", says="矮八寸", quote="x")])),
        ({"kind": "character", "key": "祝满", "field": "knows", "was": "水高"},
         Delta(characters=[CharacterChange(name="阿满", learned=["水高"])])),
        ({"kind": "item", "key": "祝满\x1f竹竿"},
         Delta(items=[ItemEvent(owner="阿满", item="竹竿", quote="x")])),
        ({"kind": "hook", "key": "H1", "field": "status", "value": "paid"},
         Delta(hooks=[HookEvent(id="H1", do="advance", quote="x")])),
        ({"kind": "story", "field": "time", "value": "初九"}, Delta(time="初十")),
    ],
)  # fmt: skip
def test_what_the_author_took_out_or_set_doesnt_change_back_in_silence(
    one: dict[str, Any], delta: Delta
) -> None:
    correction = AuthorCorrection.model_validate({"from": 2, **one})
    assert len(told_against(correction, delta)) == 1
    assert told_against(correction, Delta(summary="别的事")) == []


def test_saying_the_same_as_the_author_overrules_nothing() -> None:
    same = Delta(characters=[CharacterChange(name="祝满", place="闸上")])
    assert told_against(place(2, "闸上"), same) == []


@pytest.mark.parametrize(
    "raw",
    [
        {"kind": "hook", "key": "H1", "field": "status", "value": "vanished"},
        {"kind": "hook", "key": "H1", "field": "due", "value": "soon"},
        {"kind": "item", "key": "a\x1fb", "field": "promise", "value": "x"},
        {"kind": "fact", "key": "塘", "value": None},
        {"kind": "weather", "key": "", "field": "", "value": None},
    ],
)
def test_a_correction_that_means_nothing_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AuthorCorrection.model_validate({"from": 1, **raw})
