"""Plain text."""

import pytest
from export_samples import one_chapter, sample

from zencli.export.txt import render_txt


def test_chinese_book_in_full():
    assert render_txt(sample("zh")).decode() == (
        "雨夜\n\n作者：林远 & Co\n\n一封信。\n<两个>人。\n\n\n"
        "第1章 夜雨\n\n　　“你好。”他说。\n\n* * *\n\n　　夜里很静。\n\n\n"
        "第2章 旧信\n\n　　见信如晤。\n　　1986. 年的夏天。\n\n\n"
        "第10章 归人\n\n　　雨停了。\n　　她没有回头。\n"
    )


def test_english_book_in_full():
    assert render_txt(sample("en")).decode() == (
        "雨夜\n\nby 林远 & Co\n\n一封信。\n<两个>人。\n\n\n"
        "Prologue\n\nA letter.\n\n1986. That was the summer.\n\n\n"
        'Chapter 1: Night Rain\n\n"Hello," he said.\n\n* * *\n\nIt was quiet.\n\n\n'
        "Chapter 10: The Return\n\nThe rain had stopped.\n\nShe didn't look back.\n"
    )


def prose(text: str, language: str = "zh") -> str:
    return render_txt(one_chapter(text, language=language)).decode().split("\n\n\n")[1]


def test_lines_of_a_chinese_block_are_paragraphs_and_are_indented_once():
    assert prose("　　一。\n  二。\n\t三。") == "第1章 题目\n\n　　一。\n　　二。\n　　三。\n"


def test_hard_breaks_of_an_english_paragraph_stay_and_soft_ones_go():
    assert prose("one\ntwo  \nthree\\\nfour", "en") == ("Chapter 1: 题目\n\none two\nthree\nfour\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**“走！”**他喊", "“走！”他喊"),
        ("***都***来", "都来"),
        ("**重 *轻* 重**", "重 轻 重"),
        ("她 __很__ _好_", "她 很 好"),
        ("`甲` 与 ``乙`丙``", "甲 与 乙`丙"),
        (r"五\*六\_七", "五*六_七"),
        ("甲&nbsp;乙&lt;丙&amp;丁", "甲\xa0乙<丙&丁"),
        ("<think>想</think>", "<think>想</think>"),
        ("[系统]: 任务", "[系统]: 任务"),
        ("### 小标题", "小标题"),
        ("5 * 3 * 2 = 30", "5 * 3 * 2 = 30"),
        ("snake_case_name", "snake_case_name"),
        ("他妈**的！", "他妈**的！"),
        ("1986. 年", "1986. 年"),
        ("#话题#", "#话题#"),
        ("*她 **的*话", "她 **的话"),
        ("&nosuch; & &#1;完", "&nosuch; & 完"),
    ],
)
def test_marks_go_and_text_stays(source, expected):
    assert prose(source).splitlines()[2].strip("　") == expected


def test_emphasis_over_several_lines_is_understood():
    assert prose("*见信如晤。\n我走了。*\n他放下信。").splitlines()[2:] == [
        "　　见信如晤。",
        "　　我走了。",
        "　　他放下信。",
    ]


@pytest.mark.parametrize("mark", ["***", "* * *", "---", "- - -", "___", "  ***  "])
def test_scene_breaks_of_every_kind_look_alike(mark):
    assert prose(f"一\n{mark}\n二").endswith("　　一\n\n* * *\n\n　　二\n")


def test_lines_are_ended_by_lf_only():
    assert b"\r" not in render_txt(one_chapter("一\r\n\r\n二\r三"))
