from collections.abc import Callable

import pytest

from zencli.prose.repeat import (
    long_sentences,
    overlap,
    overlapping_spans,
    repeated_spans,
    repetition,
)
from zencli.story.book import Language


@pytest.mark.parametrize("language", ["zh", "en"])
def test_prose_that_repeats_nothing_measures_zero(
    prose: Callable[..., str], language: Language
) -> None:
    text = prose(language)
    assert repetition(text, language) == 0.0
    assert overlap(text, [prose(language, seed=2)], language) == 0.0


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_text_said_twice_measures_half_and_a_copy_the_whole(
    prose: Callable[..., str], language: Language
) -> None:
    text = prose(language)
    assert repetition(text + text, language) == pytest.approx(0.5, abs=0.01)
    assert overlap(text, [prose(language, seed=2), text], language) == 1.0


def test_case_punctuation_and_apostrophes_do_not_hide_a_repetition() -> None:
    text = "She didn’t know the way. “SHE didn't, know the way!”"
    assert [text[a:b] for a, b in repeated_spans(text, "en", 5)] == ["SHE didn't, know the way"]


def test_passages_come_longest_first_and_only_from_the_asked_length() -> None:
    text = "甲乙丙丁戊己庚辛壬癸。子丑寅卯辰巳午未。甲乙丙丁戊己庚辛壬癸。子丑寅卯辰巳午。"
    spans = repeated_spans(text, "zh", 12)
    assert [text[a:b] for a, b in spans] == ["甲乙丙丁戊己庚辛壬癸。子丑寅卯辰巳午"]
    assert repeated_spans(text, "zh", 18) == []


def test_a_copied_passage_is_shown_where_it_stands(prose: Callable[..., str]) -> None:
    earlier = prose("zh", seed=2)
    copied = earlier[:30]
    text = prose("zh") + copied
    [(start, end)] = overlapping_spans(text, [earlier], "zh")
    assert text[start:end] == copied.rstrip("。")


@pytest.mark.parametrize(
    ("language", "sentence", "short"),
    [
        ("zh", "山下那条河一直流到看不见。", "山下那条河一直流走了。"),
        ("en", "The river below ran on until nobody saw it.", "The river ran on until nobody."),
    ],
)
def test_sentences_count_as_long_from_twelve_characters_or_eight_words(
    prose: Callable[..., str], language: Language, sentence: str, short: str
) -> None:
    text = f"{prose(language)}\n\n{sentence}\n\n{short}"
    found = [text[a:b] for a, b in long_sentences(text, language).values()]
    assert sentence in found
    assert short not in found
