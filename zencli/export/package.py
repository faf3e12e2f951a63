"""What an EPUB says of itself: package document, container, table of contents of old readers."""

import io
import uuid
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from zencli.export.manuscript import Manuscript, one_line
from zencli.export.style import Look
from zencli.export.xhtml import LANGUAGE_TAGS, Entry

if TYPE_CHECKING:
    from ebooklib import epub

# Names of books stay the same as long as this does: never change it.
_NAMESPACE = uuid.UUID("7c2b1f4e-5f0a-5f52-9d5e-3f6f6f1c9a10")
FOLDER = "EPUB"
"""Where all files but ``mimetype`` and the container stand."""

_SUMMARY = {
    "zh": "全书为可重排的文字，按章编排，有目录；没有闪烁、声音与动画。",
    "en": "Reflowable text in chapters with a table of contents; no flashing, sound or motion.",
}


class File(NamedTuple):
    """A file of the book; ``in_order``: it is read, where it stands among the others."""

    name: str
    media_type: str
    properties: tuple[str, ...] = ()
    in_order: bool = False


def package_files(
    manuscript: Manuscript, look: Look, files: Sequence[File], entries: Sequence[Entry]
) -> dict[str, bytes]:
    """The members of the archive that ebooklib writes, by name, for the given other files."""
    from ebooklib import epub

    book = epub.EpubBook()
    _describe(book, manuscript)
    _say_how_it_can_be_read(book, manuscript)
    if look.is_vertical(manuscript.book.language):
        book.set_direction("rtl")
    own = [_item(file) for file in files]
    for item in own:
        book.add_item(item)
    book.spine = [item for item, file in zip(own, files, strict=True) if file.in_order]
    book.toc = [_toc_entry(entry) for entry in entries]
    book.add_item(epub.EpubNcx())
    return _written(book, _utc(manuscript.book.updated))


def _written(book: "epub.EpubBook", modified: datetime) -> dict[str, bytes]:
    """What ebooklib writes of a book, but for the empty files that stand for ours."""
    from ebooklib import epub

    class Writer(epub.EpubWriter):  # type: ignore[misc]
        def _write_items(self) -> None:
            # the package document is written by now, and a thousand empty files take a while
            self.book.items = [item for item in self.book.items if isinstance(item, epub.EpubNcx)]
            super()._write_items()

    raw = io.BytesIO()
    writer = Writer(raw, book, {"mtime": modified, "compresslevel": 0})
    writer.process()
    writer.write()
    with zipfile.ZipFile(raw) as written:
        return {name: written.read(name) for name in written.namelist()}


def _item(file: File) -> "epub.EpubItem":
    # A plain item is listed as it is; ebooklib's own page classes would parse it again with lxml.
    from ebooklib import epub

    uid = file.name.rpartition("/")[2].partition(".")[0]
    item = epub.EpubItem(uid=uid, file_name=file.name, media_type=file.media_type)
    item.content = b""
    item.properties = list(file.properties)
    return item


def _describe(book: "epub.EpubBook", manuscript: Manuscript) -> None:
    imprint = manuscript.imprint
    book.set_identifier(f"urn:uuid:{uuid.uuid5(_NAMESPACE, manuscript.book.id)}")
    book.set_title(manuscript.title)
    book.set_language(LANGUAGE_TAGS[manuscript.book.language])
    author = one_line(imprint.author)
    if author:
        book.add_author(author, role="aut", uid="creator")
    texts = [
        ("publisher", one_line(imprint.publisher)),
        ("description", "\n".join(manuscript.blurb)),
        ("rights", one_line(imprint.rights)),
        ("date", f"{_utc(manuscript.book.updated):%Y-%m-%d}"),
        *(("subject", subject) for subject in dict.fromkeys(map(one_line, imprint.subjects))),
    ]
    for name, text in texts:
        if text:
            book.add_metadata("DC", name, text)
    series = one_line(imprint.series)
    if series:
        _meta(book, "belongs-to-collection", series, id="series")
        _meta(book, "collection-type", "series", refines="#series")
        if imprint.series_number is not None:
            _meta(book, "group-position", str(imprint.series_number), refines="#series")
    book.add_metadata("OPF", "cover", "", {"name": "cover", "content": "cover-image"})


def _say_how_it_can_be_read(book: "epub.EpubBook", manuscript: Manuscript) -> None:
    """The accessibility metadata of schema.org."""
    modes = ["textual", *(["visual"] if manuscript.pictures else [])]
    said = [
        *(("schema:accessMode", mode) for mode in modes),
        ("schema:accessModeSufficient", ",".join(modes)),
        ("schema:accessibilityFeature", "readingOrder"),
        ("schema:accessibilityFeature", "structuralNavigation"),
        ("schema:accessibilityFeature", "tableOfContents"),
        ("schema:accessibilityHazard", "none"),
        ("schema:accessibilitySummary", _SUMMARY[manuscript.book.language]),
    ]
    for name, value in said:
        _meta(book, name, value)


def _meta(book: "epub.EpubBook", name: str, value: str, **others: str) -> None:
    book.add_metadata("OPF", name, value, {"property": name, **others})


def _toc_entry(entry: Entry) -> "epub.Link | tuple[epub.Section, list[epub.Link]]":
    from ebooklib import epub

    if entry.below:
        below = [_toc_entry(one) for one in entry.below]
        return epub.Section(entry.title, href=entry.href), below
    return epub.Link(entry.href, entry.title, f"toc-{entry.href.partition('.')[0]}")


def _utc(time: datetime) -> datetime:
    """ebooklib stamps any time as UTC, so it must be; a time without zone is taken for UTC."""
    return time.astimezone(UTC) if time.tzinfo else time
