import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.prose.count import bands, count_words, length_score
from zencli.story.book import Language


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("他走了。", 4),
        ("“走！”他说，“快走……”", 13),
        ("——", 2),
        ("第A4纸，2048年", 6),
        ("他说 hello world，好", 6),
        ("他说don’t", 3),
        ("㐀𠀀𰀀々〇", 5),
        ("「你好」『再见』", 8),
        ("ＡＢＣ１２", 1),
        ("全角　空格", 4),
        ("半角,标点.不算!", 6),
        ("", 0),
    ],
)
def test_chinese_counts_characters_full_width_marks_and_latin_runs(text: str, count: int) -> None:
    assert count_words(text, "zh") == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("don't", 1),
        ("don’t", 1),
        ("well-known", 1),
        ("café", 1),
        ("cafe\u0301 noir", 2),
        ("Привет, мир", 2),
        ("word—word", 2),
        ("word--word", 2),
        ("“Rock ’n’ roll,” she said.", 5),
        ("1,000 men in 1984", 4),
        ("dogs' tails - no", 3),
        ("snake_case", 2),
        ("...!", 0),
    ],
)
def test_english_counts_words_by_unicode_letters(text: str, count: int) -> None:
    assert count_words(text, "en") == count


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("# 第一章 风起\n\n他走了。\n", "zh", 4),
        ("## 小标题\n他走了。", "zh", 4),
        ("他**走**了。", "zh", 4),
        ("# Chapter One\n\nHe *really* left.", "en", 3),
        ("He left.\n\n* * *\n\nShe came.", "en", 4),
        ("See [the map](http://example.org/a-b).", "en", 3),
        ("<!-- a note -->He left.<br>", "en", 2),
        ("1. He left\n2. She came", "en", 4),
        ("He is #1.", "en", 3),
    ],
)
def test_headings_and_markdown_marks_do_not_count(
    text: str, language: Language, count: int
) -> None:
    assert count_words(text, language) == count


@given(st.text("他走了。，a1 \n“”", max_size=40), st.text("他走了。，a1 \n“”", max_size=40))
def test_chinese_parts_add_up_when_a_line_divides_them(a: str, b: str) -> None:
    assert count_words(f"{a}\n{b}", "zh") == count_words(a, "zh") + count_words(b, "zh")


@settings(max_examples=50)
@given(st.lists(st.from_regex(r"[A-Za-z]{1,8}", fullmatch=True), max_size=20))
def test_english_counts_each_word_once_whatever_divides_them(words: list[str]) -> None:
    assert count_words(" ".join(words), "en") == len(words)
    assert count_words(",\n— ".join(words), "en") == len(words)


def test_bands_are_fifteen_and_thirty_per_cent_rounded_inwards() -> None:
    assert bands(3000) == (2100, 2550, 3450, 3900)
    assert bands(101) == (71, 86, 116, 131)


@given(st.integers(1, 100_000))
def test_bands_hold_the_target_in_order(target: int) -> None:
    band = bands(target)
    assert band.low_hard <= band.low <= target <= band.high <= band.high_hard
    assert band.low_hard >= 0.7 * target - 1e-6
    assert band.high_hard <= 1.3 * target + 1e-6


@pytest.mark.parametrize(
    ("asked", "got", "score"),
    [(1000, 1000, 100.0), (1000, 2500, 50.0), (1000, 4000, 0.0), (1000, 500, 50.0), (1000, 0, 0.0)],
)
def test_length_score_falls_slower_above_than_below(asked: int, got: int, score: float) -> None:
    assert length_score(asked, got) == pytest.approx(score)


def test_length_score_needs_an_asked_length() -> None:
    with pytest.raises(ValueError, match="above 0"):
        length_score(0, 10)
