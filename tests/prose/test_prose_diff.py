import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.diff import sentence_changes, sentence_diff
from zencli.prose.segment import sentences


def test_a_changed_sentence_stands_under_its_paragraph_with_one_around() -> None:
    old = "# 题\n\n他来了。\n\n他推门。雨停了。天亮了。他走了。\n"
    new = old.replace("雨停了。", "雨还在下。")
    assert sentence_diff(old, new, "zh") == (
        "@@ 第 3 段 @@\n  他推门。\n- 雨停了。\n+ 雨还在下。\n  天亮了。\n"
    )


def test_equal_texts_have_no_difference() -> None:
    assert sentence_diff("# One\n\nHe left.", "# One\n\nHe left.\n", "en") == ""


def test_rewrapped_english_lines_are_no_difference() -> None:
    assert sentence_diff("He left the\nhouse. Now.", "He left the house.\nNow.", "en") == ""


def test_a_merged_paragraph_shows_as_its_lost_end() -> None:
    got = sentence_diff("He left.\n\nShe came.", "He left. She came.", "en")
    assert got == "@@ paragraph 1 @@\n  He left.\n- ¶\n  She came.\n"


def test_an_old_text_that_was_empty() -> None:
    assert sentence_diff("", "他来了。", "zh") == "@@ 第 1 段 @@\n+ 他来了。\n+ ¶\n"


def test_a_changed_title_shows() -> None:
    assert "- # 旧\n+ # 新\n" in sentence_diff("# 旧\n\n他来了。", "# 新\n\n他来了。", "zh")


def test_a_sentence_that_changed_a_little_shows_both_versions_in_one_line() -> None:
    old, new = "声音撞到对岸的墙上，短了一截。", "声音撞在对岸的石墙上，短了一截。"
    assert sentence_diff(old, new, "zh") == (
        "@@ 第 1 段 @@\n~ 声音撞[-到-]{+在+}对岸的{+石+}墙上，短了一截。\n  ¶\n"
    )


def test_english_changes_are_marked_word_by_word() -> None:
    got = sentence_diff("The old man sat down by the fire.", "The old man stood by the fire.", "en")
    assert "~ The old man [-sat down-]{+stood+} by the fire." in got


def test_a_sentence_written_anew_is_gone_and_come() -> None:
    got = sentence_diff("声音撞到对岸的墙上。", "她把灯笼举过了头顶。", "zh")
    assert "- 声音撞到对岸的墙上。\n+ 她把灯笼举过了头顶。" in got


TEXT = st.lists(
    st.sampled_from(["他走了很远的路。", "她没走。", "雨停在半夜里。", "\n\n"]), max_size=12
)


@given(TEXT, TEXT, st.integers(0, 11))
def test_both_versions_can_be_read_from_the_changes(
    old: list[str], new: list[str], at: int
) -> None:
    a, b = "".join(old), "".join([*new[:at], "雨停在后半夜里。", *new[at:]])
    hunks = sentence_changes(a, b, "zh")
    gone = [line for hunk in hunks for line in hunk.lines if line.change in ("gone", "changed")]
    come = [line for hunk in hunks for line in hunk.lines if line.change in ("come", "changed")]

    def version(text: str, kept: str, cut: str) -> str:
        return re.sub(kept, r"\1", re.sub(cut, "", text))

    plus, minus = r"\{\+(.*?)\+\}", r"\[-(.*?)-\]"
    before = [version(line.text, minus, plus) for line in gone]
    after = [version(line.text, plus, minus) for line in come]
    assert not Counter(before) - Counter([*sentences(a, "zh"), *["¶"] * a.count("。")])
    assert not Counter(after) - Counter([*sentences(b, "zh"), *["¶"] * b.count("。")])
    assert (hunks == []) == (sentence_diff(a, b, "zh") == "")
