"""Where something is spoken of in the chapters so far: an index that can be thrown away.

``.zencli/cache/passages.sqlite`` holds, for every chapter, the places of its passages and their
words; the text itself stays in the chapter. A chapter is read again when its record has another
digest. Chinese characters are indexed one by one and looked
for as phrases, so that a name of two characters is found.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from zencli.errors import ZencliError
from zencli.prose.segment import Span, paragraph_spans, sentence_spans
from zencli.store import cache
from zencli.store.chapter_text import split_chapter
from zencli.store.layout import BookDir, chapter_file
from zencli.story.book import Language
from zencli.story.record import text_digest

T = TypeVar("T")

LONGEST: dict[Language, int] = {"zh": 200, "en": 500}
"""Characters of a passage, about: paragraphs are put together or taken apart."""

NEWEST = 60
OLDEST = 20
"""How many passages with a term are looked at, from either end of the book."""

_VERSION = 1
_CHAPTER_BITS = 20
_ROUND_BITS = 10
_CJK = re.compile("([\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff])")
_MASK = (1 << _ROUND_BITS) - 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS chapter (
    number INTEGER PRIMARY KEY, digest TEXT, round INTEGER, spans TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    text, content='', columnsize=0, tokenize='unicode61');
"""


@dataclass(frozen=True)
class Passage:
    """A piece of a chapter, verbatim."""

    chapter: int
    text: str


def ask_passages(
    book: BookDir,
    language: Language,
    digests: Mapping[int, str],
    ask: Callable[["PassageIndex"], T],
) -> T | None:
    """What ``ask`` finds in the index, which is brought up to date first.

    ``digests`` are those of the chapters' texts. A book of few chapters is indexed in memory and
    leaves no file; so is one whose index can't be used. A damaged one is made anew. None where
    SQLite has no full-text search.
    """
    path = book.path / cache.CACHE / "passages.sqlite"
    for place in [path, path, None] if len(digests) >= cache.LEAST else [None]:
        connection = _opened(place)
        if connection is None:
            continue
        try:
            index = PassageIndex(connection, book, language, digests)
            index.update()
            return ask(index)
        except sqlite3.OperationalError:  # locked, read-only, full
            continue
        except sqlite3.Error:  # cut or altered
            if place is not None:
                with suppress(OSError):
                    place.unlink()
        finally:
            connection.close()
    return None


def _opened(path: Path | None) -> sqlite3.Connection | None:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path or ":memory:", timeout=0.5)
        connection.execute("PRAGMA synchronous = OFF")
        if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            connection.executescript("DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS chapter;")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.executescript(_SCHEMA)
    except (OSError, sqlite3.Error):
        return None
    return connection


class PassageIndex:
    """The passages of a book's chapters by the words in them."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        book: BookDir,
        language: Language,
        digests: Mapping[int, str],
    ) -> None:
        self._database = connection
        self._book = book
        self._language: Language = language
        self._digests = digests
        self._rounds: dict[int, int] = {}

    @property
    def chapters(self) -> int:
        """How many chapters are in it."""
        return len(self._digests)

    def update(self) -> None:
        """Read the chapters that are new or changed, and forget those that are gone."""
        listed = "".join(f"{number} {digest}\n" for number, digest in self._digests.items())
        whole = hashlib.sha256(f"{self._language}\n{listed}".encode()).hexdigest()
        row = self._database.execute("SELECT digest FROM chapter WHERE number = -1").fetchone()
        if row is None or row[0] != whole:
            self._read_changed(whole)
        again = self._database.execute("SELECT number, round FROM chapter WHERE round > 0")
        self._rounds = dict(again.fetchall())

    def _read_changed(self, whole: str) -> None:
        rows = self._database.execute("SELECT number, digest, round FROM chapter").fetchall()
        known = {number: (digest, turn) for number, digest, turn in rows if number >= 0}
        with self._database:
            for number in known.keys() - self._digests.keys():
                self._database.execute(
                    "UPDATE chapter SET digest = '', spans = '[]', round = round + 1"
                    " WHERE number = ?",
                    (number,),
                )
            for number, digest in self._digests.items():
                before, turn = known.get(number, ("", -1))
                if before != digest or not digest:
                    self._read(number, turn + 1)
            self._database.execute("INSERT OR REPLACE INTO chapter VALUES (-1, ?, 0, '')", (whole,))

    def _read(self, number: int, turn: int) -> None:
        prose, digest = self._prose(number)
        spans = passage_spans(prose, self._language)[: 1 << _ROUND_BITS]
        first = _row(number, turn)
        self._database.executemany(
            "INSERT INTO words (rowid, text) VALUES (?, ?)",
            ((first + i, _spaced(prose[a:b])) for i, (a, b) in enumerate(spans)),
        )
        self._database.execute(
            "INSERT OR REPLACE INTO chapter VALUES (?, ?, ?, ?)",
            (number, digest, turn & _MASK, json.dumps(spans)),
        )

    def _prose(self, number: int) -> tuple[str, str]:
        """A chapter's prose and the digest of its text; empty for one that can't be read."""
        try:
            text = self._book.read(chapter_file(number)) or ""
        except ZencliError:  # told by whoever needs this chapter itself
            text = ""
        return split_chapter(text)[1], text_digest(text)

    def find(self, term: str, before: int) -> list[tuple[int, int]]:
        """Chapter and place of the passages with this term, of chapters before ``before``.

        The newest, and where there are many the oldest too.
        """
        phrase = _spaced(term).replace('"', " ").strip()
        if not any(char.isalnum() for char in phrase):
            return []
        wanted = (f'"{phrase}"', _row(before, 0))
        select = "SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid"
        rows = self._database.execute(f"{select} DESC LIMIT {NEWEST}", wanted).fetchall()
        if len(rows) == NEWEST:
            rows += self._database.execute(f"{select} LIMIT {OLDEST}", wanted).fetchall()
        places = dict.fromkeys(_place(row) for (row,) in rows)
        return [(number, at) for number, turn, at in places if self._rounds.get(number, 0) == turn]

    def passage(self, number: int, at: int) -> Passage | None:
        """The text of a passage; None when the chapter isn't as it was when it was indexed."""
        select = "SELECT digest, spans FROM chapter WHERE number = ?"
        digest, spans = self._database.execute(select, (number,)).fetchone()
        prose, now = self._prose(number)
        if now != digest:
            return None
        start, end = json.loads(spans)[at]
        return Passage(number, prose[start:end])


def passage_spans(prose: str, language: Language) -> list[Span]:
    """Where the passages of a chapter stand: paragraphs, together or in sentences up to a size."""
    limit = LONGEST[language]
    pieces: list[Span] = []
    ends = sentence_spans(prose, language)
    for start, end in paragraph_spans(prose):
        if end - start <= limit:
            pieces.append((start, end))
        else:
            pieces += [(a, b) for a, b in ends if start <= a and b <= end]
    joined: list[Span] = []
    for start, end in pieces:
        if joined and end - joined[-1][0] <= limit:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _spaced(text: str) -> str:
    return _CJK.sub(r" \1 ", text)


def _row(number: int, turn: int) -> int:
    return (number << _CHAPTER_BITS) | ((turn & _MASK) << _ROUND_BITS)


def _place(row: int) -> tuple[int, int, int]:
    return row >> _CHAPTER_BITS, (row >> _ROUND_BITS) & _MASK, row & _MASK
