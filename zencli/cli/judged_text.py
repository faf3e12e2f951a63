"""What audits, trends and revisions print."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zencli.pipeline.auditing.judged_results import AuditSummary
    from zencli.pipeline.revising.revise_diff import DiffResult
    from zencli.pipeline.trends.trend import Slope, TrendResult, TrendRow
    from zencli.story.book import Language

_NAMES = {
    "words": "length",
    "length_score": "length score",
    "repetition": "repetition",
    "overlap": "overlap",
    "sentence_variation": "sentence variation",
    "ai_score": "AI-typical",
    "dialogue_share": "dialogue",
    "hooks_open": "hooks open",
    "hooks_overdue": "hooks overdue",
    "findings": "findings",
}


def summary_line(summary: "AuditSummary") -> str:
    """An audit of several chapters in one line."""
    counts = [
        (summary.passed, "passed"),
        (summary.failed, "failed"),
        (summary.unknown, "unknown"),
        (summary.left_out, "not judged"),
    ]
    verdicts = ", ".join(f"{count} {word}" for count, word in counts if count)
    found = [
        (summary.critical, "critical"),
        (summary.warning, "warning"),
        (summary.info, "info"),
        (summary.waived, "waived"),
        (summary.voided, "voided"),
    ]
    findings = ", ".join(f"{count} {word}" for count, word in found if count) or "no finding"
    return f"{summary.chapters + summary.left_out} chapters: {verdicts}; {findings}"


def diff_text(result: "DiffResult", language: "Language") -> str:
    """The latest revision of a chapter: what it is, why, and the sentences that it changes."""
    from zencli.prose.diff import Hunk, Line, render_changes

    hunks = [
        Hunk(h.paragraph, tuple(Line(line.change, line.text) for line in h.lines))
        for h in result.hunks
    ]
    head = f"chapter {result.number}: {result.title}, {result.kind} revision {result.run}"
    changed = render_changes(hunks, language) or "No sentence differs.\n"
    return f"{head}\n{result.reason}\n{result.path}\n\n{changed}"


def trend_text(result: "TrendResult") -> str:
    """A line for each chapter, then the slopes."""
    heads = ["chapter", "length", "score", "repeat", "overlap", "vary", "AI", "talk", "hooks"]
    heads += ["overdue", "findings"]
    lines = [f"{result.title} ({result.book_id}), lengths in {result.unit}", _columns(heads)]
    lines += [_columns(_cells(row)) for row in result.rows]
    if result.slopes:
        lines += ["", _slopes(["", "first fifth", "last fifth", "median", "per 100 chapters"])]
        lines += [_slopes(_slope_cells(slope, len(result.rows))) for slope in result.slopes]
    return "\n".join(lines)


def trend_line(slopes: "list[Slope]") -> str:
    """The slopes of a book in one line."""
    told = (f"{_NAMES[s.metric]} {_number(s.metric)(s.slope, True)}" for s in slopes)
    return f"per 100 chapters: {', '.join(told)}"


def _cells(row: "TrendRow") -> list[str]:
    return [
        str(row.number),
        str(row.words),
        f"{row.length_score:.0f}",
        f"{100 * row.repetition:.1f}%",
        f"{100 * row.overlap:.2f}%",
        f"{row.sentence_variation:.2f}",
        f"{row.ai_score:.1f}",
        f"{100 * row.dialogue_share:.0f}%",
        str(row.hooks_open),
        str(row.hooks_overdue),
        str(row.findings),
    ]


def _columns(cells: list[str]) -> str:
    return "".join(f"{cell:>9}" for cell in cells)


def _slope_cells(slope: "Slope", chapters: int) -> list[str]:
    from zencli.pipeline.trends.trend import LEAST

    show = _number(slope.metric)
    moved = show(slope.slope, True) if chapters >= LEAST else "-"
    values = (slope.first, slope.last, slope.median)
    return [_NAMES[slope.metric], *(show(value, False) for value in values), moved]


def _slopes(cells: list[str]) -> str:
    return f"{cells[0]:<20}" + "".join(f"{cell:>18}" for cell in cells[1:])


def _number(metric: str) -> Callable[[float, bool], str]:
    """How a value of this metric is written, with its sign when it is a change."""
    share = metric in ("repetition", "overlap", "dialogue_share")
    digits = 2 if share or metric in ("sentence_variation", "ai_score") else 1

    def show(value: float, change: bool) -> str:
        number = 100 * value if share else value
        text = f"{number:+.{digits}f}" if change else f"{number:.{digits}f}"
        return f"{text}%" if share else text

    return show
