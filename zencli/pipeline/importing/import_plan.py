"""What an import would do: each chapter beside the one that the book has, and what looks wrong."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from zencli.errors import UsageError
from zencli.export.manuscript import ManuscriptChapter, heading
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.importing.import_source import SourceText, read_source
from zencli.pipeline.results import ImportAction, ImportedChapter
from zencli.prose.chapters import Found, FoundChapter, Unclear, find_chapters
from zencli.prose.count import count_words
from zencli.prose.headings import without_label
from zencli.store.chapter_text import join_chapter, split_chapter
from zencli.store.layout import BookDir
from zencli.story.book import Language

FRONT = "front_matter.md"

_FEW = 5
_SHOWN = 10
_ODD = 10
"""A chapter this many times shorter or longer than the middle one may hide a missed heading."""


@dataclass(frozen=True)
class Reading:
    """A source that was read and cut into chapters."""

    text: SourceText
    found: Found
    title: str


@dataclass(frozen=True)
class Incoming:
    """A chapter as it would stand in the book; ``text`` is the content of its file."""

    number: int
    title: str
    text: str
    words: int
    where: str
    action: ImportAction

    @property
    def wanted(self) -> bool:
        """Whether this import writes it."""
        return self.action in ("added", "replaced")

    def line(self) -> ImportedChapter:
        """The chapter as the result tells it."""
        return ImportedChapter(
            number=self.number,
            title=self.title,
            words=self.words,
            action=self.action,
            where=self.where,
        )


@dataclass(frozen=True)
class ImportPlan:
    """All chapters in ascending order, the text before them, and what to look at."""

    language: Language
    chapters: tuple[Incoming, ...]
    front: str
    told: tuple[str, ...]

    @property
    def wanted(self) -> list[Incoming]:
        return [chapter for chapter in self.chapters if chapter.wanted]


def read_import(params: Import) -> Reading:
    """Read and cut the source. Raises UsageError ``import.*`` or ``usage.split``."""
    if not params.source:
        raise UsageError("import.source", "There is nothing to import.", "Give a file or folder.")
    pattern = _pattern(params.split)
    path = Path(params.source)
    text = read_source(path)
    try:
        found = find_chapters(text.sources, pattern)
    except Unclear as error:
        raise UsageError("import.chapters", f"{path}: {error}", error.hint) from error
    return Reading(text, found, params.title or text.title)


def _pattern(split: str | None) -> "re.Pattern[str] | None":
    if split is None:
        return None
    try:
        return re.compile(split)
    except re.error as error:
        raise UsageError(
            "usage.split",
            f"--split {split!r} is no regular expression: {error}.",
            "Write one that is found in every heading, such as '^第.+章'.",
        ) from error


def plan_import(
    reading: Reading, language: Language, book: BookDir | None, *, replace: bool
) -> ImportPlan:
    """Compare what was found with the book, None for a new one. ``replace``: a chapter whose text
    differs is written over."""
    chapters = [
        _incoming(found, language, book, replace=replace)
        for found in sorted(reading.found.chapters, key=lambda chapter: chapter.number)
    ]
    told = [*reading.text.told, *reading.found.told]
    told += _lengths(chapters)
    told += _beside(chapters, book)
    front = reading.found.front.strip("\n")
    kept = book.read(FRONT) if book else None
    if front and kept is not None and kept.strip("\n") != front:
        told.append(f"{FRONT} holds another text already and is left as it is")
        front = ""
    return ImportPlan(language, tuple(chapters), front, tuple(told))


def _incoming(
    found: FoundChapter, language: Language, book: BookDir | None, *, replace: bool
) -> Incoming:
    title = _title(found, language)
    text = join_chapter(title, found.prose)
    return Incoming(
        number=found.number,
        title=split_chapter(text)[0],
        text=text,
        words=count_words(found.prose, language),
        where=found.where,
        action=_action(found, text, book, replace=replace),
    )


def _title(found: FoundChapter, language: Language) -> str:
    """The heading, without its number where an export puts the very same number back."""
    whole = " ".join(found.heading.split())
    bare = without_label(whole)
    if bare and bare != whole:
        exported = heading(ManuscriptChapter(found.number, bare, ""), language)
        return bare if exported == whole else whole
    return whole


def _action(found: FoundChapter, text: str, book: BookDir | None, *, replace: bool) -> ImportAction:
    if not found.prose.strip():
        return "empty"
    if book is None or book.read(book.chapter_file(found.number)) is None:
        return "added"
    title, prose = book.chapter(found.number)
    new_title, new_prose = split_chapter(text)
    if prose == new_prose and without_label(title) == without_label(new_title):
        return "same"
    return "replaced" if replace else "different"


def _lengths(chapters: Sequence[Incoming]) -> list[str]:
    empty = [c for c in chapters if c.action == "empty"]
    told = [f"{c.where}: chapter {c.number} has no text and is left out" for c in empty[:_SHOWN]]
    if len(empty) > _SHOWN:
        told.append(f"and {len(empty) - _SHOWN} more chapters without text")
    lengths = [c.words for c in chapters if c.action != "empty"]
    if len(lengths) < _FEW:
        return told
    middle = median(lengths)
    for chapter in chapters:
        if chapter.action != "empty" and not middle / _ODD <= chapter.words <= middle * _ODD:
            size = "short" if chapter.words < middle else "long"
            told.append(
                f"{chapter.where}: chapter {chapter.number} is very {size}, {chapter.words}; "
                f"half of the chapters are under {middle:.0f}"
            )
    return told


def _beside(chapters: Sequence[Incoming], book: BookDir | None) -> list[str]:
    """What is strange about these chapters beside those that the book has."""
    told = []
    left = [str(c.number) for c in chapters if c.action == "different"]
    if left:
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        told.append(
            f"chapter {', '.join(left[:_SHOWN])}{more}: the book has another text, which is left; "
            "--yes replaces it"
        )
    existing = book.chapter_numbers() if book else []
    new = {c.number for c in chapters if c.wanted}
    first, before = min(new, default=0), max(existing, default=0)
    if first > before + 1:
        told.append(f"chapter {before + 1} to {first - 1} would be missing before chapter {first}")
    target = book.config().target_chapters if book else None
    if target is not None and max(new, default=0) > target:
        told.append(
            f"the book is planned for {target} chapters; to write more, raise target_chapters in "
            "book.toml"
        )
    return told
