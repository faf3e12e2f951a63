"""A chapter as XHTML, for the pages of an EPUB and for the one page of html alike."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from zencli.export.blocks import BREAK, Block, Body, chapter_body
from zencli.export.inline import xhtml_paragraphs
from zencli.export.manuscript import ManuscriptChapter, heading
from zencli.export.pictures import Picture
from zencli.export.pieces import Pieces
from zencli.story.book import Language

_ONLY_PICTURES = re.compile(r"(?:<img [^>]*/>\s*)+")


@dataclass(frozen=True)
class Setting:
    """How chapters are set: where a picture is found, and whether the page is an EPUB's."""

    language: Language
    epub: bool
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    place: Callable[[Picture], str] = lambda picture: ""
    level: int = 1

    def below(self) -> "Setting":
        """The same, with headings a level deeper."""
        return replace(self, level=self.level + 1)

    def semantics(self, kind: str) -> str:
        """The attributes that say what an element is."""
        inflection = f' epub:type="{kind}"' if self.epub else ""
        return f'{inflection} role="doc-{kind}"'


def chapter_section(chapter: ManuscriptChapter, setting: Setting) -> str:
    """A chapter: its heading once, the prose, its footnotes."""
    body = chapter_body(chapter, setting.language)
    name = f"c{chapter.number}"
    pieces = Pieces(body.notes, setting.pictures, _Forms(name, setting))
    kind = "chapter" if chapter.number else "prologue"
    title = plain(heading(chapter, setting.language))
    ident = "" if setting.epub else f' id="{name}"'
    parts = [
        f"<section{ident}{setting.semantics(kind)}>",
        f"<h{setting.level}>{title}</h{setting.level}>",
        *_blocks(body, setting, pieces),
        *_notes(body, setting, pieces, name),
        "</section>",
    ]
    return "\n".join(parts)


def plain(text: str) -> str:
    """Plain text as the content of an element."""
    return escape(text, quote=False)


def _blocks(body: Body, setting: Setting, pieces: Pieces) -> list[str]:
    return [_block(block, setting, pieces) for block in body.blocks]


def _block(block: Block, setting: Setting, pieces: Pieces) -> str:
    if block.kind == "break":
        return '<hr class="scene"/>'
    content = xhtml_paragraphs(block.text, setting.language, pieces)
    if block.kind == "heading":
        level = setting.level + 1
        return f"<h{level}>{' '.join(content)}</h{level}>" if content else ""
    paragraphs = "\n".join(map(_paragraph, content))
    if block.kind == "quote" and paragraphs:
        return f"<blockquote>\n{paragraphs}\n</blockquote>"
    return paragraphs


def _paragraph(content: str) -> str:
    if content.startswith("<img ") and _ONLY_PICTURES.fullmatch(content):
        return f'<p class="picture">{content}</p>'
    if content[0] in "*-_" and BREAK.fullmatch(content):
        return f'<p class="text">{content}</p>'  # so that reading it again knows
    return f"<p>{content}</p>"


def _notes(body: Body, setting: Setting, pieces: Pieces, name: str) -> list[str]:
    """Each footnote with the way back; its own label is kept where it isn't its number."""
    found = []
    for number, note in enumerate(body.notes, 1):
        label = "" if note.label == str(number) else f' data-label="{escape(note.label)}"'
        content = xhtml_paragraphs(note.text, setting.language, pieces)
        back = f'<a href="#{name}-ref{number}" role="doc-backlink">{number}</a> '
        paragraphs = "\n".join(
            f"<p>{back if index == 0 else ''}{text}</p>" for index, text in enumerate(content)
        )
        found.append(
            f'<aside{setting.semantics("footnote")} id="{name}-note{number}" class="note"{label}>\n'
            f"{paragraphs}\n</aside>"
        )
    return found


class _Forms:
    """The pieces of a chapter as XHTML."""

    def __init__(self, name: str, setting: Setting) -> None:
        self._name = name
        self._setting = setting

    def note(self, number: int, time: int) -> str:
        again = "" if time == 1 else f"-{time}"
        return (
            f'<a{self._setting.semantics("noteref")} class="noteref"'
            f' href="#{self._name}-note{number}" id="{self._name}-ref{number}{again}">{number}</a>'
        )

    def picture(self, name: str, alt: str) -> str:
        place = escape(self._setting.place(self._setting.pictures[name]))
        return f'<img src="{place}" alt="{escape(alt)}"/>'

    def ruby(self, readings: Sequence[tuple[str, str]]) -> str:
        inner = "".join(f"{plain(base)}<rt>{plain(reading)}</rt>" for base, reading in readings)
        return f"<ruby>{inner}</ruby>"
