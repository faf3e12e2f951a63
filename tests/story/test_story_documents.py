"""The book's own files: what is written is read back, and nothing an author types breaks them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.documents import bible
from zencli.story.documents.cards import parse_card, render_card
from zencli.story.documents.outline import (
    amend,
    arc_of,
    arcs,
    around,
    entries,
    insert_entries,
    render_outline,
)
from zencli.story.documents.plan import parse_plan, render_plan
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.foundation import (
    Arc,
    Cast,
    Character,
    ClueStep,
    Concept,
    FirstHook,
    Happening,
    HookMark,
    OutlineEntry,
    Secret,
    Structure,
    Volume,
)
from zencli.story.plan import Amendment, Clue, HookStep, Plan, Scene
from zencli.story.state import CharacterState, Hook, State

languages = st.sampled_from(["zh", "en"])
LETTERS = "甲乙水abC1 2。，：:#*-_—“”（）()?？!\n\t\u3000"
lines = st.text(LETTERS, max_size=12).map(markdown.one_line)
"""One line of what a model or an author may write, punctuation of Markdown included."""
named = st.text("甲乙丙水石abC1 ·", min_size=1, max_size=6).map(markdown.one_line).filter(bool)
"""A name: no separator of lists in it."""
filled = lines.filter(bool)
ids = st.sampled_from(["C1", "H2", "new", ""])

plans = st.builds(
    Plan,
    title=named,
    purpose=lines,
    choice=lines,
    stakes=lines,
    ending=lines,
    scenes=st.lists(
        st.builds(
            Scene,
            where=lines,
            when=lines,
            who=st.lists(named, max_size=2),
            want=lines,
            turn=lines,
            leaves=lines,
            words=st.integers(0, 9999),
        ),
        max_size=3,
    ),
    clues=st.lists(st.builds(Clue, id=ids, what=filled, inside=lines), max_size=2),
    hooks=st.lists(
        st.builds(
            HookStep,
            id=ids,
            do=st.sampled_from(["plant", "advance", "pay", "defer", "drop"]),
            how=lines,
        ),
        max_size=2,
    ),
    keep=st.lists(filled, max_size=2),
    hold_back=st.lists(filled, max_size=2),
    leave=st.lists(filled, max_size=2),
    amend=st.lists(st.builds(Amendment, chapter=st.integers(1, 9999), change=filled), max_size=2),
    new=st.lists(filled, max_size=2),
    new_terms=st.lists(filled, max_size=2),
    details=st.lists(filled, max_size=2),
    cast=st.lists(named, max_size=3),
)


@given(plans, languages)
@settings(max_examples=150)
def test_a_plan_is_read_back_as_it_was_written(plan: Plan, language: Language) -> None:
    assert parse_plan(render_plan(7, plan, language)) == plan


def test_a_plan_in_free_words_is_its_purpose() -> None:
    fields = "- 出场：祝满、葛顺\n- 停在：灯灭\n"
    plan = parse_plan(f"# 湿脚\n\n她先下石阶。\n\n## 想法\n\n不许下雨。\n\n{fields}")
    assert (plan.title, plan.ending, plan.cast) == ("湿脚", "灯灭", ["祝满", "葛顺"])
    assert "她先下石阶。" in plan.purpose
    assert "不许下雨。" in plan.purpose


def test_a_plan_may_use_the_words_of_either_language() -> None:
    scene = "## Scene\n\n- 地点：桥\n- Words: about 900\n"
    plan = parse_plan(f"- What gets done: she lies\n- 停在：灯灭\n\n{scene}")
    assert (plan.purpose, plan.ending) == ("she lies", "灯灭")
    assert [(s.where, s.words) for s in plan.scenes] == [("桥", 900)]


@given(named, st.lists(named, max_size=2), lines, lines, st.lists(filled, max_size=3), languages)
def test_a_card_is_read_back_as_it_was_written(
    name: str, aliases: list[str], role: str, start: str, card: list[str], language: Language
) -> None:
    text = "\n\n".join(f"他{line}" for line in card)
    character = Character(name=name, aliases=aliases, role=role, start=start, card=text)
    assert parse_card(render_card(character, language)) == character


secrets = st.builds(
    Secret,
    truth=filled.map(lambda text: f"真{text}"),
    who_knows=lines,
    hinted_from=st.integers(0, 999),
    proved_from=st.integers(0, 999),
)


@given(st.lists(secrets, max_size=3), st.lists(named, max_size=2, unique=True), languages)
def test_secrets_are_read_back_with_their_bounds(
    told: list[Secret], people: list[str], language: Language
) -> None:
    concept = Concept(secrets=told, ending="都还了。")
    cast = Cast(
        characters=[Character(name=name, secret="瞒着") for name in people],
        hooks=[FirstHook(id="H1", promise="谁？", answer="他")],
    )
    found = bible.parse_secrets(bible.render_secrets(concept, cast, language))
    known = [(s.text, s.who_knows, s.hinted_from, s.proved_from) for s in found[: len(told)]]
    assert known == [(s.truth, s.who_knows, s.hinted_from, s.proved_from) for s in told]
    assert [s.text for s in found[len(told) :]] == ["都还了。", *["瞒着"] * len(people), "他"]
    assert [s.heading for s in found[len(told) + 1 :]] == [*people, "H1"]
    shown = bible.secret_lines(found, language)
    assert all(secret.truth in line for secret, line in zip(told, shown, strict=False))


@st.composite
def outlines(draw: st.DrawFn) -> tuple[Structure, list[OutlineEntry]]:
    """Volumes whose arcs tile, and entries for some of their chapters."""
    titles = lines | st.sampled_from(["1937-1945", "第 3-4 天", "1-2", "chapters 5-6"])
    first, volumes = 1, []
    for _ in range(draw(st.integers(1, 2))):
        made = []
        for _ in range(draw(st.integers(1, 3))):
            last = first + draw(st.integers(0, 9))
            made.append(Arc(title=draw(titles), first=first, last=last, promise=draw(lines)))
            first = last + 1
        volumes.append(Volume(title=draw(lines), arcs=made))
    numbers = draw(st.sets(st.integers(1, first - 1), max_size=4))
    detailed = [
        OutlineEntry(
            number=number,
            when=draw(lines),
            event=draw(filled),
            scenes=draw(st.lists(filled, max_size=2)),
            clues=[ClueStep(id="C1", do="露面", what=draw(filled))],
            hooks=[HookMark(id="H1", do="pay")],
        )
        for number in sorted(numbers)
    ]
    return Structure(volumes=volumes), detailed


@given(outlines(), languages)
@settings(max_examples=100)
def test_an_outline_is_read_back_with_its_arcs_and_chapters(
    given_outline: tuple[Structure, list[OutlineEntry]], language: Language
) -> None:
    structure, detailed = given_outline
    text = render_outline(structure, detailed, language)
    spans = [(arc.first, arc.last) for volume in structure.volumes for arc in volume.arcs]
    assert [(first, last) for first, last, _ in arcs(text)] == spans
    assert sorted(entries(text)) == [entry.number for entry in detailed]
    for entry in detailed:
        assert entry.event in entries(text)[entry.number]
        arc = arc_of(text, entry.number)
        assert arc is not None
        assert arc[0] <= entry.number <= arc[1]
        assert entry.event in around(text, entry.number)


@given(outlines(), languages, st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_chapters_inserted_later_stand_where_they_would_have_stood(
    given_outline: tuple[Structure, list[OutlineEntry]], language: Language, random: object
) -> None:
    structure, detailed = given_outline
    early = detailed[::2]
    text = render_outline(structure, early, language)
    later = [entry for entry in detailed if entry not in early]
    whole = insert_entries(text, later, language)
    assert entries(whole) == entries(render_outline(structure, detailed, language))
    assert list(entries(whole)) == [entry.number for entry in detailed]
    assert arcs(whole) == arcs(text)


@given(outlines(), languages, filled)
@settings(max_examples=60)
def test_an_amendment_is_noted_once_under_its_chapter_only(
    given_outline: tuple[Structure, list[OutlineEntry]], language: Language, change: str
) -> None:
    structure, detailed = given_outline
    text = render_outline(structure, detailed, language)
    assert amend(text, 9999, change, language) == text
    for entry in detailed:
        once = amend(text, entry.number, change, language)
        assert amend(once, entry.number, change, language) == once
        before, after = entries(text), entries(once)
        assert change in after[entry.number]
        assert {n for n in before if before[n] != after[n]} == {entry.number}


MARKDOWN = [
    "# 标题",
    "## ",
    "## 场景",
    "## Secrets #",
    "### 第 1-12 章",
    "### 12-1",
    "#### 第 999999 章",
    "#### 第 9999999 章",
    "#### Chapter 3",
    "- 出场：",
    "- 线索：C1 | 甲",
    "- 线索：|||",
    "- 悬念：| |",
    "- 悬念：H1",
    "- 改动：3 | 甲",
    "- 字数：9999999999999999999999",
    "- 线索起于：第 999999999 章",
    "  - 缩进",
    "\t续行",
    "- ",
    "*",
    "> 引文",
    "```",
    "---",
    "| a | b |",
    "\u2028",
    "\x0b\x0c\x1c\x85",
    "",
]
typed = st.lists(st.sampled_from(MARKDOWN) | st.text(max_size=15), max_size=12).map("\n".join)


@given(typed, st.integers(0, 20), languages)
@settings(max_examples=200)
def test_whatever_an_author_types_never_raises(text: str, number: int, language: Language) -> None:
    plan = parse_plan(text)
    parse_plan(render_plan(number, plan, language))
    card = parse_card(text)
    parse_card(render_card(card, language))
    bible.secret_lines(bible.parse_secrets(text), language)
    for read in (
        bible.bible_for_prompt,
        bible.for_prompt,
        bible.places,
        bible.timeline_lines,
        bible.banned_phrases,
        markdown.first_heading,
        markdown.body,
        markdown.bullets,
        markdown.without_empty_sections,
    ):
        read(text)
    arcs(text)
    around(text, number)
    new = OutlineEntry(number=number, event="新事")
    assert number in entries(insert_entries(text, [new], language))
    amend(text, number, "改", language)


@given(typed, st.integers(1, 20), languages)
@settings(max_examples=100)
def test_inserting_chapters_loses_nothing_that_the_author_wrote(
    text: str, number: int, language: Language
) -> None:
    new = OutlineEntry(number=number, event="新事")
    after = insert_entries(text, [new], language).split("\n")
    mine = [line.strip() for line in text.splitlines() if line.strip()]
    rest = iter([line.strip() for line in after])
    assert all(line in rest for line in mine), "in their order"


def test_a_heading_that_ends_in_a_sharp_keeps_it() -> None:
    assert markdown.first_heading("# C#\n") == "C#"
    assert markdown.first_heading("# Part One ##\n") == "Part One"


def test_sections_without_content_are_not_shown() -> None:
    text = "# 规则\n\n## 不许\n\n### 空\n\n## 禁用词句\n\n- 甲\n\n## 完\n"
    assert markdown.without_empty_sections(text) == "# 规则\n\n## 禁用词句\n\n- 甲"


def test_the_banned_phrases_of_the_author_are_read_verbatim() -> None:
    concept = Concept(pov="限知", forbidden=["不许下雨"])
    for language in ("zh", "en"):
        text = bible.render_rules(concept, language)
        assert bible.banned_phrases(text) == []
        assert bible.banned_phrases(f"{text}\n- 不是……而是\n- “晓得嘞”\n") == [
            "不是……而是",
            "“晓得嘞”",
        ]


def test_a_timeline_shows_when_what_and_who() -> None:
    happenings = [Happening(when="初八", what="水涨", who=["祝满", "葛顺"]), Happening(what="退")]
    text = bible.render_timeline(happenings, "zh")
    assert bible.timeline_lines(text) == ["初八：水涨（祝满、葛顺）", "退"]


def test_the_bible_of_a_prompt_has_no_places_and_no_title() -> None:
    text = bible.render_bible("书", Concept(logline="一句", places=["桥：南北向"]), "zh")
    assert bible.places(text) == ["桥：南北向"]
    shown = bible.bible_for_prompt(text)
    assert "一句" in shown
    assert "桥" not in shown
    assert "# 书" not in shown


@pytest.mark.parametrize("language", ["zh", "en"])
def test_views_show_every_person_and_hook(language: Language) -> None:
    state = State(
        number=2,
        time="初九",
        characters={"祝满": CharacterState(name="祝满", as_of=2, place="桥上", status="活着")},
        hooks={"H1": Hook(id="H1", promise="谁？", planted=1, due=3, clues=("湿脚",))},
    )
    shown = render_state(state, language)
    assert all(word in shown for word in ("初九", "祝满", "桥上", "活着"))
    hooks = render_hooks(state.hooks, language)
    assert all(word in hooks for word in ("H1", "谁？", "湿脚"))
