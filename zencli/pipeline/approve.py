"""The verbs ``approve`` and ``unapprove``: the author's own judgement."""

from datetime import datetime

from zencli.errors import DamagedError, UsageError
from zencli.pipeline.chapter import status_of
from zencli.pipeline.commit import record_json
from zencli.pipeline.params import Approve
from zencli.pipeline.ranges import chapters_in
from zencli.pipeline.results import ApprovedChapter, ApproveResult
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.record import ChapterStatus, Record


def approve(
    book: BookDir, params: Approve, run_id: str, now: datetime, *, approved: bool = True
) -> ApproveResult:
    """Set or take back the approval of chapters, all in one commit.

    Raises ``UsageError`` unless exactly one of a range and ``all_passed`` is given.
    """
    if (params.chapters is None) == (not params.all_passed):
        raise UsageError(
            "usage.chapters",
            "Say which chapters: a range, or --all-passed.",
            "Write 3, 1-10 or 3-.",
        )
    existing = book.chapter_numbers()
    records = book.records()
    if params.chapters is not None:
        numbers = chapters_in(params.chapters, existing)
    else:
        numbers = [n for n in existing if n in records and records[n].status == "passed"]
    transaction = Transaction(book, "approve" if approved else "unapprove", run_id)
    chapters = []
    for number in numbers:
        record = _record(book, records, number)
        status: ChapterStatus = "approved" if approved else status_of(record.verdict)
        if record.status == "approved" or approved:
            changed = record.model_copy(update={"status": status, "updated": now})
            if changed.status != record.status:
                transaction.write(book.record_file(number), record_json(changed))
            record = changed
        chapters.append(ApprovedChapter(number=number, title=record.title, status=record.status))
    transaction.commit()
    return ApproveResult(book_id=book.id, chapters=chapters)


def _record(book: BookDir, records: dict[int, Record], number: int) -> Record:
    if number not in records:
        raise DamagedError(
            "book.damaged",
            f"Chapter {number} has no record.",
            f"Make one first: zencli audit {book.id} {number} --no-llm",
        )
    return records[number]
