"""``import --settle``: what each imported chapter changes in the story, one model call each."""

from dataclasses import replace
from datetime import datetime

from zencli.errors import ZencliError
from zencli.pipeline.chapter import cast_plan, open_pack, used_since
from zencli.pipeline.commit import record_json, write_views
from zencli.pipeline.events import ChapterDone
from zencli.pipeline.importing.import_book import VERB, stale_after
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.results import ImportResult
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settle import settle
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.record import Record


def unsettled(book: BookDir) -> list[int]:
    """The chapters whose record has no delta, ascending."""
    existing = set(book.chapter_numbers())
    return [n for n, r in book.records().items() if n in existing and r.delta is None]


def settle_imported(
    ctx: RunContext, book: BookDir, result: ImportResult, run_id: str, now: datetime
) -> ImportResult:
    """Settle every unsettled chapter in order; each is committed before the next.

    Chapters whose reply couldn't be read stay unsettled and are told. Raises ``PartlyDone``
    when the run was stopped; the same command goes on where it was.
    """
    done: list[int] = []
    waiting = unsettled(book)
    try:
        for number in waiting:
            if _settle_one(ctx, book, number, run_id, now):
                done.append(number)
    except (ZencliError, KeyboardInterrupt) as error:
        raise PartlyDone(error, _told(result, done, waiting)) from error
    return _told(result, done, waiting)


def _told(result: ImportResult, done: list[int], waiting: list[int]) -> ImportResult:
    left = [number for number in waiting if number not in done]
    return result.model_copy(update={"settled": done, "unsettled": left})


def _settle_one(
    ctx: RunContext, book: BookDir, number: int, run_id: str, now: datetime
) -> Record | None:
    started = ctx.meter.usage + ctx.meter.recalled
    record = book.record(number)
    if record is None:
        return None
    title, prose = book.chapter(number)
    pack = open_pack(ctx, book, number, record.target_words or None)
    plan = record.plan or cast_plan(pack.canon, prose)
    settled = settle(ctx, pack, plan, title, prose)
    if settled.delta is None:
        return None
    record = settled.onto(record, used_since(ctx, started))
    record = record.model_copy(update={"updated": now})
    changes = {
        **stale_after(pack.canon.records, number, now, planned_only=True),
        number: record,
    }
    transaction = Transaction(book, VERB, run_id)
    for changed, after in changes.items():
        transaction.write(book.record_file(changed), record_json(after))
    records = pack.canon.records.changed(changes)
    write_views(transaction, replace(pack.canon, records=records))
    transaction.commit()
    ctx.emit(ChapterDone(number, title, record.words, book.config().unit, "settled"))
    return record
