"""EPUB: what is inside, read back as XML; validity is tested with EPUBCheck elsewhere."""

import io
import re
import zipfile
from dataclasses import replace
from datetime import timedelta, timezone
from xml.etree import ElementTree

import pytest
from export_samples import (
    DC,
    OPF,
    UPDATED,
    XHTML,
    book,
    chapter_root,
    files,
    one_chapter,
    paragraphs,
    png,
    sample,
    texts,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zencli.export.epub import render_epub
from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter, clean, one_line
from zencli.export.pictures import read_picture
from zencli.export.txt import render_txt


def package(epub: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(files(epub)["content.opf"])


def metadata(epub: bytes, name: str) -> list[str | None]:
    return [element.text for element in package(epub).iter(DC + name)]


def modified(epub: bytes) -> list[str | None]:
    meta = package(epub).iter(OPF + "meta")
    return [m.text for m in meta if m.get("property") == "dcterms:modified"]


def links(epub: bytes) -> list[tuple[str | None, str | None]]:
    nav = ElementTree.fromstring(files(epub)["contents.xhtml"]).find(f".//{XHTML}nav")
    assert nav is not None
    return [(a.get("href"), a.text) for a in nav.iter(XHTML + "a")]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_same_manuscript_gives_the_same_bytes(language):
    manuscript = sample(language)
    shuffled = replace(manuscript, chapters=manuscript.chapters[::-1])
    assert render_epub(manuscript) == render_epub(manuscript) == render_epub(shuffled)


def test_a_changed_word_gives_other_bytes():
    assert render_epub(one_chapter("一")) != render_epub(one_chapter("二"))


def test_the_archive_begins_with_the_stored_media_type():
    data = render_epub(sample())
    assert data[30:58] == b"mimetypeapplication/epub+zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names[1:] == sorted(names[1:])


def test_chapters_stand_in_order_of_number_in_contents_and_spine():
    epub = render_epub(sample("zh"))
    assert links(epub) == [
        ("chapter-0001.xhtml", "第1章 夜雨"),
        ("chapter-0002.xhtml", "第2章 旧信"),
        ("chapter-0010.xhtml", "第10章 归人"),
    ]
    spine = [item.get("idref") for item in package(epub).iter(OPF + "itemref")]
    assert spine == [
        "cover", "title", "contents", "chapter-0001", "chapter-0002", "chapter-0010"
    ]  # fmt: skip


def test_metadata_says_what_the_book_is():
    epub = render_epub(sample("zh"))
    assert metadata(epub, "title") == ["雨夜"]
    assert metadata(epub, "language") == ["zh-CN"]
    assert metadata(epub, "creator") == ["林远 & Co"]
    assert metadata(epub, "description") == ["一封信。\n<两个>人。"]
    assert modified(epub) == ["2026-03-04T05:06:07Z"]
    assert metadata(render_epub(sample("en")), "language") == ["en"]


def test_empty_author_and_description_are_left_out():
    epub = render_epub(replace(sample(), imprint=Imprint(author=" ", description="\n")))
    assert metadata(epub, "creator") == metadata(epub, "description") == []


def test_the_identifier_depends_on_the_id_of_the_book_alone():
    first = metadata(render_epub(one_chapter("一")), "identifier")
    other_text = replace(one_chapter("二"), book=book("en", "别名"))
    other_book = replace(one_chapter("一"), book=book(book_id="other"))
    assert first == metadata(render_epub(other_text), "identifier")
    assert first != metadata(render_epub(other_book), "identifier")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", first[0] or "")


def test_the_time_of_change_is_told_in_utc():
    there = UPDATED.astimezone(timezone(timedelta(hours=8)))
    config = book().model_copy(update={"updated": there})
    assert modified(render_epub(replace(sample(), book=config))) == ["2026-03-04T05:06:07Z"]


def test_a_book_without_title_is_called_by_its_id():
    assert metadata(render_epub(Manuscript(book(title=" \x01"), sample().chapters)), "title") == [
        "yuye"
    ]


def test_headings_appear_once_in_a_chapter():
    root = chapter_root(render_epub(one_chapter("# 第1章 题目\n\n雨。")))
    assert texts(root, "h1") == ["第1章 题目"]
    assert texts(root, "section") == ["\n第1章 题目\n雨。\n"]


def test_bold_chinese_quotation_comes_out_bold():
    root = chapter_root(render_epub(one_chapter("**“你好。”**他说，*走*。")))
    assert texts(root, "strong") == ["“你好。”"]
    assert texts(root, "em") == ["走"]
    assert texts(root, "p") == ["“你好。”他说，走。"]


@pytest.mark.parametrize("mark", ["***", "* * *", "---"])
def test_scene_breaks_are_rules_not_text(mark):
    root = chapter_root(render_epub(one_chapter(f"一\n\n{mark}\n\n二")))
    assert [rule.get("class") for rule in root.iter(XHTML + "hr")] == ["scene"]
    assert texts(root, "p") == ["一", "二"]


def test_quotations_subheadings_and_hard_breaks_have_their_elements():
    root = chapter_root(render_epub(one_chapter("> 信\n\n### 小题\n\na  \nb\nc", language="en")))
    assert texts(root, "blockquote") == ["\n信\n"]
    assert texts(root, "h2") == ["小题"]
    assert len(list(root.iter(XHTML + "br"))) == 1


@pytest.mark.parametrize(
    "raw", ["<think>想</think>", "<center>中", "</section>", "<!-- -->", "<br>", "&lt;i&gt;", "]]>"]
)
def test_raw_html_is_text(raw):
    assert paragraphs(render_epub(one_chapter(f"前{raw}后"))) == [
        f"前{raw}后".replace("&lt;", "<").replace("&gt;", ">")
    ]


@pytest.mark.parametrize("line", ["1986. 年", "- 他说", "+ 一", "    缩进", "[系统]: 任务", "==="])
def test_lines_that_look_like_other_markup_keep_their_text(line):
    assert paragraphs(render_epub(one_chapter(f"前\n\n{line}\n\n后"))) == ["前", line.strip(), "后"]


@pytest.mark.parametrize(
    "line",
    [
        "1986. *年*",
        "- *他*说",
        "    *缩*进",
        "[*链*](a.html)",
        "![*图*](b.png)",
        "[*一*][二]",
        "<http://example.org> *在*",
        "<a@example.org> *写*",
        "<b>*粗*</b>",
        "[*系统*]: 任务",
    ],
)
def test_emphasis_is_the_only_markup_of_such_lines(line):
    root = chapter_root(render_epub(one_chapter(f"前\n\n{line}\n\n后")))
    assert texts(root, "p") == ["前", line.strip().replace("*", ""), "后"]
    assert len(texts(root, "em")) == 1
    assert {element.tag.removeprefix(XHTML) for element in root.iter()} == {
        "html", "head", "title", "link", "body", "section", "h1", "p", "em"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("*她 **的*话", "她 **的话"),
        (r"\&lt;*甲*", "&lt;甲"),
        ("****四****", "****四****"),
        ("他妈**的*！", "他妈**的*！"),
    ],
)
def test_what_can_not_be_marked_up_without_loss_is_shown_as_plain_text_is(line, shown):
    assert paragraphs(render_epub(one_chapter(line))) == [shown]


@pytest.mark.parametrize("line", ["**a *b***", "***a* b**", "*a **b***", "***a** b*", "__a _b___"])
def test_marks_of_two_that_end_or_begin_together_are_both_read(line):
    root = chapter_root(render_epub(one_chapter(line)))
    assert texts(root, "p") == ["a b"]
    assert len(texts(root, "em")) == len(texts(root, "strong")) == 1


def test_a_line_that_can_not_be_read_leaves_the_marks_of_the_others():
    prose = "**甲**\n*她 **的*话\n丙\n*乙*"
    root = chapter_root(render_epub(one_chapter(prose)))
    assert texts(root, "p") == ["甲", "她 **的话", "丙", "乙"]
    assert texts(root, "strong") == ["甲"]
    assert texts(root, "em") == ["乙"]


def test_every_page_uses_the_style_sheet_of_its_language():
    chinese, english = files(render_epub(sample("zh"))), files(render_epub(sample("en")))
    assert b"text-indent: 2em" in chinese["style.css"]
    assert b"h1 + p, h2 + p, h3 + p, hr + p { text-indent: 0; }" in english["style.css"]
    for name, content in chinese.items():
        if name.endswith(".xhtml"):
            assert b'href="style.css"' in content


def test_the_cover_is_declared_and_shown_first():
    image = png()
    epub = render_epub(replace(sample(), cover=read_picture(image)))
    cover = [i for i in package(epub).iter(OPF + "item") if i.get("properties") == "cover-image"]
    assert [item.get("media-type") for item in cover] == ["image/png"]
    assert files(epub)["cover-image.png"] == image
    first = next(package(epub).iter(OPF + "itemref"))
    assert first.get("idref") == "cover"
    assert b'src="cover-image.png"' in files(epub)["cover.xhtml"]


@given(st.lists(st.text(st.characters(exclude_characters="*_\\`&#>-"), min_size=1), max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_word_of_plain_prose_is_lost(written):
    prose = "\n\n".join(written)
    found = paragraphs(render_epub(one_chapter(prose, title="题")))
    assert "".join("".join(found).split()) == "".join(clean(prose).split())


MARKED = st.text(st.sampled_from("甲乙 a*_`\\<>&;#\n“。”-=x1."), max_size=60)


@given(MARKED, st.sampled_from(["zh", "en"]))
@settings(max_examples=150, deadline=None)
def test_prose_full_of_marks_is_well_formed_and_keeps_its_letters(prose, language):
    found = chapter_root(render_epub(one_chapter(prose, title="题", language=language)))
    kept = "".join(texts(found, "p") + texts(found, "h2"))

    def letters(text: str) -> str:
        return re.sub(r"[^甲乙“。”]", "", text)

    assert letters(kept) == letters(prose)


PIECES = ["*", "**", "***", "_", "`", "\\", "&amp;", "<b>", "[", "](", "乙", "a", " ", "”"]


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
@example(" ` `")
@example("` `` `")
@settings(max_examples=150, deadline=None)
def test_a_paragraph_reads_as_in_plain_text(written):
    manuscript = one_chapter(f"甲{written}", title="题")
    plain = render_txt(manuscript).decode().partition("第1章 题\n\n\u3000\u3000")[2]
    assert paragraphs(render_epub(manuscript)) == [plain[:-1]]


ANY_TEXT = st.text(st.characters(codec=None), max_size=40)


@given(title=ANY_TEXT, chapter=ANY_TEXT, author=ANY_TEXT, prose=ANY_TEXT, description=ANY_TEXT)
@settings(max_examples=60, deadline=None)
def test_any_unicode_gives_files_that_are_xml(title, chapter, author, prose, description):
    manuscript = Manuscript(
        book(title=title),
        (ManuscriptChapter(1, chapter, prose),),
        Imprint(author, description=description),
    )
    epub = render_epub(manuscript)
    for name, content in files(epub).items():
        if name.endswith((".xhtml", ".opf", ".ncx", ".xml")):
            ElementTree.fromstring(content)
    assert metadata(epub, "title") == [one_line(title) or "yuye"]
    assert links(epub)[0][1]
