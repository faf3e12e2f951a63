"""The tables behind the charts, in the language of the book."""

from collections.abc import Sequence

from zencli.export.report.chart import Table
from zencli.export.report.data import ChapterFigures, Lifeline, OnStage, Spending, sum_of
from zencli.export.report.hooks_chart import ranked as ranked_hooks
from zencli.export.report.spent_chart import role_name
from zencli.export.report.stage_chart import ranked as ranked_people
from zencli.export.report.time_chart import moments

Words = dict[str, str]
Chapters = Sequence[ChapterFigures]


def length_table(chapters: Chapters, words: Words) -> Table:
    """Length, target and status of every chapter."""
    head = tuple(words[k] for k in ("chapter", "title", "length", "target", "status"))
    return Table(head, tuple(
        (
            str(c.number),
            c.title,
            f"{c.words:,}",
            f"{c.target:,}",
            words["between"].join(words.get(said, said) for said in (c.status, *c.flags)),
        )
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


def role_table(spending: Sequence[Spending], words: Words) -> Table:
    """What each role took, and the sum."""
    keys = ("role", "calls", "input", "cached", "output", "cost")
    rows = [(role_name(s.role, words), *_spent(s)) for s in spending]
    rows.append((words["total"], *_spent(sum_of("", spending))))
    return Table(tuple(words[k] for k in keys), tuple(rows))


def chapter_spending_table(chapters: Chapters, words: Words) -> Table:
    """What each chapter took."""
    keys = ("chapter", "title", "calls", "input", "cached", "output", "cost")
    return Table(tuple(words[k] for k in keys), tuple(
        (str(c.number), c.title, *_spent(sum_of("", c.spent))) for c in chapters if c.spent
    ))  # fmt: skip


def _spent(one: Spending) -> tuple[str, ...]:
    counted = (one.calls, one.input_tokens, one.cached_tokens, one.output_tokens)
    return (*(f"{count:,}" for count in counted), _cost(one.cost))


def _cost(cost: float | None) -> str:
    return "" if cost is None else f"{cost:.4f}"


def _number(number: int) -> str:
    return str(number) if number else ""
