from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.patch import apply_patches

_TEXT = "他推门。“谁？”她问。他推门。雨停了。天亮了。"


def test_patches_are_applied_at_their_places_in_any_order() -> None:
    result = apply_patches(_TEXT, [("天亮了", "天黑了"), ("“谁？”", "“谁在那里？”")])
    assert result.text == "他推门。“谁在那里？”她问。他推门。雨停了。天黑了。"
    assert result.applied == [0, 1]
    assert result.missed == []


def test_the_old_text_is_found_as_quotations_are() -> None:
    assert apply_patches(_TEXT, [('"谁?"她问', "没人问")]).text == (
        "他推门。没人问。他推门。雨停了。天亮了。"
    )


def test_what_cannot_be_placed_is_left_out_with_its_reason() -> None:
    patches = [
        ("他关门。", "x"),
        ("他推门。", "x"),
        ("雨停了。天", "x"),
        ("天亮了。", "y"),
        ("她问", "她问"),
        ("", "x"),
    ]
    result = apply_patches(_TEXT, patches)
    assert result.applied == [2]
    assert result.missed == [
        (0, "not found"),
        (1, "found more than once"),
        (3, "overlaps another"),
        (4, "no change"),
        (5, "not found"),
    ]


def test_one_sentence_may_be_deleted_and_two_may_not() -> None:
    assert apply_patches(_TEXT, [("雨停了。", "")]).text == "他推门。“谁？”她问。他推门。天亮了。"
    refused = apply_patches(_TEXT, [("雨停了。天亮了。", " ")])
    assert (refused.text, refused.missed) == (_TEXT, [(0, "deletes too much")])


@given(
    st.lists(st.text("他走了。 \nab“”", max_size=20), min_size=2, max_size=6),
    st.text("新的字。", min_size=1, max_size=8),
)
def test_untouched_text_stays_byte_for_byte(parts: list[str], new: str) -> None:
    marks = [f"〔{i}〕" for i in range(len(parts) - 1)]
    text = "".join(p + m for p, m in zip(parts, [*marks, ""], strict=True))
    result = apply_patches(text, [(mark, new) for mark in marks])
    assert result.applied == list(range(len(marks)))
    assert result.text == new.join(parts)


@given(
    st.text("他走了。ab\n", max_size=40),
    st.lists(st.tuples(st.text("他走了。ab", max_size=5), st.text("新", max_size=3)), max_size=4),
)
def test_a_text_without_applied_patches_is_the_same(
    text: str, patches: list[tuple[str, str]]
) -> None:
    result = apply_patches(text, patches)
    assert sorted([*result.applied, *(i for i, _ in result.missed)]) == list(range(len(patches)))
    if not result.applied:
        assert result.text == text
