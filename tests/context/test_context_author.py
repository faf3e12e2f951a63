"""What the author pins, keeps out, times and shares between books."""

from pathlib import Path

import pytest
from planted import Planted, for_planner, pack_of, shared

from zencli.context.author_notes import Span, chapters_named, timed_notes
from zencli.context.series import joined, merged
from zencli.errors import DamagedError
from zencli.story.book import Language
from zencli.story.delta import CharacterChange, Delta, Fact, HookEvent, ItemEvent
from zencli.story.plan import Plan, Scene

PINS: dict[Language, str] = {
    "zh": "# 规则\n\n## 不许\n\n- 不许起死回生\n\n"
    "## 钉住\n\n- 铜铃只有三只\n- 城门锁着（第 10-20 章）\n"
    "- 雪封了山（第 15 章起）\n- 老王还活着（到第 12 章）\n",
    "en": "# Rules\n\n## Never\n\n- No rising from the dead\n\n"
    "## Pinned\n\n- There are three bells\n- The gate is locked (chapters 10-20)\n"
    "- Snow shuts the pass (from chapter 15)\n"
    "- Old Wat is alive (until chapter 12)\n",
}
FACTS = {
    "zh": ("铜铃只有三只", "城门锁着", "雪封了山", "老王还活着"),
    "en": (
        "There are three bells",
        "The gate is locked",
        "Snow shuts the pass",
        "Old Wat is alive",
    ),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_pinned_facts_go_in_for_their_chapters_and_the_system_message_stays(
    tmp_path: Path, language: Language
) -> None:
    book = Planted(language, files={"rules.md": PINS[language]}).write(tmp_path, 24)
    systems = set()
    for number, expected in ((5, "1001"), (11, "1101"), (16, "1110"), (25, "1010")):
        pack = pack_of(book, number)
        systems.add(pack.constitution.text)
        told = [line.removeprefix("- ") for line in pack.story.text.splitlines()]
        assert "".join(str(int(fact in told)) for fact in FACTS[language]) == expected, number
        kept = next(s for s in pack.story.sections if s.name == "pinned")
        assert kept.why == "pinned by the author"
    (system,) = systems
    assert not any(fact in system for fact in FACTS[language])
    assert "Pinned" not in system and "钉住" not in system
    assert ("起死回生" if language == "zh" else "rising from the dead") in system


def test_a_fact_may_be_pinned_on_a_card_and_isnt_told_with_it_again(tmp_path: Path) -> None:
    card = "# 沈砚\n\n- 身份：账房\n- 钉住：左手只有四指（第 3 章起）\n\n沉默的人。\n"
    book = Planted(files={"characters/s.md": card}).write(tmp_path, 5)
    told = shared(pack_of(book, 6), Plan(cast=["沈砚"]))
    assert told.count("左手只有四指") == 1 and "- 沈砚：左手只有四指" in told
    assert "沉默的人" in told and "钉住：" not in told
    assert "四指" not in shared(pack_of(book, 2), Plan(cast=["沈砚"]))


def test_pinned_facts_are_never_cut(tmp_path: Path) -> None:
    facts = [f"第{n}件事钉在这里，一个字也不能少" for n in range(300)]
    rules = "# 规则\n\n## 钉住\n\n" + "".join(f"- {fact}\n" for fact in facts)
    book = Planted(files={"rules.md": rules}).write(tmp_path, 2)
    told = pack_of(book, 3).story.text
    assert all(fact in told for fact in facts)


def test_what_is_kept_out_is_nowhere(tmp_path: Path) -> None:
    delta = Delta(
        summary="裴照烧了粮仓。",
        characters=[CharacterChange(name="裴照", place="粮仓", quote="x")],
        items=[ItemEvent(owner="裴照", item="火镰", quote="x")],
        facts=[
            Fact(about="粮仓", says="烧了", quote="x"),
            Fact(about="桥", says="断了", quote="x"),
        ],
        hooks=[HookEvent(id="new", do="plant", promise="谁指使的？", quote="x")],
    )
    files = {
        "characters/p.md": "# 裴照\n\n- 别名：小裴\n\n独眼。\n",
        "secrets.md": "# 底牌\n\n## S1\n\n内鬼是他。\n",
        "story_bible.md": "# 长河\n\n## 方位\n\n山在北。\n\n"
        "## 场所\n\n- 粮仓：城东\n- 桥头：城西\n",
        "rules.md": "# 规则\n\n## 不放进来\n\n- 裴照（第 3-9 章）\n- 粮仓（第 3-9 章）\n"
        "- H1（第 3-9 章）\n- S1（第 3-9 章）\n- 第 2 章（第 3-9 章）\n- 方位\n",
    }
    book = Planted(deltas={2: delta}, prose={2: "裴照点着了粮仓。"}, files=files).write(
        tmp_path, 12
    )
    plan = Plan(purpose="小裴回到粮仓，桥断了", scenes=[Scene(where="粮仓", who=["裴照"])])
    out, back = (pack_of(book, number) for number in (5, 13))
    hidden = ("独眼", "火镰", "谁指使的？", "城东", "裴照烧了粮仓", "裴照点着了", "粮仓：烧了")
    assert [word for word in hidden if word in shared(out, plan)] == []
    assert "内鬼是他" not in for_planner(out) and "桥：断了" in shared(out, plan)
    assert [word for word in hidden if word not in shared(back, plan)] == []
    assert "内鬼是他" in for_planner(back)
    assert "山在北" not in out.constitution.text + back.constitution.text


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("第 10-40 章", Span(10, 40)),
        ("第十章到第二十章", Span(10, 20)),
        ("从第 7 章起", Span(7)),
        ("到第 9 章为止", Span(0, 9)),
        ("第 3 章", Span(3, 3)),
        ("chapters 10-40", Span(10, 40)),
        ("chapters three to five", Span(3, 5)),
        ("from chapter 7 on", Span(7)),
        ("until chapter 9", Span(0, 9)),
        ("Chapter 3", Span(3, 3)),
        ("第 40-10 章", None),
        ("chapters many", None),
        ("章", None),
    ],
)
def test_chapters_are_named_in_both_languages(words: str, span: Span | None) -> None:
    assert chapters_named(words) == span


def test_notes_of_the_focus_are_open_counted_or_dated() -> None:
    text = (
        "# 方向\n\n多写市井。\n\n- 接下来三章：查账\n  一页一页地查\n- 第 12-14 章：下雨\n"
        "- for the next 2 chapters: go slow\n- Chapter 9: a wedding\n- 提醒：第一章很好\n"
    )
    notes = {note.text: note for note in timed_notes(text)}
    assert notes["查账\n一页一页地查"].length == 3 and notes["go slow"].length == 2
    assert notes["下雨"].span == Span(12, 14) and notes["a wedding"].span == Span(9, 9)
    (free,) = (note.text for note in notes.values() if note.open)
    assert "多写市井。" in free and "提醒：第一章很好" in free and "查账" not in free


def test_an_open_note_is_for_the_chapters_to_come_and_a_dated_one_for_its_own(
    tmp_path: Path,
) -> None:
    text = "# 方向\n\n快一点。\n\n- 第 4-5 章：下雨\n"
    book = Planted(files={"focus.md": text}).write(tmp_path, 8)
    told = {number: pack_of(book, number).story.text for number in (3, 4, 5, 6, 9)}
    assert [n for n, story in told.items() if "下雨" in story] == [4, 5]
    assert [n for n, story in told.items() if "快一点" in story] == [9]


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("rules.md", "# 规则\n\n## 钉住\n\n- 甲\n- 乙（第 9-3 章）\n", "rules.md, line 6"),
        ("rules.md", "# Rules\n\n## Keep out\n\n- H1 (chapters some)\n", "rules.md, line 5"),
        ("focus.md", "# F\n\n- 接下来0章：快\n", "focus.md, line 3"),
        ("focus.md", "# F\n\nchapters 9-3: rain\n", "focus.md, line 3"),
        ("characters/a.md", "# 甲\n\n- 钉住：死了（第 9-3 章）\n", "the card of 甲"),
    ],
)
def test_chapters_that_cannot_be_read_are_one_clear_error(
    tmp_path: Path, name: str, text: str, where: str
) -> None:
    book = Planted(files={name: text}).write(tmp_path, 1)
    with pytest.raises(DamagedError) as raised:
        pack_of(book, 2)
    assert raised.value.code == "book.damaged"
    assert where in raised.value.message and "chapters" in raised.value.message


# --- a bible shared by several books -----------------------------------------------------------


SHARED = """# 九州

## 世界与规则

- 灵气：月圆时最盛
- 境界：三重

## 方位

海在东。
"""


def test_a_series_is_read_before_the_book_and_the_books_entries_override(tmp_path: Path) -> None:
    own = "# 长河\n\n## 世界与规则\n\n- 境界：九重\n- 河：向北流\n"
    book = Planted(files={"story_bible.md": own}, settings=['series = "jiuzhou"']).write(
        tmp_path, 1
    )
    series = tmp_path / "series" / "jiuzhou"
    (series / "characters").mkdir(parents=True)
    (series / "story_bible.md").write_text(SHARED, encoding="utf-8")
    (series / "rules.md").write_text("# 规则\n\n## 不许\n\n- 凡人不能飞\n", encoding="utf-8")
    (series / "secrets.md").write_text("# 底牌\n\n## S9\n\n天是假的。\n", encoding="utf-8")
    (series / "characters" / "x.md").write_text("# 云游子\n\n爱喝酒。\n", encoding="utf-8")
    Planted.put(book, "characters/y.md", "# 沈砚\n\n账房。\n")
    pack = pack_of(book, 2)
    told = shared(pack, Plan(cast=["云游子", "沈砚"]))
    for words in (
        "月圆时最盛",
        "境界：九重",
        "河：向北流",
        "海在东",
        "凡人不能飞",
        "爱喝酒",
        "账房",
    ):
        assert words in told, words
    assert "三重" not in told and "天是假的" in for_planner(pack)
    (series / "characters" / "z.md").write_text("# 沈砚\n\n皇帝。\n", encoding="utf-8")
    told = shared(pack_of(book, 2), Plan(cast=["沈砚"]))
    assert "账房" in told and "皇帝" not in told
    assert "云游子" in pack_of(book, 2).state.characters


@pytest.mark.parametrize("name", ["nowhere", "../books", "a/b", "."])
def test_a_series_that_does_not_exist_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    book = Planted(settings=[f'series = "{name}"']).write(tmp_path, 1)
    with pytest.raises(DamagedError, match=r"book\.toml, line \d+: series") as raised:
        pack_of(book, 2)
    assert raised.value.exit_code == 8


def test_two_files_are_merged_by_heading_and_entry() -> None:
    own = "# B\n\n开头。\n\n## 方位\n\n海在西。\n\n## 新\n\n- 甲\n"
    assert merged(SHARED, own) == (
        "# B\n\n开头。\n\n## 世界与规则\n\n- 灵气：月圆时最盛\n- 境界：三重\n\n"
        "## 方位\n\n海在西。\n\n## 新\n\n- 甲\n"
    )
    assert merged(SHARED, "") == SHARED and merged("", own) == own
    assert joined("# T\n\n- 一年：雨\n", "# 时间线\n\n- 二年：旱\n- 一年：雨\n") == (
        "# 时间线\n\n- 一年：雨\n- 二年：旱\n"
    )
