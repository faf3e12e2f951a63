"""The verb ``report``: everything that is known of a book, drawn on one page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from zencli.context.canon import Canon
from zencli.errors import UsageError
from zencli.pipeline.overview import BookStatusView, status_of
from zencli.pipeline.reporting.lifelines import lifelines
from zencli.pipeline.reporting.report_params import Report, ReportResult
from zencli.pipeline.reporting.stage import on_stage
from zencli.pipeline.reporting.standing import standing_tables
from zencli.pipeline.trends.trend import TrendRow, trend_of
from zencli.pipeline.trends.trend_rows import measuring
from zencli.store.cache import many_objects
from zencli.store.calls import CALLS, Call, CallFile
from zencli.store.layout import BookDir
from zencli.store.records import Records
from zencli.store.snapshot import snapshot
from zencli.story.book import Language

if TYPE_CHECKING:
    from zencli.export.report.data import ChapterFigures, ReportData, Spending

_FACTS: dict[Language, tuple[str, ...]] = {
    "zh": ("章", "已定稿", "字数", "未收的悬念", "缺的章", "待理的章", "花费"),
    "en": ("Chapters", "Approved", "Length", "Open hooks", "Missing", "To be settled", "Cost"),
}

_HUMAN_REPETITION: dict[Language, float] = {"zh": 1.0, "en": 1.3}
_HUMAN_TURNS = 2.0
"""Under what 19 of 20 chapters of human novels stay (三国演义; Moby Dick): percent repeated in a
chapter, stock turns a thousand units."""


def report_book(book: BookDir, params: Report, now: datetime) -> ReportResult:
    """Draw the report of a book. Needs no model and no lock: reading sees committed chapters.

    Raises ``UsageError`` ``usage.output`` for a path that can't be written.
    """
    from zencli.export.report.page import report_page
    from zencli.export.write import make_place, write_file

    path = _target(book, params.output)
    book.config()
    make_place(path)
    with many_objects():
        data = snapshot(book, lambda seen: _collect(seen, now))
    write_file(path, report_page(data).encode())
    return ReportResult(
        book_id=book.id,
        path=str(path),
        chapters=len(data.chapters),
        hooks=len(data.hooks),
        overdue=[hook.id for hook in data.hooks if hook.overdue],
        people=len(data.people),
        calls=sum(role.calls for role in data.spending),
    )


def _collect(book: BookDir, now: datetime) -> "ReportData":
    from zencli.export.report.data import Band, ReportData

    with measuring(book, book.config().language) as measured:
        records = Records.of(book)
        status = status_of(book, records)
        numbers = [c.number for c in status.chapters]
        records = records.up_to(max(numbers, default=-1)).read_all()
        canon = replace(Canon.load(book), records=records)
        people = on_stage(book, canon, numbers)
        rows = trend_of(book, records, measured=measured()).rows
    latest = max(numbers, default=0)
    state = canon.state_before(latest + 1)
    calls = [call for call in CallFile(book.path / CALLS).read() if not call.recalled]
    return ReportData(
        title=status.title,
        book_id=status.book_id,
        language=status.language,
        made=f"{now:%Y-%m-%d}",
        facts=_facts(status, calls),
        chapters=tuple(_figures(rows, status, canon, calls)),
        hooks=lifelines(state, canon.records, latest),
        people=people,
        spending=_spending(calls),
        standing=standing_tables(state, status.language),
        repetition_band=Band(0.0, _HUMAN_REPETITION[status.language]),
        ai_band=Band(0.0, _HUMAN_TURNS),
    )


def _facts(status: BookStatusView, calls: Sequence[Call]) -> tuple[tuple[str, str], ...]:
    costs = [call.cost for call in calls if call.cost is not None]
    flagged = sum(bool(line.flags) for line in status.chapters)
    values = (
        f"{len(status.chapters):,} / {status.target_chapters:,}",
        f"{sum(line.status == 'approved' for line in status.chapters):,}",
        f"{status.words:,}",
        str(status.open_hooks),
        f"{len(status.gaps):,}" if status.gaps else "",
        f"{flagged:,}" if flagged else "",
        f"{sum(costs):.4f}" if costs else "",
    )
    names = _FACTS[status.language]
    return tuple((name, value) for name, value in zip(names, values, strict=True) if value)


def _figures(
    rows: Sequence[TrendRow], status: BookStatusView, canon: Canon, calls: Iterable[Call]
) -> "list[ChapterFigures]":
    from zencli.export.report.data import ChapterFigures

    spent: dict[int | None, list[Call]] = defaultdict(list)
    for call in calls:
        spent[call.chapter].append(call)
    lines = {line.number: line for line in status.chapters}
    found, time = [], ""
    for row in rows:
        record = canon.records.get(row.number)
        time = (record.delta.time if record and record.delta else "") or time
        notes = [f for f in record.findings if f.standing] if record else []
        found.append(
            ChapterFigures(
                number=row.number,
                title=row.title,
                words=row.words,
                target=row.target_words,
                status=lines[row.number].status,
                flags=tuple(lines[row.number].flags),
                critical=row.critical,
                warnings=row.warnings,
                info=sum(f.severity == "info" for f in notes),
                repetition=row.repetition,
                overlap=row.overlap,
                variation=row.sentence_variation,
                ai_score=row.ai_score,
                dialogue_share=row.dialogue_share,
                time=time,
                spent=_spending(spent[row.number]),
            )
        )
    return found


def _spending(calls: Iterable[Call]) -> "tuple[Spending, ...]":
    """By role, the one that read most first."""
    from zencli.export.report.data import Spending, sum_of

    by_role: dict[str, list[Spending]] = defaultdict(list)
    for call in calls:
        by_role[call.role].append(
            Spending(call.role, 1, call.input, call.cached, call.output, call.cost)
        )
    found = [sum_of(role, made) for role, made in by_role.items()]
    return tuple(sorted(found, key=lambda role: (-role.input_tokens, role.role)))


def _target(book: BookDir, output: str | None) -> Path:
    if output == "-":
        raise UsageError(
            "usage.output",
            "A report is a finished file; it can't be written to stdout.",
            "Give the path of a file, or leave out --output.",
        )
    if output is None:
        return book.path / "exports" / f"{book.id}-report.html"
    path = Path(output)
    return path / f"{book.id}-report.html" if path.is_dir() else path
