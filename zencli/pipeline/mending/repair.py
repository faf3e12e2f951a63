"""The verb ``repair``: a book made whole from what is there; nothing is destroyed.

First the files, without a model and in one commit; then one settle call for each chapter whose
record says nothing, or not what the text says.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime

from zencli.errors import DamagedError, UsageError, ZencliError
from zencli.pipeline.chapter import cast_plan, open_pack, used_since
from zencli.pipeline.commit import record_json
from zencli.pipeline.editing.edits import noticed
from zencli.pipeline.events import ChapterDone
from zencli.pipeline.importing.import_book import stale_after
from zencli.pipeline.mending.doctor import diagnose, problems_of
from zencli.pipeline.mending.examine import Examined, examine
from zencli.pipeline.mending.repair_files import RepairPlan, plan_files
from zencli.pipeline.mending.repair_params import Repair
from zencli.pipeline.mending.repair_records import measure_lost, plan_records
from zencli.pipeline.mending.view_repair import mend_views
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.past.rewind import Contents
from zencli.pipeline.ranges import chapters_in
from zencli.pipeline.results import RepairedFile, RepairResult
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settle import settle
from zencli.store.layout import BookDir
from zencli.store.overlay import overlaid
from zencli.store.salvage import set_aside
from zencli.store.snapshot import as_committed
from zencli.store.transaction import Transaction
from zencli.story.record import Record, text_digest

VERB = "repair"

OpenRun = Callable[[], AbstractContextManager[tuple[RunContext, str]]]
"""Begins the part of the run that calls a model."""


@dataclass(frozen=True)
class _Plan:
    """``waiting`` are for the model; of the ``unknown`` chapters no record is left."""

    files: RepairPlan
    stale: list[int]
    waiting: list[int]
    unknown: frozenset[int]


@dataclass
class _Work:
    """A repair under way: what was examined and planned, and how far the model has come."""

    book: BookDir
    seen: Examined
    plan: _Plan
    stale: set[int]
    settled: list[int] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)

    def result(self) -> RepairResult:
        """What was done, and what the book is like now."""
        after = examine(self.book)
        known = {number for number, record in after.records.items() if record.delta is not None}
        return RepairResult(
            book_id=self.book.id,
            dry_run=False,
            files=[*_aside(self.seen), *self.plan.files.files],
            settled=self.settled,
            unread=self.unread,
            unsettled=sorted(after.texts.keys() - known),
            stale=sorted(self.stale),
            left=diagnose(self.book),
        )


def preview_repair(
    book: BookDir, params: Repair, now: datetime, *, confirmed: bool
) -> RepairResult:
    """What a repair would do; ``unsettled`` are the chapters that the model would read."""
    with suppress(DamagedError):  # a commit record that the repair would set aside
        book = as_committed(book)
    seen = examine(book)
    plan = _plan(seen, params, now, confirmed=confirmed)
    transaction = Transaction(book, VERB, VERB)
    views = _stage(transaction, book, plan.files.contents)
    with overlaid(book, transaction.staged) as after:
        left = [p for p in problems_of(examine(after)) if p.code != "history.damaged"]
    files = [*_aside(seen), *plan.files.files, *views]
    return RepairResult(book_id=book.id, dry_run=True, files=files, settled=[], unread=[],
                        unsettled=plan.waiting, stale=plan.stale, left=left)  # fmt: skip


def repair(
    book: BookDir,
    params: Repair,
    run_id: str,
    now: datetime,
    open_run: OpenRun,
    *,
    confirmed: bool,
) -> RepairResult:
    """Mend a book whose lock the caller holds.

    Raises ``NeedsAuthor`` when ``book.toml`` would have to be guessed, ``UsageError`` for a range
    that names no chapter, ``PartlyDone`` when the model's part was stopped.
    """
    seen = examine(book)
    plan = _plan(seen, params, now, confirmed=confirmed)
    set_aside(book, seen.kept.damaged)
    plan.files.files += _commit(book, plan.files.contents, run_id)
    work = _Work(book, seen, plan, set(plan.stale))
    try:
        if plan.waiting:
            with open_run() as (ctx, _):
                for number in plan.waiting:
                    _settle_one(ctx, work, number, run_id, now)
    except (ZencliError, KeyboardInterrupt) as error:
        raise PartlyDone(error, work.result()) from error
    return work.result()


def _plan(seen: Examined, params: Repair, now: datetime, *, confirmed: bool) -> _Plan:
    moves = noticed(seen.book).renamed
    renamed = {m.before for m in moves} | {m.after for m in moves}
    files = plan_files(seen, renamed, now, confirmed=confirmed)
    for number in renamed:
        files.texts.pop(number, None)
    chosen = _chosen(params, sorted(files.texts))
    lost = plan_records(seen, files, chosen, no_llm=params.no_llm)
    stale = measure_lost(seen, files, lost, now)
    waiting: list[int] = []
    if not params.no_llm:
        waiting = sorted({*lost, *chosen})
        if not chosen:
            waiting = sorted({*lost, *_unsettled(seen, files)})
    unknown = frozenset(number for number, base in lost.items() if base is None)
    return _Plan(files, stale, waiting, unknown)


def _chosen(params: Repair, existing: list[int]) -> list[int]:
    if params.chapters is not None and params.first is not None:
        raise UsageError(
            "usage.options", "CHAPTERS and --from exclude each other.", "Give one of them."
        )
    text = params.chapters if params.first is None else f"{params.first}-"
    return [] if text is None else chapters_in(text, existing)


def _unsettled(seen: Examined, files: RepairPlan) -> list[int]:
    """Chapters whose record fits the text and says nothing of the story."""
    return [
        number
        for number, record in seen.records.items()
        if record.delta is None
        and number in files.texts
        and record.digest == text_digest(files.texts[number])
    ]


def _commit(book: BookDir, contents: Contents, run_id: str) -> list[RepairedFile]:
    """All contents and the views that follow from them, at once; tells of the views mended."""
    transaction = Transaction(book, VERB, run_id)
    views = _stage(transaction, book, contents)
    transaction.commit()
    return views


def _stage(transaction: Transaction, book: BookDir, contents: Contents) -> list[RepairedFile]:
    for path, data in contents.items():
        if data is None:
            transaction.delete(path)
        else:
            transaction.write(path, data)
    with overlaid(book, contents) as after:
        return mend_views(transaction, after)


def _settle_one(ctx: RunContext, work: "_Work", number: int, run_id: str, now: datetime) -> None:
    """Have one chapter read and commit what it says.

    Later chapters were written on what a lost record said: that it is known again changes nothing.
    """
    book = work.book
    started = ctx.meter.usage + ctx.meter.recalled
    record = book.record(number)
    assert record is not None
    title, prose = book.chapter(number)
    pack = open_pack(ctx, book, number, record.target_words or None)
    settled = settle(ctx, pack, record.plan or cast_plan(pack.canon, prose), title, prose)
    if settled.delta is None:
        work.unread.append(number)
        return
    later: dict[int, Record] = {}
    if number not in work.plan.unknown and record.delta != settled.delta:
        unsettled = record.delta is None
        later = stale_after(pack.canon.records, number, now, planned_only=unsettled)
    record = settled.onto(record, used_since(ctx, started))
    record = record.model_copy(update={"updated": now})
    changes = {**later, number: record}
    contents: Contents = {
        book.record_file(n): record_json(changed).encode() for n, changed in changes.items()
    }
    _commit(book, contents, run_id)
    work.settled.append(number)
    work.stale |= set(later)
    ctx.emit(ChapterDone(number, title, record.words, pack.canon.config.unit, "settled"))


def _aside(seen: Examined) -> list[RepairedFile]:
    return [RepairedFile(path=name, action="set aside") for name in seen.kept.damaged]
