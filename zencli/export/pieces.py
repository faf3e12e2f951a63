"""What stands within a paragraph and isn't emphasis: marks of footnotes, pictures, readings.

They are taken out of a text before its marks are read, and put in after that in the form that the
format has for them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Protocol

from zencli.export.blocks import NOTE_MARK, Block
from zencli.export.marks import without_marks
from zencli.export.pictures import Picture

PICTURE = (
    r"!\[(?P<alt>[^\]\n]*)\]\(\s*(?:<(?P<quoted>[^>\n]+)>|(?P<path>[^\s()]+))"
    r"(?:\s+[\"'][^\"'\n]*[\"'])?\s*\)"
)
"""The pattern of a picture: its description and its name, in brackets where it has blanks."""
_READING = r"[^<>\n]+(?:<rp>[^<>\n]*</rp>)?<rt>[^<>\n]*</rt>(?:<rp>[^<>\n]*</rp>)?"
_READINGS = re.compile(r"([^<>\n]+)(?:<rp>[^<>]*</rp>)?<rt>([^<>]*)</rt>(?:<rp>[^<>]*</rp>)?")

RUBY = re.compile(rf"<ruby>(?:{_READING})+</ruby>")
"""Characters with their reading above them: the only HTML that is markup here."""

_ANY = re.compile(rf"{PICTURE}|{NOTE_MARK.pattern}|(?P<ruby>{RUBY.pattern})")
_LABEL = 4
"""The group of ``_ANY`` that holds a footnote's label."""

# Noncharacters, which no cleaned text holds, around the number of a piece.
_HIDDEN = re.compile("\ufdd0(\\d+)\ufdd1")


class Forms(Protocol):
    """How a format writes each piece; all arguments are plain text."""

    def note(self, number: int, time: int) -> str:
        """The mark of a footnote, met for the ``time``-th time (from 1)."""

    def picture(self, name: str, alt: str) -> str:
        """A picture that the manuscript has."""

    def ruby(self, readings: Sequence[tuple[str, str]]) -> str:
        """Characters, each with its reading."""


class Pieces:
    """The pieces of one chapter. A mark without its footnote, and a picture that isn't there, stay
    text."""

    def __init__(
        self, notes: Sequence[Block], pictures: Mapping[str, Picture], forms: Forms
    ) -> None:
        self._numbers = {note.label: number for number, note in enumerate(notes, 1)}
        self._times = {note.label: count(1) for note in notes}
        self._pictures = pictures
        self._forms = forms
        self._shown: list[str] = []

    def hide(self, text: str) -> str:
        """The text with every piece replaced by something that no mark is in."""
        if "[" not in text and "<ruby>" not in text:
            return text
        return _ANY.sub(self._hidden, text)

    def show(self, text: str) -> str:
        """The same text, or what was made of it, with its pieces."""
        if not self._shown:
            return text
        return _HIDDEN.sub(lambda found: self._shown[int(found[1])], text)

    def _hidden(self, found: re.Match[str]) -> str:
        shown = self._form(found)
        if shown is None:
            return found[0]
        self._shown.append(shown)
        return f"\ufdd0{len(self._shown) - 1}\ufdd1"

    def _form(self, found: re.Match[str]) -> str | None:
        label, name = found[_LABEL], found["quoted"] or found["path"]
        if found["ruby"]:
            return self._forms.ruby(_READINGS.findall(found["ruby"].removeprefix("<ruby>")))
        if label in self._numbers:
            return self._forms.note(self._numbers[label], next(self._times[label]))
        if name in self._pictures:
            return self._forms.picture(name, without_marks(found["alt"]))
        return None


def picture_names(prose: str) -> Iterator[str]:
    """The pictures that a chapter refers to, as it names them."""
    if "![" in prose:
        for found in re.finditer(PICTURE, prose):
            yield found["quoted"] or found["path"]
