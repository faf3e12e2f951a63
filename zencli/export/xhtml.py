"""The XHTML documents of an EPUB."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from zencli.export.cover import cover_svg
from zencli.export.manuscript import Manuscript, ManuscriptChapter, Part, heading, one_line
from zencli.export.section import Setting, chapter_section, plain
from zencli.story.book import Language

LANGUAGE_TAGS: dict[Language, str] = {"zh": "zh-CN", "en": "en"}
CONTENTS: dict[Language, str] = {"zh": "目录", "en": "Contents"}
_START: dict[Language, str] = {"zh": "正文", "en": "Start of text"}
_COVER: dict[Language, str] = {"zh": "封面", "en": "Cover"}


@dataclass(frozen=True)
class Entry:
    """A line of the contents: its file, what it says, and the entries below it."""

    href: str
    title: str
    below: "tuple[Entry, ...]" = ()


def document(title: str, body: str, language: Language) -> str:
    """A whole XHTML file; ``title`` is plain text, ``body`` the content of its body."""
    tag = LANGUAGE_TAGS[language]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{tag}" xml:lang="{tag}">\n<head>\n<title>{plain(title)}</title>\n'
        '<link rel="stylesheet" type="text/css" href="style.css"/>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def chapter_page(chapter: ManuscriptChapter, setting: Setting) -> str:
    """A chapter on a page of its own."""
    title = heading(chapter, setting.language)
    return document(title, chapter_section(chapter, setting), setting.language)


def part_page(part: Part, language: Language) -> str:
    """The page that opens a volume."""
    body = (
        '<section class="title-page" epub:type="part" role="doc-part">\n'
        f"<h1>{plain(part.heading)}</h1>\n</section>"
    )
    return document(part.heading, body, language)


def title_page(manuscript: Manuscript) -> str:
    """Title, author, description, series, publisher and rights; what is empty isn't shown."""
    imprint = manuscript.imprint
    series = one_line(imprint.series)
    if series and imprint.series_number is not None:
        series += f" {imprint.series_number}"
    small = [series, one_line(imprint.publisher), one_line(imprint.rights)]
    lines = [f"<p>{plain(line)}</p>" for line in (manuscript.byline, *manuscript.blurb) if line]
    lines += [f'<p class="small">{plain(line)}</p>' for line in small if line]
    body = [
        '<section class="title-page" epub:type="titlepage">',
        f"<h1>{plain(manuscript.title)}</h1>",
        *lines,
        "</section>",
    ]
    return document(manuscript.title, "\n".join(body), manuscript.book.language)


def cover_page(manuscript: Manuscript, image: str) -> str:
    """The cover on a page of its own; ``image`` is the name of its file, the author's or ours."""
    language = manuscript.book.language
    shown = f'<img src="{image}" alt="{escape(manuscript.title)}"/>'
    if manuscript.cover is None:
        shown = cover_svg(manuscript, image)
    body = f'<div class="cover" epub:type="cover">{shown}</div>'
    return document(_COVER[language], body, language)


def contents_page(entries: Sequence[Entry], language: Language, cover: str) -> str:
    """The navigation document, with the landmarks: cover, contents, start of the text."""
    title = CONTENTS[language]
    body = (
        f'<nav epub:type="toc" role="doc-toc" id="toc">\n<h1>{title}</h1>\n{_list(entries)}\n'
        '</nav>\n<nav epub:type="landmarks" hidden="hidden">\n<ol>\n'
        f'<li><a epub:type="cover" href="{cover}">{_COVER[language]}</a></li>\n'
        f'<li><a epub:type="toc" href="#toc">{title}</a></li>\n'
        f'<li><a epub:type="bodymatter" href="{entries[0].href}">{_START[language]}</a></li>\n'
        "</ol>\n</nav>"
    )
    return document(title, body, language)


def _list(entries: Sequence[Entry]) -> str:
    items = "\n".join(
        f'<li><a href="{entry.href}">{plain(entry.title)}</a>'
        f"{_list(entry.below) if entry.below else ''}</li>"
        for entry in entries
    )
    return f"<ol>\n{items}\n</ol>"
