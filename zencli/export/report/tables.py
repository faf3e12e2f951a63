"""The tables behind the charts, in the language of the book."""

from collections.abc import Sequence

from zencli.export.report.chart import Table
from zencli.export.report.data import ChapterFigures, Lifeline, OnStage, Spending
from zencli.export.report.hooks_chart import ranked as ranked_hooks
from zencli.export.report.stage_chart import ranked as ranked_people
from zencli.export.report.time_chart import moments

Words = dict[str, str]
Chapters = Sequence[ChapterFigures]


def length_table(chapters: Chapters, words: Words) -> Table:
    """Length, target and status of every chapter."""
    head = tuple(words[k] for k in ("chapter", "title", "length", "target", "status"))
    return Table(head, tuple(
        (str(c.number), c.title, f"{c.words:,}", f"{c.target:,}", words.get(c.status, c.status))
        for c in chapters
    ))  # fmt: skip


def finding_table(chapters: Chapters, words: Words) -> Table:
    """The chapters that have findings."""
    head = tuple(words[k] for k in ("chapter", "title", "critical", "warnings", "info"))
    return Table(head, tuple(
        (str(c.number), c.title, str(c.critical), str(c.warnings), str(c.info))
        for c in chapters
        if c.critical or c.warnings or c.info
    ))  # fmt: skip


def measure_table(chapters: Chapters, words: Words) -> Table:
    """Everything that is measured of a chapter's prose."""
    keys = ("chapter", "share", "overlap", "variation", "score", "dialogue")
    return Table(tuple(words[k] for k in keys), tuple(
        (
            str(c.number),
            f"{100 * c.repetition:.2f}",
            f"{100 * c.overlap:.2f}",
            f"{c.variation:.2f}",
            f"{c.ai_score:.1f}",
            f"{100 * c.dialogue_share:.0f}",
        )
        for c in chapters
    ))  # fmt: skip


def hook_table(hooks: Sequence[Lifeline], words: Words) -> Table:
    """All hooks, the overdue ones first."""
    keys = ("hook", "promise", "status", "planted", "last", "due")
    return Table(tuple(words[k] for k in keys), tuple(
        (
            h.id,
            h.promise,
            words["overdue"] if h.overdue else words[h.status],
            _number(h.planted),
            _number(h.last),
            _number(h.due),
        )
        for h in ranked_hooks(hooks)
    ))  # fmt: skip


def stage_table(people: Sequence[OnStage], words: Words) -> Table:
    """In how many chapters each character acts or is named, and which was the last."""
    head = tuple(words[k] for k in ("name", "acts", "named", "last"))
    return Table(head, tuple(
        (p.name, str(len(p.acts)), str(len(p.named)), _number(max(p.acts | p.named, default=0)))
        for p in ranked_people(people)
    ))  # fmt: skip


def time_table(chapters: Chapters, words: Words) -> Table:
    """Where the story's time moves on."""
    head = tuple(words[k] for k in ("chapter", "title", "when"))
    return Table(head, tuple((str(c.number), c.title, c.time) for c in moments(chapters)))


def spending_table(spending: Sequence[Spending], chapters: Chapters, words: Words) -> Table:
    """What each role took, the sum, and then each chapter."""
    keys = ("role", "calls", "input", "cached", "output", "cost")
    rows = [
        (s.role, f"{s.calls:,}", f"{s.input_tokens:,}", f"{s.cached_tokens:,}",
         f"{s.output_tokens:,}", _cost(s.cost))
        for s in spending
    ]  # fmt: skip
    costs = [s.cost for s in spending if s.cost is not None]
    rows.append((
        words["total"],
        f"{sum(s.calls for s in spending):,}",
        f"{sum(s.input_tokens for s in spending):,}",
        f"{sum(s.cached_tokens for s in spending):,}",
        f"{sum(s.output_tokens for s in spending):,}",
        _cost(sum(costs) if costs else None),
    ))  # fmt: skip
    rows += [
        (f"{words['chapter']} {c.number}", "", f"{c.input_tokens:,}", f"{c.cached_tokens:,}",
         f"{c.output_tokens:,}", _cost(c.cost))
        for c in chapters
        if c.input_tokens
    ]  # fmt: skip
    return Table(tuple(words[k] for k in keys), tuple(rows))


def _cost(cost: float | None) -> str:
    return "" if cost is None else f"{cost:.4f}"


def _number(number: int) -> str:
    return str(number) if number else ""
