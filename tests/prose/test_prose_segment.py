import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.segment import (
    dialogue_share,
    ending,
    opening,
    paragraphs,
    quoted_spans,
    sentences,
    tail,
)
from zencli.story.book import Language

_MIXED = st.text("他走。！？…“”「」，a B.!?\"' \n#*", max_size=80)


def test_paragraphs_leave_out_headings_and_scene_breaks() -> None:
    text = "# 题\n\n　　一。\n二。\n\n***\n\n三。\n"
    assert paragraphs(text) == ["一。", "二。", "三。"]


def test_a_wrapped_english_line_stays_in_its_paragraph() -> None:
    assert paragraphs("He went\nhome.\n\n* * *\n\nShe stayed.") == ["He went\nhome.", "She stayed."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他走了。天黑了！", ["他走了。", "天黑了！"]),
        ("“走吧。”他说。雨停了。", ["“走吧。”他说。", "雨停了。"]),
        ("“走！”他推开门。", ["“走！”", "他推开门。"]),
        ("他说：“走吧。”天亮了。", ["他说：“走吧。”", "天亮了。"]),
        ("“一。二。”", ["“一。", "二。”"]),
        ("他……没有来。", ["他……没有来。"]),
        ("“我……”她停下。", ["“我……”", "她停下。"]),
        ("什么？！真的。", ["什么？！", "真的。"]),
        ('"走。"他说。"好。"', ['"走。"他说。', '"好。"']),
        ("「好！」他喊道。", ["「好！」他喊道。"]),
        ("没有句号\n\n下一段。", ["没有句号", "下一段。"]),
    ],
)
def test_chinese_sentences_keep_their_quotation_marks(text: str, expected: list[str]) -> None:
    assert sentences(text, "zh") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left. She stayed.", ["He left.", "She stayed."]),
        (
            "Mr. Hale met Dr. Wu at St. Ives. It rained.",
            ["Mr. Hale met Dr. Wu at St. Ives.", "It rained."],
        ),
        ("J. R. Hale came.", ["J. R. Hale came."]),
        ("“Go!” he said. “Now.”", ["“Go!” he said.", "“Now.”"]),
        ("“Go!” Tom Hale said. He went.", ["“Go!” Tom Hale said.", "He went."]),
        ("“Go.” The door shut.", ["“Go.”", "The door shut."]),
        ("It cost 3.50 in all. Well...maybe not. Wait... what?", None),
        ("No. It was No. 5 that won.", ["No.", "It was No. 5 that won."]),
    ],
)
def test_english_sentences_know_abbreviations_and_speech(
    text: str, expected: list[str] | None
) -> None:
    if expected is None:
        expected = ["It cost 3.50 in all.", "Well...maybe not.", "Wait... what?"]
    assert sentences(text, "en") == expected


@given(_MIXED, st.sampled_from(["zh", "en"]))
def test_sentences_hold_every_character_of_the_paragraphs(text: str, language: Language) -> None:
    assert _dense("".join(sentences(text, language))) == _dense("".join(paragraphs(text)))
    assert all(sentence in text for sentence in sentences(text, language))


@given(_MIXED, st.integers(0, 60))
def test_the_tail_is_the_end_of_the_prose_within_its_limit(text: str, limit: int) -> None:
    got = tail(text, limit)
    assert len(got) <= limit
    assert got in text
    if paragraphs(text) and limit:
        assert paragraphs(text)[-1].endswith(got[-1:])


def test_the_tail_takes_whole_sentences_and_begins_outside_speech() -> None:
    text = "天黑了。“你来了。坐下。”他说。门关上了。"
    assert tail(text, 8) == "门关上了。"
    assert tail(text, 15) == "门关上了。"
    assert tail(text, 18) == "“你来了。坐下。”他说。门关上了。"


def test_a_last_sentence_over_the_limit_is_cut_at_its_front() -> None:
    assert tail("一二三四五六七八九。", 4) == "七八九。"


def test_opening_and_ending_are_the_outer_sentences() -> None:
    text = "# 题\n\n" + "开头。" + "中" * 200 + "。\n\n" + "尾" * 200 + "。末了。"
    assert opening(text) == "开头。"
    assert ending(text) == "末了。"
    assert opening("") == ending("") == ""


@pytest.mark.parametrize(
    ("text", "language", "share"),
    [
        ("他说。", "zh", 0.0),
        ("“好吧！”他说走。", "zh", 5 / 9),
        ("「好吧！」", "zh", 1.0),
        ("“Go home,” he said.", "en", 0.5),
        ('"Go home," he said.', "en", 0.5),
        ("‘Don’t go,’ he said.", "en", 0.5),
        ("", "en", 0.0),
    ],
)
def test_dialogue_share(text: str, language: Language, share: float) -> None:
    assert dialogue_share(text, language) == pytest.approx(share)


def test_speech_that_is_never_closed_ends_with_its_paragraph() -> None:
    text = "“One.\n\nTwo."
    assert [text[a:b] for a, b in quoted_spans(text)] == ["“One."]


def _dense(text: str) -> str:
    return "".join(text.split())
