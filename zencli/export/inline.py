"""The paragraphs of a block, as XHTML or as plain text."""

import re
from html import escape, unescape

from zencli.export.marks import HARD_BREAK, MARKS, to_xhtml
from zencli.story.book import Language

_TAG = re.compile(r"</?(?:em|strong|code)>")
_TAG_OR_LINE = re.compile(r"</?(?:em|strong|code)>|\n")


def xhtml_paragraphs(text: str, language: Language) -> list[str]:
    """The paragraphs of a block's text as XHTML content.

    Lines of a Chinese block are paragraphs, because nobody wraps Chinese by hand; lines of an
    English one are joined.
    """
    if MARKS.search(text):
        return _marked(text, language)
    return _laid_out(escape(text, quote=False), language)


def plain_paragraphs(text: str, language: Language) -> list[str]:
    """The same paragraphs as text without marks; a hard break inside one is a newline."""
    if not MARKS.search(text):
        return _laid_out(text, language)
    return [
        unescape(_TAG.sub("", paragraph.replace("<br/>", "\n")))
        for paragraph in _marked(text, language)
    ]


def _marked(text: str, language: Language) -> list[str]:
    xhtml = to_xhtml(text.strip())
    if language == "zh":
        return _laid_out(_held_together(xhtml.replace(HARD_BREAK, "\n")), "zh")
    lines = [" ".join(_lines(part)) for part in xhtml.split(HARD_BREAK)]
    return ["<br/>".join(lines)]


def _laid_out(text: str, language: Language) -> list[str]:
    lines = _lines(text)
    return lines if language == "zh" else [" ".join(lines)]


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
