"""Pages of an EPUB that were made before, each under a digest of all that it was made from."""

import hashlib
import json
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from zencli.export.archive import Packed


class PageCache:
    """Compressed pages by key, read from ``data``; what isn't whole or of other code is none.

    ``used`` are those that were asked for or added, ``new`` counts the added ones.
    """

    def __init__(self, data: bytes | None = None) -> None:
        self._kept = _read(data) if data else {}
        self.used: dict[str, Packed] = {}
        self.new = 0

    def get(self, key: str) -> Packed | None:
        """A page that is here."""
        page = self.used.get(key) or self._kept.get(key)
        if page is not None:
            self.used[key] = page
        return page

    def add(self, key: str, page: Packed) -> None:
        """Keep a page for the next time."""
        self.used[key] = page
        self.new += 1

    def dump(self) -> bytes:
        """The pages that were used, for ``PageCache`` to read."""
        listing = [[key, len(p.data), p.size, p.crc] for key, p in self.used.items()]
        head = json.dumps({"version": _version(), "pages": listing}).encode()
        return head + b"\n" + b"".join(page.data for page in self.used.values())


def page_key(parts: Iterable[object]) -> str:
    """The digest of what a page is made from."""
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()


def _read(data: bytes) -> dict[str, Packed]:
    head, _, rest = data.partition(b"\n")
    try:
        told = json.loads(head)
    except ValueError:
        return {}
    if not isinstance(told, dict) or told.get("version") != _version():
        return {}
    pages, at = {}, 0
    for key, length, size, crc in told["pages"]:
        pages[key] = Packed(rest[at : at + length], size, crc, deflated=True)
        at += length
    return pages


@cache
def _version() -> str:
    """Of the code that makes pages, and of what compresses them."""
    digest = hashlib.sha256(zlib.ZLIB_RUNTIME_VERSION.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
