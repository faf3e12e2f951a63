"""How a book changes from chapter to chapter: ``audit --trend``, a line of ``status``, charts."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.importing.chapter_texts import chapter_texts
from zencli.pipeline.result_base import Result
from zencli.pipeline.trends.trend_hooks import HookCount, hook_counts
from zencli.pipeline.trends.trend_rows import Row, measured_rows
from zencli.prose.count import length_score
from zencli.store.layout import BookDir
from zencli.store.records import RecordFacts, Records
from zencli.store.snapshot import snapshot
from zencli.story.book import BookConfig

Metric = Literal[
    "words",
    "length_score",
    "repetition",
    "overlap",
    "sentence_variation",
    "ai_score",
    "dialogue_share",
    "hooks_open",
    "hooks_overdue",
    "findings",
]
METRICS: tuple[Metric, ...] = get_args(Metric)
SHARES: tuple[Metric, ...] = ("repetition", "overlap", "dialogue_share")
"""Metrics from 0 to 1 that are read as percentages."""

PER = 100
"""Slopes are per so many chapters."""

LEAST = 10
"""Fewer chapters have no slope: it would be noise."""

FEW = 8
"""So many chapters ``status`` measures; with more to do it shows no trend."""


class TrendRow(BaseModel):
    """One chapter.

    ``words`` is counted from the text, in the unit of the book; ``length_score`` is 0 to 100
    against ``target_words``. ``repetition`` (runs that stood in the chapter before), ``overlap``
    (runs that stand in one of the five chapters before) and ``dialogue_share`` are 0 to 1,
    ``sentence_variation`` is deviation over mean, ``ai_score`` stock turns by weight per thousand
    units. ``hooks_open`` and ``hooks_overdue`` are as the chapter ends: promises shown and unpaid,
    and those of them whose last chapter has passed. ``critical`` and ``warnings`` stand in the
    chapter's record, ``findings`` is their sum; a chapter that was never judged has 0.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    words: int
    target_words: int
    length_score: float
    repetition: float
    overlap: float
    sentence_variation: float
    ai_score: float
    dialogue_share: float
    hooks_open: int
    hooks_overdue: int
    critical: int
    warnings: int
    findings: int


class Slope(BaseModel):
    """How one metric moves over the book.

    ``slope`` is its change in a hundred chapters, 0 for a book of under ten. ``first`` and
    ``last`` are the medians of the first and of the last fifth of the chapters, ``median`` that of
    all.
    """

    model_config = ConfigDict(frozen=True)

    metric: Metric
    slope: float
    first: float
    last: float
    median: float


class TrendResult(Result):
    """A row for each chapter, ascending, and a slope for each metric."""

    title: str
    unit: Literal["chars", "words"]
    rows: list[TrendRow]
    slopes: list[Slope]


def trend(book: BookDir, chapters: Sequence[int] | None = None) -> TrendResult:
    """How the book changes over ``chapters`` (all when None). No model is asked.

    Takes what the text and the records say: 2,000 chapters are measured in seconds once, and read
    from the cache of the book after that. Raises ``DamagedError`` for a chapter or record that
    can't be read.
    """
    return snapshot(book, lambda seen: trend_of(seen, Records.of(seen), chapters))


def known_trend(
    book: BookDir, config: BookConfig, facts: Mapping[int, RecordFacts]
) -> list[Slope] | None:
    """The slopes of the whole book without delay: None when they would take long, or when there are
    too few chapters. ``hooks_open`` and ``hooks_overdue`` aren't among them."""
    if len(book.chapter_numbers()) < LEAST:
        return None
    rows = measured_rows(book, config.language, FEW)
    if not rows:
        return None
    nothing = HookCount(0, 0)
    told = [_row(n, row, "", facts.get(n), nothing, config) for n, row in rows.items()]
    metrics = [metric for metric in METRICS if not metric.startswith("hooks_")]
    return [_slope(m, list(rows), [getattr(row, m) for row in told]) for m in metrics]


def trend_of(
    book: BookDir,
    records: Records,
    chapters: Sequence[int] | None = None,
    measured: Mapping[int, Row] | None = None,
) -> TrendResult:
    """``trend`` of a book that stands still, whose records are known, and perhaps its measures."""
    config = book.config()
    wanted = None if chapters is None else frozenset(chapters)
    if measured is None:
        measured = measured_rows(book, config.language)
    texts = chapter_texts(book, records, config.language)
    hooks = hook_counts(book, records, list(measured))
    rows = [
        _row(number, row, texts[number].title, records.facts.get(number), hooks[number], config)
        for number, row in measured.items()
        if wanted is None or number in wanted
    ]
    numbers = [row.number for row in rows]
    return TrendResult(
        book_id=book.id,
        title=config.title,
        unit=config.unit,
        rows=rows,
        slopes=[_slope(m, numbers, [getattr(row, m) for row in rows]) for m in METRICS if rows],
    )


def _row(
    number: int,
    row: Row,
    title: str,
    record: RecordFacts | None,
    hooks: HookCount,
    config: BookConfig,
) -> TrendRow:
    target = (record.target_words if record else 0) or config.chapter_words
    critical, warnings = (record.critical, record.warnings) if record else (0, 0)
    return TrendRow(
        number=number,
        title=title or (record.title if record else ""),
        **row._asdict(),
        target_words=target,
        length_score=round(length_score(target, row.words), 1),
        hooks_open=hooks.open,
        hooks_overdue=hooks.overdue,
        critical=critical,
        warnings=warnings,
        findings=critical + warnings,
    )


def _slope(metric: Metric, numbers: Sequence[int], values: Sequence[float]) -> Slope:
    fifth = max(1, len(values) // 5)
    return Slope(
        metric=metric,
        slope=round(PER * theil(numbers, values), 5) if len(values) >= LEAST else 0.0,
        first=round(median(values[:fifth]), 5),
        last=round(median(values[-fifth:]), 5),
        median=round(median(values), 5),
    )


def theil(numbers: Sequence[int], values: Sequence[float]) -> float:
    """How much the values rise from one number to the next, by Theil's incomplete method.

    The median of the slopes between each chapter of the first half and the one as far into the
    second half: one odd chapter moves nothing, and it takes as long as the book is, where all pairs
    would take its square. At least two values; ``numbers`` ascend.
    """
    half = len(values) // 2
    later = len(values) - half
    return median(
        (values[later + i] - values[i]) / (numbers[later + i] - numbers[i]) for i in range(half)
    )
