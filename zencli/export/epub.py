"""EPUB 3, byte for byte the same for the same manuscript."""

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from zencli.export.archive import Packed, archive, packed
from zencli.export.cover import HEIGHT, WIDTH, cover_png
from zencli.export.manuscript import Manuscript, ManuscriptChapter, Part, heading
from zencli.export.package import FOLDER, File, package_files
from zencli.export.page_cache import PageCache, page_key
from zencli.export.pictures import ENDINGS, MEDIA_TYPES, Picture
from zencli.export.pieces import picture_names
from zencli.export.section import Setting
from zencli.export.style import Look, style_sheet
from zencli.export.xhtml import (
    Entry,
    chapter_page,
    contents_page,
    cover_page,
    part_page,
    title_page,
)

_XHTML = "application/xhtml+xml"
_PICTURES = "images"
_WORKERS = min(os.cpu_count() or 1, 4)


class _Page(NamedTuple):
    """A page whose content is being compressed, or was before; ``key`` is for the next time."""

    file: File
    content: Future[Packed] | Packed
    key: str = ""

    def packed(self) -> Packed:
        """The content, waited for."""
        return self.content if isinstance(self.content, Packed) else self.content.result()


def render_epub(
    manuscript: Manuscript, look: Look | None = None, pages: PageCache | None = None
) -> bytes:
    """The book as EPUB 3: cover, title page, contents, a page for each part and chapter.

    The identifier depends on the book's id alone, the times on ``book.updated``. ``pages`` are
    those of an earlier export; the result is the same without them.
    """
    look, pages = look or Look(), pages or PageCache()
    # zlib lets go of the interpreter: pages are compressed while the next are made
    with ThreadPoolExecutor(_WORKERS) as workers:
        book = _Book(manuscript, look, pages, workers)
        listed = [*book.front(), *book.text(), *book.rest()]
        package = package_files(manuscript, look, [page.file for page in listed], book.entries)
        members = {f"{FOLDER}/{page.file.name}": page.packed() for page in listed}
    for page in listed:
        if page.key:
            pages.add(page.key, page.packed())
    for name, content in package.items():
        members[name] = packed(content, deflate=name != "mimetype")
    return archive(members)


class _Book:
    """Makes the files of the book in reading order."""

    def __init__(
        self, manuscript: Manuscript, look: Look, pages: PageCache, workers: ThreadPoolExecutor
    ) -> None:
        self._manuscript = manuscript
        self._language = manuscript.book.language
        self._look = look
        self._pages = pages
        self._workers = workers
        self._setting = Setting(
            self._language, epub=True, pictures=manuscript.pictures, place=picture_file
        )
        drawn = Picture(cover_png(manuscript.book.id), "png", WIDTH, HEIGHT)
        self._cover = manuscript.cover or drawn
        self.entries = _entries(manuscript)

    def front(self) -> Iterator[_Page]:
        """Cover, title page, contents."""
        own = self._manuscript.cover is not None
        page = cover_page(self._manuscript, _cover_file(self._cover))
        yield self._page("cover", page, () if own else ("svg",))
        yield self._page("title", title_page(self._manuscript))
        contents = contents_page(self.entries, self._language, "cover.xhtml")
        yield self._page("contents", contents, ("nav",))

    def text(self) -> Iterator[_Page]:
        """The parts and chapters."""
        for part, chapters in self._manuscript.sections:
            if part is not None:
                yield self._page(part_id(part), part_page(part, self._language))
            for chapter in chapters:
                yield self._chapter(chapter)

    def rest(self) -> Iterator[_Page]:
        """What isn't read in order: style sheet, images."""
        style = style_sheet(self._language, self._look).encode()
        yield _Page(File("style.css", "text/css"), packed(style))
        yield _picture(_cover_file(self._cover), self._cover, ("cover-image",))
        shown = {picture_file(picture): picture for picture in self._manuscript.pictures.values()}
        for name, picture in shown.items():
            yield _picture(name, picture)

    def _page(
        self, page: str, document: str, properties: tuple[str, ...] = (), key: str = ""
    ) -> _Page:
        file = File(f"{page}.xhtml", _XHTML, properties, in_order=True)
        return _Page(file, self._workers.submit(packed, document.encode()), key)

    def _chapter(self, chapter: ManuscriptChapter) -> _Page:
        known = self._manuscript.pictures
        pictures = [n for n in picture_names(chapter.prose) if n in known] if known else []
        places = [f"{name}={picture_file(known[name])}" for name in pictures]
        title = heading(chapter, self._language)
        made_from = (self._language, chapter.number, title, chapter.title, chapter.prose, *places)
        key = page_key(made_from)
        kept = self._pages.get(key)
        if kept is not None:
            return _Page(File(f"{chapter_id(chapter)}.xhtml", _XHTML, in_order=True), kept)
        return self._page(chapter_id(chapter), chapter_page(chapter, self._setting), key=key)


def _entries(manuscript: Manuscript) -> list[Entry]:
    """The contents: chapters, below their part where they stand in one."""
    found: list[Entry] = []
    language = manuscript.book.language
    for part, chapters in manuscript.sections:
        own = [Entry(f"{chapter_id(c)}.xhtml", heading(c, language)) for c in chapters]
        if part is None:
            found += own
        else:
            found.append(Entry(f"{part_id(part)}.xhtml", part.heading, tuple(own)))
    return found


def chapter_id(chapter: ManuscriptChapter) -> str:
    """The name of a chapter's page."""
    return f"chapter-{chapter.number:04d}"


def part_id(part: Part) -> str:
    """The name of a part's page: parts are told apart by the chapter that they begin with."""
    return f"part-{part.first:04d}"


def picture_file(picture: Picture) -> str:
    """The name of a picture's file, the same for the same content."""
    name = hashlib.sha256(picture.data).hexdigest()[:16]
    return f"{_PICTURES}/img-{name}.{ENDINGS[picture.kind]}"


def _cover_file(cover: Picture) -> str:
    return f"cover-image.{ENDINGS[cover.kind]}"


def _picture(name: str, picture: Picture, properties: tuple[str, ...] = ()) -> _Page:
    content = packed(picture.data, deflate=picture.kind == "svg")
    return _Page(File(name, MEDIA_TYPES[picture.kind], properties), content)
