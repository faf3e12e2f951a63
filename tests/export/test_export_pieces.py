"""Footnotes, pictures and readings, in every format."""

import base64
import io
from dataclasses import replace
from xml.etree import ElementTree

import docx
import pytest
from export_samples import XHTML, chapter_root, files, one_chapter, png, texts

from zencli.export.docx import render_docx
from zencli.export.epub import render_epub
from zencli.export.html import render_html
from zencli.export.md import render_md
from zencli.export.pictures import read_picture
from zencli.export.txt import render_txt

NOTED = "他说[^注]，又说[^1]，再说[^注]。\n\n[^1]: 其一，**重**。\n[^注]: 其二。\n\n完。"
EPUB = "{http://www.idpf.org/2007/ops}"


def pictured(prose: str):
    return replace(one_chapter(prose), pictures={"a b.png": read_picture(png())})


def test_a_footnote_is_a_noteref_and_a_footnote_that_leads_back():
    root = chapter_root(render_epub(one_chapter(NOTED)))
    marks = [a for a in root.iter(XHTML + "a") if a.get(EPUB + "type") == "noteref"]
    notes = [a for a in root.iter(XHTML + "aside") if a.get(EPUB + "type") == "footnote"]
    assert [(a.text, a.get("href")) for a in marks] == [
        ("1", "#c1-note1"), ("2", "#c1-note2"), ("1", "#c1-note1")
    ]  # fmt: skip
    assert len({a.get("id") for a in marks}) == 3
    assert ["".join(note.itertext()).strip() for note in notes] == ["1 其二。", "2 其一，重。"]
    assert [note.find(f".//{XHTML}a").get("href") for note in notes] == ["#c1-ref1", "#c1-ref2"]
    assert texts(root, "p")[0] == "他说1，又说2，再说1。"


def test_a_footnote_in_the_other_formats():
    text = render_txt(one_chapter(NOTED)).decode()
    assert "他说[1]，又说[2]，再说[1]。\n　　完。\n\n注\n[1] 其二。\n[2] 其一，重。\n" in text
    markdown = render_md(one_chapter(NOTED)).decode()
    assert "他说[^1-注]，又说[^1-1]" in markdown
    assert markdown.endswith("[^1-注]: 其二。\n\n[^1-1]: 其一，**重**。\n")
    page = render_html(one_chapter(NOTED)).decode()
    assert 'href="#c1-note1" id="c1-ref1"' in page
    assert "epub:type" not in page
    document = docx.Document(io.BytesIO(render_docx(one_chapter(NOTED))))
    assert [p.text for p in document.paragraphs if p.style.name == "Note"] == [
        "[1] 其二。", "[2] 其一，重。"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "prose", ["他说[^1]。", "他说。\n\n[^1]: 无人提起。", "他说[^ 1]。", "[^1]: 甲\n[^1]: 乙"]
)
def test_what_is_no_footnote_stays_text(prose):
    root = chapter_root(render_epub(one_chapter(prose)))
    assert "".join("".join(texts(root, "p")).split()) == "".join(prose.split())
    assert not list(root.iter(XHTML + "aside"))


def test_a_note_that_is_defined_twice_loses_neither_text():
    root = chapter_root(render_epub(one_chapter("他说[^1]。\n\n[^1]: 甲\n\n[^1]: 乙")))
    shown = "".join(root.itertext())
    assert "甲" in shown
    assert "乙" in shown


def test_a_picture_is_in_the_epub_once_and_shown_where_it_stands():
    epub = render_epub(pictured('前\n\n![桥 "石"](<a b.png>)\n\n又![](<a b.png>)文'))
    root = chapter_root(epub)
    images = list(root.iter(XHTML + "img"))
    assert [image.get("alt") for image in images] == ['桥 "石"', ""]
    name = images[0].get("src")
    assert files(epub)[name] == png()
    assert sum(file.startswith("images/") for file in files(epub)) == 1
    assert [p.get("class") for p in root.iter(XHTML + "p")] == [None, "picture", None]
    modes = [m.text for m in ElementTree.fromstring(files(epub)["content.opf"]).iter()
             if m.get("property") == "schema:accessMode"]  # fmt: skip
    assert modes == ["textual", "visual"]


def test_a_picture_in_the_other_formats():
    manuscript = pictured("前\n\n![桥](<a b.png>)\n\n后")
    assert "　　[桥]\n" in render_txt(manuscript).decode()
    assert "![桥](<a b.png>)" in render_md(manuscript).decode()
    page = render_html(manuscript).decode()
    assert f"data:image/png;base64,{base64.b64encode(png()).decode()}" in page
    document = docx.Document(io.BytesIO(render_docx(manuscript)))
    assert len(document.inline_shapes) == 1


def test_a_picture_that_is_not_there_stays_text():
    assert "![桥](b.png)" in texts(chapter_root(render_epub(pictured("![桥](b.png)"))), "p")


def test_readings_stand_above_their_characters():
    first = "<ruby>漢<rt>hàn</rt>字<rp>(</rp><rt>zì</rt><rp>)</rp></ruby>"
    prose = f"{first}，*<ruby>人<rt>rén</rt></ruby>*"
    root = chapter_root(render_epub(one_chapter(prose)))
    assert [(r.text, r[0].text) for r in root.iter(XHTML + "ruby")] == [
        ("漢", "hàn"),
        ("人", "rén"),
    ]
    assert len(texts(root, "em")) == 1
    assert "漢（hàn）字（zì），人（rén）" in render_txt(one_chapter(prose)).decode()
    assert "<ruby>漢<rt>hàn</rt>字" in render_md(one_chapter(prose)).decode()


@pytest.mark.parametrize("prose", ["<ruby>漢</ruby>", "<ruby onclick='x'>漢<rt>h</rt></ruby>",
    "<ruby><b>漢</b><rt>h</rt></ruby>", "<ruby>漢<rt>h</rt>"])  # fmt: skip
def test_other_html_about_readings_is_text(prose):
    assert texts(chapter_root(render_epub(one_chapter(prose))), "p") == [prose]


def test_an_indented_paragraph_after_a_note_belongs_to_it():
    prose = "Text[^1].\n\n[^1]: First.\n\n    Second.\n\n\tThird.\n\nProse.\n\n    Indented prose."
    for language, note in (("zh", "1 First.\nSecond.\nThird."), ("en", "1 First. Second. Third.")):
        root = chapter_root(render_epub(one_chapter(prose, language=language)))
        aside = next(root.iter(XHTML + "aside"))
        assert "".join(aside.itertext()).strip() == note
        assert texts(root, "p")[:3] == ["Text1.", "Prose.", "Indented prose."]
