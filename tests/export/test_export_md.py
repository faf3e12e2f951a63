"""Markdown."""

import re
from html import unescape

import pytest
from export_samples import one_chapter, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from zencli.export.md import render_md


def html(markdown: bytes) -> str:
    """What an independent CommonMark reader makes of it."""
    return MarkdownIt("commonmark").render(markdown.decode())


def test_chinese_book_in_full():
    assert render_md(sample("zh")).decode() == (
        "# 雨夜\n\n作者：林远 & Co\n\n一封信。\n\n<两个>人。\n\n"
        "## 第1章 夜雨\n\n**“你好。”**他说。\n\n* * *\n\n夜里*很静*。\n\n"
        "## 第2章 旧信\n\n> 见信如晤。\n\n1986\\. 年的夏天。\n\n"
        "## 第10章 归人\n\n雨停了。\n\n她没有回头。\n"
    )


@pytest.mark.parametrize(
    ("prose", "shown"),
    [
        ("<think>想</think>", "<p>&lt;think&gt;想&lt;/think&gt;</p>"),
        ("<!-- 注 -->", "<p>&lt;!-- 注 --&gt;</p>"),
        ("<http://example.org>", "<p>&lt;http://example.org&gt;</p>"),
        ("1 <3 2", "<p>1 &lt;3 2</p>"),
        ("标题\n===", "<p>标题\n===</p>"),
        ("标题\n--", "<p>标题\n--</p>"),
        ("标题\n---", "<p>标题</p>\n<hr />"),
        ("#", "<p>#</p>"),
        ("#话题", "<p>#话题</p>"),
        ("# 又一题", "<h3>又一题</h3>"),
        ("[系统]: 任务", "<p>[系统]: 任务</p>"),
        ("~~~\n水", "<p>~~~\n水</p>"),
        ("```\n水\n```", "<p>水</p>"),
        ("    缩进", "<p>缩进</p>"),
        ("1986. 年", "<p>1986. 年</p>"),
        ("- 他说\n-      完", "<p>- 他说\n-      完</p>"),
        ("* 一\n+ 二\n*\n3) 三", "<p>* 一\n+ 二\n*\n3) 三</p>"),
        (">_<", "<p>&gt;_&lt;</p>"),
        ("> 信\n> # 题", "<blockquote>\n<p>信\n# 题</p>\n</blockquote>"),
    ],
)
def test_what_would_break_the_book_is_harmless(prose, shown):
    assert html(render_md(one_chapter(prose))).split("</h2>\n")[1].strip() == shown


@given(st.text(st.sampled_from("甲a*_`#<>&[]\\!-=~ 1."), max_size=30))
@settings(max_examples=60, deadline=None)
def test_titles_show_as_they_are(title):
    shown = html(render_md(one_chapter("水", "卷" + title)))
    found = re.search("<h2>(.*)</h2>", shown)
    assert found
    assert "<" not in found[1]
    assert unescape(found[1]) == " ".join(f"第1章 卷{title}".split())


@given(st.text(st.sampled_from("甲乙a*_`#<>&[]:\\!-=~+ \n\t1.\u3000"), max_size=80))
@settings(max_examples=150, deadline=None)
def test_no_prose_makes_html_or_changes_the_books_structure(prose):
    tokens = MarkdownIt("commonmark").parse(render_md(one_chapter(prose)).decode())
    assert [t.tag for t in tokens if t.type == "heading_open" and t.tag != "h3"] == ["h1", "h2"]
    kinds = {t.type for t in tokens} | {c.type for t in tokens for c in t.children or ()}
    assert not kinds & {"html_block", "html_inline", "fence", "code_block", "list_item_open"}
