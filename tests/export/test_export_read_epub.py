"""Reading EPUBs: our own, and those of others."""

from pathlib import Path

import pytest
from ebooklib import epub
from export_samples import book as book_config

from zencli.errors import UsageError
from zencli.export.epub import render_epub
from zencli.export.manuscript import Manuscript, ManuscriptChapter
from zencli.export.read_epub import read_epub


def foreign(path: Path, pages: list[str], toc: list[tuple[str, str]] | None = None) -> Path:
    """An EPUB as other programs write it."""
    book = epub.EpubBook()
    book.set_identifier("x")
    book.set_title("The Book")
    book.set_language("en")
    items = []
    for index, body in enumerate(pages):
        item = epub.EpubHtml(title=f"p{index}", file_name=f"p{index}.xhtml")
        item.content = f"<html><head><title>x</title></head><body>{body}</body></html>"
        book.add_item(item)
        items.append(item)
    book.toc = [epub.Link(name, title, f"l{i}") for i, (name, title) in enumerate(toc or [])]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = ["nav", *items]
    epub.write_epub(str(path), book)
    return path


def test_our_own_export_comes_back(tmp_path: Path) -> None:
    prose = "她说：**“你好。”**他说。\n\n* * *\n\n> 信上写着。\n\n末了 *慢*。"
    manuscript = Manuscript(
        book_config("zh"), (ManuscriptChapter(0, "雨", prose), ManuscriptChapter(1, "雪", "甲。"))
    )
    path = tmp_path / "own.epub"
    path.write_bytes(render_epub(manuscript))
    book = read_epub(path)
    assert (book.title, book.language) == (manuscript.title, "zh-CN")
    assert book.pages == (manuscript.title, f"# 楔子 雨\n\n{prose}", "# 第1章 雪\n\n甲。")


def test_blocks_are_paragraphs_and_white_space_is_as_a_reader_shows_it(tmp_path: Path) -> None:
    body = (
        "<h2>Chapter 1</h2><div>One\n   line &amp; <i>more</i>.<br/>Next.</div>"
        "<p>　　缩进。</p><script>no()</script><hr/><ul><li>a</li></ul>"
    )
    book = read_epub(foreign(tmp_path / "x.epub", [body]))
    assert book.pages == ("## Chapter 1\n\nOne line & *more*.\nNext.\n\n　　缩进。\n\n* * *\n\na",)


def test_a_page_without_a_heading_gets_its_name_of_the_contents(tmp_path: Path) -> None:
    toc = [("p1.xhtml#top", "Loomings"), ("p2.xhtml", "The Bag")]
    pages = ["<h1>The Book</h1>", "<p>Call me.</p>", "<p><b>The Bag</b></p><p>I stuffed.</p>"]
    book = read_epub(foreign(tmp_path / "x.epub", pages, toc))
    assert book.pages == (
        "The Book",
        "# Loomings\n\nCall me.",
        "# The Bag\n\n**The Bag**\n\nI stuffed.",
    )


@pytest.mark.parametrize("shown", ["***", "* * *", "<b>***</b>", "---"])
def test_a_row_of_marks_is_the_scene_break_of_other_peoples_books(
    tmp_path: Path, shown: str
) -> None:
    body = f"<h1>Chapter 1</h1><p>One.</p><p>{shown}</p><p>Two.</p><p># no heading</p>"
    book = read_epub(foreign(tmp_path / "x.epub", [body]))
    assert book.pages == ("# Chapter 1\n\nOne.\n\n* * *\n\nTwo.\n\n\\# no heading",)


def test_rows_of_marks_that_are_text_come_back_as_text(tmp_path: Path) -> None:
    prose = "一。\n\n\\*\\*\\*\n\n***\n\n二。"
    path = tmp_path / "own.epub"
    chapter = ManuscriptChapter(1, "雨", prose)
    path.write_bytes(render_epub(Manuscript(book_config("zh"), (chapter,))))
    assert read_epub(path).pages[1:] == ("# 第1章 雨\n\n一。\n\n\\***\n\n* * *\n\n二。",)


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_epub_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.epub"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        read_epub(path)
    assert caught.value.code == "import.epub"
    assert str(path) in caught.value.message
