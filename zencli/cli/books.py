"""The verbs that only look: ``list``, ``status``, ``show``, ``genres``."""

from typing import TYPE_CHECKING, Any

from zencli.cli.invocation import Invocation, placed
from zencli.cli.output import Outcome, run_command
from zencli.errors import NotFound, UsageError

if TYPE_CHECKING:
    from zencli.store.layout import BookDir


def list_books(invocation: Invocation) -> None:
    """List the books of the workspace."""

    def body(outcome: Outcome) -> None:
        from zencli.pipeline.overview import list_books as books
        from zencli.store.workspace import Workspace

        result = books(Workspace(invocation.root))
        outcome.data = result
        outcome.text = "\n".join(
            f"{b.book_id}  {b.title}  {b.chapters} of {b.target_chapters} chapters"
            if b.error is None
            else f"{b.book_id}  can't be read: {b.error}"
            for b in result.books
        )
        if not result.books:
            outcome.text = "No book yet. Make one with `zencli init-book`."

    run_command("list", invocation, body)


def status(invocation: Invocation, book: str | None, cost: bool) -> None:
    """Show how a book stands, chapter by chapter."""

    def body(outcome: Outcome) -> None:
        from zencli.pipeline.overview import book_status
        from zencli.store.workspace import Workspace

        result = book_status(Workspace(invocation.root).open(book), costs=cost)
        outcome.data = result
        lines = [
            f"{result.title} ({result.book_id}): {result.genre}, {result.platform}, "
            f"{result.language}, {result.status}",
            f"{len(result.chapters)} of {result.target_chapters} chapters, "
            f"{result.words} {result.unit}, {result.open_hooks} open hooks",
        ]
        if result.cost is not None:
            from zencli.cli.accounts import cost_lines

            outcome.text = "\n".join([*lines, "", *cost_lines(result.cost)])
            return
        lines += [_chapter_line(c, result.unit) for c in result.chapters]
        if result.trend is not None:
            from zencli.cli.judged_text import trend_line

            lines.append(trend_line(result.trend))
        edits = result.edits.line(result.book_id)
        lines += [edits] if edits else []
        if result.gaps:
            lines.append("missing: chapter " + ", ".join(str(n) for n in result.gaps))
        outcome.text = "\n".join(lines)

    run_command("status", invocation, body)


def _chapter_line(chapter: Any, unit: str) -> str:
    flags = f" [{', '.join(chapter.flags)}]" if chapter.flags else ""
    faults = [
        f"{count} {name}"
        for count, name in ((chapter.critical, "critical"), (chapter.warnings, "warning"))
        if count
    ]
    found = f", {', '.join(faults)}" if faults else ""
    why = f" ({chapter.stale})" if chapter.stale else ""
    return (
        f"{chapter.number:>5}  {chapter.title}  {chapter.words} {unit}, "
        f"{chapter.status}{found}{flags}{why}"
    )


def show(
    invocation: Invocation,
    book: str | None,
    chapter: int | None,
    as_record: bool,
    diff: bool,
    context: bool,
) -> None:
    """Print a chapter, its record, its latest revision or its context."""

    def body(outcome: Outcome) -> None:
        from zencli.pipeline.ranges import one_chapter
        from zencli.pipeline.show_result import ShownChapter
        from zencli.store.layout import BookDir
        from zencli.store.snapshot import snapshot
        from zencli.store.workspace import Workspace
        from zencli.story.record import Record

        if sum((as_record, diff, context)) > 1:
            raise UsageError("usage.options", "--record, --diff and --context exclude each other.")
        book_id, wanted = placed(invocation.root, book, chapter)
        folder = Workspace(invocation.root).open(book_id)
        if diff:
            _show_diff(outcome, folder, wanted)
            return
        if context:
            _show_context(outcome, folder, wanted)
            return

        def look(book: BookDir) -> tuple[int, str, str, Record | None]:
            number = one_chapter(book, wanted)
            return number, *book.chapter(number), book.record(number)

        number, title, prose, kept = snapshot(folder, look)
        if as_record and kept is None:
            raise NotFound(
                "record.not_found",
                f"Chapter {number} has no record.",
                f"Make one: zencli audit {folder.id} {number} --no-llm",
            )
        outcome.data = ShownChapter(
            book_id=folder.id, number=number, title=title, text=prose, record=kept
        )
        outcome.text = f"# {title}\n\n{prose}"
        if as_record and kept is not None:
            outcome.text = kept.model_dump_json(indent=1)

    run_command("show", invocation, body)


def _show_diff(outcome: Outcome, book: "BookDir", chapter: int | None) -> None:
    from zencli.cli.judged_text import diff_text
    from zencli.pipeline.ranges import one_chapter
    from zencli.pipeline.revising.revise_diff import latest_revision

    result = latest_revision(book, one_chapter(book, chapter))
    outcome.data, outcome.text = result, diff_text(result, book.config().language)


def _show_context(outcome: Outcome, book: "BookDir", chapter: int | None) -> None:
    from zencli.cli.context_text import context_text
    from zencli.pipeline.context_report import stored_context
    from zencli.pipeline.ranges import one_chapter

    number = chapter if chapter is not None else one_chapter(book, None)
    result = stored_context(book, number)
    outcome.data, outcome.text = result, context_text(result)


def genres(invocation: Invocation, language: str) -> None:
    """List the genres that have a profile."""

    def body(outcome: Outcome) -> None:
        from zencli.context.prompts import Prompts

        known = Prompts("en" if language == "en" else "zh", [invocation.root]).genres()
        outcome.data = {"language": language, "genres": known}
        outcome.text = "\n".join(f"{name}  {title}" for name, title in known.items())

    run_command("genres", invocation, body)
