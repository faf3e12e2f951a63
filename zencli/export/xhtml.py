"""The XHTML documents of an EPUB."""

from collections.abc import Sequence
from html import escape

from zencli.export.blocks import Block, chapter_blocks
from zencli.export.inline import xhtml_paragraphs
from zencli.export.manuscript import Manuscript, ManuscriptChapter, heading
from zencli.story.book import Language

LANGUAGE_TAGS: dict[Language, str] = {"zh": "zh-CN", "en": "en"}
CONTENTS: dict[Language, str] = {"zh": "目录", "en": "Contents"}
_START: dict[Language, str] = {"zh": "正文", "en": "Start of text"}
_COVER: dict[Language, str] = {"zh": "封面", "en": "Cover"}


def document(title: str, body: str, language: Language) -> str:
    """A whole XHTML file; ``title`` is plain text, ``body`` the content of its body."""
    tag = LANGUAGE_TAGS[language]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        f' lang="{tag}" xml:lang="{tag}">\n<head>\n<title>{_text(title)}</title>\n'
        '<link rel="stylesheet" type="text/css" href="style.css"/>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def chapter_page(chapter: ManuscriptChapter, language: Language) -> str:
    """A chapter: its heading once, then the prose."""
    title = heading(chapter, language)
    kind = "chapter" if chapter.number else "prologue"
    parts = [f'<section epub:type="{kind}" role="doc-{kind}">', f"<h1>{_text(title)}</h1>"]
    parts += [_block(block, language) for block in chapter_blocks(chapter, language)]
    return document(title, "\n".join([*parts, "</section>"]), language)


def title_page(manuscript: Manuscript) -> str:
    """Title, author and description; what is empty isn't shown."""
    lines = [manuscript.byline, *manuscript.blurb]
    paragraphs = [f"<p>{_text(line)}</p>" for line in lines if line]
    body = [
        '<section class="title-page" epub:type="titlepage">',
        f"<h1>{_text(manuscript.title)}</h1>",
        *paragraphs,
        "</section>",
    ]
    return document(manuscript.title, "\n".join(body), manuscript.book.language)


def cover_page(manuscript: Manuscript, image: str) -> str:
    """The cover image, named by its file name in the book, on a page of its own."""
    alt = escape(manuscript.title)
    body = f'<div class="cover" epub:type="cover"><img src="{image}" alt="{alt}"/></div>'
    language = manuscript.book.language
    return document(_COVER[language], body, language)


def contents_page(entries: Sequence[tuple[str, str]], language: Language) -> str:
    """The navigation document of ``(file name, heading)`` pairs, with the start of the text."""
    items = "\n".join(f'<li><a href="{name}">{_text(title)}</a></li>' for name, title in entries)
    title = CONTENTS[language]
    body = (
        f'<nav epub:type="toc" role="doc-toc" id="toc">\n<h1>{title}</h1>\n<ol>\n{items}\n</ol>\n'
        f'</nav>\n<nav epub:type="landmarks" hidden="hidden">\n<ol>\n'
        f'<li><a epub:type="toc" href="#toc">{title}</a></li>\n'
        f'<li><a epub:type="bodymatter" href="{entries[0][0]}">{_START[language]}</a></li>\n'
        "</ol>\n</nav>"
    )
    return document(title, body, language)


def _block(block: Block, language: Language) -> str:
    if block.kind == "break":
        return '<hr class="scene"/>'
    content = xhtml_paragraphs(block.text, language)
    if block.kind == "heading":
        return f"<h2>{' '.join(content)}</h2>"
    paragraphs = "\n".join(f"<p>{text}</p>" for text in content)
    return f"<blockquote>\n{paragraphs}\n</blockquote>" if block.kind == "quote" else paragraphs


def _text(text: str) -> str:
    return escape(text, quote=False)
