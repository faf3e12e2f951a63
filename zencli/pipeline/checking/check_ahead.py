"""Checking many chapters of a book before they are asked for, by a process for each core.

A process is told what it needs to know of a chapter and reads the text itself. Where no process
can be had the same is done without.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from typing import NamedTuple

from zencli.errors import ZencliError
from zencli.pipeline.checking.check_index import make_rows
from zencli.pipeline.workers import cores, worker_pool
from zencli.prose.checks import run_checks
from zencli.prose.earlier import RECENT, Neighbours, walk
from zencli.prose.finding import CheckContext
from zencli.prose.prints import Prints, print_of
from zencli.prose.standing import Standing
from zencli.store.layout import BookDir
from zencli.story.book import Language
from zencli.story.findings import Finding

_MANY = 48
"""So few chapters are checked sooner than processes are started."""

_CHUNK = 32
_WAITING = 3
"""Chunks that wait for each process, so that none is idle while the results are kept."""


@dataclass(frozen=True)
class Asked:
    """What the checks of one chapter must know besides its text."""

    number: int
    target_words: int
    recent: tuple[int, ...]
    near: Neighbours
    standing: Standing


class Found(NamedTuple):
    """The findings of a chapter, and what they hold for; None when it couldn't be read."""

    asked: Asked
    text: int
    findings: list[Finding] | None


def find(
    book: BookDir,
    common: CheckContext,
    asked: Asked,
    prose: str,
    recent: Sequence[str] | None = None,
) -> list[Finding]:
    """All findings of one chapter; ``recent`` are the texts of ``asked.recent``."""
    if recent is None:
        recent = [_prose(book, n) for n in asked.recent]
    older = [n for n in asked.near.older if n not in asked.recent]
    context = replace(
        common,
        number=asked.number,
        target_words=asked.target_words,
        previous=recent,
        older=[_prose(book, n) for n in older],
        seen=asked.near.seen,
        standing=asked.standing,
    )
    return run_checks(prose, context)


def _prose(book: BookDir, number: int) -> str:
    """The prose of another chapter; empty for one that can't be read."""
    try:
        return book.chapter(number)[1]
    except ZencliError:
        return ""


class Ahead:
    """Findings of ``numbers``, which are taken in ascending order; some may be passed over.

    ``rows`` are the prints of all chapters up to the last of them. ``ask`` says what the checks of
    a chapter must know.
    """

    def __init__(
        self,
        book: BookDir,
        common: CheckContext,
        rows: Mapping[int, Prints],
        numbers: Sequence[int],
        ask: Callable[[int, tuple[int, ...], Neighbours], Asked],
    ) -> None:
        self._coming = self._found(book, common, _questions(rows, numbers, ask), len(numbers))
        self._next: Found | None = None

    def take(self, number: int, prose: str, target_words: int) -> list[Finding] | None:
        """The findings of a chapter as it stood on disk; None when they don't hold for this text,
        or when it was passed over."""
        while self._next is None or self._next.asked.number < number:
            self._next = next(self._coming, None)
            if self._next is None:
                return None
        found = self._next
        same = (number, target_words) == (found.asked.number, found.asked.target_words)
        return found.findings if same and print_of(prose) == found.text else None

    def _found(
        self, book: BookDir, common: CheckContext, questions: Iterator[Asked], count: int
    ) -> Iterator[Found]:
        if count < _MANY or cores() < 2:
            for chunk in _chunks(questions):
                yield from _answered(book, common, chunk)
            return
        waiting: deque[tuple[list[Asked], Future[list[Found]]]] = deque()
        with worker_pool(_begin, book, common) as pool:
            for chunk in _chunks(questions):
                waiting.append((chunk, pool.submit(_answers, chunk)))
                if len(waiting) >= _WAITING * cores():
                    yield from _result(book, common, *waiting.popleft())
            while waiting:
                yield from _result(book, common, *waiting.popleft())


def _result(
    book: BookDir, common: CheckContext, chunk: list[Asked], future: Future[list[Found]]
) -> Iterator[Found]:
    """What a process found; when it was ended from outside, what this one finds."""
    try:
        yield from future.result()
    except BrokenProcessPool:
        yield from _answered(book, common, chunk)


def _questions(
    rows: Mapping[int, Prints],
    numbers: Sequence[int],
    ask: Callable[[int, tuple[int, ...], Neighbours], Asked],
) -> Iterator[Asked]:
    order = list(rows)
    place = {n: at for at, n in enumerate(order)}
    for number, near in walk(rows, numbers):
        at = place[number]
        yield ask(number, tuple(order[max(0, at - RECENT) : at]), near)


def _chunks(questions: Iterator[Asked]) -> Iterator[list[Asked]]:
    while chunk := list(islice(questions, _CHUNK)):
        yield chunk


def make_rows_together(
    book: BookDir, language: Language, numbers: list[int]
) -> Iterator[tuple[int, Prints]]:
    """``make_rows`` by a process for each core when they are many."""
    if len(numbers) < _MANY or cores() < 2:
        yield from make_rows(book, language, numbers)
        return
    chunks = [numbers[i : i + _CHUNK] for i in range(0, len(numbers), _CHUNK)]
    with worker_pool() as pool:
        made = pool.map(make_rows, [book] * len(chunks), [language] * len(chunks), chunks)
        yield from chain.from_iterable(made)


_here: list[tuple[BookDir, CheckContext]] = []
"""Of a process of the pool: the book it works on and what is the same for all its chapters."""


def _begin(book: BookDir, common: CheckContext) -> None:
    _here[:] = [(book, common)]


def _answers(chunk: list[Asked]) -> list[Found]:
    [(book, common)] = _here
    return list(_answered(book, common, chunk))


def _answered(book: BookDir, common: CheckContext, chunk: list[Asked]) -> Iterator[Found]:
    """The answers one by one; what several are compared with is read once."""
    read = cache(partial(_prose, book))
    for asked in chunk:
        try:
            prose = book.chapter(asked.number)[1]
        except ZencliError:
            yield Found(asked, 0, None)
            continue
        recent = [read(n) for n in asked.recent]
        yield Found(asked, print_of(prose), find(book, common, asked, prose, recent))
