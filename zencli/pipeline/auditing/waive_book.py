"""The verb ``waive``: the author lets a finding stand, and the verdict follows."""

from datetime import datetime

from zencli.errors import NotFound, UsageError
from zencli.pipeline.auditing.judged_results import WaiveResult
from zencli.pipeline.auditing.waive_params import Waive
from zencli.pipeline.chapter import status_of
from zencli.pipeline.commit import record_json
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.findings import Finding, verdict
from zencli.story.record import Record

VERB = "waive"


def waive_book(book: BookDir, params: Waive, run_id: str, now: datetime) -> WaiveResult:
    """Waive one finding of a chapter's record, or with ``undo`` let it count again.

    The verdict is computed anew from what stands; an approved chapter stays approved. The waiver
    is kept by later audits as long as its passage stands. The caller holds the book's lock. Raises
    ``UsageError`` without chapter, finding or reason, ``NotFound`` for a chapter, record or finding
    that isn't there.
    """
    number, reason = _chapter(params), " ".join(params.reason.split())
    if not params.undo and not reason:
        raise UsageError(
            "usage.reason", "A waiver needs its reason.", "Say it with --reason 'TEXT'."
        )
    book.chapter(number)
    record = book.record(number)
    if record is None:
        raise NotFound(
            "record.not_found",
            f"Chapter {number} has no record, so nothing was found in it.",
            f"Try: zencli audit {book.id} {number} --no-llm",
        )
    finding = _finding(record, params.finding or "")
    if params.undo and finding.standing:
        raise UsageError("usage.waived", f"Finding {finding.id} isn't waived.")
    changed = finding.model_copy(update={"waived": None if params.undo else reason})
    findings = [changed if f.id == finding.id else f for f in record.findings]
    judged = verdict(findings, record.audit_of(book.chapter_digest(number)))
    status = "approved" if record.status == "approved" else status_of(judged)
    new = record.model_copy(
        update={"findings": findings, "verdict": judged, "status": status, "updated": now}
    )
    transaction = Transaction(book, VERB, run_id)
    transaction.write(book.record_file(number), record_json(new))
    transaction.commit()
    return WaiveResult(
        book_id=book.id,
        number=number,
        finding=changed,
        status=status,
        verdict=judged,
        standing=sum(f.standing for f in findings),
    )


def _chapter(params: Waive) -> int:
    if params.chapter is None or params.finding is None:
        raise UsageError(
            "usage.finding",
            "Say which finding of which chapter.",
            "Try: zencli waive BOOK CHAPTER FINDING --reason TEXT",
        )
    if not params.chapter.isdecimal() or len(params.chapter) > 6:
        raise UsageError(
            "usage.options", f"{params.chapter!r} is no chapter number.", "Write it in digits."
        )
    return int(params.chapter)


def _finding(record: Record, wanted: str) -> Finding:
    found = next((f for f in record.findings if f.id == wanted), None)
    if found is None:
        known = ", ".join(f.id for f in record.findings) or "none"
        raise NotFound(
            "finding.not_found",
            f"Chapter {record.number} has no finding {wanted!r}.",
            f"It has: {known}.",
        )
    return found
