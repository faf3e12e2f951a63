"""What an EPUB says of itself, its parts, and the archive that holds it."""

import io
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from export_samples import DC, OPF, XHTML, book, files, one_chapter, png, sample, texts

from zencli.export.archive import archive, packed
from zencli.export.epub import render_epub
from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter, Part
from zencli.export.page_cache import PageCache
from zencli.export.pictures import read_picture
from zencli.export.style import Look

NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
EPUB = "{http://www.idpf.org/2007/ops}"
FULL = Imprint(
    "林远", "一家出版社", "一封信。", ("武侠", "历史", "武侠"), "三部曲", 2, "© 2026 林远"
)
PARTS = (Part("第1卷 山", 1, 2), Part("第2卷 水", 3, 20))


def package(epub: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(files(epub)["content.opf"])


def metas(epub: bytes) -> list[tuple[str | None, str | None]]:
    return [
        (m.get("property"), m.text) for m in package(epub).iter(OPF + "meta") if m.get("property")
    ]


def test_all_that_is_said_of_a_book_is_in_the_package():
    epub = render_epub(replace(sample(), imprint=FULL))
    said = {name: [e.text for e in package(epub).iter(DC + name)] for name in (
        "creator", "publisher", "description", "subject", "rights", "date")}  # fmt: skip
    assert said == {
        "creator": ["林远"], "publisher": ["一家出版社"], "description": ["一封信。"],
        "subject": ["武侠", "历史"], "rights": ["© 2026 林远"], "date": ["2026-03-04"],
    }  # fmt: skip
    told = metas(epub)
    assert ("belongs-to-collection", "三部曲") in told
    assert ("collection-type", "series") in told
    assert ("group-position", "2") in told
    title = texts(ElementTree.fromstring(files(epub)["title.xhtml"]), "p")
    assert title == ["作者：林远", "一封信。", "三部曲 2", "一家出版社", "© 2026 林远"]


def test_what_is_not_said_is_not_there():
    epub = render_epub(one_chapter("甲"))
    names = [e.tag for e in package(epub).iter()]
    assert not any(DC + name in names for name in ("creator", "publisher", "subject", "rights"))
    assert "belongs-to-collection" not in dict(metas(epub))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_accessibility_is_told(language):
    told = metas(render_epub(sample(language)))
    assert ("schema:accessMode", "textual") in told
    assert ("schema:accessModeSufficient", "textual") in told
    assert ("schema:accessibilityHazard", "none") in told
    assert {v for k, v in told if k == "schema:accessibilityFeature"} == {
        "readingOrder", "structuralNavigation", "tableOfContents"
    }  # fmt: skip
    assert dict(told)["schema:accessibilitySummary"]


def test_volumes_are_parts_with_their_chapters_below_them():
    epub = render_epub(replace(sample(), parts=PARTS))
    root = ElementTree.fromstring(files(epub)["contents.xhtml"])
    toc = next(nav for nav in root.iter(XHTML + "nav") if nav.get(EPUB + "type") == "toc")
    listed = toc.find(f"{XHTML}ol")
    assert [item.find(f"{XHTML}a").text for item in listed] == ["第1卷 山", "第2卷 水"]
    assert [a.text for a in listed[0].find(f"{XHTML}ol").iter(XHTML + "a")] == [
        "第1章 夜雨", "第2章 旧信"
    ]  # fmt: skip
    spine = [item.get("idref") for item in package(epub).iter(OPF + "itemref")]
    assert spine == ["cover", "title", "contents", "part-0001", "chapter-0001", "chapter-0002",
                     "part-0003", "chapter-0010"]  # fmt: skip
    page = ElementTree.fromstring(files(epub)["part-0001.xhtml"])
    assert [s.get(EPUB + "type") for s in page.iter(XHTML + "section")] == ["part"]
    points = ElementTree.fromstring(files(epub)["toc.ncx"]).find(f"{NCX}navMap")
    assert [len(point.findall(f"{NCX}navPoint")) for point in points] == [2, 1]


def test_a_chapter_outside_all_volumes_stands_beside_them():
    chapters = (*sample().chapters, ManuscriptChapter(0, "", "甲"), ManuscriptChapter(30, "", "乙"))
    epub = render_epub(replace(sample(), chapters=chapters, parts=PARTS))
    root = ElementTree.fromstring(files(epub)["contents.xhtml"])
    listed = root.find(f".//{XHTML}nav/{XHTML}ol")
    assert [item.find(f"{XHTML}a").text for item in listed] == [
        "楔子", "第1卷 山", "第2卷 水", "第30章"
    ]  # fmt: skip


def test_landmarks_name_cover_contents_and_the_start_of_the_text():
    root = ElementTree.fromstring(
        files(render_epub(replace(sample(), parts=PARTS)))["contents.xhtml"]
    )
    marks = next(n for n in root.iter(XHTML + "nav") if n.get(EPUB + "type") == "landmarks")
    assert [(a.get(EPUB + "type"), a.get("href")) for a in marks.iter(XHTML + "a")] == [
        ("cover", "cover.xhtml"), ("toc", "#toc"), ("bodymatter", "part-0001.xhtml")
    ]  # fmt: skip


def test_vertical_is_for_chinese_alone():
    for language, direction in (("zh", "rtl"), ("en", None)):
        epub = render_epub(sample(language), Look(vertical=True))
        spine = next(package(epub).iter(OPF + "spine"))
        assert spine.get("page-progression-direction") == direction
        assert (b"vertical-rl" in files(epub)["style.css"]) == (direction is not None)
    assert b"vertical-rl" not in files(render_epub(sample("zh")))["style.css"]


def test_small_capitals_are_for_english_alone():
    look = Look(small_caps=True)
    assert b"small-caps" in files(render_epub(sample("en"), look))["style.css"]
    assert b"small-caps" not in files(render_epub(sample("zh"), look))["style.css"]
    assert b"small-caps" not in files(render_epub(sample("en")))["style.css"]


def test_a_cover_of_svg_is_shown_as_an_image():
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 800"><rect/></svg>'
    epub = render_epub(replace(sample(), cover=read_picture(svg)))
    assert files(epub)["cover-image.svg"] == svg
    assert b'<img src="cover-image.svg" alt="' in files(epub)["cover.xhtml"]


def test_a_page_of_the_cache_is_used_and_the_result_is_the_same():
    chapters = tuple(ManuscriptChapter(n, "题", f"第{n}段。") for n in range(1, 41))
    manuscript = Manuscript(book(), chapters)
    first = PageCache()
    epub = render_epub(manuscript, pages=first)
    assert first.new == 40
    again = PageCache(first.dump())
    assert render_epub(manuscript, pages=again) == epub
    assert again.new == 0
    changed = replace(manuscript, chapters=(*chapters[:-1], replace(chapters[-1], prose="改了。")))
    third = PageCache(again.dump())
    assert render_epub(changed, pages=third) == render_epub(changed)
    assert third.new == 1
    assert len(PageCache(third.dump()).used) == 0


def test_a_page_depends_on_language_title_and_pictures():
    pages = PageCache()
    picture = read_picture(png())
    for manuscript in (
        one_chapter("![a](b.png)"),
        one_chapter("![a](b.png)", title="别"),
        one_chapter("![a](b.png)", language="en"),
        replace(one_chapter("![a](b.png)"), pictures={"b.png": picture}),
        replace(one_chapter("![a](b.png)"), pictures={"b.png": read_picture(png() + b"IEND")}),
    ):
        assert render_epub(manuscript, pages=pages) == render_epub(manuscript)
    assert pages.new == 5


@pytest.mark.parametrize("data", [b"", b"{}", b"nothing", b'{"version": "old", "pages": []}\n'])
def test_a_cache_that_is_none_is_as_good_as_empty(data):
    manuscript = one_chapter("甲")
    assert render_epub(manuscript, pages=PageCache(data)) == render_epub(manuscript)


def test_an_archive_can_be_read_and_depends_on_its_members_alone():
    members = {
        "b.txt": packed(b"x" * 5000),
        "mimetype": packed(b"m", deflate=False),
        "a": packed(b""),
    }
    data = archive(members)
    assert data == archive(dict(reversed(members.items())))
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() is None
        assert read.namelist() == ["mimetype", "a", "b.txt"]
        assert read.read("b.txt") == b"x" * 5000
        assert read.getinfo("mimetype").compress_type == zipfile.ZIP_STORED


def test_an_archive_may_have_more_members_than_two_bytes_count():
    empty = packed(b"", deflate=False)
    data = archive({f"{number:06d}": empty for number in range(66_000)})
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert len(read.namelist()) == 66_000
        assert read.read("065999") == b""
