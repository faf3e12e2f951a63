"""Word documents, opened again."""

import io
import zipfile
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import docx
import pytest
from export_samples import UPDATED, one_chapter, png, sample

from zencli.export.docx import render_docx
from zencli.export.manuscript import Imprint, Manuscript, Part
from zencli.export.pictures import read_picture

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def opened(manuscript: Manuscript) -> Any:
    return docx.Document(io.BytesIO(render_docx(manuscript)))


def lines(document: Any) -> list[tuple[str, str]]:
    return [(p.style.name, p.text) for p in document.paragraphs]


def test_headings_are_headings_and_chapters_stand_in_order():
    found = lines(opened(sample("zh")))
    assert found[0] == ("Title", "雨夜")
    assert [text for style, text in found if style == "Heading 1"] == [
        "第1章 夜雨", "第2章 旧信", "第10章 归人"
    ]  # fmt: skip
    assert ("Quote", "见信如晤。") in found
    assert ("Scene Break", "* * *") in found


def test_parts_are_above_their_chapters():
    parts = (Part("第1卷 山", 1, 2), Part("第2卷", 3, 20))
    found = lines(opened(replace(sample("zh"), parts=parts)))
    assert [line for line in found if line[0].startswith("Heading")][:3] == [
        ("Heading 1", "第1卷 山"), ("Heading 2", "第1章 夜雨"), ("Heading 2", "第2章 旧信")
    ]  # fmt: skip


@pytest.mark.parametrize(("in_parts", "levels"), [(False, [1]), (True, [1, 2])])
def test_every_chapter_begins_a_page(in_parts, levels):
    parts = (Part("卷", 1, 20),) if in_parts else ()
    styles = opened(replace(sample("zh"), parts=parts)).styles
    begins = [styles[f"Heading {n}"].paragraph_format.page_break_before for n in (1, 2, 3)]
    assert begins == [n in levels or None for n in (1, 2, 3)]


def test_fonts_for_chinese_are_named():
    styles = opened(sample("zh")).styles
    for name in ("Normal", "Heading 1", "Title", "Note"):
        fonts = styles[name].element.rPr.rFonts
        assert fonts.get(W + "eastAsia") in ("SimSun", "SimHei")
        assert not any(key.endswith("Theme") for key in fonts.attrib)
    assert styles["Normal"].element.rPr.find(W + "lang").get(W + "eastAsia") == "zh-CN"


def test_chinese_paragraphs_are_indented_and_the_first_of_english_ones_is_flush():
    for language, chars in (("zh", "200"), ("en", None)):
        styles = opened(sample(language)).styles
        assert styles["Body Text"].paragraph_format.first_line_indent
        assert styles["Body Text"].element.pPr.ind.get(W + "firstLineChars") == chars
        flush = styles["First Paragraph"].paragraph_format.first_line_indent is None
        assert flush == (language == "en")


def test_contents_are_a_field_that_shows_headings_which_lead_to_them():
    body = opened(sample("zh")).element.body
    kinds = [f.get(W + "fldCharType") for f in body.iter(W + "fldChar")]
    assert kinds == ["begin", "separate", "end"]
    assert 'TOC \\o "1-1"' in next(body.iter(W + "instrText")).text
    links = [link.get(W + "anchor") for link in body.iter(W + "hyperlink")]
    marks = [mark.get(W + "name") for mark in body.iter(W + "bookmarkStart")]
    assert links == marks == ["c1", "c2", "c10"]


def test_emphasis_is_bold_or_italic_and_marks_are_gone():
    document = opened(one_chapter("甲**乙**丙*丁*戊 <b>&amp;"))
    runs = [r for p in document.paragraphs for r in p.runs if p.style.name == "First Paragraph"]
    assert [(r.text, r.bold, r.italic) for r in runs] == [
        ("甲", None, None), ("乙", True, None), ("丙", None, None), ("丁", None, True),
        ("戊 <b>&", None, None),
    ]  # fmt: skip


def test_a_picture_fits_on_the_page_and_has_its_description():
    manuscript = replace(one_chapter("![桥](a.png)"), pictures={"a.png": read_picture(png())})
    document = opened(manuscript)
    shape = document.inline_shapes[0]
    assert shape.height.pt == pytest.approx(560, abs=1)
    assert shape.width.pt == pytest.approx(420, abs=1)
    assert shape._inline.docPr.get("descr") == "桥"


def test_the_document_says_whose_it_is_and_when():
    imprint = Imprint("林远", description="一封信。", subjects=("武侠", "历史"))
    told = opened(replace(sample(), imprint=imprint)).core_properties
    assert (told.title, told.author, told.keywords) == ("雨夜", "林远", "武侠, 历史")
    assert told.language == "zh-CN"
    assert told.created.replace(tzinfo=None) == UPDATED.replace(tzinfo=None)


def test_nothing_of_the_machine_and_no_time_is_in_the_file():
    data = render_docx(sample())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                ElementTree.fromstring(archive.read(name))
        assert b"python" not in archive.read("docProps/core.xml")
