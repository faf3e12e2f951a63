"""What stands above a chapter, and what text is fit to leave the program."""

import pytest
from export_samples import book, one_chapter
from hypothesis import example, given
from hypothesis import strategies as st

from zencli.export.manuscript import Manuscript, ManuscriptChapter, clean, heading
from zencli.export.txt import render_txt
from zencli.prose.headings import read_heading


@pytest.mark.parametrize(
    ("number", "title", "language", "expected"),
    [
        (1, "夜雨", "zh", "第1章 夜雨"),
        (12, "", "zh", "第12章"),
        (0, "", "zh", "楔子"),
        (0, "雨夜", "zh", "楔子 雨夜"),
        (0, "序章 雨夜", "zh", "序章 雨夜"),
        (1, "第1章 夜雨", "zh", "第1章 夜雨"),
        (1, "第一章：夜雨", "zh", "第一章：夜雨"),
        (3, "第三回 夜雨", "zh", "第三回 夜雨"),
        (3, "第三回合", "zh", "第3章 第三回合"),
        (3, "3、夜雨", "zh", "第3章 夜雨"),
        (3, "1986", "zh", "第3章 1986"),
        (3, "3", "zh", "第3章"),
        (1, "Night Rain", "en", "Chapter 1: Night Rain"),
        (1, "", "en", "Chapter 1"),
        (0, "", "en", "Prologue"),
        (0, "Prologue", "en", "Prologue"),
        (0, "The Well", "en", "Prologue: The Well"),
        (4, "Chapter 4: The Well", "en", "Chapter 4: The Well"),
        (4, "Chapter Four", "en", "Chapter Four"),
        (4, "Chapter and Verse", "en", "Chapter 4: Chapter and Verse"),
        (4, "4. The Well", "en", "Chapter 4: The Well"),
        (4, " a \n b\x00 ", "en", "Chapter 4: a b"),
    ],
)
def test_heading_says_number_and_title_once(number, title, language, expected):
    assert heading(ManuscriptChapter(number, title, ""), language) == expected


@pytest.mark.parametrize(
    "opening",
    [
        "# 夜雨",
        "## 第1章 夜雨",
        "第1章 夜雨",
        "**第一章：夜雨**",
        "第1章 夜雨\n他来了。",
    ],
)
def test_heading_repeated_by_the_prose_is_dropped(opening):
    text = render_txt(one_chapter(f"{opening}\n\n雨下了一夜。", "夜雨")).decode()
    assert text.count("夜雨") == 1
    assert "雨下了一夜。" in text
    assert ("他来了。" in opening) == ("他来了。" in text)


def test_prose_that_opens_with_the_words_of_the_title_is_kept():
    text = render_txt(one_chapter("夜雨\n\n下了一夜。", "夜雨")).decode()
    assert text.count("夜雨") == 2


def test_a_number_used_twice_is_refused():
    chapter = ManuscriptChapter(1, "", "")
    with pytest.raises(ValueError, match="twice"):
        Manuscript(book(), (chapter, chapter))


@given(st.text(st.characters(codec=None)))
def test_clean_text_is_utf8_without_controls_and_cleaning_again_changes_nothing(text):
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not any(ord(c) < 32 and c not in "\n\t" for c in cleaned)
    cleaned.encode()


def test_clean_keeps_every_script_and_unifies_line_ends():
    kept = "漢字𠮷 ไทย עברית 👩\u200d👩 e\u0301\t"
    assert clean(kept) == kept
    assert clean("a\r\nb\rc\u2028d\x85e\x0b\x7f\ud800\ufffe\U0001ffff") == "a\nb\nc\nd\ne"


PARTS = st.sampled_from(
    [
        *("第", "一", "３", "3", "廿三", "章", "回", "節", "幕", "卷", "卷一", "正文", "夜雨"),
        *("尾声", "尾聲", "终章", "終章", "后记", "後記", "跋", "番外", "番外二"),
        *("Chapter", "CHAPTER", "three", "III", "Part Two", "Epilogue", "afterword", "Rain"),
        *("【", "】", "**", "# ", " ", "：", ": ", "."),
    ]
)


@given(st.lists(PARTS, min_size=1, max_size=6).map("".join))
@example("尾声")
@example("番外二 归人")
@example("EPILOGUE: Rain")
@example("卷一 第三回 夜雨")
def test_what_reads_as_a_place_of_its_own_stands_as_it_is(written):
    title = " ".join(written.split())
    said = read_heading(title)
    if said and (said.kind == "epilogue" or (said.kind == "chapter" and said.number == 3)):
        assert heading(ManuscriptChapter(3, title, ""), "zh") == title
