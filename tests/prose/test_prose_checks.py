"""Each check on both sides of its threshold, on prose that has no other fault."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.prose.checks import CHECKS, CheckContext, run_checks
from zencli.prose.count import count_words
from zencli.prose.earlier import neighbours
from zencli.prose.messages import MESSAGES
from zencli.prose.prints import prints
from zencli.prose.repeat import overlap, repetition
from zencli.prose.thresholds import THRESHOLDS
from zencli.story.book import Language
from zencli.story.findings import Finding

Prose = Callable[..., str]


def check(text: str, language: Language, **given: object) -> list[Finding]:
    values: dict[str, object] = {"number": 7, "target_words": 0, **given}
    rows = {n: prints(p, language) for n, p in enumerate(given.get("previous", ()))}  # type: ignore[arg-type]
    values["seen"] = neighbours(rows, len(rows), prints(text, language)).seen
    found = run_checks(text, CheckContext(language=language, **values))  # type: ignore[arg-type]
    assert all(finding.quote in text for finding in found)
    return found


def kinds(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.dimension, finding.severity) for finding in found]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_sound_prose_has_no_finding(prose: Prose, language: Language) -> None:
    text = "# 1\n\n" + prose(language)
    previous = [prose(language, seed=seed) for seed in range(2, 7)]
    target = count_words(text, language)
    assert check(text, language, previous=previous, target_words=target) == []


@pytest.mark.parametrize("text", ["", " \n", "# 第一章\n", "***\n"])
def test_an_empty_chapter_has_that_finding_alone(text: str) -> None:
    found = check(text, "zh", target_words=3000, banned=["章"])
    assert kinds(found) == [("empty", "critical")]
    assert found[0].scope == "structural"


@pytest.mark.parametrize(
    ("got", "severity"),
    [(29, "critical"), (31, "warning"), (69, "warning"), (70, "info"), (84, "info"), (85, None),
     (100, None), (115, None), (116, "info"), (130, "info"), (131, "warning"), (400, "warning")],
)  # fmt: skip
def test_length_against_the_bands(prose: Prose, got: int, severity: str | None) -> None:
    text = prose("zh", sentences=got // 10, sizes=(9,)) + "丁" * (got % 10)
    found = check(text, "zh", target_words=100, disabled=frozenset(CHECKS.keys() - {"length"}))
    assert kinds(found) == ([("length", severity)] if severity else [])


@pytest.mark.parametrize(
    ("end", "language", "severity"),
    [
        ("他推开门，看见", "zh", "critical"),
        ("他推开门，看见院子里站着一个不认识的人", "zh", "critical"),
        ("“我不知道", "zh", "critical"),
        ("王小二敬上", "zh", "warning"),
        ("“我不知道。", "zh", "warning"),
        ("“我不知道。”", "zh", None),
        ("他推开门——", "zh", None),
        ("他推开门……", "zh", None),
        ("*他推开门。*", "zh", None),
        ("He opened the door and saw that the yard", "en", "critical"),
        ("He opened,", "en", "critical"),
        ("Yours ever, Emma", "en", "warning"),
        ("—W. B. Yeats", "en", "warning"),
        ("“I don't know.", "en", "warning"),
        ("“I don’t know,” he said.", "en", None),
    ],
)
def test_a_text_that_stops_in_mid_sentence(
    prose: Prose, end: str, language: Language, severity: str | None
) -> None:
    found = check(f"{prose(language)}\n\n{end}\n", language)
    assert kinds(found) == ([("truncated", severity)] if severity else [])


@pytest.mark.parametrize(
    ("language", "phrase", "times", "severity"),
    [
        ("zh", "丁丑寅卯辰巳午未申酉戌亥", 10, None),
        ("zh", "丁丑寅卯辰巳午未申酉戌亥", 13, "warning"),
        ("zh", "丁丑寅卯辰巳午未申酉戌亥", 40, "critical"),
        ("en", "one two three four five six", 16, None),
        ("en", "one two three four five six", 24, "warning"),
        ("en", "one two three four five six", 70, "critical"),
    ],
)
def test_repetition_on_both_sides_of_its_limits(
    prose: Prose, language: Language, phrase: str, times: int, severity: str | None
) -> None:
    paragraphs = prose(language, sentences=200).split("\n\n")
    stop = "。" if language == "zh" else "."
    for i in range(times):
        paragraphs[i % 40] += phrase + stop if language == "zh" else f" {phrase}{stop}"
    text = "\n\n".join(paragraphs)
    found = check(text, language)
    assert kinds(found) == ([("repetition", severity)] if severity else []), repetition(
        text, language
    )


@pytest.mark.parametrize(("language", "size"), [("zh", 30), ("en", 20)])
def test_one_long_passage_said_twice_is_shown(prose: Prose, language: Language, size: int) -> None:
    text = prose(language, sentences=400)
    units = list(text[:-2]) if language == "zh" else text.split()
    glue = "" if language == "zh" else " "
    stop = "。" if language == "zh" else "."
    again = glue.join([u for u in units if u not in "。\n"][15 : 15 + size])
    short = glue.join([u for u in units if u not in "。\n"][15 : 14 + size])
    again, short = (s if s.endswith(".") else s + stop for s in (again, short))
    found = check(f"{text}\n\n{again}", language)
    assert kinds(found) == [("repetition", "warning")]
    assert found[0].scope == "local"
    assert check(f"{text}\n\n{short}", language) == []


@pytest.mark.parametrize(
    ("language", "copied", "severity"),
    [("zh", 25, None), ("zh", 60, "warning"), ("zh", 200, "critical"),
     ("en", 12, None), ("en", 30, "warning"), ("en", 120, "critical")],
)  # fmt: skip
def test_overlap_on_both_sides_of_its_limits(
    prose: Prose, language: Language, copied: int, severity: str | None
) -> None:
    earlier = prose(language, seed=2)
    if language == "zh":
        passage = earlier.replace("\n", "")[300 : 300 + copied] + "。"
    else:
        passage = " ".join(earlier.split()[300 : 300 + copied]) + "."
    text = f"{passage}\n\n{prose(language)}"
    found = check(text, language, previous=[prose(language, seed=3), earlier])
    assert kinds(found) == ([("overlap", severity)] if severity else []), overlap(
        text, [earlier], language
    )


def test_a_sentence_in_three_chapters_is_listed(prose: Prose) -> None:
    line = "山下那条河一直流到看不见。"
    previous = [f"{line}\n\n{prose('zh', seed=seed)}" for seed in (2, 3)]
    text = prose("zh").replace("。", "。" + line, 1)
    [finding] = check(text, "zh", previous=previous)
    assert (finding.dimension, finding.severity, finding.quote) == ("reused-sentence", "info", line)
    assert check(text, "zh", previous=previous[:1]) == []


@pytest.mark.parametrize(
    ("language", "turn"), [("zh", "他倒吸一口凉气。"), ("en", "It was a testament to love.")]
)
def test_stock_turns_over_the_limit_are_shown_one_by_one(
    prose: Prose, language: Language, turn: str
) -> None:
    paragraphs = prose(language).split("\n\n")
    glue = "" if language == "zh" else " "
    for i in range(4):
        paragraphs[i] += glue + turn
    text = "\n\n".join(paragraphs)
    few = check(text, language, disabled=frozenset({"repetition"}))
    assert few == []
    varied = {
        "zh": "他瞳孔骤缩。\n\n空气仿佛凝固了。\n\n他嘴角勾起。\n\n他若有所思。",
        "en": "Something shifted.\n\nShe couldn't help but cry.\n\nHe let out a breath.",
    }[language]
    more = check(f"{text}\n\n{varied}", language, disabled=frozenset({"repetition"}))
    assert set(kinds(more)) == {("ai-typical", "warning")}
    assert turn in {finding.quote for finding in more}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("sizes", "even"), [((10, 22), True), ((10, 30), False)])
def test_sentences_of_even_length(
    prose: Prose, language: Language, sizes: tuple[int, int], even: bool
) -> None:
    found = check(prose(language, sentences=30, sizes=sizes), language)
    assert kinds(found) == ([("sentence-variation", "warning")] if even else [])
    assert check(prose(language, sentences=29, sizes=sizes), language) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_narrative_in_single_short_sentences(prose: Prose, language: Language) -> None:
    body = prose(language, sentences=120)
    glue = "。" if language == "zh" else ". "
    lines = [
        line + glue.strip() for p in body.split("\n\n") for line in p.strip(".。\n").split(glue)
    ]
    short = [line for line in lines if len(line if language == "zh" else line.split()) < 20]
    text = "\n\n".join(short)
    assert kinds(check(text, language)) == [("paragraph-shape", "warning")]
    assert check("\n\n".join(short[:14]), language) == []
    assert check(f"{text}\n\n{prose(language, seed=9)}", language) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_wall_of_text(prose: Prose, language: Language) -> None:
    wall = prose(language).replace("\n\n", " ")
    assert kinds(check(wall, language)) == [("paragraph-shape", "warning")]
    assert check(prose(language, sentences=30).replace("\n\n", " "), language) == []


@pytest.mark.parametrize(
    ("language", "line", "other"),
    [
        ("zh", "天刚亮的时候，城门还没有开。", "河水涨过了桥墩，渡船停在对岸。"),
        ("en", "The gate was still shut when day broke over town.", "The river had risen by noon."),
    ],
)
def test_openings_and_endings_like_the_last_chapters(
    prose: Prose, language: Language, line: str, other: str
) -> None:
    text = f"{line}\n\n{prose(language)}\n\n{other}"
    same_opening = f"# 6\n\n{line}\n\n{prose(language, seed=2)}"
    same_ending = f"{prose(language, seed=3)}\n\n{other}\n"
    [opening] = check(text, language, previous=[same_opening, prose(language, seed=4)])
    assert (opening.dimension, opening.quote) == ("opening-repeat", line)
    [ending] = check(text, language, previous=[same_ending])
    assert (ending.dimension, ending.quote) == ("ending-repeat", other)
    assert check(text, language, previous=[prose(language, seed=5)]) == []


@pytest.mark.parametrize(
    ("line", "language", "severity"),
    [
        ("作为AI，我无法继续写下去。", "zh", "critical"),
        ("好的，以下是第七章的正文：", "zh", "critical"),
        ("As an AI language model, I cannot go on.", "zh", "critical"),
        ("“作为AI，我不能伤人。”机器说。", "zh", None),
        ("</think>", "zh", "critical"),
        ("希望你喜欢这一章。", "zh", "critical"),
        ("希望这一章符合您的要求。", "zh", "critical"),
        ("他希望这一章能早点写完。", "zh", None),
        ("【本章字数：2980】", "zh", "warning"),
        ("作者的话：下周加更。", "zh", "warning"),
        ("求月票，求收藏！", "zh", "warning"),
        ("（未完待续）", "zh", "warning"),
        ("（本章完）", "zh", "warning"),
        ("第三十三章 风起", "zh", "warning"),
        ("在上一章里，他死了。", "zh", "warning"),
        ("“你读到第三章了？”她问。", "zh", None),
        ("他写完全文，放下笔。", "zh", None),
        ("Sure, here is the next chapter:", "en", "critical"),
        ("Here's the revised chapter.", "en", "critical"),
        ("Let me know if you'd like any changes.", "en", "critical"),
        ("“As an AI, I can't lie,” it said.", "en", None),
        ("To be continued.", "en", "warning"),
        ("Chapter 12: The Gate", "en", "warning"),
        ("Author's note: updates on Friday.", "en", "warning"),
        ("Thanks for reading!", "en", "warning"),
        ("[Continued in Chapter 4]", "en", "warning"),
        ("She left him a note to read.", "en", None),
        ("It was the last chapter of her life.", "en", None),
        ("Of course he was late.", "en", None),
    ],
)
def test_talk_about_the_book_in_the_prose(
    prose: Prose, line: str, language: Language, severity: str | None
) -> None:
    text = f"# 第七章 门\n\n{prose(language)}\n\n{line}\n\n{prose(language, seed=2)}"
    found = [f for f in check(text, language) if f.dimension == "meta-text"]
    assert [f.severity for f in found] == ([severity] if severity else [])
    assert all(line in f.quote or f.quote in line for f in found)


@pytest.mark.parametrize(
    ("language", "phrase", "used", "innocent"),
    [
        ("zh", "手机", "他掏出手机。", "他举起手，机会来了。"),
        ("en", "art", "Her Art was old.", "The cart was old."),
        ("en", "mind's eye", "In his mind's eye it rained.", "His mind strayed."),
    ],
)
def test_banned_phrases(
    prose: Prose, language: Language, phrase: str, used: str, innocent: str
) -> None:
    banned = [phrase, " ", phrase]
    [finding] = check(f"{prose(language)}\n\n{used}", language, banned=banned)
    assert (finding.dimension, finding.severity, finding.quote) == ("banned", "warning", used)
    assert check(f"{prose(language)}\n\n{innocent}", language, banned=banned) == []


@pytest.mark.parametrize(
    ("marked", "quote"),
    [
        ("## 二\n\n他来了。", "## 二"),
        ("他**来**了。", "**来**"),
        ("- 一把刀\n- 一盏灯\n\n他来了。", "- 一把刀\n- 一盏灯"),
        ("```\n他来了。\n```\n\n他来了。", "```"),
        ("|刀|灯|\n|--|--|\n\n他来了。", "|刀|灯|"),
        ("***\n\n他来了。", None),
        ("他*来*了。", None),
        ("- 他来了。", None),
        ("3.5里外，他来了。", None),
    ],
)
def test_markdown_in_the_prose(prose: Prose, marked: str, quote: str | None) -> None:
    found = check(f"# 七\n\n{prose('zh')}\n\n{marked}\n", "zh")
    assert [f.quote for f in found] == ([quote] if quote else [])
    assert all(kind == ("markdown", "warning") for kind in kinds(found))


@pytest.mark.parametrize(
    ("language", "foreign", "found"),
    [
        ("zh", "He went down to the river and looked for the old boat again.", True),
        ("zh", "He said OK.", False),
        ("en", "他走到河边，看见那条旧船还在。", True),
        ("en", "“你好,” he said.", False),
    ],
)
def test_the_other_language_in_quantity(
    prose: Prose, language: Language, foreign: str, found: bool
) -> None:
    text = f"{prose(language, sentences=60)}\n\n{foreign}\n\n{prose(language, 10, seed=2)}"
    assert kinds(check(text, language)) == ([("language", "warning")] if found else [])


def test_checks_can_be_turned_off_and_limits_changed(prose: Prose) -> None:
    text = prose("zh", sentences=40, sizes=(10, 20))
    assert kinds(check(text, "zh")) == [("sentence-variation", "warning")]
    assert check(text, "zh", disabled=frozenset({"sentence-variation"})) == []
    assert check(text, "zh", thresholds={"sentence-variation.warn": 0.2}) == []


@pytest.mark.parametrize(
    "given", [{"disabled": frozenset({"lenght"})}, {"thresholds": {"length.x": 1.0}}]
)
def test_an_unknown_check_or_threshold_is_named(given: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match=r"lenght|length\.x"):
        check("他走了。", "zh", **given)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("value", [0, 1])
def test_no_limit_is_too_low_to_be_used(prose: Prose, language: Language, value: float) -> None:
    for text in (prose(language), ""):
        for name in THRESHOLDS:
            check(text, language, previous=[prose(language, seed=2)], thresholds={name: value})


def test_ids_stay_while_the_passage_stays_and_numbers_change(prose: Prose) -> None:
    text = prose("en")
    [first] = check(text, "en", target_words=3 * count_words(text, "en"))
    [second] = check(text, "en", target_words=4 * count_words(text, "en"))
    assert first.id == second.id
    assert first.description != second.description


def test_findings_speak_the_language_of_the_book() -> None:
    assert check("", "zh")[0].description == "本章没有正文。"
    assert check("", "en")[0].description == "The chapter has no prose."
    assert all(set(wordings) == {"zh", "en"} for wordings in MESSAGES.values())


@settings(max_examples=60)
@given(st.text("他走了。，…！“”「」 \n#*-|`A1b.,!?\"'", max_size=60), st.sampled_from(["zh", "en"]))
def test_any_text_gives_findings_with_verbatim_quotes_and_distinct_ids(
    text: str, language: Language
) -> None:
    disabled = frozenset({"empty"})
    found = check(text, language, previous=[text], target_words=10, disabled=disabled)
    assert len({finding.id for finding in found}) == len(found)
