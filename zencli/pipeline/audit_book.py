"""The verb ``audit``: judge chapters that exist, and keep what was found in their records."""

from datetime import datetime

from zencli.context.pack import Pack
from zencli.errors import ModelError, UsageError, ZencliError
from zencli.pipeline.audit import audit_prose, carried
from zencli.pipeline.chapter import cast_plan, open_pack, status_of
from zencli.pipeline.check import check_prose, earlier_prose
from zencli.pipeline.commit import record_json
from zencli.pipeline.events import ChapterDone, StepStarted
from zencli.pipeline.params import Audit
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.ranges import chapters_in, one_chapter
from zencli.pipeline.results import AuditedChapter, AuditResult
from zencli.pipeline.run_context import RunContext
from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.findings import Finding, Verdict, verdict
from zencli.story.record import Record, text_digest


def audit_book(
    ctx: RunContext, book: BookDir, params: Audit, run_id: str, now: datetime
) -> AuditResult:
    """Judge one chapter or a range. Each chapter is committed before the next.

    A dry run without a model judges too, and keeps nothing. Raises ``UsageError`` when both a
    chapter and a range are named, and ``PartlyDone`` when the run is stopped at a later chapter:
    those judged before keep their findings.
    """
    if params.chapters is not None:
        if params.chapter_number is not None:
            raise UsageError(
                "usage.options", "CHAPTER and --chapters exclude each other.", "Give one of them."
            )
        numbers = chapters_in(params.chapters, book.chapter_numbers())
    else:
        numbers = [one_chapter(book, params.chapter_number)]
    judged: list[AuditedChapter] = []
    try:
        for number in numbers:
            chapter = _audit_chapter(ctx, book, number, params, run_id, now)
            judged.append(chapter)
            ctx.emit(
                ChapterDone(number, chapter.title, chapter.words, chapter.unit, chapter.verdict)
            )
    except (ZencliError, KeyboardInterrupt) as error:
        if not judged:
            raise
        raise PartlyDone(error, AuditResult(book_id=book.id, chapters=judged)) from error
    return AuditResult(book_id=book.id, chapters=judged)


def _audit_chapter(
    ctx: RunContext, book: BookDir, number: int, params: Audit, run_id: str, now: datetime
) -> AuditedChapter:
    title, prose = book.chapter(number)
    old = book.record(number)
    pack = open_pack(ctx, book, number, old.target_words or None if old else None)
    ctx.emit(StepStarted("check", number))
    checks = check_prose(pack.canon, number, prose, pack.words, earlier_prose(book, number))
    audited = old is not None and old.audited
    voided = old.voided if old else 0
    told = carried(old.findings, prose) if old else []
    if not params.no_llm:
        plan = old.plan if old and old.plan else cast_plan(pack.canon, prose)
        outcome = audit_prose(ctx, pack, plan, title, prose, params.instruction)
        audited, voided = outcome.findings is not None, outcome.voided
        told = told if outcome.findings is None else outcome.findings
    findings = _with_waivers(checks + told, old.findings if old else [])
    judged = verdict(findings, audited=audited or params.no_llm)
    kept: Verdict | None = judged
    if params.no_llm and not audited and judged == "passed":  # checks alone pass no chapter
        kept = "unknown" if old is not None and old.verdict == "unknown" else None
    record = _judged_record(book, pack, number, title, prose, old, findings, now)
    record = record.model_copy(update={"verdict": kept, "audited": audited, "voided": voided})
    if record.status != "approved":
        status = status_of(record.verdict)
        record = record.model_copy(update={"status": status})
    if not ctx.dry_run and (old is None or _differs(old, record)):
        transaction = Transaction(book, "audit", run_id)
        transaction.write(book.record_file(number), record_json(record))
        transaction.commit()
    return AuditedChapter(
        number=number,
        title=title,
        path=str(book.path / book.chapter_file(number)),
        words=count_words(prose, pack.canon.config.language),
        unit=pack.canon.config.unit,
        status=record.status,
        verdict=judged,
        findings=findings,
        voided=voided,
    )


def _with_waivers(findings: list[Finding], before: list[Finding]) -> list[Finding]:
    waived = {f.id: f.waived for f in before if f.waived is not None}
    return [f.model_copy(update={"waived": waived.get(f.id)}) for f in findings]


def _judged_record(
    book: BookDir,
    pack: Pack,
    number: int,
    title: str,
    prose: str,
    old: Record | None,
    findings: list[Finding],
    now: datetime,
) -> Record:
    if old is not None:
        return old.model_copy(update={"findings": findings, "updated": now})
    return Record(
        number=number,
        title=title,
        words=count_words(prose, pack.canon.config.language),
        target_words=pack.words,
        digest=text_digest(book.read(book.chapter_file(number)) or ""),
        findings=findings,
        created=now,
        updated=now,
    )


def _differs(old: Record, new: Record) -> bool:
    return old != new.model_copy(update={"updated": old.updated})


def unreadable(result: AuditResult) -> ModelError | None:
    """The error of an audit whose reply couldn't be read, None when all could."""
    unknown = [str(c.number) for c in result.chapters if c.verdict == "unknown"]
    if not unknown:
        return None
    return ModelError(
        "audit.unknown",
        f"The auditor's reply couldn't be read for chapter {', '.join(unknown)}.",
        "Audit again, or use another model for [models.auditor].",
    )
