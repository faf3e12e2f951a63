"""What was worked out from a book's files and can be worked out again: ``.zencli/cache/``.

Deleting, cutting or altering a file there costs time and nothing else: every file begins with the
SHA-256 of the rest. Nobody waits for a cache, and a book that can't be written has none.
"""

import contextlib
import gc
import hashlib
import os
from collections.abc import Iterator

from zencli.store.disk import spare_name
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE

CACHE = f"{MACHINE}/cache"
LEAST = 32
"""A book with fewer chapters is read faster than its cache."""

_DIGEST = 64


def load(book: BookDir, name: str) -> bytes | None:
    """What was stored under ``name``; None when there is nothing or it isn't whole."""
    try:
        data = (book.path / CACHE / name).read_bytes()
    except OSError:
        return None
    content = data[_DIGEST:]
    return content if _digest(content) == data[:_DIGEST] else None


def store(book: BookDir, name: str, content: bytes) -> None:
    """Put ``content`` under ``name`` in one step, or leave it when the disk refuses."""
    folder = book.path / CACHE
    temporary = folder / spare_name(".tmp-")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(_digest(content) + content)
        os.replace(temporary, folder / name)
    except OSError:  # read-only, full, or not ours: the next reader works it out again
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def worth_storing(new: int, total: int) -> bool:
    """Whether ``new`` of ``total`` chapters, not in the cache yet, are worth writing it anew."""
    return total >= LEAST and new * 50 >= total


@contextlib.contextmanager
def many_objects() -> Iterator[None]:
    """Hold the garbage collector while tens of thousands of objects that all stay are made.

    It would look through all of them again and again and find nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
