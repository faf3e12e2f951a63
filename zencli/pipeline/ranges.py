"""Chapter ranges as they are typed: ``7``, ``1-20``, ``3-``."""

import re

from zencli.errors import NeedsAuthor, NotFound, UsageError
from zencli.store.layout import BookDir

_RANGE = re.compile(r"(\d{1,6})(?:(-)(\d{1,6})?)?")


def chapters_in(text: str, existing: list[int]) -> list[int]:
    """The existing chapters within a typed range, ascending.

    Raises ``UsageError`` for what isn't a range, ``NotFound`` when no chapter is in it.
    """
    first, last = span(text, max(existing, default=0))
    chosen = [number for number in existing if first <= number <= last]
    if not chosen:
        latest = f"the latest is {existing[-1]}" if existing else "there is none yet"
        raise NotFound("chapter.not_found", f"There is no chapter in {text}; {latest}.")
    return chosen


def span(text: str, latest: int) -> tuple[int, int]:
    """The first and last number of a typed range; an open one ends with ``latest``.

    Raises ``UsageError`` for what isn't a range.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            "usage.range", f"{text!r} isn't a range of chapters.", "Write 7, 1-20 or 3-."
        )
    first = int(match[1])
    last = int(match[3]) if match[3] else (first if match[2] is None else latest)
    if match[3] and last < first:
        raise UsageError("usage.range", f"The range {text} ends before it begins.", "Write 1-20.")
    return first, last


def one_chapter(book: BookDir, number: int | None) -> int:
    """The chapter that was named, or the latest; it exists.

    Raises ``NotFound`` ``chapter.not_found``.
    """
    numbers = book.chapter_numbers()
    if number is None:
        if not numbers:
            raise NotFound(
                "chapter.not_found",
                f"{book.id} has no chapter yet.",
                f"Write one: zencli write-next {book.id}",
            )
        return numbers[-1]
    book.chapter(number)
    return number


def check_replaceable(book: BookDir, number: int, what: str) -> None:
    """Raise ``NeedsAuthor`` ``chapter.approved`` when ``what`` would replace an approved text."""
    record = book.record(number)
    if record is not None and record.status == "approved":
        raise NeedsAuthor(
            "chapter.approved",
            f"Chapter {number} is approved; {what} would replace it.",
            "Add --yes to do so, or unapprove it first.",
        )
