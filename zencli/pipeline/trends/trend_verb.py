"""``audit --trend``: the trend of the chapters that an audit names."""

from zencli.errors import UsageError
from zencli.pipeline.params import Audit
from zencli.pipeline.ranges import chapters_in
from zencli.pipeline.trends.trend import TrendResult, trend
from zencli.store.layout import BookDir


def trend_of(book: BookDir, params: Audit) -> TrendResult:
    """The trend of the whole book, or of ``--chapters``.

    Raises ``UsageError`` for a parameter that has no meaning for a trend, ``NotFound`` when no
    chapter is in the range.
    """
    given = {
        "CHAPTER": params.chapter_number is not None,
        "--instruction": bool(params.instruction),
        "--report": params.report is not None,
    }
    wrong = [name for name, is_given in given.items() if is_given]
    if wrong:
        raise UsageError(
            "usage.options",
            f"--trend judges nothing, so {wrong[0]} has no meaning for it.",
            "Leave one of them out; --chapters 1-20 shows a part of the book.",
        )
    numbers = book.chapter_numbers()
    chapters = chapters_in(params.chapters, numbers) if params.chapters is not None else None
    return trend(book, chapters)


def refuse_trend(params: Audit) -> None:
    """Raise ``UsageError`` when an audit is asked for a trend."""
    if params.trend:
        raise UsageError("usage.options", "A trend is no audit.", "Ask Runner.trend for it.")
