"""A large text as what changed in it since an earlier one: whole lines copied, the rest told.

    delta 1 <SHA-256 of the earlier content> <depth>\\n
    zlib of: "c FIRST COUNT\\n" copies lines, "+ LENGTH\\n" is followed by new bytes

``depth`` counts the deltas down to a content that is stored whole.
"""

import re
import zlib
from dataclasses import dataclass

_HEAD = re.compile(rb"delta 1 ([0-9a-f]{64}) ([0-9]{1,4})\n")
HEAD_LENGTH = 80
"""Enough bytes of a stored content to tell whether it is a delta."""


@dataclass(frozen=True)
class Head:
    """What a stored delta rests on: the digest of the earlier content, its own depth."""

    base: str
    depth: int


def head(stored: bytes) -> Head | None:
    """The head of a stored delta, None for a content that is stored whole."""
    found = _HEAD.match(stored)
    return Head(found[1].decode(), int(found[2])) if found else None


def packed(old: bytes, new: bytes, rests_on: Head) -> bytes:
    """``new`` as a delta of ``old``, in time that grows with the number of lines."""
    lines, wanted = old.splitlines(keepends=True), new.splitlines(keepends=True)
    places = {line: index for index, line in enumerate(lines)}
    parts: list[bytes] = []
    own: list[bytes] = []
    at = 0
    while at < len(wanted):
        first = places.get(wanted[at])
        if first is None:
            own.append(wanted[at])
            at += 1
            continue
        if own:
            parts.append(_told(own))
            own = []
        count = _alike(lines, first, wanted, at)
        parts.append(b"c %d %d\n" % (first, count))
        at += count
    if own:
        parts.append(_told(own))
    start = f"delta 1 {rests_on.base} {rests_on.depth}\n".encode()
    return start + zlib.compress(b"".join(parts))


def _alike(lines: list[bytes], first: int, wanted: list[bytes], at: int) -> int:
    """How many lines from ``first`` and from ``at`` on are the same: many at a time, then one."""
    count = 0
    for step in (512, 32, 1):
        while len(part := wanted[at + count : at + count + step]) == step and (
            lines[first + count : first + count + step] == part
        ):
            count += step
    return count


def _told(own: list[bytes]) -> bytes:
    text = b"".join(own)
    return b"+ %d\n" % len(text) + text


def unpacked(old: bytes, stored: bytes) -> bytes:
    """The content that ``packed`` made ``stored`` from. Raises ValueError when it is damaged."""
    found = _HEAD.match(stored)
    if found is None:
        raise ValueError("no delta")
    try:
        body = zlib.decompress(stored[found.end() :])
    except zlib.error as error:
        raise ValueError("a damaged delta") from error
    lines = old.splitlines(keepends=True)
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        end = body.index(b"\n", at)
        step, *numbers = body[at:end].split(b" ")
        at = end + 1
        if step == b"c":
            first, count = map(int, numbers)
            parts += lines[first : first + count]
        else:
            length = int(numbers[0])
            parts.append(body[at : at + length])
            at += length
    return b"".join(parts)
