"""Vectors of texts that were paid for once, by the digest of model and text; can be thrown away."""

import contextlib
import hashlib
import sqlite3
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path

from zencli.llm.embeddings import Vector
from zencli.store.cache import CACHE
from zencli.store.layout import BookDir

_NAME = "vectors.sqlite"
_SPARE = 2.0
"""How many times the vectors of the present texts are kept before old ones are dropped."""

_AT_ONCE = 500


def key_of(model: str, text: str) -> str:
    """Under what the vector of a text is kept."""
    return hashlib.sha256(f"{model}\0{text}".encode("utf-8", "replace")).hexdigest()


def load_vectors(book: BookDir, keys: Iterable[str]) -> dict[str, Vector]:
    """The kept vectors among ``keys``; none when the cache is missing or broken."""
    wanted = list(keys)
    found: dict[str, Vector] = {}
    try:
        with contextlib.closing(_opened(book)) as database:
            for at in range(0, len(wanted), _AT_ONCE):
                some = wanted[at : at + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = database.execute(
                    f"SELECT key, data FROM vector WHERE key IN ({marks})", some
                )
                found.update((key, array("f", data)) for key, data in rows)
    except (OSError, ValueError, sqlite3.Error):
        return {}
    return found


def keep_vectors(book: BookDir, vectors: Mapping[str, Vector], present: Iterable[str]) -> None:
    """Keep new vectors, and drop those of texts that are gone when they have become many.

    A cache that can't be written costs asking again, nothing else.
    """
    kept = set(present)
    with contextlib.suppress(OSError, sqlite3.Error), contextlib.closing(_opened(book)) as database:
        with database:
            rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
            database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
        (count,) = database.execute("SELECT count(*) FROM vector").fetchone()
        if count > _SPARE * len(kept) + _AT_ONCE:
            known = [key for (key,) in database.execute("SELECT key FROM vector")]
            with database:
                gone = [(key,) for key in known if key not in kept]
                database.executemany("DELETE FROM vector WHERE key = ?", gone)


def _opened(book: BookDir) -> sqlite3.Connection:
    folder = book.path / CACHE
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _NAME
    try:
        return _ready(path)
    except sqlite3.DatabaseError:  # cut or altered: it is made anew
        path.unlink(missing_ok=True)
        return _ready(path)


def _ready(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=2)
    try:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, data BLOB)")
    except sqlite3.Error:
        database.close()
        raise
    return database
