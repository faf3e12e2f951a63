"""A finished text on its way out of the program: the book, its chapters, and what readers see."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from zencli.export.pictures import Picture
from zencli.story.book import BookConfig, Language

# XML 1.0 forbids most of these; the rest (C1, noncharacters) are never meant as text.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufeff"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")

_ROMAN_OR_WORD = (
    r"[ivxlc]+|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ]\w+)?|one|two|three"
    r"|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
)
_NUMBERED = re.compile(
    r"第\s*[0-9０-９零〇一二三四五六七八九十百千两]+\s*(?:章|[回节話话](?=$|[\s：:、.，,—-]))"
    rf"|chapter\s+(?:\d+\b|(?:{_ROMAN_OR_WORD})\s*(?=$|[:.,–—-]))",
    re.IGNORECASE,
)
_SEPARATORS = " ：:、.．，,—–-"
_PROLOGUE = re.compile(
    r"(?:楔子|序章|序幕|序言|引子|前言|序|prologue|preface|foreword)(?=$|[\s：:、.，,—-])",
    re.IGNORECASE,
)
_MAY_SAY = re.compile("[第终終尾后後跋番]|chapter|epilogue|afterword", re.IGNORECASE)
"""What a heading has that says which chapter it is, or that it is the last; see prose.headings."""

_BARE_NUMBER = re.compile(r"(\d+)(?:\s*[、.．:：]\s*|$)(?!\d)")


@dataclass(frozen=True, slots=True)
class ManuscriptChapter:
    """One chapter: its number (0 is a prologue), title as plain text, prose as Markdown."""

    number: int
    title: str
    prose: str


@dataclass(frozen=True, slots=True)
class Part:
    """A volume: its heading as plain text and the chapters that belong to it, both inclusive."""

    title: str
    first: int
    last: int

    @property
    def heading(self) -> str:
        """The title on one line; the chapters when it has none."""
        return one_line(self.title) or f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Imprint:
    """What is said of a book besides its title: plain text, each of it may be empty."""

    author: str = ""
    publisher: str = ""
    description: str = ""
    subjects: tuple[str, ...] = ()
    series: str = ""
    series_number: int | None = None
    rights: str = ""


@dataclass(frozen=True)
class Manuscript:
    """What is exported. Chapters may stand in any order, each number once (else ValueError).

    ``parts`` don't overlap; a chapter may be in none. ``cover`` None: one is drawn. ``pictures``
    are those that the chapters refer to, by the name that the prose gives them.
    """

    book: BookConfig
    chapters: tuple[ManuscriptChapter, ...]
    imprint: Imprint = Imprint()
    parts: tuple[Part, ...] = ()
    cover: Picture | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)

    def __post_init__(self) -> None:
        numbers = [chapter.number for chapter in self.chapters]
        if len(set(numbers)) < len(numbers):
            raise ValueError("a chapter number occurs twice")

    @cached_property
    def ordered(self) -> Sequence[ManuscriptChapter]:
        """The chapters in reading order."""
        return sorted(self.chapters, key=lambda chapter: chapter.number)

    @property
    def sections(self) -> list[tuple[Part | None, list[ManuscriptChapter]]]:
        """The chapters in reading order, by the part that they stand in; None for those outside."""
        found: list[tuple[Part | None, list[ManuscriptChapter]]] = []
        for chapter in self.ordered:
            part = next((p for p in self.parts if p.first <= chapter.number <= p.last), None)
            if not found or found[-1][0] is not part:
                found.append((part, []))
            found[-1][1].append(chapter)
        return found

    @property
    def title(self) -> str:
        """The book's title on one line; the id when it has none."""
        return one_line(self.book.title) or self.book.id

    @property
    def blurb(self) -> list[str]:
        """The paragraphs of the description."""
        lines = [one_line(line) for line in clean(self.imprint.description).split("\n")]
        return [line for line in lines if line]

    @property
    def byline(self) -> str:
        """The line that names the author, or nothing."""
        author = one_line(self.imprint.author)
        if not author:
            return ""
        return f"作者：{author}" if self.book.language == "zh" else f"by {author}"


def clean(text: str) -> str:
    """The text with line ends unified and control characters, lone surrogates and noncharacters
    removed: what is left can stand in any UTF-8 or XML file."""
    # Nothing printable is removed, and asking is ten times faster than searching.
    if text.replace("\n", "").replace("\u3000", "").isprintable():
        return text
    return _UNWANTED.sub("", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """The cleaned text with every run of white space made one space."""
    return " ".join(clean(text).split())


def heading(chapter: ManuscriptChapter, language: Language) -> str:
    """What stands above a chapter: ``第1章 题目`` or ``Chapter 1: Title``, and for number 0
    ``楔子`` or ``Prologue``.

    A title that already says which chapter it is stands as it is, so the number isn't doubled;
    an empty title leaves the number alone.
    """
    title = one_line(chapter.title)
    if _NUMBERED.match(title) or (chapter.number == 0 and _PROLOGUE.match(title)):
        return title
    if _says_its_place(title, chapter.number):
        return title
    bare = _BARE_NUMBER.match(title)
    if bare and int(bare[1]) == chapter.number:
        title = title[bare.end() :]
    return _labelled(chapter.number, title, language)


def _says_its_place(title: str, number: int) -> bool:
    """Whether an imported title names a volume with the chapter, the very number, or the end."""
    if number and not _MAY_SAY.search(title):
        return False
    from zencli.prose.headings import read_heading  # slow to import, and most titles are plain

    said = read_heading(title)
    if said is None:
        return False
    if said.kind == "chapter":
        return bool(said.volume) or said.number == number
    return said.kind == "epilogue" or (said.kind == "prologue" and number == 0)


def repeats_heading(line: str, chapter: ManuscriptChapter, language: Language) -> bool:
    """Whether a line of the prose says the chapter's number and title over again."""
    said = one_line(line)
    if said == heading(chapter, language):
        return True
    return bool(_NUMBERED.match(said)) and _bare(said) == _bare(one_line(chapter.title))


def _bare(title: str) -> str:
    """A title without the number it may carry."""
    label = _NUMBERED.match(title)
    return title[label.end() :].lstrip(_SEPARATORS) if label else title


def _labelled(number: int, title: str, language: Language) -> str:
    if language == "zh":
        label = f"第{number}章" if number else "楔子"
        return f"{label} {title}" if title else label
    label = f"Chapter {number}" if number else "Prologue"
    return f"{label}: {title}" if title else label
