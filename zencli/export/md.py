"""One valid Markdown file: the book is ``#``, its chapters ``##``, stray headings ``###``."""

import re

from zencli.export.blocks import Block, chapter_blocks
from zencli.export.manuscript import Manuscript, heading

_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_TITLE_MARKS = re.compile(r"[\\`*_\[\]#]")
_ENTITY_START = re.compile(r"&(?=#?\w+;)")
# At the start of a line: headings of either kind, fences, bullets, quotations that the prose
# doesn't have, and definitions of links, which a reader would swallow.
_LINE_MARK = re.compile(r"#|>|`{3}|~{3}|[-+*](?=\s|$)|(?:=+|-+)\s*$|\[[^\]]+\]:")
_NUMBERED_LINE = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def render_md(manuscript: Manuscript) -> bytes:
    """The book as Markdown, UTF-8 and LF: the prose as it is, with what would be read as HTML or
    as structure of the book escaped."""
    language = manuscript.book.language
    parts = [f"# {_title(manuscript.title)}", _title(manuscript.byline)]
    parts += [_harmless(_title(line)) for line in manuscript.blurb]
    for chapter in manuscript.ordered:
        parts.append(f"## {_title(heading(chapter, language))}")
        parts += [_block(block) for block in chapter_blocks(chapter, language)]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _title(text: str) -> str:
    """Plain text of one line as Markdown that shows the same."""
    escaped = _ENTITY_START.sub("&amp;", _TITLE_MARKS.sub(r"\\\g<0>", text))
    return _TAG_START.sub("&lt;", escaped)


def _block(block: Block) -> str:
    if block.kind == "break":
        return "* * *"
    text = _harmless(block.text)
    if block.kind == "heading":
        return f"### {text}"
    return "> " + text.replace("\n", "\n> ") if block.kind == "quote" else text


def _harmless(text: str) -> str:
    """Lines of a paragraph that stay a paragraph."""
    lines = _TAG_START.sub("&lt;", text).rstrip().split("\n")
    return "\n".join(_harmless_line(line) for line in lines)


def _harmless_line(line: str) -> str:
    if _LINE_MARK.match(line):
        return "\\" + line
    numbered = _NUMBERED_LINE.match(line)
    return f"{numbered[1]}\\{line[numbered.end(1) :]}" if numbered else line
