"""The verb ``audit``: judge chapters that exist, and keep what was found in their records."""

from dataclasses import dataclass, field
from datetime import datetime

from zencli.context.canon import Canon
from zencli.errors import DamagedError, ModelError, UsageError, ZencliError
from zencli.pipeline.audit import audit_prose
from zencli.pipeline.auditing.audit_findings import carried, combined, merged_parts
from zencli.pipeline.auditing.audit_groups import groups_for
from zencli.pipeline.auditing.judged_results import (
    AuditedChapter,
    AuditResult,
    LeftOut,
    audit_result,
)
from zencli.pipeline.chapter import cast_plan, open_pack, status_of
from zencli.pipeline.check import Checking
from zencli.pipeline.commit import record_json
from zencli.pipeline.events import ChapterDone, StepStarted
from zencli.pipeline.params import Audit
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.ranges import chapters_in, one_chapter, span
from zencli.pipeline.run_context import RunContext
from zencli.prose.count import count_words, length_score
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.findings import Verdict, verdict
from zencli.story.record import Record

ABOUT_ONE_CHAPTER = ("llm.context", "llm.refused")
"""Codes of a ``ModelError`` that another chapter may well not have."""

AT_ONCE = 50
"""Records that the checks alone change are committed so many together: nothing is paid for."""


def audit_book(
    ctx: RunContext, book: BookDir, params: Audit, run_id: str, now: datetime
) -> AuditResult:
    """Judge one chapter or a range.

    What the auditor said of a chapter is committed before the next one. A chapter that fails, whose
    audit can't be read or that can't be judged at all doesn't end a range. A dry run without a
    model judges too, and keeps nothing. Raises ``UsageError`` when both a chapter and a range are
    named, and ``PartlyDone`` when the run is stopped at a later chapter: those judged before keep
    their findings.
    """
    numbers = chapters_to_audit(book, params)
    canon = Canon.load(book)
    checking = Checking(canon, numbers if params.no_llm else ())
    work = _Audit(ctx, book, canon, checking, params, run_id, now)
    work.note_gaps()
    if not params.no_llm:
        groups_for(ctx.prompts, work.canon.config)
    try:
        for place, number in enumerate(numbers, 1):
            work.next(number, f"{place} of {len(numbers)}" if len(numbers) > 1 else "")
        work.keep()
    except (ZencliError, KeyboardInterrupt) as error:
        work.keep()
        if not work.judged:
            raise
        raise PartlyDone(error, work.result()) from error
    return work.result()


def chapters_to_audit(book: BookDir, params: Audit) -> list[int]:
    """The chapters that ``CHAPTER`` or ``--chapters`` names, the latest without either.

    Raises ``UsageError`` for both, and for an instruction that nobody would read; ``NotFound`` for
    a chapter that isn't there.
    """
    if params.no_llm and params.instruction:
        raise UsageError(
            "usage.options",
            "--no-llm asks no model, so --instruction has no meaning for it.",
            "Leave one of them out.",
        )
    if params.chapters is None:
        return [one_chapter(book, params.chapter_number)]
    if params.chapter_number is not None:
        raise UsageError(
            "usage.options", "CHAPTER and --chapters exclude each other.", "Give one of them."
        )
    return chapters_in(params.chapters, book.chapter_numbers())


@dataclass
class _Audit:
    """An audit under way. Records hold no story, so the canon stays true while they change."""

    ctx: RunContext
    book: BookDir
    canon: Canon
    checking: Checking
    params: Audit
    run_id: str
    now: datetime
    judged: list[AuditedChapter] = field(default_factory=list)
    left: list[LeftOut] = field(default_factory=list)
    changed: dict[int, Record] = field(default_factory=dict)

    def result(self) -> AuditResult:
        return audit_result(self.book.id, self.judged, self.left)

    def note_gaps(self) -> None:
        """Chapters that are missing in the range can't be judged."""
        if self.params.chapters is None:
            return
        first, last = span(self.params.chapters, max(self.book.chapter_numbers()))
        for number in self.book.gaps():
            if first <= number <= last:
                self._leave_out(number, "book.gap", f"There is no chapter {number}.")

    def _leave_out(self, number: int, code: str, message: str) -> None:
        self.left.append(LeftOut(number=number, code=code, message=message))
        self.ctx.warn(f"chapter {number} can't be judged: {message}")

    def next(self, number: int, place: str) -> None:
        """Judge one more chapter; ``place`` is where the range stands."""
        try:
            chapter = self._chapter(number)
        except (DamagedError, ModelError) as error:
            if not place or not self._may_pass(error):
                raise
            self._leave_out(number, error.code, error.message)
            return
        self.judged.append(chapter)
        self.ctx.emit(
            ChapterDone(number, chapter.title, chapter.words, chapter.unit, chapter.verdict, place)
        )
        if not self.params.no_llm or len(self.changed) >= AT_ONCE:
            self.keep()

    def _may_pass(self, error: ZencliError) -> bool:
        """Whether the next chapter may do better. An endpoint that refuses the very first request
        refuses them all."""
        if error.code == "llm.refused" and not self.judged:
            return False
        return isinstance(error, DamagedError) or error.code in ABOUT_ONE_CHAPTER

    def keep(self) -> None:
        """Commit the records that differ from those on disk."""
        if not self.changed or self.ctx.dry_run:
            return
        transaction = Transaction(self.book, "audit", self.run_id)
        for number, record in self.changed.items():
            transaction.write(self.book.record_file(number), record_json(record))
        transaction.commit()
        self.changed.clear()

    def _chapter(self, number: int) -> AuditedChapter:
        book, config = self.book, self.canon.config
        title, prose = book.chapter(number)
        old = self.canon.records.get(number)
        base = old or self._new_record(number, title, prose)
        self.ctx.emit(StepStarted("check", number))
        target = base.target_words or config.chapter_words
        checks = self.checking.findings(number, prose, target)
        told, voided = carried(base.findings, prose), base.voided
        digest = book.chapter_digest(number)
        audit, read = base.audit_of(digest), {"audited": base.audited, "read": base.read}
        if not self.params.no_llm:
            pack = open_pack(self.ctx, book, number, base.target_words or None, self.canon)
            plan = base.plan or cast_plan(self.canon, prose)
            outcome = audit_prose(self.ctx, pack, plan, title, prose, self.params.instruction)
            audit, voided = "read" if outcome.read else "unread", outcome.voided
            read = {"audited": outcome.read, "read": "" if digest == base.digest else digest}
            kept = [] if outcome.read else told
            told = merged_parts([outcome.findings, kept], prose)
        findings = combined(checks, told, base.findings, prose)
        judged = verdict(findings, audit)
        record = base.model_copy(
            update={
                "findings": findings,
                "verdict": judged,
                **read,
                "voided": voided,
                "status": "approved" if base.status == "approved" else status_of(judged),
            }
        )
        if record != old:
            self.changed[number] = record.model_copy(update={"updated": self.now})
        words = count_words(prose, config.language)
        return AuditedChapter(
            number=number,
            title=title,
            path=str(book.path / book.chapter_file(number)),
            words=words,
            unit=config.unit,
            target_words=target,
            length_score=round(length_score(target, words), 1),
            status=record.status,
            verdict=self._told(judged),
            findings=findings,
            voided=voided,
        )

    def _told(self, judged: Verdict | None) -> Verdict:
        """The verdict of this audit: without a model that of the checks, which may be content with
        a chapter that its record can't call passed."""
        if self.params.no_llm:
            return "failed" if judged == "failed" else "passed"
        return judged or "unknown"

    def _new_record(self, number: int, title: str, prose: str) -> Record:
        config = self.canon.config
        return Record(
            number=number,
            title=title,
            words=count_words(prose, config.language),
            target_words=config.chapter_words,
            digest=self.book.chapter_digest(number),
            created=self.now,
            updated=self.now,
        )


def unreadable(result: AuditResult) -> ZencliError | None:
    """The error of an audit whose replies couldn't all be read, None when they could."""
    unknown = [str(c.number) for c in result.chapters if c.verdict == "unknown"]
    if unknown:
        return ModelError(
            "audit.unknown",
            f"The auditor's reply couldn't be read for chapter {', '.join(unknown)}.",
            "Audit again, or use another model for [models.auditor].",
        )
    if not result.left_out:
        return None
    first = result.left_out[0]
    kind = DamagedError if first.code.startswith("book.") else ModelError
    numbers = ", ".join(str(left.number) for left in result.left_out)
    return kind(first.code, f"Chapter {numbers} couldn't be judged: {first.message}")
