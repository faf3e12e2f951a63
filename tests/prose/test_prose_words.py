from collections.abc import Callable

import pytest

from zencli.prose.measures import describe, measures, measures_in_order, sentence_variation
from zencli.prose.wordlists import Words, ai_score, hits, tired_words
from zencli.story.book import Language


@pytest.mark.parametrize(
    ("language", "text", "turns"),
    [
        ("zh", "这不是结束，而是开始。", ["不是结束，而是"]),
        ("zh", "他嘴角微微勾起，没有说话。", ["嘴角微微勾"]),
        ("zh", "他看着门外的雨。", []),
        ("zh", "仿佛一丝风。", ["仿佛", "一丝"]),
        ("en", "She couldn’t help but laugh.", ["couldn’t help but"]),
        ("en", "It wasn't fear. It was hunger.", ["wasn't fear. It was"]),
        ("en", "Not just a house, but a home.", ["Not just a house, but"]),
        ("en", "He bought an ozonejar.", []),
        ("en", "He was not tall but quick.", []),
    ],
)
def test_stock_turns_are_matched_as_whole_words(
    language: Language, text: str, turns: list[str]
) -> None:
    assert [text[hit.start : hit.end] for hit in hits(text, language)] == turns


def test_the_score_is_weight_per_thousand_units() -> None:
    assert ai_score("他" * 96 + "仿佛。。", "zh") == pytest.approx(10.0)
    assert ai_score("word " * 98 + "palpable. Word.", "en") == pytest.approx(15.0)
    assert ai_score("", "zh") == 0.0


def test_overlapping_turns_count_once_and_the_heavier_wins() -> None:
    [hit] = hits("一丝不易察觉的", "zh")[:1]
    assert hit.weight == 2.0
    assert sum(h.weight for h in hits("一丝不易", "zh")) == 2.0


def test_sentence_variation_is_deviation_over_mean() -> None:
    assert sentence_variation("一二三。一二三。", "zh") == 0.0
    assert sentence_variation("一。" + "一" * 5 + "。", "zh") == pytest.approx(0.5)
    assert sentence_variation("", "en") == 0.0


@pytest.mark.parametrize("language", ["zh", "en"])
def test_measures_gather_every_number_and_are_described(
    prose: Callable[..., str], language: Language
) -> None:
    turn = "“仿佛。”" if language == "zh" else "“A testament to it.”"
    text = f"{prose(language)}\n\n{turn}"
    got = measures(text, language, [prose(language)])
    assert got.words > 1000
    assert got.sentence_variation > 0.7
    assert got.repetition == 0.0
    assert got.overlap > 0.9
    assert 0 < got.dialogue_share < 0.01
    assert got.ai_score > 0
    lines = describe(got, language)
    assert got.turns[0] in lines[-1]
    assert f"{got.sentence_variation:.2f}" in lines[0]


def test_turns_come_most_frequent_first() -> None:
    assert measures("宛如。仿佛。仿佛。", "zh").turns == ("仿佛", "宛如")
    assert len(describe(measures("他走了。", "zh"), "zh")) == 5


@pytest.mark.parametrize("language", ["zh", "en"])
def test_texts_in_order_measure_the_same_as_each_against_those_before_it(
    prose: Callable[..., str], language: Language
) -> None:
    pages = [prose(language, sentences=20, seed=n) for n in range(6)]
    texts = [
        pages[i] + "\n\n" + pages[j] for i, j in zip(range(6), (3, 0, 0, 5, 1, 2), strict=True)
    ]
    texts += ["", texts[0], "“a Z ſ B12。”", texts[4]]
    wanted = [measures(text, language, texts[max(0, n - 3) : n]) for n, text in enumerate(texts)]
    assert list(measures_in_order(texts, language, 3)) == wanted
    assert len({found.overlap for found in wanted}) == 3


@pytest.mark.parametrize("odd", ["", "ſ ", "İ ", "\u212a "])
def test_the_case_of_letters_and_odd_ones_before_them_change_nothing(odd: str) -> None:
    text = f"{odd}A Tapestry of light, PALPABLE; the door SUDDENLY shut on Éclat."
    mine = Words(added=("DOOR SUDDENLY", "éclat"))
    found = [text[hit.start : hit.end] for hit in hits(text, "en", words=mine)]
    assert found == ["Tapestry of", "PALPABLE", "door SUDDENLY", "Éclat"]
    places = tired_words(text + " ſilence", "en", words=mine)
    assert text[slice(*places["palpable"][0])] == "PALPABLE"
    assert "silence" not in places
