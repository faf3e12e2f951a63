"""The verb ``doctor``: what is wrong with a book, in words, with the command that mends it."""

import os
from collections.abc import Iterator

from zencli.errors import DamagedError
from zencli.pipeline.editing.edits import Edits, noticed
from zencli.pipeline.mending.examine import CONFIG, OWN_RECORDS, Examined, examine
from zencli.pipeline.mending.repair_files import chapter_history, has_prose, in_history
from zencli.pipeline.mending.view_repair import view_faults
from zencli.pipeline.results import Problem
from zencli.store.journal import JOURNAL
from zencli.store.layout import ARCS, BookDir
from zencli.store.lock import holder
from zencli.store.snapshot import snapshot
from zencli.story.record import text_digest


def diagnose(book: BookDir) -> list[Problem]:
    """Everything that is wrong with a book. Takes no lock, writes nothing."""
    try:
        unfinished = _unfinished(book)
        return [*unfinished, *snapshot(book, lambda seen: problems_of(examine(seen)))]
    except DamagedError as error:  # of the commit record alone: examining raises for no file
        told = _Told(book.id).repair("commit.damaged", JOURNAL, error.message)
        return [told, *problems_of(examine(book))]


def problems_of(seen: Examined) -> list[Problem]:
    """What is wrong with a book that was examined."""
    tell = _Told(seen.book.id)
    edits = noticed(seen.book)
    return [
        *_files(seen, tell),
        *_chapters(seen, tell, edits),
        *_views(seen, tell),
        *_strays(seen.book, tell),
    ]


class _Told:
    """Makes the problems of one book."""

    def __init__(self, book_id: str) -> None:
        self.book_id = book_id

    def repair(
        self, code: str, path: str, message: str, words: str = "", command: str | None = "repair"
    ) -> Problem:
        """Something that stops verbs; ``words`` are added to the command that mends it."""
        whole = command and f"zencli {command} {self.book_id}{words}"
        return Problem(book_id=self.book_id, code=code, path=path, message=message,
                       command=whole, repair=True)  # fmt: skip

    def tell(self, code: str, path: str, message: str, command: str | None) -> Problem:
        """Something that stops no verb."""
        return Problem(book_id=self.book_id, code=code, path=path, message=message,
                       command=command, repair=False)  # fmt: skip


def _unfinished(book: BookDir) -> list[Problem]:
    """A commit that was interrupted: its record is there, and whoever made it isn't any more."""
    if not (book.path / JOURNAL).is_file() or _alive(holder(book)):
        return []
    return [
        _Told(book.id).repair("commit.unfinished", JOURNAL, "An interrupted change is unfinished.")
    ]


def _alive(who: dict[str, str | int] | None) -> bool:
    if who is None:
        return False
    try:
        os.kill(int(who["pid"]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _files(seen: Examined, tell: _Told) -> Iterator[Problem]:
    for name in seen.kept.damaged:
        yield tell.repair("history.damaged", name, f"{name} can't be read; its run is lost.")
    for path in seen.missing:
        if path == CONFIG and next(in_history(seen, path), None) is None:
            message = "book.toml is missing, and the history doesn't have it."
            yield tell.repair("file.missing", path, message, " --yes")
        else:
            yield tell.repair("file.missing", path, f"{path} is missing.")
    for path, message in seen.broken.items():
        yield tell.repair("file.damaged", path, message)
    for path in seen.gone:
        message = f"{path} was taken away by hand."
        yield tell.tell("file.gone", path, message, f"zencli repair {tell.book_id}")


def _chapters(seen: Examined, tell: _Told, edits: Edits) -> Iterator[Problem]:
    book = seen.book
    present, recorded = book.chapter_numbers(), book.record_numbers()
    renamed = {move.before for move in edits.renamed} | {move.after for move in edits.renamed}
    for move in edits.renamed:
        path = book.chapter_file(move.after)
        message = f"{path} is chapter {move.before} renamed."
        yield tell.tell("chapter.renamed", path, message, f"zencli sync {book.id}")
    lost = sorted(({*recorded, *book.gaps()} - {*present}) - renamed)
    for number in lost:
        path = book.chapter_file(number)
        if chapter_history(seen, number):
            message = f"Chapter {number} is missing; the history has it."
            yield tell.repair("chapter.missing", path, message)
        elif number in recorded:
            message = f"Chapter {number} has a record, but no text, and the history has none."
            yield tell.repair("chapter.missing", path, message, command="sync")
        else:
            message = f"Chapter {number} is missing: put it back, or renumber those after it."
            yield tell.repair("chapter.gap", path, message, command=None)
    for number, text in seen.texts.items():
        path = book.chapter_file(number)
        if not has_prose(text):
            yield _empty(seen, tell, number)
        if number not in recorded and number not in renamed:
            message = f"Chapter {number} has no record."
            yield tell.repair("record.missing", book.record_file(number), message)
    for number in sorted(seen.records.keys() & seen.texts.keys() - renamed):
        yield from _chapter(seen, tell, number)


def _empty(seen: Examined, tell: _Told, number: int) -> Problem:
    path, message = seen.book.chapter_file(number), f"Chapter {number} is empty."
    if chapter_history(seen, number):
        return tell.repair("chapter.empty", path, f"{message[:-1]}; the history has its text.")
    return tell.repair("chapter.empty", path, message, f" --chapter {number}", "write-next")


def _chapter(seen: Examined, tell: _Told, number: int) -> Iterator[Problem]:
    """A chapter whose text and record can be read."""
    book_id, record = tell.book_id, seen.records[number]
    path, record_path = seen.book.chapter_file(number), seen.book.record_file(number)
    if record.number != number:
        message = f"{record_path} says that it is of chapter {record.number}."
        yield tell.repair("record.number", record_path, message)
    if text_digest(seen.texts[number]) != record.digest:
        message = f"Chapter {number} was edited since its record was made."
        yield tell.tell("chapter.edited", path, message, f"zencli sync {book_id} {number}")
    elif record.delta is None:
        message = f"Chapter {number} is unsettled: what it changes in the story isn't known."
        command = f"zencli repair {book_id} {number}"
        yield tell.tell("chapter.unsettled", record_path, message, command)
    if record.stale:
        message = f"Chapter {number} is stale: {record.stale}."
        yield tell.tell("chapter.stale", path, message, f"zencli audit {book_id} {number}")


def _views(seen: Examined, tell: _Told) -> Iterator[Problem]:
    unreadable, outdated = view_faults(seen.book)
    for path, message in unreadable.items():
        if path not in seen.broken:
            yield tell.repair("view.damaged", path, message)
    for path in outdated:
        message = f"{path} isn't what the records say."
        yield tell.tell("view.outdated", path, message, f"zencli repair {tell.book_id}")


def _strays(book: BookDir, tell: _Told) -> Iterator[Problem]:
    for folder, suffix, numbers in (
        ("chapters", ".md", book.chapter_numbers()),
        ("records", ".json", book.record_numbers()),
    ):
        name_of = book.chapter_file if folder == "chapters" else book.record_file
        ours = {*map(name_of, numbers), *OWN_RECORDS, ARCS}
        for path in sorted((book.path / folder).glob("*")):
            name = f"{folder}/{path.name}"
            if name not in ours and not path.name.startswith("."):
                message = f"{name} is no part of the book: files here are named 0001{suffix}."
                yield tell.tell("file.stray", name, message, None)
