"""A record made from a chapter's text as it stands, without a model."""

from dataclasses import dataclass
from datetime import datetime

from zencli.context.canon import Canon
from zencli.pipeline.auditing.audit_findings import carried, combined
from zencli.pipeline.chapter import status_of
from zencli.pipeline.check import check_prose, earlier_prose
from zencli.pipeline.settle import overruled_by
from zencli.prose.count import count_words
from zencli.prose.locate import locate_part
from zencli.store.chapter_text import split_chapter
from zencli.store.layout import BookDir, chapter_file
from zencli.story.delta import proven
from zencli.story.findings import verdict
from zencli.story.record import Record, text_digest


@dataclass(frozen=True)
class Reading:
    """What a chapter file holds."""

    text: str
    title: str
    prose: str


def read_chapter(book: BookDir, number: int) -> Reading:
    """A chapter that exists. Raises DamagedError ``book.damaged``."""
    text = book.read(chapter_file(number)) or ""
    return Reading(text, *split_chapter(text))


def measured(
    book: BookDir, canon: Canon, number: int, reading: Reading, old: Record | None, now: datetime
) -> Record:
    """The chapter counted and checked; of ``old`` all is kept that an edit doesn't put in doubt.

    An approved chapter stays approved, another is a draft again unless an audit has read the new
    text already.
    The delta is that of ``old``.
    """
    base = old or Record(
        number=number,
        title=reading.title,
        target_words=canon.config.chapter_words,
        created=now,
        updated=now,
    )
    target = base.target_words or canon.config.chapter_words
    checks = check_prose(canon, number, reading.prose, target, earlier_prose(book, number))
    told = carried(base.findings, reading.prose)
    findings = combined(checks, told, base.findings, reading.prose)
    digest = text_digest(reading.text)
    read = base.audit_of(digest) == "read"
    judged = verdict(findings, "read" if read else "none")
    status = "approved" if base.status == "approved" else status_of(judged if read else None)
    return base.model_copy(
        update={
            "number": number,
            "title": reading.title,
            "status": status,
            "verdict": judged,
            "audited": read,
            "read": "",
            "words": count_words(reading.prose, canon.config.language),
            "target_words": target,
            "digest": digest,
            "findings": findings,
            "updated": now,
        }
    )


def measured_alone(
    book: BookDir, canon: Canon, number: int, old: Record | None, now: datetime
) -> Record:
    """``measured`` without a model: of the old delta what the text still says.

    What it no longer says is in ``dropped``, one sentence for each operation. Raises DamagedError
    ``book.damaged`` for a chapter that can't be read.
    """
    reading = read_chapter(book, number)
    record = measured(book, canon, number, reading, old, now)
    if record.delta is None:
        return record
    delta, dropped = proven(record.delta, lambda quote: locate_part(reading.prose, quote))
    overruled = overruled_by(canon, number, record.title, delta)
    return record.model_copy(update={"delta": delta, "dropped": dropped, "overruled": overruled})
