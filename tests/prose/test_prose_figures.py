"""Numbers that a text states as facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.figures import figures, motifs, numbers, with_units
from zencli.story.book import Language


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("他给了三百文。", {300: "三百文"}),
        ("第七天，走了四十里。", {7: "第七天", 40: "四十里"}),
        ("簿子上写着 1561 年。", {1561: "1561"}),
        ("一个人，两个人，一丝风。", {}),
        ("三四个人，七八里路。", {}),
        ("十分高兴，四处张望，百姓千万。", {}),
    ],
)
def test_chinese_counts_are_found_and_idioms_are_not(text: str, found: dict[int, str]) -> None:
    assert {
        value: written.split("年")[0].strip() for value, written in figures(text, "zh").items()
    } == {value: written.split("年")[0].strip() for value, written in found.items()}


def test_english_counts_are_digits_and_words() -> None:
    text = "She paid forty-two crowns; 1,200 men came, one of them three days late."
    assert list(figures(text, "en")) == [42, 1200, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("At 7.30 p.m. it was done.", {7: "7", 30: "30"}),
        ("She counted seven on her hands.", {7: "seven"}),
        ("They were sixteen or so.", {16: "sixteen"}),
        ("It rose four inches.", {4: "four inches"}),
        ("Eight two, eight four, eight six.", {}),
    ],
)
def test_an_english_number_is_told_with_what_it_counts_and_nothing_else(
    text: str, found: dict[int, str]
) -> None:
    assert figures(text, "en") == found


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("差八寸。初八那天量的，还是八寸。", "zh", {(8, "寸"): "八寸"}),
        ("差八寸。初八那天没有量。", "zh", {}),
        ("Eight inches, or an eight inch rule; eight men.", "en", {(8, "inc"): "Eight inches"}),
    ],
)
def test_a_number_that_comes_again_is_known_by_what_it_counts(
    text: str, language: Language, found: dict[tuple[int, str], str]
) -> None:
    assert motifs(text, language) == found
    assert set(found) <= with_units(text, language)


def test_numbers_in_a_row_are_each_found() -> None:
    assert numbers("Eight two, then forty-two men.", "en") == {8, 2, 42}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("共 340 文", "zh"),
        ("三百四十文", "zh"),
        ("340 coins", "en"),
        ("Three hundred and forty men", "en"),
    ],
)
def test_a_value_is_found_however_it_is_written(text: str, language: str) -> None:
    assert 340 in numbers(text, "zh" if language == "zh" else "en")


@given(st.integers(3, 999), st.sampled_from(["sacks", "men", "miles"]))
def test_what_is_stated_is_always_found_again(value: int, noun: str) -> None:
    for text, language in ((f"There were {value} {noun}.", "en"), (f"一共{value}枚。", "zh")):
        known: Language = "en" if language == "en" else "zh"
        assert set(figures(text, known)) <= numbers(text, known)
        assert value in figures(text, known)
