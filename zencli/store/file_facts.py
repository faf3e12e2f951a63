"""What was found out about the numbered files of a folder, kept until a file changes."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zencli.store import cache
from zencli.store.layout import BookDir

_MILLISECOND = 1_000_000
"""In nanoseconds. A file system whose times are whole ones may count in steps of two seconds."""

_PLACES = 4
"""Folders of which this process remembers what it read."""

Value = list[Any]
"""What JSON can hold."""


def facts_of(
    book: BookDir, folder: str, suffix: str, find: Callable[[int], Value], version: str
) -> dict[int, Value]:
    """``find(number)`` for every numbered file, ascending; kept from earlier for unchanged ones.

    ``version`` names everything else that the values depend on. Raises what ``find`` raises.
    """
    files = book.signatures(folder, suffix)
    kept = _kept(book, folder, version)
    now = time.time_ns()
    found: dict[int, Value] = {}
    to_keep: dict[str, Value] = {}
    new = 0
    for number, signature in files.items():
        before = kept.get(str(number))
        if before is not None and before[0] == signature:
            to_keep[str(number)] = before
            found[number] = before[1]
        else:
            found[number] = find(number)
            if settled(signature, now):
                to_keep[str(number)] = [signature, found[number]]
                new += 1
    if cache.worth_storing(new, len(files)):
        data = json.dumps({"version": version, "facts": to_keep}, ensure_ascii=False)
        cache.store(book, f"{folder}.json", data.encode())
    return found


def settled(signature: list[int], now: int) -> bool:
    """Whether the file is too old to have changed again at what its clock calls the same time."""
    changed = signature[:2]
    coarse = any(at % _MILLISECOND == 0 for at in changed)
    return max(changed) < now - (2000 if coarse else 50) * _MILLISECOND


_parsed: dict[Path, tuple[bytes, Any]] = {}
"""What a cache file held when this process last read it, and what that is."""


def _kept(book: BookDir, folder: str, version: str) -> dict[str, Value]:
    content = cache.load(book, f"{folder}.json")
    if content is None:
        return {}
    place = book.path / folder
    if place not in _parsed or _parsed[place][0] != content:
        if len(_parsed) >= _PLACES:
            _parsed.clear()
        _parsed[place] = (content, json.loads(content))
    data = _parsed[place][1]
    facts: dict[str, Value] = data["facts"] if data["version"] == version else {}
    return facts
