"""A novel cut into chapters: numbers, what is told, and that no character is lost."""

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zencli.prose.chapters import Found, Source, Unclear, find_chapters

LINE = "　　他一句话没说，雨还在下。"


def cut(text: str, split: str | None = None, *, marked: bool = False) -> Found:
    pattern = re.compile(split) if split else None
    return find_chapters([Source(text, marked=marked)], pattern)


def numbers(found: Found) -> list[int]:
    return [chapter.number for chapter in found.chapters]


def headings(found: Found) -> list[str]:
    return [chapter.heading for chapter in found.chapters]


def chapters(*lines: str) -> str:
    """A text with a line of prose under each heading."""
    return "".join(f"{line}\n\n{LINE}{line}\n\n" for line in lines)


def test_a_plain_novel_is_cut_at_its_headings() -> None:
    found = cut("第一章 雨\n\n　　一。\n\n二。  \n第2章\n三。\n第三章 雪\n\n\n四。\n")
    assert [(c.number, c.heading, c.prose) for c in found.chapters] == [
        (1, "第一章 雨", "　　一。\n\n二。  "),
        (2, "第2章", "三。"),
        (3, "第三章 雪", "四。"),
    ]
    assert (found.front, found.told) == ("", ())
    assert [c.where for c in found.chapters] == ["line 1", "line 6", "line 8"]


def test_english_headings_stand_apart_from_wrapped_prose() -> None:
    text = (
        "CHAPTER I. The Door\n\nAs was said in\nChapter 2\nof the book, he slept.\n\n"
        "CHAPTER II. The Key\n\nHe woke.\n"
    )
    found = cut(text)
    assert headings(found) == ["CHAPTER I. The Door", "CHAPTER II. The Key"]
    assert found.chapters[0].prose == "As was said in\nChapter 2\nof the book, he slept."


def test_a_prologue_is_zero_and_what_follows_the_last_chapter_comes_after_it() -> None:
    found = cut(chapters("楔子", "第一章", "第二章", "尾声", "番外 雪"))
    assert numbers(found) == [0, 1, 2, 3, 4]
    assert numbers(cut(chapters("Prologue", "Chapter 1", "Epilogue"))) == [0, 1, 2]


def test_a_second_prologue_stays_in_the_text_and_is_told() -> None:
    found = cut(chapters("序", "楔子", "第一章"))
    assert numbers(found) == [0, 1]
    assert "楔子" in found.chapters[0].prose
    assert any("'楔子'" in sentence for sentence in found.told)


def test_a_table_of_contents_is_told_and_is_no_chapter() -> None:
    names = [f"第{n}章 名{n}" for n in range(1, 6)]
    found = cut("书名\n\n目录\n" + "\n".join(names) + "\n\n" + chapters(*names))
    assert numbers(found) == [1, 2, 3, 4, 5]
    assert all(LINE in chapter.prose for chapter in found.chapters)
    assert "line 4 to 8: a table of contents with 5 entries, not chapters" in found.told
    assert found.front.startswith("书名\n\n目录\n第1章 名1")


def test_a_table_of_contents_may_name_volumes_and_end_in_words() -> None:
    names = ["第一卷 春", "第一章 甲", "第二章 乙", "第二卷 秋", "第三章 丙"]
    body = (
        "第一卷 春\n" + chapters("第一章 甲", "第二章 乙") + "第二卷 秋\n" + chapters("第三章 丙")
    )
    found = cut("\n".join(names) + "\n\n内容简介：雨。\n\n" + body)
    assert headings(found) == ["第一卷 春 第一章 甲", "第二章 乙", "第二卷 秋 第三章 丙"]
    assert "内容简介：雨。" in found.front


def test_empty_chapters_that_dont_come_again_are_no_table_of_contents() -> None:
    found = cut("第一章\n第二章\n第三章\n\n" + LINE)
    assert numbers(found) == [1, 2, 3]
    assert [bool(c.prose) for c in found.chapters] == [False, False, True]


def test_a_number_that_comes_twice_is_told_and_its_text_stays_where_it_is() -> None:
    found = cut(chapters("第一章", "第二章 甲", "第二章 乙", "第三章"))
    assert numbers(found) == [1, 2, 3]
    assert "第二章 乙" in found.chapters[1].prose
    assert any("'第二章 乙' is chapter 2 a second time" in told for told in found.told)


def test_numbers_that_jump_or_go_back_are_told() -> None:
    found = cut(chapters("第一章", "第二章", "第五章", "第四章"))
    assert numbers(found) == [1, 2, 5, 4]
    assert any("the numbers jump from 2 to 5" in told for told in found.told)
    assert any("chapter 4 stands after chapter 5" in told for told in found.told)


def test_numbers_that_begin_again_in_a_volume_are_counted_through() -> None:
    text = "第一卷 春\n" + chapters("第一章", "第二章") + "第二卷 秋\n\n卷首语。\n\n"
    found = cut(text + chapters("第一章", "第二章"))
    assert numbers(found) == [1, 2, 3, 4]
    assert found.chapters[2].heading == "第二卷 秋 第一章"
    assert found.chapters[2].prose.startswith("卷首语。\n\n")
    assert any("counted through" in told for told in found.told)
    assert any("the text under '第二卷 秋'" in told for told in found.told)


def test_numbers_that_begin_again_without_a_volume_are_an_error() -> None:
    with pytest.raises(Unclear, match=r"begin again before line \d+ \(第二章\)") as caught:
        cut(chapters("第一章", "第二章", "第一章", "第二章"))
    assert "--split" in caught.value.hint


def test_a_text_without_a_heading_is_an_error() -> None:
    with pytest.raises(Unclear, match="No line reads as the heading"):
        cut("只有正文。\n没有章节。\n")


def test_headings_in_another_unit_stay_text_and_are_told() -> None:
    found = cut(chapters("第一章 起", "第二章 承", "第三回 转", "第四回 合"))
    assert numbers(found) == [1, 2]
    (told,) = found.told
    assert told.startswith("line 9: '第三回 转' isn't counted as the chapters are")
    assert "as 1 more do" in told


def test_parts_of_chapters_belong_to_the_text() -> None:
    found = cut("第一章\n\n第一节\n\n甲。\n\n第二节\n\n乙。\n\n第二章\n\n丙。\n")
    assert numbers(found) == [1, 2]
    assert "第二节" in found.chapters[0].prose
    assert numbers(cut(chapters("第一节", "第二节"))) == [1, 2]


def test_a_sentence_that_begins_like_a_heading_is_left_alone() -> None:
    found = cut("第一章 雨\n\n第二章我写得最慢\n\n甲。\n\n第二章 雪\n\n乙。\n")
    assert headings(found) == ["第一章 雨", "第二章 雪"]
    assert "第二章我写得最慢" in found.chapters[0].prose


def test_split_says_what_a_heading_is() -> None:
    found = cut("前\n\n1\n\n甲。\n\n2\n\n乙。\n", r"^\d+$")
    assert [(c.number, c.heading, c.prose) for c in found.chapters] == [
        (1, "1", "甲。"),
        (2, "2", "乙。"),
    ]
    assert found.front == "前"
    again = cut(chapters("第一章", "第二章", "第一章", "第二章"), "^第.+章")
    assert numbers(again) == [1, 2, 3, 4]
    assert numbers(cut(chapters("第三章", "第四章"), "^第.+章")) == [3, 4]


def test_markdown_without_numbers_is_cut_at_its_highest_common_level() -> None:
    text = "# 书名\n\n题记。\n\n## 雨\n\n甲。\n\n### 夜\n\n乙。\n\n## 雪\n\n丙。\n"
    found = cut(text, marked=True)
    assert [(c.number, c.heading) for c in found.chapters] == [(1, "雨"), (2, "雪")]
    assert "### 夜" in found.chapters[0].prose
    assert found.front == "# 书名\n\n题记。"
    assert any("numbered in their order" in told for told in found.told)


def sources(**texts: str) -> list[Source]:
    return [Source(text, f"{stem}.md", stem, marked=True) for stem, text in texts.items()]


def test_files_without_headings_are_chapters_by_their_names() -> None:
    found = find_chapters([
        Source("零。", "楔子.txt", "楔子"),
        Source("甲。", "001 雨.txt", "001 雨"),
        Source("乙。", "第2章 雪.txt", "第2章 雪"),
    ])  # fmt: skip
    assert [(c.number, c.heading, c.prose) for c in found.chapters] == [
        (0, "楔子", "零。"),
        (1, "雨", "甲。"),
        (2, "第2章 雪", "乙。"),
    ]


def test_chapter_files_of_a_book_keep_number_and_title() -> None:
    found = find_chapters(sources(**{"0003": "# 报水\n\n甲。\n", "0004": "# 八寸\n\n乙。\n"}))
    assert [(c.number, c.heading, c.prose) for c in found.chapters] == [
        (3, "报水", "甲。"),
        (4, "八寸", "乙。"),
    ]


def test_files_with_headings_go_on_one_after_the_other() -> None:
    found = find_chapters([
        Source("说明\n" + chapters("第一章", "第二章"), "a.txt", "a"),
        Source(chapters("第三章"), "b.txt", "b"),
    ])  # fmt: skip
    assert numbers(found) == [1, 2, 3]
    assert found.front == "说明"
    assert [c.where for c in found.chapters] == ["a.txt, line 2", "a.txt, line 6", "b.txt, line 1"]


def test_a_file_that_is_only_a_table_of_contents_is_kept_apart() -> None:
    names = ["第一章", "第二章", "第三章"]
    found = find_chapters([
        Source("\n".join(names), "0.txt", "目录"),
        Source(chapters(*names), "1.txt", "正文"),
    ])  # fmt: skip
    assert numbers(found) == [1, 2, 3]
    assert found.front == "\n".join(names)


POOL = [
    "第一章 甲", "第二章", "第二章 乙", "第三章", "第五回", "第一卷 春", "第二卷", "楔子", "尾声",
    "第一节", "Chapter 1", "Chapter 2: The Key", "Prologue", "Part One", "目录", "# 雨", "## 雪",
    LINE, "He slept.", "第一回见到她的时候，我还小。", "", "", "", "   ", "* * *",
]  # fmt: skip


def characters(texts: Sequence[str]) -> Counter[str]:
    return Counter("".join("".join(texts).split()).replace("#", ""))


@given(
    st.lists(st.lists(st.sampled_from(POOL), max_size=14), min_size=1, max_size=3), st.booleans()
)
def test_no_character_is_lost_whatever_the_lines(files: list[list[str]], marked: bool) -> None:
    texts = ["\n".join(lines) for lines in files]
    many = len(texts) > 1
    given_sources = [
        Source(text, f"{i}.md" if many else "", f"部分{i}", marked) for i, text in enumerate(texts)
    ]
    try:
        found = find_chapters(given_sources)
    except Unclear:
        return
    kept = [text for c in found.chapters for text in (c.heading, c.prose)]
    named = Counter("".join(c.heading for c in found.chapters if c.heading.startswith("部分")))
    assert characters([*kept, found.front]) - named == characters(texts)
    assert len(set(numbers(found))) == len(numbers(found))


@given(st.integers(1, 40), st.integers(1, 60))
def test_rising_numbers_are_kept_and_nothing_is_told(first: int, count: int) -> None:
    wanted = list(range(first, first + count))
    found = cut(chapters(*(f"第{n}章 名" for n in wanted)))
    assert numbers(found) == wanted
    assert found.told == ()
