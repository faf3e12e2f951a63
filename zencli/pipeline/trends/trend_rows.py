"""The measures of every chapter of a book, kept in its cache: a chapter is measured once.

A row holds as long as the chapter's file and those it is compared with are the same, and the code
that measures is. Many chapters are measured by a process for each core.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import zencli.prose
from zencli.errors import ZencliError
from zencli.pipeline.workers import cores, worker_pool
from zencli.store import cache as stored
from zencli.store.chapter_text import split_chapter
from zencli.store.file_facts import settled
from zencli.store.layout import BookDir
from zencli.story.book import Language

if TYPE_CHECKING:
    from concurrent.futures import Future

    from zencli.prose.measures import Measures

COMPARED = 5
"""How many chapters before it a chapter's overlap is measured against."""

_FEW = 8
"""So many new chapters are measured beside a commit."""

_MANY = 192
"""So few chapters are measured sooner than processes are started."""

_TOGETHER = 64
"""Chapters that are measured in one go, each compared with those just measured."""

_NAME = "measures"


class Row(NamedTuple):
    """What was measured of one chapter; shares are 0 to 1, see ``prose.measures.Measures``."""

    words: int
    repetition: float
    overlap: float
    sentence_variation: float
    ai_score: float
    dialogue_share: float


def measured_rows(book: BookDir, language: Language, most: int | None = None) -> dict[int, Row]:
    """The measures of every chapter, ascending; those that aren't in the cache are made.

    With ``most``, only when at most so many have to be: else the result is empty. Raises
    ``DamagedError`` ``book.damaged`` for a chapter that can't be read.
    """
    with measuring(book, language, most) as rows:
        return rows()


@contextmanager
def measuring(
    book: BookDir, language: Language, most: int | None = None
) -> Iterator[Callable[[], dict[int, Row]]]:
    """``measured_rows``, begun: while the caller does other work, a book's many missing chapters
    are measured in other processes. The rows are there once they are asked for."""
    kept = _load(book, language)
    if most is not None and len(book.chapter_numbers()) > len(kept) + most:
        yield dict
        return
    files = book.signatures("chapters", ".md")
    now = time.time_ns()
    keys = _keys(files)
    missing = {n for n in files if n not in kept or kept[n][0] != keys[n]}
    if most is not None and len(missing) > most:
        yield dict
        return
    with _begun(book, language, list(files), missing) as done:

        def rows() -> dict[int, Row]:
            made = done()
            found = {n: made[n] if n in made else kept[n][1] for n in files}
            sure = {
                n: (keys[n], found[n]) for n in files if n not in made or settled(files[n], now)
            }
            if made and len(sure) > len(found) - len(made):
                _store(book, language, sure)
            return found

        yield rows


def _keys(files: Mapping[int, list[int]]) -> dict[int, str]:
    """Of each chapter and those before it that it is compared with."""
    parts = [repr([n, file]) for n, file in files.items()]
    keys = {}
    for place, n in enumerate(files):
        near = "".join(parts[max(0, place - COMPARED) : place + 1])
        keys[n] = hashlib.blake2b(near.encode(), digest_size=9).hexdigest()
    return keys


def keep_up(book: BookDir, language: Language) -> None:
    """Measure what is new of a book whose other chapters are measured; a commit takes no harm."""
    with suppress(ZencliError):
        measured_rows(book, language, _FEW)


@contextmanager
def _begun(
    book: BookDir, language: Language, order: list[int], missing: set[int]
) -> Iterator[Callable[[], dict[int, Row]]]:
    runs = list(_runs(order, missing))
    if len(missing) < _MANY or cores() < 2:
        yield lambda: dict(chain.from_iterable(_measured(book, language, run) for run in runs))
        return
    with worker_pool() as pool:
        asked = [(run, pool.submit(_measured, book, language, run)) for run in runs]
        try:
            yield lambda: dict(
                chain.from_iterable(_result(book, language, run, told) for run, told in asked)
            )
        finally:
            pool.shutdown(cancel_futures=True)


class _Run(NamedTuple):
    """Chapters in a row, the ``before`` first of them only to compare the others with."""

    numbers: list[int]
    before: int


def _runs(order: list[int], missing: set[int]) -> Iterator[_Run]:
    """The missing chapters, in runs of some size."""
    wanted = [place for place, n in enumerate(order) if n in missing]
    start = 0
    for at, place in enumerate(wanted, 1):
        if at == len(wanted) or wanted[at] != place + 1 or at - start == _TOGETHER:
            first = max(0, wanted[start] - COMPARED)
            yield _Run(order[first : place + 1], wanted[start] - first)
            start = at


def _result(
    book: BookDir, language: Language, run: _Run, told: "Future[list[tuple[int, Row]]]"
) -> list[tuple[int, Row]]:
    """What a process measured; when it was ended from outside, what this one does."""
    from concurrent.futures import BrokenExecutor

    try:
        return told.result()
    except BrokenExecutor:
        return _measured(book, language, run)


def _measured(book: BookDir, language: Language, run: _Run) -> list[tuple[int, Row]]:
    from zencli.prose.measures import measures_in_order

    texts = dict(book.chapter_texts(run.numbers))
    told = (split_chapter(texts[n])[1] if n in texts else book.chapter(n)[1] for n in run.numbers)
    measured = measures_in_order(told, language, COMPARED)
    rows = [(n, _row(found)) for n, found in zip(run.numbers, measured, strict=True)]
    return rows[run.before :]


def _row(found: "Measures") -> Row:
    shares = (found.repetition, found.overlap, found.sentence_variation, found.ai_score)
    return Row(found.words, *(round(x, 5) for x in (*shares, found.dialogue_share)))


def _load(book: BookDir, language: Language) -> dict[int, tuple[str, Row]]:
    content = stored.load(book, _NAME)
    if content is None:
        return {}
    data = json.loads(content)
    if data["version"] != _version(language):
        return {}
    return {n: (key, Row(*values)) for n, key, values in data["rows"]}


def _store(book: BookDir, language: Language, rows: Mapping[int, tuple[str, Row]]) -> None:
    listed = [[n, key, list(row)] for n, (key, row) in rows.items()]
    data = json.dumps({"version": _version(language), "rows": listed})
    stored.store(book, _NAME, data.encode())


@cache
def _version(language: Language) -> str:
    digest = hashlib.sha256(language.encode())
    for path in sorted(Path(zencli.prose.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
