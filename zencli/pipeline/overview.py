"""What ``list``, ``status`` and ``show`` tell: read from files and records, no model, no lock."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.context.canon import starting_point
from zencli.context.standing import open_hooks
from zencli.errors import DamagedError, ZencliError
from zencli.pipeline.accounts.costs import Costs, book_costs
from zencli.pipeline.editing.edits import Edits, edits_among
from zencli.pipeline.importing.chapter_texts import ChapterText, chapter_texts
from zencli.pipeline.trends.trend import Slope, known_trend
from zencli.store.layout import BookDir
from zencli.store.records import RecordFacts, Records
from zencli.store.snapshot import snapshot
from zencli.store.workspace import Workspace
from zencli.story.book import BookStatus, Language, Platform
from zencli.story.documents.cards import parse_card
from zencli.story.findings import Verdict
from zencli.story.foundation import Foundation
from zencli.story.record import ChapterStatus

Flag = Literal["stale", "edited", "unsettled", "unrecorded"]


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)


class BookLine(_View):
    """A book in the list. ``error`` says why it can't be read, else None."""

    book_id: str
    title: str
    language: Language | None
    chapters: int
    target_chapters: int
    error: str | None = None


class BookList(_View):
    """All books of a workspace."""

    books: list[BookLine]


class ChapterLine(_View):
    """A chapter in the status. ``words`` is counted from the text when it was edited."""

    number: int
    title: str
    words: int
    status: ChapterStatus
    verdict: Verdict | None
    flags: list[Flag]
    stale: str | None
    critical: int
    warnings: int


class BookStatusView(_View):
    """How a book stands. ``cost`` is what it took, None unless asked for; ``trend`` how its
    chapters change, None for a short book and one that `audit --trend` has yet to measure."""

    book_id: str
    title: str
    genre: str
    platform: Platform
    language: Language
    status: BookStatus
    chapters: list[ChapterLine]
    target_chapters: int
    chapter_words: int
    words: int
    unit: Literal["chars", "words"]
    gaps: list[int]
    open_hooks: int
    edits: Edits
    cost: Costs | None = None
    trend: list[Slope] | None = None


def list_books(workspace: Workspace) -> BookList:
    """Every book, also those that can't be read."""
    folders = [BookDir(workspace.books_dir / book_id) for book_id in workspace.book_ids()]
    return BookList(books=[snapshot(book, _line) for book in folders])


def _line(book: BookDir) -> BookLine:
    chapters = len(book.chapter_numbers())
    try:
        config = book.config()
    except ZencliError as error:
        return BookLine(
            book_id=book.id,
            title="",
            language=None,
            chapters=chapters,
            target_chapters=0,
            error=error.message,
        )
    return BookLine(
        book_id=book.id,
        title=config.title,
        language=config.language,
        chapters=chapters,
        target_chapters=config.target_chapters,
    )


def book_status(book: BookDir, *, costs: bool = False) -> BookStatusView:
    """The chapters with their status and flags, and what the book took when ``costs`` are wanted.

    Raises ``DamagedError`` for unreadable files.
    """
    status = snapshot(book, lambda seen: status_of(seen, Records.of(seen)))
    return status.model_copy(update={"cost": book_costs(book)}) if costs else status


def status_of(book: BookDir, records: Records) -> BookStatusView:
    """``book_status`` of a book that stands still, whose records are known."""
    config = book.config()
    texts = chapter_texts(book, records, config.language)
    edits = edits_among(
        book,
        {number: facts.digest for number, facts in records.facts.items()},
        {number: text.digest for number, text in texts.items()},
    )
    records = records.up_to(max(texts, default=-1))
    lines = [_chapter(n, records.facts.get(n), text) for n, text in texts.items()]
    return BookStatusView(
        book_id=book.id,
        title=config.title,
        genre=config.genre,
        platform=config.platform,
        language=config.language,
        status=config.status,
        chapters=lines,
        target_chapters=config.target_chapters,
        chapter_words=config.chapter_words,
        words=sum(line.words for line in lines),
        unit=config.unit,
        gaps=book.gaps(),
        open_hooks=open_hooks(_foundation(book), records, book.corrections()),
        edits=edits,
        trend=known_trend(book, config, records.facts),
    )


def _chapter(number: int, record: RecordFacts | None, text: ChapterText) -> ChapterLine:
    if record is None:
        return ChapterLine(
            number=number, title=text.title, words=text.words, status="drafted", verdict=None,
            flags=["unrecorded"], stale=None, critical=0, warnings=0,
        )  # fmt: skip
    edited = text.digest != record.digest
    flags: list[Flag] = ["stale"] if record.stale else []
    flags += ["edited"] if edited else []
    flags += [] if record.settled else ["unsettled"]
    return ChapterLine(
        number=number,
        title=text.title if edited else record.title,
        words=text.words if edited else record.words,
        status=record.status,
        verdict=record.verdict,
        flags=flags,
        stale=record.stale,
        critical=record.critical,
        warnings=record.warnings,
    )


def _foundation(book: BookDir) -> Foundation:
    """What the fold starts from; hooks are counted without the cards when one can't be read."""
    try:
        cards = [parse_card(text) for text in book.cards().values()]
    except DamagedError:
        cards = []
    return starting_point(book.foundation(), cards)
