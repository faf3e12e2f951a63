import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.locate import line_and_column, locate, locate_part, nearest, occurrences

_TEXT = st.text("他走了。，“”\"' ab\n…", min_size=2, max_size=60)


def test_an_exact_quotation_is_found_as_it_is() -> None:
    assert locate("他走了。她没走。", "她没走") == "她没走"


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("他说：“走吧。”", '他说："走吧。"', "他说：“走吧。”"),
        ("他说：「走吧。」", "他说：“走吧。”", "他说：「走吧。」"),
        ("他走了，\n\n　　她没走。", "他走了，她没走。", "他走了，\n\n　　她没走。"),
        ("好，行！", "好,行!", "好，行！"),
        ("等等……吧", "等等...吧", "等等……吧"),
        ("she didn’t\nknow why", "she didn't know why", "she didn’t\nknow why"),
        ("ＡＢ１２年", "AB12年", "ＡＢ１２年"),
    ],
)
def test_white_space_quotation_marks_and_width_may_differ(
    text: str, quote: str, found: str
) -> None:
    assert locate(text, quote) == found


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("他走了。", "他跑了。"),
        ("他走了，她没走。", "他走了她没走"),
        ("a nice house", "an ice house"),
        ("He left.", "he left."),
        ("他走了。", "走"),
        ("他走了。", ""),
        ("他走了。", "  走 "),
        ("“”", "''x"),
    ],
)
def test_nothing_else_is_forgiven(text: str, quote: str) -> None:
    assert locate(text, quote) is None


@given(_TEXT, st.data())
def test_every_slice_of_two_characters_or_more_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    end = data.draw(st.integers(start + 2, len(text)))
    quote = text[start:end]
    if len(quote.strip()) >= 2:
        assert locate(text, quote) == quote.strip()


@given(_TEXT, st.text("他走了。，“\"' ab\n", max_size=12))
def test_what_is_found_stands_in_the_text(text: str, quote: str) -> None:
    found = locate(text, quote)
    assert found is None or (found in text and _bare(found) == _bare(quote))


def _bare(text: str) -> str:
    return "".join(c for c in text if c.isalpha())


def test_all_places_are_given() -> None:
    assert list(occurrences("走了走了走了", "走了走了")) == [(0, 4), (2, 6)]


def test_line_and_column_count_from_one() -> None:
    text = "# 题\n\n他走了。她没走。\n"
    assert line_and_column(text, "她没走") == (3, 5)
    assert line_and_column(text, "# 题") == (1, 1)
    assert line_and_column(text, "不在") is None


def test_a_quotation_of_two_sentences_is_shown_two() -> None:
    text = "天黑了，雨还在下。他把刀放在桌上。她没有看他。门关上了。"
    assert nearest(text, "他把刀放到桌上。她没看他。", 1) == ["他把刀放在桌上。她没有看他。"]


def test_the_nearest_sentences_come_best_first_and_strangers_not_at_all() -> None:
    text = "天黑了，雨还在下。\n\n他把刀放在桌上。\n\n他把刀收了起来。\n\nABC"
    assert nearest(text, "他把刀放到桌上", 2) == ["他把刀放在桌上。", "他把刀收了起来。"]
    assert nearest(text, "zzzz") == []


@pytest.mark.parametrize(
    ("text", "quote", "part"),
    [
        ("她把灯放下，门在身后关上了。", "她把灯放下……门在身后关上了", "门在身后关上了"),
        ("他把钥匙交给了掌柜。", "他把钥匙交给了掌柜，笑了笑", "他把钥匙交给了掌柜"),
        (
            "She put the lamp on the sill. The door closed behind her.",
            "She put the lamp down. The door closed behind her.",
            "The door closed behind her",
        ),
    ],
)
def test_a_joined_quotation_is_placed_by_its_longest_clause(
    text: str, quote: str, part: str
) -> None:
    assert locate(text, quote) is None
    assert locate_part(text, quote) == part
    assert part in text


@pytest.mark.parametrize(
    ("text", "quote"),
    [("她把灯放下。", "她把，火点着"), ("The lamp went out.", "The lamp, a light, went down.")],
)
def test_a_clause_too_short_to_prove_anything_places_nothing(text: str, quote: str) -> None:
    assert locate_part(text, quote) is None
