"""The blocks of a chapter's prose: one reading of the Markdown for all formats.

Only what a novel uses is markup: paragraphs, quotations, stray headings, scene breaks. A line that
starts with ``1986.`` or a dash is prose, not a list, and an indented one isn't code.
"""

import re
from dataclasses import dataclass
from typing import Literal

from zencli.export.manuscript import ManuscriptChapter, clean, one_line, repeats_heading
from zencli.story.book import Language

BlockKind = Literal["paragraph", "quote", "heading", "break"]

_BREAK = re.compile(r"(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,}")
_HEADING = re.compile(r"#{1,6}\s+(.*?)[\s#]*")
_FENCE = re.compile(r"`{3,}\w*\s*")
_QUOTE = re.compile(r"(?:>(?:\s+|$))+")
_MARKERS = frozenset("*-_#`>")
_EMPHASIS = re.compile(r"[*_#]+")


@dataclass(frozen=True, slots=True)
class Block:
    """``text`` is Markdown without the marks of the block; its lines are separated by newlines."""

    kind: BlockKind
    text: str = ""


def chapter_blocks(chapter: ManuscriptChapter, language: Language) -> list[Block]:
    """The blocks of a chapter, without a first line that only repeats the chapter's heading."""
    blocks = parse(chapter.prose)
    if not blocks:
        return []
    opening, rest = blocks[0], blocks[1:]
    first, _, more = opening.text.partition("\n")
    said = _EMPHASIS.sub("", first)
    repeated = opening.kind != "quote" and repeats_heading(said, chapter, language)
    # A bare title may be the first words of the prose, unless it is marked as a heading.
    if repeated or (opening.kind == "heading" and one_line(said) == one_line(chapter.title)):
        return [Block(opening.kind, more), *rest] if more else rest
    return blocks


def parse(prose: str) -> list[Block]:
    """Cut prose into blocks; control characters are gone, every other character is kept.

    Lines keep trailing blanks, which may mean a hard break; lines of a code fence are dropped.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    kind: BlockKind = "paragraph"

    def flush() -> None:
        if lines:
            blocks.append(Block(kind, "\n".join(lines)))
            lines.clear()

    for raw in clean(prose).split("\n"):
        found = _line(raw.lstrip())
        if found is None:
            flush()
        elif found.kind in ("break", "heading"):
            flush()
            blocks.append(found)
        else:
            if found.kind != kind:
                flush()
                kind = found.kind
            lines.append(found.text)
    flush()
    return blocks


def _line(line: str) -> Block | None:
    if not line:
        return None
    if line[0] not in _MARKERS:
        return Block("paragraph", line)
    return _marked_line(line)


def _marked_line(line: str) -> Block | None:
    if _BREAK.fullmatch(line):
        return Block("break")
    title = _HEADING.fullmatch(line)
    if title and title[1]:
        return Block("heading", title[1])
    if _FENCE.fullmatch(line):
        return None
    quote = _QUOTE.match(line)
    if quote:
        text = line[quote.end() :]
        return Block("quote", text) if text else None
    return Block("paragraph", line)
