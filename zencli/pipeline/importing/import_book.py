"""The verb ``import``: an existing novel becomes a book, or chapters are added to one.

Nothing is written before the whole source was read, cut and compared. A new book appears at once;
chapters for an existing one are one commit. Given again, the same import adds only what is new.
"""

from dataclasses import replace
from datetime import datetime
from statistics import median

from zencli.context.canon import Canon
from zencli.errors import UsageError
from zencli.pipeline.commit import record_json, write_config, write_views
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.importing.import_plan import FRONT, ImportPlan, Incoming, Reading, plan_import
from zencli.pipeline.mending.empty_book import empty_documents
from zencli.pipeline.results import ImportResult
from zencli.store.config_file import render_config
from zencli.store.create import Origin, create_book
from zencli.store.ids import book_id_from
from zencli.store.known_files import KNOWN, known_of
from zencli.store.layout import BookDir, chapter_file, record_file
from zencli.store.records import Records
from zencli.store.snapshot import as_committed
from zencli.store.transaction import Transaction
from zencli.store.workspace import Workspace, check_book_id
from zencli.story.book import BookConfig, Language
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.fold import opening_state
from zencli.story.foundation import Foundation
from zencli.story.record import Record, text_digest

VERB = "import"

_BRIEF: dict[Language, str] = {
    "zh": "《{title}》是导入的书，共 {count} 章，来自 {source}。\n"
    "往下写的章节在人物、文风和叙事角度上要和已有的章节一致。\n",
    "en": "{title} was imported: {count} chapters from {source}.\n"
    "Chapters that follow agree with these in people, voice and point of view.\n",
}
_LEAST_WORDS, _MOST_WORDS = 100, 100_000


def target_book(
    workspace: Workspace, params: Import, reading: Reading
) -> tuple[str, BookDir | None]:
    """The id to import into, and the book when there is one already.

    Raises UsageError ``book.exists`` when an id that wasn't named belongs to a book which shares
    no chapter with the source, and ``usage.options`` for what contradicts the book's own.
    """
    book_id = params.book_id or book_id_from(reading.title)
    check_book_id(book_id)
    if book_id not in workspace.book_ids():
        return book_id, None
    book = workspace.open(book_id)
    config = book.config()
    for option, value, own in (
        ("--title", params.title, config.title),
        ("--genre", params.genre, config.genre),
        ("--language", params.language, config.language),
    ):
        if value and value != own:
            raise UsageError(
                "usage.options",
                f"{option} is for a new book, and {book_id} has {own!r} already.",
                "Leave it out, or change it in book.toml.",
            )
    if params.book_id is None:
        plan = plan_import(reading, config.language, book, replace=False)
        if not any(chapter.action == "same" for chapter in plan.chapters):
            raise UsageError(
                "book.exists",
                f"There is another book {book_id!r} already.",
                f"Add --book {book_id} to import into it, or --book with another id.",
            )
    return book_id, book


def preview_import(
    workspace: Workspace, params: Import, reading: Reading, *, replace: bool
) -> ImportResult:
    """What an import would do."""
    book_id, book = target_book(workspace, params, reading)
    language = book.config().language if book else params.language or reading.text.language
    committed = as_committed(book) if book else None
    plan = plan_import(reading, language, committed, replace=replace)
    title = book.config().title if book else reading.title
    path = workspace.books_dir / book_id
    return _result(BookDir(path), title, plan, created=book is None, dry_run=True)


def import_new(
    workspace: Workspace,
    book_id: str,
    params: Import,
    reading: Reading,
    run_id: str,
    now: datetime,
) -> ImportResult:
    """Make a book with all chapters. Raises as ``create_book`` does, and UsageError
    ``import.empty`` when no chapter has a text."""
    language = params.language or reading.text.language
    plan = plan_import(reading, language, None, replace=False)
    if not plan.wanted:
        raise UsageError(
            "import.empty", "None of the chapters has any text.", "Look at it with --dry-run."
        )
    config = _config(book_id, params, reading, plan, now)
    files = _foundation(config, params.source, len(plan.wanted))
    for chapter in plan.wanted:
        files[chapter_file(chapter.number)] = chapter.text
        files[record_file(chapter.number)] = record_json(_record(chapter, now))
    if plan.front:
        files[FRONT] = plan.front + "\n"
    book = create_book(workspace, book_id, files, origin=Origin(VERB, run_id))
    return _result(book, config.title, plan, created=True)


def import_into(
    book: BookDir, reading: Reading, run_id: str, now: datetime, *, replace: bool
) -> ImportResult:
    """Write the new chapters into a book whose lock the caller holds, in one commit.

    ``replace``: those whose text differs from the book's too.
    """
    config = book.config()
    plan = plan_import(reading, config.language, book, replace=replace)
    if plan.wanted:
        _commit(book, plan, run_id, now)
    return _result(book, config.title, plan, created=False)


def _commit(book: BookDir, plan: ImportPlan, run_id: str, now: datetime) -> None:
    canon = Canon.load(book)
    transaction = Transaction(book, VERB, run_id)
    changes: dict[int, Record] = {}
    retold = []
    for chapter in plan.wanted:
        old = canon.records.get(chapter.number)
        if old is not None and old.delta is not None:
            retold.append(chapter.number)
        changes[chapter.number] = _record(chapter, now, old)
        transaction.write(book.chapter_file(chapter.number), chapter.text)
    if retold:
        changes = stale_after(canon.records, min(retold), now) | changes
    for number, record in changes.items():
        transaction.write(book.record_file(number), record_json(record))
    if plan.front and book.read(FRONT) is None:
        transaction.write(FRONT, plan.front + "\n")
    records = canon.records.changed(changes)
    write_views(transaction, replace(canon, records=records))
    write_config(transaction, book, canon, records, now)
    transaction.commit()


def stale_after(
    records: Records, changed: int, now: datetime, *, planned_only: bool = False
) -> dict[int, Record]:
    """The settled chapters after ``changed``, stale now; ``planned_only``: those alone that the
    program wrote from what came before them."""
    reason = f"chapter {changed} changed on {now:%Y-%m-%d}"
    later = [n for n, facts in records.facts.items() if n > changed and facts.settled]
    return {
        number: records[number].model_copy(update={"stale": reason})
        for number in later
        if not planned_only or records[number].plan is not None
    }


def _result(
    book: BookDir, title: str, plan: ImportPlan, *, created: bool, dry_run: bool = False
) -> ImportResult:
    return ImportResult(
        book_id=book.id,
        title=title,
        path=str(book.path),
        language=plan.language,
        unit="chars" if plan.language == "zh" else "words",
        created=created,
        dry_run=dry_run,
        chapters=[chapter.line() for chapter in plan.chapters],
        problems=list(plan.told),
        settled=[],
        unsettled=[],
    )


def _record(chapter: Incoming, now: datetime, old: Record | None = None) -> Record:
    """A chapter is as long as its author wanted it: that length is its target."""
    return Record(
        number=chapter.number,
        title=chapter.title,
        words=chapter.words,
        target_words=chapter.words,
        digest=text_digest(chapter.text),
        created=old.created if old else now,
        updated=now,
    )


def _config(
    book_id: str, params: Import, reading: Reading, plan: ImportPlan, now: datetime
) -> BookConfig:
    words = int(median(chapter.words for chapter in plan.wanted))
    last = max(chapter.number for chapter in plan.wanted)
    return BookConfig(
        id=book_id,
        title=reading.title,
        genre=params.genre or "general",
        language=plan.language,
        target_chapters=(last // 100 + 1) * 100,
        chapter_words=min(max(words, _LEAST_WORDS), _MOST_WORDS),
        status="writing",
        created=now,
        updated=now,
    )


def _foundation(config: BookConfig, source: str, count: int) -> dict[str, str | bytes]:
    """The files that every book has: empty where only an author or an architect could know."""
    language = config.language
    state = opening_state(Foundation())
    name = source.rstrip("/").rpartition("/")[2]
    files: dict[str, str | bytes] = {
        "book.toml": render_config(config),
        "brief.md": _BRIEF[language].format(title=config.title, count=count, source=name),
        **empty_documents(config.title, language),
        "records/foundation.json": Foundation().model_dump_json(indent=1) + "\n",
        "state.md": render_state(state, language),
        "hooks.md": render_hooks(state.hooks, language),
    }
    return {**files, KNOWN: known_of(files)}
