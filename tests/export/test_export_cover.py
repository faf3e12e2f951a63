"""The drawn cover."""

import io
import zlib
from dataclasses import replace
from xml.etree import ElementTree

from export_samples import OPF, book, files, one_chapter, sample
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.export.cover import HEIGHT, WIDTH, cover_png, cover_svg, palette, pattern
from zencli.export.epub import render_epub
from zencli.export.pictures import read_picture

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_is_a_png_of_the_pattern():
    picture = read_picture(cover_png("yuye"))
    assert (picture.kind, picture.width, picture.height) == ("png", WIDTH, HEIGHT)
    data = picture.data
    start = data.index(b"IDAT") + 4
    pixels = zlib.decompress(
        data[start : start + int.from_bytes(data[start - 8 : start - 4], "big")]
    )
    row = 1 + WIDTH // 4
    assert len(pixels) == row * HEIGHT
    tones = [[pixels[y * 100 * row + 1 + x * 25] & 3 for x in range(12)] for y in range(18)]
    assert tones == pattern("yuye")


def test_the_pattern_depends_on_the_id_alone_and_mirrors_itself():
    assert pattern("yuye") == pattern("yuye")
    assert pattern("yuye") != pattern("other")
    assert palette("yuye") != palette("other")
    assert all(row == row[::-1] for row in pattern("七则桥"))


def test_a_book_without_a_cover_gets_title_and_author_on_its_pattern():
    found = files(render_epub(sample()))
    assert found["cover-image.png"] == cover_png("yuye")
    page = ElementTree.fromstring(found["cover.xhtml"])
    assert [text.text for text in page.iter(SVG + "text")] == ["雨夜", "林远 & Co"]
    image = next(page.iter(SVG + "image"))
    assert image.get("{http://www.w3.org/1999/xlink}href") == "cover-image.png"
    items = ElementTree.fromstring(found["content.opf"]).iter(OPF + "item")
    assert {i.get("href"): i.get("properties") for i in items if i.get("properties")} == {
        "cover.xhtml": "svg", "contents.xhtml": "nav", "cover-image.png": "cover-image"
    }  # fmt: skip


@given(st.text(max_size=300), st.text(max_size=60), st.sampled_from(["zh", "en"]))
@settings(max_examples=80, deadline=None)
def test_any_title_fits_on_the_cover(title, author, language):
    manuscript = one_chapter("甲", language=language)
    manuscript = replace(manuscript, book=book(language, title))
    manuscript = replace(manuscript, imprint=replace(manuscript.imprint, author=author))
    drawn = ElementTree.parse(io.StringIO(cover_svg(manuscript, "a.png"))).getroot()
    for text in drawn.iter(SVG + "text"):
        size, y = int(text.get("font-size", "")), int(text.get("y", ""))
        widest = sum(0.5 if letter < "\u2000" else 1 for letter in text.text or "") * size
        assert widest <= 860
        assert 400 + size * 0.7 <= y <= 1160
