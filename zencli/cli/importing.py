"""``import``."""

from typing import TYPE_CHECKING

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome
from zencli.cli.verbs import run_verb
from zencli.pipeline.importing.import_params import Import

if TYPE_CHECKING:
    from zencli.pipeline.results import ImportedChapter, ImportResult
    from zencli.pipeline.runner import Runner

DRY_RUN = "show the chapters and what looks wrong, and write nothing"

_SAID = {
    "added": "",
    "same": "  [there already]",
    "different": "  [the book has another text, left]",
    "replaced": "  [replaced]",
    "empty": "  [no text, left out]",
}
_SHOWN = 12
"""Chapters that are listed when nothing about them needs looking at: the first and last of them."""


def import_book(invocation: Invocation, params: Import) -> None:
    """Make a book of an existing novel, or add its new chapters to one."""

    def body(runner: "Runner", outcome: Outcome) -> None:
        from zencli.pipeline.partly import PartlyDone

        try:
            result = runner.import_book(params)
        except PartlyDone as error:
            result, outcome.error = error.result, error
        outcome.data, outcome.text = result, _imported(result)
        outcome.warnings = list(result.problems)

    run_verb("import", invocation, body)


def _imported(result: "ImportResult") -> str:
    chapters = result.chapters
    counted = [c for c in chapters if c.action in ("added", "replaced")]
    words = sum(c.words for c in counted)
    would = "would be imported" if result.dry_run else "imported"
    place = "a new book" if result.created else result.path
    lines = [
        f"{result.title} ({result.book_id}), {result.language}: {len(counted)} of "
        f"{len(chapters)} chapters {would}, {words} {result.unit}",
        result.path if result.created and not result.dry_run else f"into {place}",
        *_listed(chapters, result.unit, whole=result.dry_run),
        *(f"look at: {problem}" for problem in result.problems),
    ]
    if result.settled or result.unsettled:
        lines.append(f"{len(result.settled)} chapters settled, {len(result.unsettled)} left")
    elif counted and not result.dry_run:
        lines.append(f"to go on: zencli write-next {result.book_id}")
    return "\n".join(lines)


def _listed(chapters: "list[ImportedChapter]", unit: str, *, whole: bool) -> list[str]:
    if whole or len(chapters) <= _SHOWN:
        return [_line(chapter, unit) for chapter in chapters]
    half = _SHOWN // 2
    first = [_line(chapter, unit) for chapter in chapters[:half]]
    last = [_line(chapter, unit) for chapter in chapters[-half:]]
    return [*first, f"       ... {len(chapters) - 2 * half} more", *last]


def _line(chapter: "ImportedChapter", unit: str) -> str:
    return f"{chapter.number:>5}  {chapter.title}  {chapter.words} {unit}{_SAID[chapter.action]}"
