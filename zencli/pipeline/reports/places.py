"""Where in the chapter files the findings of an audit stand."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zencli.export.manuscript import clean
from zencli.pipeline.params import FailOn
from zencli.pipeline.results import AuditedChapter, AuditResult
from zencli.prose.locate import occurrences
from zencli.store.chapter_text import split_chapter
from zencli.store.layout import BookDir, chapter_file
from zencli.story.findings import SEVERITIES, Finding


@dataclass(frozen=True, order=True)
class Place:
    """A passage of a file. Lines and columns count from 1, columns in UTF-16 code units, the
    heading line included; the end column is the one after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Placed:
    """A finding and its passage; ``place`` None is the chapter as a whole, shown at line 1."""

    finding: Finding
    place: Place | None

    @property
    def line(self) -> int:
        return self.place.line if self.place else 1

    @property
    def message(self) -> str:
        """What is wrong and what would mend it, without control characters."""
        texts = (self.finding.description, self.finding.suggestion)
        parts = (clean(text).strip() for text in texts)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True)
class Judged:
    """A chapter, its file relative to the workspace with ``/`` between, its findings in order."""

    chapter: AuditedChapter
    file: str
    findings: Sequence[Placed]

    @property
    def standing(self) -> list[Placed]:
        return [p for p in self.findings if p.finding.standing]


@dataclass(frozen=True)
class Unjudged:
    """A chapter that couldn't be judged, and why; it is an error in every form of report."""

    number: int
    file: str
    message: str


@dataclass(frozen=True)
class Report:
    """What a report tells. ``fail_on`` is the least severity that fails the audit."""

    book_id: str
    chapters: Sequence[Judged]
    unjudged: Sequence[Unjudged]
    fail_on: FailOn


def report_of(result: AuditResult, root: Path, fail_on: FailOn) -> Report:
    """Every chapter of the audit with its findings in the order of the text, worst first where
    several stand at one place."""
    book = BookDir(root / "books" / result.book_id)
    return Report(
        result.book_id,
        [_judged(chapter, root) for chapter in result.chapters],
        [
            Unjudged(n, _relative(book.path / chapter_file(n), root), message)
            for n, message in ((left.number, left.message) for left in result.left_out)
        ],
        fail_on,
    )


def _judged(chapter: AuditedChapter, root: Path) -> Judged:
    path = Path(chapter.path)
    text = BookDir(path.parent.parent).read(chapter_file(chapter.number)) or ""
    found = [Placed(f, place_of(text, f.quote)) for f in chapter.findings]
    return Judged(chapter, _relative(path, root), sorted(found, key=_order))


def _relative(path: Path, root: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _order(placed: Placed) -> tuple[Place, int, str]:
    whole = Place(1, 0, 1, 0)
    worst_first = -SEVERITIES.index(placed.finding.severity)
    return placed.place or whole, worst_first, placed.finding.id


def place_of(text: str, quote: str) -> Place | None:
    """Where a quotation of a chapter's prose stands in the text of its file, else None.

    The heading isn't searched: a title may say the same words.
    """
    prose = split_chapter(text)[1]
    span = next(occurrences(prose, quote), None)
    if span is None:
        return None
    before_prose = len(text.rstrip("\n")) - len(prose)
    start, end = (_line_and_column(text[: before_prose + offset]) for offset in span)
    return Place(*start, *end)


def _line_and_column(before: str) -> tuple[int, int]:
    line = before.rpartition("\n")[2]
    return before.count("\n") + 1, len(line.encode("utf-16-le")) // 2 + 1
