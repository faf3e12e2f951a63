"""The verb ``sync``: what the author did by hand becomes what the program knows.

First what needs no model, in one commit: chapters that were renamed, deleted or added, edited views
and cards. Then each edited chapter, settled by the model and committed, or measured only.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from zencli.context.canon import Canon
from zencli.errors import ZencliError
from zencli.pipeline.chapter import cast_plan, open_pack, used_since
from zencli.pipeline.commit import record_json, write_config, write_views
from zencli.pipeline.editing.edits import Moved, moves
from zencli.pipeline.editing.measure import measured, measured_alone, read_chapter
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.editing.sync_results import SyncAction, SyncedChapter, SyncResult
from zencli.pipeline.events import ChapterDone
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.ranges import chapters_in
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settle import settle
from zencli.store.layout import BookDir, chapter_file, record_file
from zencli.store.records import RecordFacts, Records
from zencli.store.transaction import Transaction
from zencli.story.record import Record, text_digest

VERB = "sync"


@dataclass
class _Work:
    """One run of ``sync`` and what it did so far."""

    ctx: RunContext
    book: BookDir
    run_id: str
    now: datetime
    renamed: list[Moved] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    chapters: list[SyncedChapter] = field(default_factory=list)
    stale: set[int] = field(default_factory=set)

    def result(self) -> SyncResult:
        return SyncResult(
            book_id=self.book.id,
            chapters=self.chapters,
            renamed=self.renamed,
            removed=self.removed,
            stale=sorted(self.stale),
        )


def sync(ctx: RunContext, book: BookDir, params: Sync, run_id: str, now: datetime) -> SyncResult:
    """Take over what was edited by hand; the caller holds the book's lock.

    Raises ``NotFound`` for a range without a chapter, ``DamagedError`` for a view that can't be
    read, ``PartlyDone`` when the model failed after some chapters.
    """
    existing = book.chapter_numbers()
    chosen = existing if params.chapters is None else chapters_in(params.chapters, existing)
    work = _Work(ctx, book, run_id, now)
    canon = Canon.load(book)
    texts = {n: text_digest(book.read(chapter_file(n)) or "") for n in existing}
    records = _arranged(work, texts)
    edited = [n for n in chosen if n not in records or records[n].digest != texts[n]]
    if params.no_llm:
        for number in edited:
            records[number] = _measure(work, canon, number, records.get(number))
    if not ctx.dry_run:
        _commit_all(work, canon, records)
    if not params.no_llm:
        if params.chapters is not None:
            asked = [n for n in chosen if n in records and records[n].delta is None]
            edited = sorted({*edited, *asked})
        _settle_all(work, edited)
    return work.result()


def _arranged(work: _Work, texts: Mapping[int, str]) -> dict[int, Record]:
    """The record of every chapter that has one, under the number that its text has now."""
    old = Records.of(work.book)
    moved = moves({number: facts.digest for number, facts in old.facts.items()}, dict(texts))
    origin = {after: before for before, after in moved.items()}
    found: dict[int, Record] = {}
    for number in texts:
        before = origin.get(number, number)
        if before in old and (number in origin or before not in moved):
            found[number] = old[before].model_copy(update={"number": number})
    work.renamed = [Moved(before=before, after=after) for before, after in sorted(moved.items())]
    work.removed = [n for n in old if n not in texts and n not in moved]
    for number in work.removed:
        work.ctx.warn(f"Chapter {number} was taken away by hand: its record goes to the history.")
    for move in work.renamed:
        work.ctx.warn(f"Chapter {move.before} is chapter {move.after} now.")
    return found


def _measure(work: _Work, canon: Canon, number: int, old: Record | None) -> Record:
    """The record of an edited chapter without a model."""
    record = measured_alone(work.book, canon, number, old, work.now)
    if record.dropped:
        work.ctx.warn(
            f"chapter {number}: {len(record.dropped)} entries dropped, their sentence is gone"
        )
    _tell(work, record, "measured", record.dropped)
    return record


def _commit_all(work: _Work, canon: Canon, records: dict[int, Record]) -> None:
    """Everything that needs no model."""
    old = Records.of(work.book)
    stale = _stale(work, old, canon.records.only(records), records)
    records |= stale
    after = canon.records.only(records)
    transaction = Transaction(work.book, VERB, work.run_id)
    for chapter in work.chapters:
        transaction.keep_file(chapter_file(chapter.number))
    for number in old:
        if number not in records:
            transaction.delete(record_file(number))
    for number, record in records.items():
        transaction.write(record_file(number), record_json(record))
    known = len(work.book.corrections())
    following = max(after, default=0) + 1
    taken = [c.model_copy(update={"at": following}) for c in canon.corrections[known:]]
    corrections = (*canon.corrections[:known], *taken)
    write_views(transaction, replace(canon, records=after, corrections=corrections))
    if records and any(_changed(transaction, work.book)):
        write_config(transaction, work.book, canon, after, work.now)
    transaction.commit()


def _changed(transaction: Transaction, book: BookDir) -> Iterable[str]:
    """The paths whose content will be another one."""
    for path, data in transaction.staged.items():
        file = book.path / path
        if (file.read_bytes() if file.is_file() else None) != data:
            yield path


def _stale(
    work: _Work, before: Records, after: Records, records: Mapping[int, Record]
) -> dict[int, Record]:
    """The chapters that the same story no longer comes before."""
    origin = {move.after: move.before for move in work.renamed}
    old, new = _stories(before.facts), _stories(after.facts)
    differing = [n for n in {*before, *after} if _told(before, n) != _told(after, n)]
    reason = f"chapter {min(differing, default=0)} changed on {work.now:%Y-%m-%d}"
    found = {
        number: records[number].model_copy(update={"stale": reason})
        for number in records
        if origin.get(number, number) in old and old[origin.get(number, number)] != new[number]
    }
    work.stale |= set(found)
    return found


def _told(records: Records, number: int) -> str:
    facts = records.facts.get(number)
    return facts.told if facts is not None and facts.settled else ""


def _stories(facts: Mapping[int, RecordFacts]) -> dict[int, bytes]:
    """For each chapter what tells the story before it from another one."""
    digest = hashlib.sha256()
    found = {}
    for number, kept in facts.items():
        found[number] = digest.digest()
        if kept.settled:
            digest.update(kept.told.encode())
    return found


def _settle_all(work: _Work, numbers: list[int]) -> None:
    for number in numbers:
        try:
            _settle(work, number)
        except (ZencliError, KeyboardInterrupt) as error:
            if not (work.chapters or work.renamed or work.removed):
                raise
            raise PartlyDone(error, work.result()) from error


def _settle(work: _Work, number: int) -> None:
    """One chapter, read by the model and committed."""
    ctx, book = work.ctx, work.book
    started = ctx.meter.usage + ctx.meter.recalled
    old = book.record(number)
    pack = open_pack(ctx, book, number, old.target_words or None if old else None)
    canon = pack.canon
    reading = read_chapter(book, number)
    record = measured(book, canon, number, reading, old, work.now)
    plan = record.plan or cast_plan(canon, reading.prose)
    settled = settle(ctx, pack, plan, reading.title, reading.prose)
    if settled.delta is None and old is not None and old.delta is not None:
        _tell(work, old, "left", [])
        return
    record = settled.onto(record, used_since(ctx, started))
    records = canon.records.changed({number: record})
    stale: dict[int, Record] = {}
    if _told(canon.records, number) != _told(records, number):
        later = {n: canon.records[n] for n in canon.records if n > number}
        reason = f"chapter {number} changed on {work.now:%Y-%m-%d}"
        stale = {n: r.model_copy(update={"stale": reason}) for n, r in later.items()}
    work.stale |= set(stale)
    transaction = Transaction(book, VERB, work.run_id)
    transaction.keep_file(chapter_file(number))
    for changed, after in {number: record, **stale}.items():
        transaction.write(record_file(changed), record_json(after))
    records = records.changed(stale)
    write_views(transaction, replace(canon, records=records))
    write_config(transaction, book, canon, records, work.now)
    transaction.commit()
    action: SyncAction = "unsettled" if settled.delta is None else "settled"
    _tell(work, record, action, settled.dropped)
    ctx.emit(ChapterDone(number, record.title, record.words, canon.config.unit, action))


def _tell(work: _Work, record: Record, action: SyncAction, dropped: list[str]) -> None:
    work.chapters.append(
        SyncedChapter(
            number=record.number,
            title=record.title,
            path=str(work.book.path / chapter_file(record.number)),
            words=record.words,
            unit=work.book.config().unit,
            status=record.status,
            action=action,
            dropped=dropped,
            overruled=record.overruled,
        )
    )
