"""Manuscripts for the tests of export, and ways to look into what came out."""

import io
import struct
import zipfile
import zlib
from datetime import UTC, datetime
from xml.etree import ElementTree

from zencli.export.manuscript import Imprint, Manuscript, ManuscriptChapter
from zencli.story.book import BookConfig, Language

UPDATED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
XHTML = "{http://www.w3.org/1999/xhtml}"
DC = "{http://purl.org/dc/elements/1.1/}"
OPF = "{http://www.idpf.org/2007/opf}"

CHAPTERS = {
    "zh": (
        ManuscriptChapter(10, "归人", "雨停了。\n\n她没有回头。"),
        ManuscriptChapter(1, "夜雨", "**“你好。”**他说。\n\n***\n\n夜里*很静*。"),
        ManuscriptChapter(2, "旧信", "> 见信如晤。\n\n1986. 年的夏天。"),
    ),
    "en": (
        ManuscriptChapter(10, "The Return", "The rain had stopped.\n\nShe didn't look back."),
        ManuscriptChapter(1, "Night Rain", '**"Hello,"** he\nsaid.\n\n* * *\n\nIt was *quiet*.'),
        ManuscriptChapter(0, "", "> A letter.\n\n1986. That was the summer."),
    ),
}


def book(language: Language = "zh", title: str = "雨夜", book_id: str = "yuye") -> BookConfig:
    return BookConfig(id=book_id, title=title, language=language, created=UPDATED, updated=UPDATED)


def sample(language: Language = "zh") -> Manuscript:
    imprint = Imprint(author="林远 & Co", description="一封信。\n\n<两个>人。")
    return Manuscript(book(language), CHAPTERS[language], imprint)


def one_chapter(
    prose: str, title: str = "题目", number: int = 1, language: Language = "zh"
) -> Manuscript:
    return Manuscript(book(language), (ManuscriptChapter(number, title, prose),))


def files(epub: bytes) -> dict[str, bytes]:
    """The files of an EPUB by name, without the folder that ebooklib puts them in."""
    with zipfile.ZipFile(io.BytesIO(epub)) as archive:
        return {name.removeprefix("EPUB/"): archive.read(name) for name in archive.namelist()}


def chapter_root(epub: bytes, number: int = 1) -> ElementTree.Element:
    return ElementTree.fromstring(files(epub)[f"chapter-{number:04d}.xhtml"])


def texts(root: ElementTree.Element, tag: str) -> list[str]:
    """The text of every element of this name, in document order."""
    return ["".join(element.itertext()) for element in root.iter(XHTML + tag)]


def paragraphs(epub: bytes, number: int = 1) -> list[str]:
    return texts(chapter_root(epub, number), "p")


def png() -> bytes:
    """A grey image of 600 by 800 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    header = struct.pack(">IIBBBBB", 600, 800, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * 600) * 800)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )
