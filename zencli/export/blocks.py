"""The blocks of a chapter's prose: one reading of the Markdown for all formats.

Only what a novel uses is markup: paragraphs, quotations, stray headings, scene breaks, footnotes. A
line that starts with ``1986.`` or a dash is prose, not a list, and an indented one isn't code.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from zencli.export.manuscript import ManuscriptChapter, clean, one_line, repeats_heading
from zencli.story.book import Language

BlockKind = Literal["paragraph", "quote", "heading", "break", "note"]

BREAK = re.compile(r"(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,}")
"""A line that is a scene break."""

_HEADING = re.compile(r"#{1,6}\s+(.*?)[\s#]*")
_FENCE = re.compile(r"`{3,}\w*\s*")
_QUOTE = re.compile(r"(?:>(?:\s+|$))+")
_MARKERS = frozenset("*-_#`>[")
_BREAK_LINE = re.compile(r"^[^\S\n]*(?:\*[^\S\n]*){3,}$", re.M)
_MARKUP = re.compile(r"[*_\\`&#>\[]")
_DASH_LINE = re.compile(r"^\s*-", re.M)
_EMPTY_LINES = re.compile(r"\n{3,}")
_EMPHASIS = re.compile(r"[*_#]+")
_LABEL = r"\[\^([^\s\[\]^]{1,60})\]"
_NOTE = re.compile(_LABEL + r":[ \t\u3000]*(?=\S)")

NOTE_MARK = re.compile(_LABEL)
"""Where a footnote is referred to; the group is its label."""


@dataclass(frozen=True, slots=True)
class Block:
    """``text`` is Markdown without the marks of the block; its lines are separated by newlines.

    ``label`` is a footnote's.
    """

    kind: BlockKind
    text: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """A chapter's blocks, its footnotes apart: in the order in which they are referred to."""

    blocks: list[Block]
    notes: list[Block]


def chapter_body(chapter: ManuscriptChapter, language: Language) -> Body:
    """A chapter without a first line that only repeats its heading.

    A note that nothing refers to, or whose label was used before, is a paragraph.
    """
    plain = _plain_blocks(chapter.prose) if language == "zh" else None
    blocks = _without_heading(plain or parse(chapter.prose), chapter, language)
    if "[^" not in chapter.prose:
        return Body(blocks, [])
    defined: dict[str, Block] = {}
    for block in blocks:
        if block.kind == "note":
            defined.setdefault(block.label, block)
    marks = (m for block in blocks if block.kind != "note" for m in NOTE_MARK.findall(block.text))
    used = {label: defined[label] for label in marks if label in defined}
    notes = list(used.values())
    # by identity: two notes of one label may say the same
    taken = {id(note) for note in notes}
    return Body([_as_prose(block) for block in blocks if id(block) not in taken], notes)


def _plain_blocks(prose: str) -> list[Block] | None:
    """What ``parse`` finds where scene breaks are the only marks: the paragraphs between two of
    them in one block, since its lines are paragraphs anyway. Ten times faster; None otherwise."""
    text = clean(prose)
    parts = _BREAK_LINE.split(text) if "*" in text else [text]
    if any(map(_may_be_marked, parts)):
        return None
    blocks: list[Block] = []
    for index, part in enumerate(parts):
        if index:
            blocks.append(Block("break"))
        text = "\n".join(map(str.lstrip, part.strip().split("\n")))
        if text:
            if "\n\n\n" in text:
                text = _EMPTY_LINES.sub("\n\n", text)
            blocks.append(Block("paragraph", text))
    return blocks


def _may_be_marked(text: str) -> bool:
    # one search for all would be four times slower
    return bool(_MARKUP.search(text) or ("-" in text and _DASH_LINE.search(text)))


def _as_prose(block: Block) -> Block:
    if block.kind != "note":
        return block
    return replace(block, kind="paragraph", text=f"[^{block.label}]: {block.text}")


def _without_heading(
    blocks: list[Block], chapter: ManuscriptChapter, language: Language
) -> list[Block]:
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
    reader = _Reader()
    for raw in clean(prose).split("\n"):
        line = raw.lstrip()
        if not line:
            reader.end()
        elif line[0] in _MARKERS:
            reader.take(_marked_line(line), raw)
        else:
            reader.take_plain(line, raw)
    reader.end()
    return reader.blocks


class _Reader:
    """Gathers lines of one kind into a block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lines: list[str] = []
        self._kind: BlockKind = "paragraph"
        self._label = ""

    def end(self) -> None:
        """The block is complete."""
        if self._lines:
            self.blocks.append(Block(self._kind, "\n".join(self._lines), self._label))
            self._lines = []
        self._kind, self._label = "paragraph", ""

    def take_plain(self, line: str, raw: str) -> None:
        """A line that begins with no mark; an indented one goes on with a note."""
        kind = self._kind
        if kind != "paragraph" and not (kind == "note" and raw.startswith(("  ", "\t"))):
            self.end()
        elif not self._lines and self._goes_on_with_note(raw):
            note = self.blocks.pop()
            self._kind, self._label, self._lines = "note", note.label, [note.text]
        self._lines.append(line)

    def _goes_on_with_note(self, raw: str) -> bool:
        """Whether a line after a blank one is the next paragraph of the note before it."""
        is_note = bool(self.blocks) and self.blocks[-1].kind == "note"
        return is_note and raw.startswith(("    ", "\t"))

    def take(self, found: Block | None, raw: str) -> None:
        """A line with marks; None for one that says nothing itself."""
        if found is None:
            self.end()
        elif found.kind in ("break", "heading"):
            self.end()
            self.blocks.append(found)
        elif found.kind == "paragraph":
            self.take_plain(found.text, raw)
        else:
            if found.kind != self._kind or found.kind == "note":
                self.end()
                self._kind, self._label = found.kind, found.label
            self._lines.append(found.text)


def _marked_line(line: str) -> Block | None:
    if BREAK.fullmatch(line):
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
    note = _NOTE.match(line)
    if note:
        return Block("note", line[note.end() :], note[1])
    return Block("paragraph", line)
