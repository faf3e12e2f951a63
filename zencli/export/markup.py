"""Inline Markdown to XHTML with Python-Markdown, whose every result is checked.

In odd cases (3.11: ``*a **b*c``, some escapes) it drops characters or leaves its own in their
place. A paragraph that wouldn't read as ``without_marks`` says is shown without emphasis.
"""

import re
import string
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from zencli.export.marks import MARKS, characters, without_marks

if TYPE_CHECKING:
    from markdown import Markdown

HARD_BREAK = "  \n"
"""A line end that is meant to be seen, in Markdown; XHTML has ``<br/>`` in its place."""

_BLOCKS = "empty indent code hashheader setextheader hr olist ulist quote reference"
_LINKS = "reference link image_link image_reference short_reference short_image_ref autolink"
_NOT_MARKS = f"{_LINKS} automail html entity"
_BREAK = "<br />\n"
_ENTITY = re.compile(r"&#?\w+;")
_LINE_END = re.compile(r"( *\n)")


def to_xhtml(text: str) -> str:
    """The text of one block, without blank lines, as well-formed XHTML content.

    Every character of ``without_marks(text)`` is in it, and no other; line ends are as in the
    text. Where the whole can't be marked up without loss, each line is taken by itself.
    """
    whole = _marked_up(text)
    if whole is not None:
        return whole
    plain = without_marks(text)
    pieces = _LINE_END.split(text)
    if "".join(piece if i % 2 else without_marks(piece) for i, piece in enumerate(pieces)) != plain:
        return escape(plain, quote=False)
    return "".join(piece if i % 2 else _line(piece) for i, piece in enumerate(pieces))


def _line(line: str) -> str:
    marked_up = _marked_up(line) if MARKS.search(line) else None
    return escape(without_marks(line), quote=False) if marked_up is None else marked_up


def _marked_up(text: str) -> str | None:
    """None unless the result is XML that reads as the text does."""
    paragraph = _ENTITY.sub(_as_xml, _markdown().convert(text))
    try:
        read = "".join(ElementTree.fromstring(paragraph).itertext())
    except ElementTree.ParseError:
        return None
    if read.replace(HARD_BREAK, "\n") != without_marks(text).replace(HARD_BREAK, "\n"):
        return None
    return paragraph.removeprefix("<p>").removesuffix("</p>").replace(_BREAK, HARD_BREAK)


def _as_xml(entity: re.Match[str]) -> str:
    return escape(characters(entity[0]), quote=False)


@cache
def _markdown() -> "Markdown":
    """A reader of emphasis, code spans, escapes and hard breaks; all else is text to it."""
    from markdown import Markdown

    reader = Markdown(output_format="xhtml")
    for registry, names in (
        (reader.preprocessors, "normalize_whitespace html_block"),
        (reader.parser.blockprocessors, _BLOCKS),
        (reader.inlinePatterns, _NOT_MARKS),
    ):
        for name in names.split():
            registry.deregister(name)
    reader.ESCAPED_CHARS = list(string.punctuation)
    return reader
