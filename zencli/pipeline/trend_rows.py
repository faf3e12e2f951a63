"""The measures of every chapter of a book, kept in its cache: a chapter is measured once.

A row holds as long as the chapter's file and those it is compared with are the same, and the code
that measures is.
"""

import hashlib
import json
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import zencli.prose
from zencli.store import cache as stored
from zencli.store.file_facts import settled
from zencli.store.layout import BookDir
from zencli.story.book import Language

COMPARED = 5
"""How many chapters before it a chapter's overlap is measured against."""

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
    files = book.signatures("chapters", ".md")
    keys = _keys(files)
    kept = _load(book, language)
    missing = [n for n in files if n not in kept or kept[n][0] != keys[n]]
    if most is not None and len(missing) > most:
        return {}
    made = _made(book, language, list(files), set(missing))
    rows = {n: made[n] if n in made else kept[n][1] for n in files}
    now = time.time_ns()
    sure = {n: (keys[n], rows[n]) for n in files if n not in made or settled(files[n], now)}
    if made and len(sure) > len(rows) - len(made):
        _store(book, language, sure)
    return rows


def _keys(files: Mapping[int, list[int]]) -> dict[int, str]:
    """Of each chapter and those before it that it is compared with."""
    order = list(files)
    keys = {}
    for place, n in enumerate(order):
        near = [[m, files[m]] for m in order[max(0, place - COMPARED) : place + 1]]
        keys[n] = hashlib.blake2b(repr(near).encode(), digest_size=9).hexdigest()
    return keys


def _made(book: BookDir, language: Language, order: list[int], missing: set[int]) -> dict[int, Row]:
    if not missing:
        return {}
    from zencli.prose.measures import measures

    texts: dict[int, str] = {}
    rows = {}
    for place, n in enumerate(order):
        if n not in missing:
            continue
        near = order[max(0, place - COMPARED) : place + 1]
        texts = {m: texts[m] if m in texts else book.chapter(m)[1] for m in near}
        found = measures(texts[n], language, [texts[m] for m in near[:-1]])
        shares = (found.repetition, found.overlap, found.sentence_variation, found.ai_score)
        rows[n] = Row(found.words, *(round(x, 5) for x in (*shares, found.dialogue_share)))
    return rows


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
