"""The prints of every chapter of a book, kept in its cache: a chapter is read once.

What isn't in the cache, or isn't of the file as it is now, is made again from the text.
"""

import hashlib
import json
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import zencli.prose
from zencli.errors import ZencliError
from zencli.prose.prints import Prints, prints
from zencli.store import cache as stored
from zencli.store.file_facts import settled
from zencli.store.layout import BookDir
from zencli.story.book import Language

_NAME = "prints"
_NEW = 8
"""So many rows that aren't in the cache yet are worth writing it anew."""

Maker = Callable[[BookDir, Language, list[int]], Iterable[tuple[int, Prints]]]
Signature = list[int]


def make_rows(
    book: BookDir, language: Language, numbers: list[int]
) -> Iterable[tuple[int, Prints]]:
    """The prints of these chapters, from their text; those that can't be read have none."""
    made = []
    for n in numbers:
        with suppress(ZencliError):
            made.append((n, prints(book.chapter(n)[1], language)))
    return made


def index_rows(
    book: BookDir, language: Language, before: int, make: Maker = make_rows
) -> dict[int, Prints]:
    """The prints of all chapters under ``before``, ascending, by their number.

    ``make`` makes those that the cache doesn't have. Chapters that can't be read are left out.
    """
    files = book.signatures("chapters", ".md")
    kept = {n: row for n, row in _load(book, language).items() if files.get(n) == row[0]}
    now = time.time_ns()
    wanted = [n for n in files if n < before]
    missing = [n for n in wanted if n not in kept]
    made = dict(make(book, language, missing)) if missing else {}
    rows = {n: made[n] if n in made else kept[n][1] for n in wanted if n in made or n in kept}
    fresh = [n for n in made if settled(files[n], now)]
    if len(files) >= stored.LEAST and len(fresh) >= _NEW:
        keep = {n: (files[n], row) for n, row in rows.items() if n not in made or n in set(fresh)}
        later = {n: row for n, row in kept.items() if n >= before}
        _store(book, language, {**keep, **later})
    return rows


def _store(book: BookDir, language: Language, rows: Mapping[int, tuple[Signature, Prints]]) -> None:
    numbers = array("I")
    head = []
    for n, (signature, row) in rows.items():
        head.append([n, signature, len(row.sentences), len(row.grams), row.first, row.last])
        numbers.extend(row.sentences)
        numbers.extend(row.grams)
    data = json.dumps({"version": _version(language), "rows": head}).encode()
    stored.store(book, _NAME, data + b"\n" + numbers.tobytes())


def _load(book: BookDir, language: Language) -> dict[int, tuple[Signature, Prints]]:
    content = stored.load(book, _NAME)
    head, _, body = (content or b"").partition(b"\n")
    if not head:
        return {}
    data = json.loads(head)
    if data["version"] != _version(language):
        return {}
    numbers = array("I")
    numbers.frombytes(body)
    rows, at = {}, 0
    for n, signature, sentences, grams, first, last in data["rows"]:
        middle, end = at + sentences, at + sentences + grams
        rows[n] = (signature, Prints(numbers[at:middle], numbers[middle:end], first, last))
        at = end
    return rows


@cache
def _version(language: Language) -> str:
    """Of all that the rows are made by: code, language, and how this machine writes numbers."""
    digest = hashlib.sha256(f"{language} {sys.byteorder} {array('I').itemsize}".encode())
    folder = Path(zencli.prose.__file__).parent
    for name in ("count", "segment", "repeat", "prints"):
        digest.update((folder / f"{name}.py").read_bytes())
    return digest.hexdigest()
