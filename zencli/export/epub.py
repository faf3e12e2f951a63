"""EPUB 3, byte for byte the same for the same manuscript."""

import io
import uuid
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from zencli.errors import UsageError
from zencli.export.manuscript import CoverType, Manuscript, ManuscriptChapter, heading, one_line
from zencli.export.style import style_sheet
from zencli.export.xhtml import (
    LANGUAGE_TAGS,
    chapter_page,
    contents_page,
    cover_page,
    title_page,
)

if TYPE_CHECKING:
    from ebooklib import epub

# Names of books stay the same as long as this does: never change it.
_NAMESPACE = uuid.UUID("7c2b1f4e-5f0a-5f52-9d5e-3f6f6f1c9a10")
_XHTML = "application/xhtml+xml"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644 << 16
_SIGNATURES: dict[CoverType, bytes] = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}
_ACCESSIBILITY = (
    ("schema:accessMode", "textual"),
    ("schema:accessModeSufficient", "textual"),
    ("schema:accessibilityFeature", "structuralNavigation"),
    ("schema:accessibilityFeature", "tableOfContents"),
    ("schema:accessibilityHazard", "none"),
)


def render_epub(manuscript: Manuscript) -> bytes:
    """The book as EPUB 3 with title page, contents and one file a chapter.

    The identifier depends on the book's id alone, the time of change is ``book.updated``. Raises
    UsageError ``usage.cover`` when the cover isn't a PNG or JPEG image as ``cover_type`` says.
    """
    from ebooklib import epub

    book = epub.EpubBook()
    _describe(book, manuscript)
    book.spine = _add_pages(book, manuscript)
    _add_table_for_old_readers(book, manuscript)
    raw = io.BytesIO()
    options = {
        "mtime": _utc(manuscript.book.updated),
        "compresslevel": 0,
        "raise_exceptions": True,
    }
    epub.write_epub(raw, book, options)
    return _repacked(raw)


def _describe(book: "epub.EpubBook", manuscript: Manuscript) -> None:
    book.set_identifier(f"urn:uuid:{uuid.uuid5(_NAMESPACE, manuscript.book.id)}")
    book.set_title(manuscript.title)
    book.set_language(LANGUAGE_TAGS[manuscript.book.language])
    author = one_line(manuscript.author)
    if author:
        book.add_author(author)
    if manuscript.blurb:
        book.add_metadata("DC", "description", "\n".join(manuscript.blurb))
    for name, value in _ACCESSIBILITY:
        book.add_metadata("OPF", name, value, {"property": name})


def _add_pages(book: "epub.EpubBook", manuscript: Manuscript) -> "list[epub.EpubItem]":
    """Add every file but the table of old readers; returns the pages in reading order."""
    language = manuscript.book.language
    chapters = [(_page_id(chapter), chapter) for chapter in manuscript.ordered]
    entries = [(f"{page}.xhtml", heading(chapter, language)) for page, chapter in chapters]
    _add_file(book, "style.css", "text/css", style_sheet(language).encode())
    order = [] if manuscript.cover is None else [_add_cover(book, manuscript, manuscript.cover)]
    order.append(_add_page(book, "title", title_page(manuscript)))
    order.append(_add_page(book, "contents", contents_page(entries, language), ["nav"]))
    for page, chapter in chapters:
        order.append(_add_page(book, page, chapter_page(chapter, language)))
    return order


def _page_id(chapter: ManuscriptChapter) -> str:
    return f"chapter-{chapter.number:04d}"


def _add_page(
    book: "epub.EpubBook", page: str, document: str, properties: list[str] | None = None
) -> "epub.EpubItem":
    return _add_file(book, f"{page}.xhtml", _XHTML, document.encode(), properties)


def _add_file(
    book: "epub.EpubBook",
    name: str,
    media_type: str,
    content: bytes,
    properties: list[str] | None = None,
) -> "epub.EpubItem":
    # A plain item is written as it is; ebooklib's own page classes parse it again with lxml.
    from ebooklib import epub

    uid = name.partition(".")[0]
    item = epub.EpubItem(uid=uid, file_name=name, media_type=media_type, content=content)
    item.properties = properties or []
    book.add_item(item)
    return item


def _add_cover(book: "epub.EpubBook", manuscript: Manuscript, image: bytes) -> "epub.EpubItem":
    kind = manuscript.cover_type
    if not image.startswith(_SIGNATURES[kind]):
        raise UsageError(
            "usage.cover", f"The cover isn't a {kind.upper()} image.", "Give a PNG or JPEG file."
        )
    name = f"cover-image.{'png' if kind == 'png' else 'jpg'}"
    _add_file(book, name, f"image/{kind}", image, ["cover-image"])
    book.add_metadata("OPF", "cover", "", {"name": "cover", "content": "cover-image"})
    return _add_page(book, "cover", cover_page(manuscript, name))


def _add_table_for_old_readers(book: "epub.EpubBook", manuscript: Manuscript) -> None:
    """The table of contents of EPUB 2, which ebooklib refers to in any case."""
    from ebooklib import epub

    language = manuscript.book.language
    book.toc = [
        epub.Link(f"{_page_id(c)}.xhtml", heading(c, language), f"toc-{_page_id(c)}")
        for c in manuscript.ordered
    ]
    book.add_item(epub.EpubNcx())


def _utc(time: datetime) -> datetime:
    """ebooklib stamps any time as UTC, so it must be; a time without zone is taken for UTC."""
    return time.astimezone(UTC) if time.tzinfo else time


def _repacked(raw: io.BytesIO) -> bytes:
    """The same files with fixed times, sorted, ``mimetype`` first and stored as EPUB demands."""
    out = io.BytesIO()
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(out, "w") as target:
        for name in sorted(source.namelist(), key=lambda name: (name != "mimetype", name)):
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.create_system = 3
            entry.external_attr = _READABLE
            stored = name == "mimetype" or name.endswith((".png", ".jpg"))
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return out.getvalue()
