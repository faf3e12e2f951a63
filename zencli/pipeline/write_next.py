"""The verb ``write-next``: which chapters to write, one commit each."""

from contextlib import suppress
from datetime import datetime

from zencli.context.canon import Canon
from zencli.errors import DamagedError, UsageError, ZencliError
from zencli.pipeline.arc_summary import summarise_arc
from zencli.pipeline.chapter import open_pack, status_of, write_chapter
from zencli.pipeline.commit import ChapterVersion, commit_chapter, write_outline
from zencli.pipeline.events import ChapterDone, Notice
from zencli.pipeline.params import WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.plan import author_plan, plan_chapter, with_outline
from zencli.pipeline.ranges import check_replaceable
from zencli.pipeline.results import WriteNextResult, WrittenChapter
from zencli.pipeline.resume import Goal
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settle import settle
from zencli.prose.count import length_score
from zencli.store.known_files import accept
from zencli.store.layout import BookDir, draft_file
from zencli.store.records import Records
from zencli.store.transaction import Transaction
from zencli.story.documents.plan import render_plan
from zencli.story.findings import verdict
from zencli.story.plan import Plan
from zencli.story.record import Record

VERB = "write-next"


def chapters_to_write(
    book: BookDir, params: WriteNext, *, confirmed: bool, goal: Goal | None = None
) -> list[int]:
    """The numbers that this command will write, checked before any model is called.

    ``goal`` is what an interrupted run of the same command set out to write: then it's the rest.

    Raises ``UsageError`` for options that contradict each other or the book's length, and
    ``NeedsAuthor`` when an approved chapter would be written anew without confirmation.
    """
    existing = book.chapter_numbers()
    target = book.config().target_chapters
    if sum((params.until is not None, params.chapter is not None, params.chapter_count > 1)) > 1:
        raise UsageError(
            "usage.options",
            "--count, --until and --chapter exclude each other.",
            "Give one of them.",
        )
    if params.plan_only and params.chapter_count > 1:
        raise UsageError(
            "usage.options",
            "--plan-only plans one chapter; --count is for writing.",
            "Leave out --count.",
        )
    if params.chapter is not None:
        return [_existing(book, params.chapter, confirmed=confirmed)]
    gaps = sorted(set(range(1, max(existing, default=0))) - set(existing))
    if gaps:
        numbers = ", ".join(str(n) for n in gaps[:10])
        raise DamagedError(
            "book.gap",
            f"{book.id} lacks chapter {numbers} before its latest.",
            "Put the file back, or renumber the chapters after it.",
        )
    following = max(existing, default=0) + 1
    last = params.until or following + params.chapter_count - 1
    if goal is not None and goal.first <= following <= goal.last + 1:
        last = goal.last
    if last > target:
        raise UsageError(
            "usage.finished",
            f"{book.id} is planned for {target} chapters; chapter {last} is beyond its end.",
            "Raise target_chapters in book.toml.",
        )
    return list(range(following, last + 1))


def _existing(book: BookDir, number: int, *, confirmed: bool) -> int:
    book.chapter(number)
    if not confirmed:
        check_replaceable(book, number, "writing it anew")
    return number


def write_next(
    ctx: RunContext,
    book: BookDir,
    params: WriteNext,
    run_id: str,
    now: datetime,
    *,
    confirmed: bool = False,
) -> WriteNextResult:
    """Write chapters one by one; each is committed before the next begins.

    Raises ``PartlyDone`` when a later chapter fails: those before it stay.
    """
    goal = ctx.resume.goal
    numbers = chapters_to_write(book, params, confirmed=confirmed, goal=goal)
    if params.plan_only and numbers:
        return _plan_only(ctx, book, numbers[0], params, run_id)
    written = _written_before(ctx, book, numbers, goal) if goal is not None else []
    if not numbers and not written:
        ctx.warn(f"Chapter {params.until} exists already; nothing to write.")
    if numbers:
        ctx.unfinished = ctx.resume.earlier.broken_off("write") if ctx.resume.earlier else ""
        _keep_draft(ctx, book, numbers[0], run_id)
        ctx.resume.begin(_goal(params, numbers, written))
    try:
        for number in numbers:
            canon = _made_ready(ctx, book, number, run_id, now, first=number == numbers[0])
            record = write_chapter(ctx, book, canon, number, params, (VERB, run_id), now)
            written.append(written_chapter(book, record))
            ctx.emit(
                ChapterDone(number, record.title, record.words, book.config().unit, record.status)
            )
    except (ZencliError, KeyboardInterrupt) as error:
        _keep_draft(ctx, book, number, run_id)
        if not written:
            raise
        result = WriteNextResult(book_id=book.id, chapters=written)
        raise PartlyDone(error, result) from error
    return WriteNextResult(book_id=book.id, chapters=written)


def _goal(params: WriteNext, numbers: list[int], written: list[WrittenChapter]) -> Goal | None:
    """What a run of the same command goes on with; an ``until`` or ``chapter`` says it itself."""
    if params.until is not None or params.chapter is not None:
        return None
    return Goal(written[0].number if written else numbers[0], numbers[-1])


def _written_before(
    ctx: RunContext, book: BookDir, numbers: list[int], goal: Goal
) -> list[WrittenChapter]:
    """The chapters of the command that its interrupted run committed."""
    following = max(book.chapter_numbers(), default=0) + 1
    if not goal.first < following <= goal.last + 1:
        return []
    records = [book.record(number) for number in range(goal.first, following)]
    left = f"writing {numbers[0]}-{numbers[-1]}" if numbers else "nothing is left to write"
    ctx.emit(
        Notice(
            f"An interrupted run of this command wrote {goal.first}-{following - 1} of "
            f"{goal.first}-{goal.last}: {left}. --fresh counts anew."
        )
    )
    return [written_chapter(book, record) for record in records if record is not None]


def _keep_draft(ctx: RunContext, book: BookDir, number: int, run_id: str) -> None:
    """Keep what there is of a chapter whose writing was broken off where the author finds it."""
    if not ctx.unfinished.strip():
        return
    path = draft_file(number)
    transaction = Transaction(book, VERB, run_id)
    transaction.write(path, ctx.unfinished.encode("utf-8", "replace"))
    with suppress(UsageError):  # a disk that refuses is told by the error that is under way
        transaction.commit()
        ctx.warn(f"What there is of chapter {number} is kept in {path}.")
    ctx.unfinished = ""


def written_chapter(book: BookDir, record: Record) -> WrittenChapter:
    """A record as ``write-next`` reports it."""
    target = record.target_words or book.config().chapter_words
    return WrittenChapter(
        number=record.number,
        title=record.title,
        path=str(book.path / book.chapter_file(record.number)),
        words=record.words,
        unit=book.config().unit,
        target_words=target,
        length_score=round(length_score(target, record.words), 1),
        status=record.status,
        verdict=record.verdict,
        findings=record.findings,
        revised=record.revised,
    )


def _plan_only(
    ctx: RunContext, book: BookDir, number: int, params: WriteNext, run_id: str
) -> WriteNextResult:
    path = book.plan_file(number)
    if ctx.resume.finished(book) is not None:
        return WriteNextResult(book_id=book.id, chapters=[], plan=str(book.path / path))
    ctx.resume.begin()
    if author_plan(book, Canon.load(book), number) is not None:
        raise UsageError(
            "usage.plan",
            f"{path} holds a plan already.",
            "Edit it, or move it away to have a new one made.",
        )
    wish = params.instruction
    pack = open_pack(ctx, book, number, params.chapter_word_count, wish=wish)
    canon = with_outline(ctx, pack.canon, pack)
    if canon is not pack.canon:
        pack = open_pack(ctx, book, number, params.chapter_word_count, canon, wish=wish)
    plan = plan_chapter(ctx, pack, params.instruction)
    transaction = Transaction(book, VERB, run_id)
    transaction.write(path, render_plan(number, plan, canon.config.language))
    if canon.outlined:
        write_outline(transaction, book, canon, number, None)
        accept(transaction, book)
    transaction.commit()
    return WriteNextResult(book_id=book.id, chapters=[], plan=str(book.path / path))


def _made_ready(
    ctx: RunContext, book: BookDir, number: int, run_id: str, now: datetime, *, first: bool
) -> Canon:
    """The book when all before chapter ``number`` is settled, and the arc that closed summarised.

    ``first`` is the first chapter of the run: what stands before a later one has been tried.
    """
    canon = Canon.load(book, ctx.take_records())
    behind = _unsettled(book, canon.records, number, latest_only=not first)
    for before in behind:
        _settle_again(ctx, book, before, run_id, now)
    summarise_arc(ctx, book, number, VERB, run_id)
    changed = behind or canon.config.context.arc_summaries == "model"
    return Canon.load(book) if changed else canon


def _unsettled(book: BookDir, records: Records, number: int, *, latest_only: bool) -> list[Record]:
    """The records without a delta before chapter ``number``: what follows must build on them."""
    before = [n for n in book.chapter_numbers() if n < number]
    return [
        records[n]
        for n in (before[-1:] if latest_only else before)
        if n in records.facts
        and not records.facts[n].settled
        # an imported chapter has no plan: a whole novel is only settled when the author asks for it
        and (records.facts[n].planned or n == before[-1])
    ]


def _settle_again(
    ctx: RunContext, book: BookDir, record: Record, run_id: str, now: datetime
) -> None:
    before = record.number
    pack = open_pack(ctx, book, before, record.target_words or None)
    title, prose = book.chapter(before)
    settled = settle(ctx, pack, record.plan or Plan(), title, prose)
    if settled.delta is None:
        return
    audit = record.audit_of(book.chapter_digest(before))
    judged = verdict(record.findings, audit)
    version = ChapterVersion(
        number=before,
        title=title,
        prose=prose,
        plan=record.plan,
        target_words=record.target_words,
        status="approved" if record.status == "approved" else status_of(judged),
        verdict=judged,
        audited=audit == "read",
        findings=record.findings,
        delta=settled.delta,
        dropped=settled.dropped,
        overruled=settled.overruled,
        stale=record.stale,
        voided=record.voided,
        revised=record.revised,
        usage=record.usage,
    )
    commit_chapter(book, pack.canon, version, VERB, run_id, now)
