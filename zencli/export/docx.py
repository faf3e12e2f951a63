"""A Word document: styles, contents, a page for each chapter, fonts for Chinese named."""

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from html import escape
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from zencli.export.archive import archive, packed
from zencli.export.blocks import Block, chapter_body
from zencli.export.docx_styles import BODY, FIRST, NOTE, QUOTE, SCENE, make_styles
from zencli.export.inline import xhtml_paragraphs
from zencli.export.manuscript import Manuscript, ManuscriptChapter, heading, one_line
from zencli.export.pictures import Picture
from zencli.export.pieces import Pieces
from zencli.export.section import plain
from zencli.export.xhtml import CONTENTS, LANGUAGE_TAGS

if TYPE_CHECKING:
    from docx.document import Document

_BREAK = "* * *"
_MARKS = {"strong": "<w:b/>", "em": "<w:i/>", "sup": '<w:vertAlign w:val="superscript"/>'}
_WIDEST, _TALLEST = 420, 560
"""Points that a picture may take of a page."""


def render_docx(manuscript: Manuscript) -> bytes:
    """The book as a Word document, byte for byte the same for the same manuscript.

    Title page, a field with the contents, a heading of the first level for each part, and for each
    chapter one that begins a page. Footnotes stand at the end of their chapter.
    """
    import docx

    document = docx.Document()
    in_parts = any(part for part, _ in manuscript.sections)
    level = 2 if in_parts else 1
    make_styles(document, manuscript.book.language, level)
    _describe(document, manuscript)
    writer = _Writer(document, manuscript)
    writer.title_page()
    writer.contents(level)
    for part, chapters in manuscript.sections:
        if part is not None:
            writer.heading(part.heading, 1, f"p{part.first}")
        for chapter in chapters:
            writer.chapter(chapter, level)
    writer.finish()
    raw = io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as written:
        return archive({name: packed(written.read(name)) for name in written.namelist()})


def _describe(document: "Document", manuscript: Manuscript) -> None:
    imprint, told = manuscript.imprint, document.core_properties
    told.title = manuscript.title[:255]
    told.author = one_line(imprint.author)[:255]
    told.last_modified_by = told.author
    told.comments = "\n".join(manuscript.blurb)[:255]
    told.keywords = ", ".join(map(one_line, imprint.subjects))[:255]
    told.language = LANGUAGE_TAGS[manuscript.book.language]
    time = manuscript.book.updated
    told.created = told.modified = time.astimezone(UTC) if time.tzinfo else time


class _Writer:
    """Makes the paragraphs, as text: python-docx looks through all of them to add another one."""

    def __init__(self, document: "Document", manuscript: Manuscript) -> None:
        self._document = document
        self._manuscript = manuscript
        self._language = manuscript.book.language
        self._ids = {style.name: style.style_id for style in document.styles}
        self._bookmarks = 0
        self._parts: list[str] = []

    def finish(self) -> None:
        """Put the paragraphs into the document."""
        from docx.oxml.ns import nsdecls
        from docx.oxml.parser import parse_xml

        last = self._document.element.body.sectPr
        made = parse_xml(f"<w:body {nsdecls('w')}>{''.join(self._parts)}</w:body>")
        for paragraph in list(made):
            last.addprevious(paragraph)

    def title_page(self) -> None:
        """Title, author, description, publisher and rights."""
        imprint = self._manuscript.imprint
        self._add("Title", _run(self._manuscript.title))
        small = (one_line(imprint.publisher), one_line(imprint.rights))
        for line in (self._manuscript.byline, *self._manuscript.blurb, *small):
            if line:
                self._add("Subtitle", _run(line))

    def contents(self, level: int) -> None:
        """A field that Word fills with page numbers when it is updated; until then it shows the
        headings."""
        self._add("Subtitle", _run(CONTENTS[self._language]), "<w:pageBreakBefore/>")
        begin = (
            _field("begin")
            + '<w:r><w:instrText xml:space="preserve">'
            + f' TOC \\o "1-{level}" \\h \\z \\u </w:instrText></w:r>'
            + _field("separate")
        )
        for text, name in self._headings():
            link = f'<w:hyperlink w:anchor="{name}" w:history="1">{_run(text)}</w:hyperlink>'
            self._add("Normal", begin + link)
            begin = ""
        self._add("Normal", _field("end"))

    def _headings(self) -> Iterator[tuple[str, str]]:
        for part, chapters in self._manuscript.sections:
            if part is not None:
                yield part.heading, f"p{part.first}"
            for chapter in chapters:
                yield heading(chapter, self._language), f"c{chapter.number}"

    def heading(self, text: str, level: int, name: str) -> None:
        """A heading that the contents can point at."""
        self._bookmarks += 1
        mark = f'w:id="{self._bookmarks}"'
        self._add(
            f"Heading {level}",
            f'<w:bookmarkStart {mark} w:name="{name}"/>{_run(text)}<w:bookmarkEnd {mark}/>',
        )

    def chapter(self, chapter: ManuscriptChapter, level: int) -> None:
        """The heading, the prose, the footnotes."""
        body = chapter_body(chapter, self._language)
        pieces = Pieces(body.notes, self._manuscript.pictures, _Forms())
        self.heading(heading(chapter, self._language), level, f"c{chapter.number}")
        first = True
        for block in body.blocks:
            if block.kind == "break":
                self._add(SCENE, _run(_BREAK))
            else:
                self._block(block, pieces, level, first=first)
            first = block.kind in ("break", "heading")
        for number, note in enumerate(body.notes, 1):
            before = _run(f"[{number}] ")
            for content in xhtml_paragraphs(note.text, self._language, pieces):
                self._add(NOTE, before + self._runs(content))
                before = ""

    def _block(self, block: Block, pieces: Pieces, level: int, *, first: bool) -> None:
        style = {"quote": QUOTE, "heading": f"Heading {level + 1}"}.get(block.kind, BODY)
        for content in xhtml_paragraphs(block.text, self._language, pieces):
            self._add(FIRST if first and style == BODY else style, self._runs(content))
            first = False

    def _add(self, style: str, runs: str, more: str = "") -> None:
        named = f'<w:pStyle w:val="{self._ids[style]}"/>'
        self._parts.append(f"<w:p><w:pPr>{named}{more}</w:pPr>{runs}</w:p>")

    def _runs(self, content: str) -> str:
        """The XHTML of a paragraph as runs."""
        if "<" not in content:
            return f'<w:r><w:t xml:space="preserve">{content}</w:t></w:r>'
        return "".join(self._walk(ElementTree.fromstring(f"<p>{content}</p>"), ()))

    def _walk(self, element: ElementTree.Element, inside: tuple[str, ...]) -> Iterator[str]:
        yield _run(element.text, inside)
        for child in element:
            if child.tag == "br":
                yield "<w:r><w:br/></w:r>"
            elif child.tag == "img":
                yield self._shown(child.get("src", ""), child.get("alt", ""))
            else:
                yield from self._walk(child, (*inside, child.tag))
            yield _run(child.tail, inside)

    def _shown(self, name: str, alt: str) -> str:
        from docx.shared import Pt

        picture = self._manuscript.pictures[name]
        if picture.kind not in ("png", "jpeg", "gif"):
            return _run(f"[{alt}]" if alt else "")
        width, height = _scaled(picture)
        data = io.BytesIO(picture.data)
        drawn = self._document.part.new_pic_inline(data, Pt(width), Pt(height))
        drawn.docPr.set("descr", alt)
        drawing = drawn.xml
        return f"<w:r><w:drawing>{drawing}</w:drawing></w:r>"


def _scaled(picture: Picture) -> tuple[float, float]:
    """The size in points at which a picture fits on a page."""
    scale = min(_WIDEST / picture.width, _TALLEST / picture.height, 0.75)
    return max(picture.width * scale, 1), max(picture.height * scale, 1)


def _run(text: str | None, inside: Iterable[str] = ()) -> str:
    if not text:
        return ""
    marks = "".join(_MARKS[tag] for tag in ("strong", "em", "sup") if tag in inside)
    look = f"<w:rPr>{marks}</w:rPr>" if marks else ""
    return f'<w:r>{look}<w:t xml:space="preserve">{plain(text)}</w:t></w:r>'


def _field(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


class _Forms:
    """The pieces of a chapter as XHTML that ``_Writer`` reads."""

    def note(self, number: int, time: int) -> str:
        return f"<sup>[{number}]</sup>"

    def picture(self, name: str, alt: str) -> str:
        return f'<img src="{escape(name)}" alt="{escape(alt)}"/>'

    def ruby(self, readings: Sequence[tuple[str, str]]) -> str:
        return "".join(f"{plain(base)}({plain(reading)})" for base, reading in readings)
