"""Faults planted into sound prose, each with its twin on the other side of the threshold."""

from collections.abc import Callable

import pytest

from zencli.prose.checks import CHECKS, CheckContext, run_checks
from zencli.prose.fingerprint import fingerprint
from zencli.prose.standing import Standing, standing
from zencli.prose.wordlists import Words
from zencli.story.book import Language
from zencli.story.findings import Finding
from zencli.story.foundation import Character
from zencli.story.plan import HookStep, Plan, Scene
from zencli.story.state import CharacterState, Hook, ItemState, State

Prose = Callable[..., str]


def found(text: str, language: Language, check: str, **given: object) -> list[Finding]:
    """What one check says of a text; every quote stands in it."""
    others = frozenset(CHECKS.keys() - {check})
    values: dict[str, object] = {"number": 20, "target_words": 0, "disabled": others, **given}
    findings = run_checks(text, CheckContext(language=language, **values))  # type: ignore[arg-type]
    assert all(f.quote in text and f.dimension == check for f in findings)
    assert all(f.description and f.suggestion for f in findings)
    return findings


def severities(text: str, language: Language, check: str, **given: object) -> list[str]:
    return [f.severity for f in found(text, language, check, **given)]


def within(prose: Prose, language: Language, *paragraphs: str, sentences: int = 60) -> str:
    """The paragraphs in the middle of sound prose."""
    middle = "\n\n".join(paragraphs)
    return f"{prose(language, sentences)}\n\n{middle}\n\n{prose(language, sentences, seed=2)}"


# --- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentence", "few", "some", "many"),
    [
        ("zh", "他{}走开。", 4, 6, 12),
        ("en", "He {} left.", 4, 6, 12),
    ],
)
def test_a_word_used_until_it_tires(
    prose: Prose, language: Language, sentence: str, few: int, some: int, many: int
) -> None:
    word = "缓缓" if language == "zh" else "suddenly"
    text = prose(language, 100)

    def used(times: int) -> list[str]:
        planted = sentence.format(word) * times
        return severities(f"{text}\n\n{planted}", language, "fatigue-words")

    assert (used(few), used(some), used(many)) == ([], ["info"], ["warning"])


def test_words_of_a_genre_tire_only_there(prose: Prose) -> None:
    text = within(prose, "zh", "蝼蚁。" * 12)
    assert severities(text, "zh", "fatigue-words", genre="玄幻") == ["warning"]
    assert severities(text, "zh", "fatigue-words", genre="romance") == []


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [("zh", "一股", "一股脑"), ("zh", "不禁", "不禁止"), ("en", "jaw", "jawbone")],
)
def test_words_are_whole_words(prose: Prose, language: Language, word: str, other: str) -> None:
    stop = "。" if language == "zh" else ". "
    assert severities(within(prose, language, f"{word}{stop}" * 20), language, "fatigue-words")
    assert not severities(within(prose, language, f"{other}{stop}" * 20), language, "fatigue-words")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_author_adds_and_takes_out_words(prose: Prose, language: Language) -> None:
    own, listed = ("甲板", "缓缓") if language == "zh" else ("gunwale", "suddenly")
    stop = "。" if language == "zh" else ". "
    text = within(prose, language, f"{own}{stop}" * 20, f"{listed}{stop}" * 20)
    assert len(found(text, language, "fatigue-words", words=Words(added=(own,)))) == 2
    removed = Words(removed=frozenset({listed}))
    assert found(text, language, "fatigue-words", words=removed) == []
    assert len(found(text, language, "ai-typical", words=Words(added=(own,)))) > 0


def test_turns_of_a_genre_count_only_there(prose: Prose) -> None:
    turns = ["恐怖如斯。", "气势节节攀升。", "蝼蚁。", "逆天。", "恐怖的气息。"]
    text = within(prose, "zh", *turns, sentences=20)
    assert set(severities(text, "zh", "ai-typical", genre="xuanhuan")) == {"warning"}
    assert severities(text, "zh", "ai-typical", genre="historical") == []


# --- sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentence"), [("zh", "他走到第{}道门前。"), ("en", "He came to door {}.")]
)
def test_sentences_that_begin_alike(prose: Prose, language: Language, sentence: str) -> None:
    glue = "" if language == "zh" else " "

    def row(count: int) -> str:
        return within(prose, language, glue.join(sentence.format(n) for n in range(count)))

    assert severities(row(6), language, "sentence-start") == ["warning"]
    assert severities(row(5), language, "sentence-start") == []
    spoken = "“" + glue.join(sentence.format(n) for n in range(9)) + "”"
    assert severities(within(prose, language, spoken), language, "sentence-start") == []


# --- the sample --------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_distance_to_the_sample(prose: Prose, language: Language) -> None:
    sample = fingerprint(prose(language, 500, seed=9), language)
    like = prose(language, 160, seed=10)
    even = prose(language, 400, sizes=(3,), seed=11)
    marks = ("。", "！……") if language == "zh" else (".", "!...")
    unlike = even.replace(marks[0], f"{marks[1]}\n\n")
    given = {"fingerprint": sample, "check": "style-distance"}
    assert found(like, language, **given) == []
    assert severities(unlike, language, **given) == ["warning"]
    lenient = {"style-distance.warn": 9.0}
    assert severities(unlike, language, **given, thresholds=lenient) == ["info"]
    assert found(unlike, language, "style-distance") == []
    assert found(unlike[: len(unlike) // 3], language, **given) == []


# --- point of view -----------------------------------------------------------------------------

_I = {"zh": "我推开门，门外是{}。", "en": "I opened the door upon the {}."}
_HE = {"zh": "他推开门，门外是{}。", "en": "He opened the door upon the {}."}
_THIRD = {"zh": "第三人称限知，过去时", "en": "Close third person, past tense"}
_FIRST = {"zh": "第一人称", "en": "First person"}


def told(language: Language, sentence: str, count: int) -> str:
    words = "河山云雨雪风沙石田井路桥" if language == "zh" else "abcdefghijkl"
    return "\n\n".join(sentence.format(words[n % 12]) for n in range(count))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_narration_that_says_i_in_the_third_person(prose: Prose, language: Language) -> None:
    rule = _THIRD[language]
    base = told(language, _HE[language], 60)

    def drift(count: int, view: str = rule) -> list[str]:
        text = f"{base}\n\n{told(language, _I[language], count)}"
        return severities(text, language, "pov-drift", point_of_view=view)

    assert drift(6) == ["warning"]
    assert drift(2) == []
    assert drift(6, "") == []
    assert drift(6, _FIRST[language] + "；" + rule) == []
    spoken = "\n\n".join(f"“{line}”" for line in told(language, _I[language], 9).split("\n\n"))
    text = f"{base}\n\n{spoken}"
    assert severities(text, language, "pov-drift", point_of_view=rule) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_first_person_book_whose_narrator_is_missing(language: Language) -> None:
    rule = _FIRST[language]
    third = told(language, _HE[language], 40)
    assert severities(third, language, "pov-drift", point_of_view=rule) == ["info"]
    both = f"{third}\n\n{told(language, _I[language], 2)}"
    assert severities(both, language, "pov-drift", point_of_view=rule) == []
    short = told(language, _HE[language], 20)
    assert severities(short, language, "pov-drift", point_of_view=rule) == []


@pytest.mark.parametrize(
    ("language", "mine", "other"),
    [
        ("zh", "林晚心想，灯该添油了。林晚觉得冷。", "秦山暗想，她不会来。秦山觉得饿。"),
        ("en", "Anna knew it. Anna felt cold.", "Peter thought of bread. Peter felt hungry."),
    ],
)
def test_two_heads_in_one_scene(prose: Prose, language: Language, mine: str, other: str) -> None:
    known = Standing(people=frozenset({"林晚", "秦山", "Anna", "Peter"}))

    def heads(text: str, rule: str = _THIRD[language]) -> list[str]:
        given = {"standing": known, "point_of_view": rule}
        return severities(text, language, "head-hopping", **given)

    assert heads(within(prose, language, mine, other)) == ["warning"]
    assert heads(within(prose, language, mine, "* * *", other)) == []
    stop = "。" if language == "zh" else "."
    once = other.partition(stop)[0] + stop
    assert heads(within(prose, language, mine, once)) == []
    assert heads(within(prose, language, mine, other), "第三人称全知; omniscient") == []


# --- people ------------------------------------------------------------------------------------


def stands(
    *people: tuple[str, str], plan: Plan | None = None, language: Language = "zh"
) -> Standing:
    """The story in which these people have these statuses."""
    state = State(characters={n: CharacterState(name=n, status=s) for n, s in people})
    cards = [Character(name="林晚", aliases=["阿晚"]), Character(name="Anna Vale")]
    return standing(state, cards, 20, language, plan=plan)


_ZH_DEAD = stands(("林晚", "死于水牢"), ("秦山", "在世"), ("林晚晴", "在世"))
_EN_DEAD = stands(("Anna Vale", "killed at the weir"), ("Peter", ""), language="en")


@pytest.mark.parametrize(
    ("language", "paragraph", "severity"),
    [
        ("zh", "林晚说：“走吧。”", "warning"),
        ("zh", "“走吧。”阿晚低声道。", "warning"),
        ("zh", "林晚转身走了。", "warning"),
        ("zh", "林晚说：“走。”\n\n林晚点点头。\n\n“快。”林晚喊道。", "critical"),
        ("zh", "林晚转身走了。\n\n林晚点点头。\n\n林晚站起来。", "warning"),
        ("zh", "林晚说：“走。”\n\n林晚点点头。\n\n“快。”林晚喊道。\n\n原来她没死。", "warning"),
        ("zh", "他想起那年。林晚说：“走吧。”", None),
        ("zh", "那是梦。\n\n林晚说：“走吧。”", None),
        ("zh", "林晚的坟上长了草。", None),
        ("zh", "林晚的哥哥说：“走吧。”", None),
        ("zh", "林晚晴说：“走吧。”", None),
        ("zh", "秦山说：“林晚走了。”", None),
        ("zh", "林晚躺在板上。", None),
        ("en", "“Come,” said Anna.", "warning"),
        ("en", "Anna Vale nodded and turned.", "warning"),
        ("en", "“Go,” Anna said.\n\nAnna nodded.\n\n“Go,” said Anna.", "critical"),
        ("en", "He remembered her. “Come,” said Anna.", None),
        ("en", "Anna's brother nodded.", None),
        ("en", "“Come,” said Peter. “Anna nodded to me.”", None),
        ("en", "Anna had once said it.", None),
    ],
)
def test_the_dead_speak_and_act(
    prose: Prose, language: Language, paragraph: str, severity: str | None
) -> None:
    known = _ZH_DEAD if language == "zh" else _EN_DEAD
    text = within(prose, language, paragraph)
    wanted = [severity] if severity else []
    assert severities(text, language, "dead-acting", standing=known) == wanted


@pytest.mark.parametrize(
    ("status", "dead"),
    [
        ("已死", True), ("战死", True), ("病死于狱中", True), ("dead", True),
        ("was murdered", True),
        ("", False), ("濒死", False), ("生死未卜", False), ("可能已死", False), ("诈死", False),
        ("presumed dead", False), ("half-dead", False), ("活着，怕死", False),
        ("wants him dead", False),
    ],
)  # fmt: skip
def test_who_counts_as_dead(status: str, dead: bool) -> None:
    assert ("林晚" in stands(("林晚", status)).dead) is dead


@pytest.mark.parametrize(
    ("status", "planned", "severity"),
    [
        ("失踪", False, "info"), ("被囚在水牢", False, "info"), ("失踪", True, None),
        ("在桥头", False, None), ("失踪后归来", False, None),
    ],
)  # fmt: skip
def test_absent_people_speak(
    prose: Prose, status: str, planned: bool, severity: str | None
) -> None:
    plan = Plan(scenes=[Scene(who=["林晚"])]) if planned else Plan(cast=["秦山"])
    known = stands(("林晚", status), ("秦山", ""), plan=plan)
    text = within(prose, "zh", "林晚说：“我在。”")
    wanted = [severity] if severity else []
    assert severities(text, "zh", "absent-acting", standing=known) == wanted


@pytest.mark.parametrize(
    ("language", "line", "name", "info", "warning"),
    [
        ("zh", "赵德全道：“走。”", "赵德全", 2, 6),
        ("zh", "王掌柜说：“走。”", "王掌柜", 2, 6),
        ("en", "“Go,” said Captain Holm.", "Captain Holm", 3, 8),
    ],
)
def test_names_that_nobody_knows(
    prose: Prose, language: Language, line: str, name: str, info: int, warning: int
) -> None:
    known = stands(("林晚", ""), ("Anna Vale", ""), language=language)

    def spoken(times: int, **given: object) -> list[str]:
        text = within(prose, language, *[line] * times)
        return severities(text, language, "unknown-name", **{"standing": known, **given})

    assert (spoken(info - 1), spoken(info), spoken(warning)) == ([], ["info"], ["warning"])
    assert spoken(warning, background=f"- {name}") == []
    assert spoken(warning, standing=stands((name, ""), language=language)) == []
    assert spoken(warning, standing=Standing()) == []


@pytest.mark.parametrize(
    "line", ["高声道：“走。”", "马上说：“走。”", "林晚道：“走。”", "阿晚道：“走。”", "他说：“走。”"]
)
def test_what_is_no_strange_name(prose: Prose, line: str) -> None:
    text = within(prose, "zh", *[line] * 7)
    assert found(text, "zh", "unknown-name", standing=stands(("林晚", ""))) == []


# --- numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "wrong", "right"),
    [
        ("zh", "三十加五十，一共九十。", "三十加五十，一共八十。"),
        ("zh", "先得三百两，又得二百两，共六百两。", "先得三百两，又得二百两，共五百两。"),
        ("zh", "他有十两，花去三两，还剩八两。", "他有十两，花去三两，还剩七两。"),
        ("zh", "12 + 30 = 43", "12 + 30 = 42"),
        ("zh", "力量：10 → 14（+5）", "力量：10 → 15（+5）"),
        ("zh", "生命值：130/100", "生命值：100/130"),
        ("en", "Seven plus five is thirteen.", "Seven plus five is twelve."),
        ("en", "He spent three of his ten coins, leaving six.", "He spent three of his ten coins, "
         "leaving seven."),
        ("en", "HP: 130/100", "HP: 30/100"),
        ("en", "6 x 7 = 41", "6 x 7 = 42"),
    ],
)  # fmt: skip
def test_sums_in_the_text(prose: Prose, language: Language, wrong: str, right: str) -> None:
    assert severities(within(prose, language, wrong), language, "quantities") == ["warning"]
    assert severities(within(prose, language, right), language, "quantities") == []


@pytest.mark.parametrize(
    ("language", "paragraph", "severity"),
    [
        ("zh", "林晚摸了摸，还剩五枚铜钱。", "warning"),
        ("zh", "林晚摸了摸，还剩七枚铜钱。", None),
        ("zh", "林晚用掉两枚，还剩五枚铜钱。", None),
        ("zh", "林晚买了饼，付了铜钱。\n\n林晚摸了摸，还剩五枚铜钱。", None),
        ("zh", "秦山摸了摸，还剩五枚铜钱。", None),
        ("zh", "林晚摸了摸，还剩几枚铜钱。", None),
        ("en", "Anna looked. She had only five coins.", "warning"),
        ("en", "Anna looked. She had only seven coins.", None),
        ("en", "Anna spent some. She had only five coins.", None),
    ],
)
def test_numbers_of_things_against_the_story(
    prose: Prose, language: Language, paragraph: str, severity: str | None
) -> None:
    owner, item, told = ("林晚", "铜钱", "七枚") if language == "zh" else ("Anna", "coins", "seven")
    thing = ItemState(owner=owner, item=item, as_of=3, change="gains", quantity=told)
    state = State(characters={owner: CharacterState(name=owner)}, items={"x": thing})
    known = standing(state, [], 20, language)
    text = within(prose, language, paragraph)
    wanted = [severity] if severity else []
    assert severities(text, language, "quantities", standing=known) == wanted


# --- promises ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("due", "status", "severity"),
    [
        (0, "open", None), (20, "open", None), (19, "open", "info"), (16, "advanced", "info"),
        (15, "open", "warning"), (15, "paid", None), (15, "dropped", None),
        (15, "planned", "warning"),
    ],
)  # fmt: skip
def test_hooks_whose_last_chapter_has_passed(
    prose: Prose, due: int, status: str, severity: str | None
) -> None:
    hook = Hook(id="H3", promise="谁点的灯？", due=due, status=status)  # type: ignore[arg-type]
    known = standing(State(hooks={"H3": hook}), [], 20, "zh")
    assert severities(prose("zh"), "zh", "hook-overdue", standing=known) == (
        [severity] if severity else []
    )


def test_a_hook_that_the_plan_deals_with_isnt_overdue(prose: Prose) -> None:
    hooks = {n: Hook(id=n, promise=f"{n}？", due=4) for n in ("H1", "H2")}
    plan = Plan(hooks=[HookStep(id="H1", do="pay")])
    known = standing(State(hooks=hooks), [], 20, "zh", plan=plan)
    [late] = found(prose("zh"), "zh", "hook-overdue", standing=known)
    assert "H2" in late.description
    other = standing(State(hooks=hooks), [], 20, "zh")
    both = found(prose("zh"), "zh", "hook-overdue", standing=other)
    assert len({f.id for f in both}) == 2
