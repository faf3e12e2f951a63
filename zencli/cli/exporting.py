"""``export``: like the looking verbs it needs no model, and begins without what models need."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.errors import JudgedError
from zencli.pipeline.export_params import Export

if TYPE_CHECKING:
    from zencli.pipeline.results import ExportResult


def export(invocation: Invocation, params: Export) -> None:
    """Make a finished file."""

    def body(outcome: Outcome) -> None:
        from zencli.pipeline.export_book import export_book
        from zencli.store.workspace import Workspace

        result = export_book(Workspace(invocation.root).open(params.book_id), params)
        outcome.data, outcome.text = result, _text(result)
        outcome.warnings += told_of_export(result)
        if result.messages:
            outcome.error = JudgedError(
                "export.invalid", f"EPUBCheck has {len(result.messages)} message(s).", ""
            )

    run_command("export", invocation, body)


def _text(result: "ExportResult") -> str:
    lines = [result.path, f"{result.chapters} chapters, {result.words} {result.unit}"]
    return "\n".join([*lines, *told_of_export(result), *result.messages])


def told_of_export(result: "ExportResult") -> list[str]:
    """Chapters that aren't in the file, those that are in spite of something, and notes."""
    told = [f"left out: chapter {s.number} ({s.reason})" for s in result.skipped if s.left_out]
    for reason in ("stale", "unsettled"):
        numbers = [s.number for s in result.skipped if not s.left_out and s.reason == reason]
        if numbers:
            told.append(f"{reason}, but in the file: chapter {_ranges(numbers)}")
    return told + result.notes


def _ranges(numbers: list[int]) -> str:
    """Ascending numbers, the runs among them as ranges: 1-3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
