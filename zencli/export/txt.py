"""Clean prose without marks, in the form that a reader or a platform's editor wants."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from zencli.export.blocks import Block, Body, chapter_body
from zencli.export.inline import plain_paragraphs
from zencli.export.manuscript import Manuscript, ManuscriptChapter, heading
from zencli.export.names import file_name
from zencli.export.pieces import Pieces
from zencli.prose.numerals import chinese_numeral
from zencli.story.book import Language

_SPACES = "\u3000\u3000"
_BREAK = "* * *"
_NOTES: dict[Language, str] = {"zh": "注", "en": "Notes"}


@dataclass(frozen=True)
class TxtForm:
    """How a txt is written. ``indent``, ``gap`` and ``chinese_numbers`` are for Chinese: two
    full-width spaces before a paragraph, an empty line between paragraphs, 第十二章 for 第12章."""

    indent: bool = True
    gap: bool = False
    chinese_numbers: bool = False
    encoding: Literal["utf-8", "utf-8-sig", "gb18030"] = "utf-8"
    line_end: Literal["\n", "\r\n"] = "\n"

    def encoded(self, text: str) -> bytes:
        """The text as the bytes of a file."""
        return text.replace("\n", self.line_end).encode(self.encoding)


def render_txt(manuscript: Manuscript, form: TxtForm | None = None) -> bytes:
    """The book as plain text: title, author, description, then parts and chapters in order.

    Chinese paragraphs are one a line; English ones are parted by blank lines.
    """
    form = form or TxtForm()
    writer = _Writer(manuscript, form)
    front = [manuscript.title, manuscript.byline, "\n".join(manuscript.blurb)]
    parts = ["\n\n".join(part for part in front if part)]
    for part, chapters in manuscript.sections:
        if part is not None:
            parts.append(part.heading)
        for chapter in chapters:
            parts.append(f"{writer.heading(chapter)}\n\n{writer.prose(chapter)}".rstrip())
    return form.encoded("\n\n\n".join(parts) + "\n")


def split_txt(manuscript: Manuscript, form: TxtForm | None = None) -> dict[str, bytes]:
    """A file for each chapter, its name the heading and its content the prose: what goes into the
    two fields of a platform's editor."""
    form = form or TxtForm()
    writer = _Writer(manuscript, form)
    latest = manuscript.ordered[-1].number
    return {
        file_name(chapter.number, writer.heading(chapter), "txt", latest): form.encoded(
            writer.prose(chapter) + "\n"
        )
        for chapter in manuscript.ordered
    }


class _Writer:
    """Chapters as text."""

    def __init__(self, manuscript: Manuscript, form: TxtForm) -> None:
        self._language = manuscript.book.language
        self._pictures = manuscript.pictures
        self._form = form

    def heading(self, chapter: ManuscriptChapter) -> str:
        """What stands above a chapter."""
        text = heading(chapter, self._language)
        label = f"第{chapter.number}章"
        if self._form.chinese_numbers and chapter.number and text.startswith(label):
            return f"第{chinese_numeral(chapter.number)}章{text.removeprefix(label)}"
        return text

    def prose(self, chapter: ManuscriptChapter) -> str:
        """The paragraphs, and under a line of their own the footnotes."""
        body = chapter_body(chapter, self._language)
        pieces = Pieces(body.notes, self._pictures, _Forms(self._language))
        if self._language == "zh":
            return self._chinese(body, pieces)
        parts = [text for block in body.blocks for text in self._paragraphs(block, pieces)]
        return "\n\n".join([*parts, *self._notes(body, pieces)])

    def _paragraphs(self, block: Block, pieces: Pieces) -> list[str]:
        if block.kind == "break":
            return [_BREAK]
        return plain_paragraphs(block.text, self._language, pieces)

    def _chinese(self, body: Body, pieces: Pieces) -> str:
        lines: list[str] = []
        before = _SPACES if self._form.indent else ""
        for block in body.blocks:
            paragraphs = self._paragraphs(block, pieces)
            if block.kind in ("break", "heading"):
                lines += ["", *paragraphs, ""]
            else:
                lines += [before + text for text in paragraphs]
        notes = self._notes(body, pieces)
        lines += ["", *notes] if notes else []
        if self._form.gap:
            return "\n\n".join(line for line in lines if line)
        return "\n".join(lines).strip("\n")

    def _notes(self, body: Body, pieces: Pieces) -> list[str]:
        if not body.notes:
            return []
        texts = (plain_paragraphs(note.text, self._language, pieces) for note in body.notes)
        return [
            _NOTES[self._language],
            *(f"[{number}] {' '.join(text)}" for number, text in enumerate(texts, 1)),
        ]


class _Forms:
    """The pieces of a chapter as plain text."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def note(self, number: int, time: int) -> str:
        return f"[{number}]"

    def picture(self, name: str, alt: str) -> str:
        return f"[{alt}]" if alt else ""

    def ruby(self, readings: Sequence[tuple[str, str]]) -> str:
        left, right = "（）" if self._language == "zh" else "()"
        return "".join(f"{base}{left}{reading}{right}" for base, reading in readings)
