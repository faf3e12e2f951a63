"""The forms that a txt can have, and files for pasting."""

from dataclasses import replace

import pytest
from export_samples import book, one_chapter, sample

from zencli.export.manuscript import Manuscript, ManuscriptChapter, Part
from zencli.export.md import render_md, split_md
from zencli.export.txt import TxtForm, render_txt, split_txt
from zencli.pipeline.export_platform import HABITS, lengths_told, txt_form

PROSE = "一。\n\n二。\n\n***\n\n三。"


def prose(form: TxtForm, number: int = 12) -> str:
    return render_txt(one_chapter(PROSE, number=number), form).decode().split("\n\n\n", 1)[1]


def test_each_platform_has_its_own_form():
    shown = {name: prose(txt_form(name, "utf-8", "lf")) for name in ("tomato", "qidian", "feilu")}
    assert shown["tomato"] == "第12章 题目\n\n一。\n\n二。\n\n* * *\n\n三。\n"
    assert shown["qidian"] == "第十二章 题目\n\n　　一。\n　　二。\n\n* * *\n\n　　三。\n"
    assert shown["feilu"] == "第12章 题目\n\n　　一。\n\n　　二。\n\n* * *\n\n　　三。\n"
    assert prose(txt_form(None, "utf-8", "lf")) == prose(txt_form("other", "utf-8", "lf"))


@pytest.mark.parametrize(
    ("title", "number", "shown"),
    [("归人", 105, "第一百零五章 归人"), ("第三回 归人", 3, "第三回 归人"), ("", 0, "楔子")],
)
def test_written_numbers_are_for_headings_that_we_number(title, number, shown):
    text = render_txt(one_chapter("甲", title, number), TxtForm(chinese_numbers=True)).decode()
    assert text.split("\n\n\n")[1].startswith(f"{shown}\n\n")


@pytest.mark.parametrize("platform", list(HABITS))
def test_chapters_outside_the_range_of_a_platform_are_told(platform):
    habits = HABITS[platform]
    assert lengths_told(platform, {1: habits.least, 2: habits.most}) == []
    told = lengths_told(platform, {1: habits.least - 1, 2: habits.most, 3: habits.most + 1})
    assert len(told) == 2
    assert told[0].endswith(f"shorter: chapter 1 ({habits.least - 1:,})")
    assert told[1].endswith(f"longer: chapter 3 ({habits.most + 1:,})")


def test_many_chapters_outside_the_range_are_one_line_and_none_is_told_without_a_platform():
    told = lengths_told("tomato", dict.fromkeys(range(1, 500), 10))
    assert len(told) == 1
    assert told[0].endswith("10 (10) and 489 more")
    assert lengths_told(None, {1: 1}) == lengths_told("other", {1: 1}) == []


@pytest.mark.parametrize(
    ("encoding", "codec", "mark"),
    [("utf-8", "utf-8", b""), ("utf-8-bom", "utf-8", b"\xef\xbb\xbf"), ("gb18030", "gb18030", b"")],
)
@pytest.mark.parametrize(("line_end", "mark_of_line"), [("lf", "\n"), ("crlf", "\r\n")])
def test_encoding_and_line_ends(encoding, codec, mark, line_end, mark_of_line):
    manuscript = one_chapter("𠮷。\n\né 👩\u200d👩")
    data = render_txt(manuscript, txt_form(None, encoding, line_end))
    assert data.startswith(mark)
    plain = render_txt(manuscript).decode()
    assert data.removeprefix(mark).decode(codec) == plain.replace("\n", mark_of_line)


def test_split_txt_has_the_heading_as_name_and_the_prose_alone_as_content():
    made = split_txt(sample("zh"))
    assert list(made) == ["0001 第1章 夜雨.txt", "0002 第2章 旧信.txt", "0010 第10章 归人.txt"]
    assert made["0010 第10章 归人.txt"].decode() == "　　雨停了。\n　　她没有回头。\n"


def test_names_are_told_apart_although_titles_are_alike():
    chapters = tuple(ManuscriptChapter(n, 'a/b:c?"*', "甲") for n in (1, 2))
    assert list(split_txt(Manuscript(book(), chapters))) == [
        "0001 第1章 a／b：c？＂＊.txt", "0002 第2章 a／b：c？＂＊.txt"
    ]  # fmt: skip


def test_split_md_has_a_file_for_each_chapter_with_its_heading():
    made = split_md(sample("en"))
    assert list(made) == [
        "0000 Prologue.md", "0001 Chapter 1： Night Rain.md", "0010 Chapter 10： The Return.md"
    ]  # fmt: skip
    assert made["0000 Prologue.md"].decode() == (
        "# Prologue\n\n> A letter.\n\n1986\\. That was the summer.\n"
    )


def test_parts_stand_above_their_chapters():
    manuscript = replace(sample("zh"), parts=(Part("第1卷 山", 1, 2), Part("第2卷", 3, 9)))
    text = render_txt(manuscript).decode()
    assert "人。\n\n\n第1卷 山\n\n\n第1章 夜雨\n" in text
    assert "第2卷" not in text, "no chapter is in it"
    markdown = render_md(manuscript).decode()
    assert [line for line in markdown.split("\n") if line.startswith("#")] == [
        "# 雨夜", "## 第1卷 山", "### 第1章 夜雨", "### 第2章 旧信", "### 第10章 归人"
    ]  # fmt: skip


def test_front_matter_says_what_the_book_is():
    imprint = replace(sample().imprint, subjects=("武侠", "a: b"), series_number=2)
    text = render_md(replace(sample(), imprint=imprint), front_matter=True).decode()
    head = text.split("---\n")[1]
    assert head.splitlines() == [
        'title: "雨夜"', 'author: "林远 & Co"', 'lang: "zh-CN"',
        'description: "一封信。\\n<两个>人。"', 'subject: ["武侠", "a: b"]', "series_number: 2",
        'date: "2026-03-04"',
    ]  # fmt: skip
    assert text.split("---\n\n", 1)[1] == render_md(replace(sample(), imprint=imprint)).decode()
    part = next(iter(split_md(sample(), front_matter=True).values())).decode()
    assert part.startswith('---\ntitle: "夜雨"\nbook: "雨夜"\nchapter: 1\nlang: "zh-CN"\n---\n\n# ')
