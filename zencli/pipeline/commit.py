"""Step 8: chapter, record, views and summaries together, in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from zencli.context.canon import Canon
from zencli.pipeline.hook_pins import told_before
from zencli.prose.count import count_words
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import updated_config
from zencli.store.known_files import accept
from zencli.store.layout import CORRECTIONS, FOUNDATION, BookDir, draft_file
from zencli.store.records import Records
from zencli.store.transaction import Transaction
from zencli.story.book import BookStatus
from zencli.story.corrections import corrections_json
from zencli.story.delta import Delta
from zencli.story.documents.outline import amend, entries, insert_entries
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.findings import Finding, Verdict
from zencli.story.foundation import Foundation
from zencli.story.plan import Plan
from zencli.story.record import CallUsage, ChapterStatus, Record, text_digest


@dataclass(frozen=True)
class ChapterVersion:
    """A chapter that is ready to be committed."""

    number: int
    title: str
    prose: str
    plan: Plan | None
    target_words: int
    status: ChapterStatus
    verdict: Verdict | None
    audited: bool
    findings: list[Finding]
    delta: Delta | None
    dropped: list[str] = field(default_factory=list)
    overruled: list[str] = field(default_factory=list)
    stale: str | None = None
    voided: int = 0
    revised: int = 0
    usage: CallUsage = field(default_factory=CallUsage)
    notes: Mapping[str, int] | None = None
    extra: dict[str, str] = field(default_factory=dict)


def commit_chapter(
    book: BookDir, canon: Canon, version: ChapterVersion, verb: str, run_id: str, now: datetime
) -> tuple[Record, list[int]]:
    """Write a chapter and all that follows from it.

    Later chapters become stale when the story they were written on changed. Returns the new record
    and the numbers of the chapters that became stale.
    """
    old = canon.records.get(version.number)
    text = join_chapter(version.title, version.prose)
    record = Record(
        number=version.number,
        title=version.title,
        status=version.status,
        verdict=version.verdict,
        audited=version.audited,
        words=count_words(version.prose, canon.config.language),
        target_words=version.target_words,
        digest=text_digest(text),
        plan=version.plan,
        delta=version.delta,
        findings=version.findings,
        dropped=version.dropped,
        overruled=version.overruled,
        voided=version.voided,
        revised=version.revised,
        stale=version.stale,
        usage=version.usage,
        notes=dict(version.notes) if version.notes is not None else old.notes if old else None,
        created=old.created if old else now,
        updated=now,
    )
    stale = _stale(canon, record, old, now)
    records = canon.records.changed({version.number: record, **stale})
    transaction = Transaction(book, verb, run_id)
    transaction.write(book.chapter_file(version.number), text)
    for number, changed in {version.number: record, **stale}.items():
        transaction.write(book.record_file(number), record_json(changed))
    transaction.delete(draft_file(version.number))
    for path, content in version.extra.items():
        transaction.write(path, content)
    write_outline(transaction, book, canon, version.number, version.plan)
    write_views(transaction, replace(canon, records=records))
    write_config(transaction, book, canon, records, now)
    transaction.commit()
    return record, sorted(stale)


def record_json(record: Record) -> str:
    """A record as its file holds it."""
    return record.model_dump_json(indent=1) + "\n"


def write_views(transaction: Transaction, canon: Canon) -> None:
    """``state.md`` and ``hooks.md`` as of the latest chapter, and what the author corrected.

    Every watched file counts as known from here on; call it when the others are staged. Raises
    DamagedError ``book.damaged`` for a view that was edited meanwhile and can't be read.
    """
    canon = canon.with_late_edits()
    for path, text in {**view_texts(canon), **author_records(canon)}.items():
        transaction.write(path, text)
    accept(transaction, canon.records.book)


def view_texts(canon: Canon) -> dict[str, str]:
    """What ``state.md`` and ``hooks.md`` hold as of the latest chapter."""
    state = canon.state_before(max(canon.records, default=0) + 1)
    language = canon.config.language
    return {
        "state.md": render_state(state, language),
        "hooks.md": render_hooks(state.hooks, language),
    }


def author_records(canon: Canon) -> dict[str, str]:
    """The records of what the author did by hand: corrections, old names, people without a card."""
    texts = {}
    if canon.corrections:
        texts[CORRECTIONS] = corrections_json(canon.corrections)
    if canon.first.characters:
        texts[FOUNDATION] = foundation_json(canon.first)
    return texts


def foundation_json(foundation: Foundation) -> str:
    """``records/foundation.json`` as its file holds it."""
    return foundation.model_dump_json(indent=1) + "\n"


def _stale(canon: Canon, record: Record, old: Record | None, now: datetime) -> dict[int, Record]:
    if old is None or record.delta in (old.delta, told_before(canon, record.number)):
        return {}
    reason = f"chapter {record.number} changed on {now:%Y-%m-%d}"
    return {
        number: later.model_copy(update={"stale": reason})
        for number, later in canon.records.items()
        if number > record.number
    }


def write_outline(
    transaction: Transaction, book: BookDir, canon: Canon, number: int, plan: Plan | None
) -> None:
    """Add to ``outline.md``, as it is now, what was outlined since and what a plan amends.

    The author may have edited it while the chapter was written. ``number`` is the plan's chapter:
    only later ones are amended.
    """
    language = canon.config.language
    before = text = book.read("outline.md") or ""
    known = entries(text)
    new = [entry for entry in canon.outlined if entry.number not in known]
    if new:
        text = insert_entries(text, new, language)
    for change in plan.amend if plan else []:
        if change.chapter > number:
            text = amend(text, change.chapter, change.change, language)
    if text != before:
        transaction.write("outline.md", text)


def write_config(
    transaction: Transaction,
    book: BookDir,
    canon: Canon,
    records: Records,
    now: datetime,
) -> None:
    """``book.toml`` as it is after a change: when it was, and whether the book is finished."""
    status: BookStatus = "writing"
    if max(records) >= canon.config.target_chapters:
        status = "finished"
    text = book.read("book.toml") or ""
    transaction.write("book.toml", updated_config(text, {"status": status, "updated": now}))
