"""What ``list``, ``status`` and ``show`` tell: read from files and records, no model, no lock."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace
from zencli.story.book import BookStatus, Language, Platform
from zencli.story.findings import Verdict
from zencli.story.record import ChapterStatus, Record

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
    """How a book stands."""

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


def list_books(workspace: Workspace) -> BookList:
    """Every book, also those that can't be read."""
    return BookList(books=[_line(workspace.open(book_id)) for book_id in workspace.book_ids()])


def _line(book: BookDir) -> BookLine:
    from zencli.errors import ZencliError

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


def book_status(book: BookDir) -> BookStatusView:
    """The chapters with their status and flags. Raises ``DamagedError`` for unreadable files."""
    config = book.config()
    records = book.records()
    lines = [
        _chapter(book, number, records.get(number), config.language)
        for number in book.chapter_numbers()
    ]
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
        open_hooks=_open_hooks(book, records),
    )


def _chapter(book: BookDir, number: int, record: Record | None, language: Language) -> ChapterLine:
    edited = book.edited(number)
    flags: list[Flag] = ["unrecorded"] if record is None else []
    if record is not None:
        flags += ["stale"] if record.stale else []
        flags += ["edited"] if edited else []
        flags += ["unsettled"] if record.delta is None else []
    title, words = "", 0
    if record is None or edited:
        title, prose = book.chapter(number)
        words = count_words(prose, language)
    else:
        title, words = record.title, record.words
    standing = [f for f in record.findings if f.standing] if record else []
    return ChapterLine(
        number=number,
        title=title,
        words=words,
        status=record.status if record else "drafted",
        verdict=record.verdict if record else None,
        flags=flags,
        stale=record.stale if record else None,
        critical=sum(f.severity == "critical" for f in standing),
        warnings=sum(f.severity == "warning" for f in standing),
    )


def _open_hooks(book: BookDir, records: dict[int, Record]) -> int:
    from zencli.story.fold import fold

    deltas = [(number, record.title, record.delta) for number, record in records.items()]
    return sum(hook.unpaid for hook in fold(book.foundation(), deltas).hooks.values())
