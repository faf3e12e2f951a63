"""One page of HTML with everything in it: contents, style for light and dark, pictures."""

from base64 import b64encode
from html import escape

from zencli.export.manuscript import Manuscript, heading, one_line
from zencli.export.pictures import MEDIA_TYPES, Picture
from zencli.export.section import Setting, chapter_section, plain
from zencli.export.style import Look, prose_style
from zencli.export.xhtml import CONTENTS, LANGUAGE_TAGS
from zencli.story.book import Language

_SKIP: dict[Language, str] = {"zh": "跳到正文", "en": "Skip to the text"}

_PAGE = """\
:root { color-scheme: light dark; --ground: #fbfaf6; --ink: #1c1b19; --line: #8a857a; \
--link: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ground: #16171a; --ink: #d9d6cf; \
--line: #7d7a73; --link: #8ab4e8; } }
body { margin: 0; background: var(--ground); color: var(--ink); font-size: 1.125rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; inset-inline-start: -999rem; }
.skip:focus { position: static; }
header, nav, main { box-sizing: border-box; max-inline-size: 38em; margin-inline: auto; \
padding-inline: 1.25em; }
header { margin-block: 4em 3em; text-align: center; }
header p { text-indent: 0; text-align: center; margin-block-end: 0.5em; }
nav ol { padding-inline-start: 0; list-style: none; }
nav ol ol { padding-inline-start: 1.5em; }
nav li { margin-block: 0.5em; }
nav summary { cursor: pointer; font-weight: bold; }
main > section { margin-block-start: 4em; }
main h2 { font-size: 1.4em; }
main h3 { font-size: 1.2em; }
hr.scene { border-color: var(--line); }
.picture img { block-size: auto; }
:target { scroll-margin-block-start: 1em; }
@media print { nav, .skip { display: none; } main > section { break-before: page; } }
"""

_UPRIGHT = """\
html { block-size: 100%; overflow-x: auto; }
body { block-size: 100%; }
"""


def render_html(manuscript: Manuscript, look: Look | None = None) -> bytes:
    """The book as one HTML file that needs no other: it fetches nothing and runs no script."""
    look = look or Look()
    language = manuscript.book.language
    style = prose_style(language, look) + _PAGE
    if look.is_vertical(language):
        style += _UPRIGHT
    author = one_line(manuscript.imprint.author)
    named = f'<meta name="author" content="{escape(author)}">\n' if author else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{LANGUAGE_TAGS[language]}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{named}<title>{plain(manuscript.title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f'<body>\n<a class="skip" href="#text">{_SKIP[language]}</a>\n'
        f"{_header(manuscript)}\n{_contents(manuscript)}\n{_text(manuscript)}\n</body>\n</html>\n"
    ).encode()


def _header(manuscript: Manuscript) -> str:
    imprint = manuscript.imprint
    small = [one_line(imprint.publisher), one_line(imprint.rights)]
    lines = [line for line in (manuscript.byline, *manuscript.blurb, *small) if line]
    paragraphs = "".join(f"<p>{plain(line)}</p>\n" for line in lines)
    return f"<header>\n<h1>{plain(manuscript.title)}</h1>\n{paragraphs}</header>"


def _contents(manuscript: Manuscript) -> str:
    language = manuscript.book.language
    items: list[str] = []
    for part, chapters in manuscript.sections:
        own = [
            f'<li><a href="#c{c.number}">{plain(heading(c, language))}</a></li>' for c in chapters
        ]
        if part is None:
            items += own
        else:
            inner = "\n".join(own)
            name = plain(part.heading)
            items.append(f'<li><a href="#p{part.first}">{name}</a>\n<ol>\n{inner}\n</ol></li>')
    listed = "\n".join(items)
    title = CONTENTS[language]
    return (
        f'<nav aria-label="{title}">\n<details open>\n<summary>{title}</summary>\n<ol>\n{listed}\n'
        "</ol>\n</details>\n</nav>"
    )


def _text(manuscript: Manuscript) -> str:
    setting = Setting(
        manuscript.book.language, epub=False, pictures=manuscript.pictures, place=_inside, level=2
    )
    parts = ['<main id="text">']
    for part, chapters in manuscript.sections:
        inner = setting
        if part is not None:
            parts.append(
                f'<section role="doc-part" id="p{part.first}">\n'
                f"<h2>{plain(part.heading)}</h2>\n</section>"
            )
            inner = setting.below()
        parts += [chapter_section(chapter, inner) for chapter in chapters]
    return "\n".join([*parts, "</main>"])


def _inside(picture: Picture) -> str:
    return f"data:{MEDIA_TYPES[picture.kind]};base64,{b64encode(picture.data).decode()}"
