"""The paragraphs of a block, as XHTML or as plain text."""

import re
from html import escape

from zencli.export.marks import MARKS, without_marks
from zencli.export.markup import HARD_BREAK, to_xhtml
from zencli.export.pieces import Pieces
from zencli.story.book import Language

_HARD_BREAK = re.compile(r"(?<!\\)\\\n| {2,}\n")
_TAG_OR_LINE = re.compile(r"</?(?:em|strong|code)>|\n")


def xhtml_paragraphs(text: str, language: Language, pieces: Pieces) -> list[str]:
    """The paragraphs of a block's text as XHTML content.

    Lines of a Chinese block are paragraphs, because nobody wraps Chinese by hand; lines of an
    English one are joined.
    """
    text = pieces.hide(_with_breaks(text, language))
    if not MARKS.search(text):
        xhtml = escape(text, quote=False)
    elif language == "zh":
        xhtml = _held_together(to_xhtml(text))
    else:
        xhtml = to_xhtml(text)
    return [pieces.show(part) for part in _laid_out(xhtml, language, "<br/>")]


def plain_paragraphs(text: str, language: Language, pieces: Pieces) -> list[str]:
    """The same paragraphs as text without marks; a hard break inside one is a newline."""
    text = without_marks(pieces.hide(_with_breaks(text, language)))
    parts = _laid_out(text, language, "\n")
    return [shown for part in parts if (shown := pieces.show(part))]


def _with_breaks(text: str, language: Language) -> str:
    """Hard breaks of either kind written alike; to Chinese they are line ends like others."""
    text = text.strip()
    if "\\\n" not in text and "  \n" not in text:
        return text
    return _HARD_BREAK.sub("\n" if language == "zh" else HARD_BREAK, text)


def _laid_out(text: str, language: Language, line_end: str) -> list[str]:
    if "\n" not in text:
        return [text] if text else []
    if language == "zh":
        return _lines(text)
    return [line_end.join(" ".join(_lines(part)) for part in text.split(HARD_BREAK))]


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


def _held_together(xhtml: str) -> str:
    """Newlines inside emphasis made breaks, so that no paragraph ends within a tag."""
    depth = 0

    def replaced(found: re.Match[str]) -> str:
        nonlocal depth
        if found[0] == "\n":
            return "<br/>" if depth else "\n"
        depth += -1 if found[0].startswith("</") else 1
        return found[0]

    return _TAG_OR_LINE.sub(replaced, xhtml)
