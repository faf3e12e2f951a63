"""A text file of the book that isn't UTF-8: whether it is a text in another encoding."""

import re

from zencli.prose.decode import decode

_ALIKE = 0.3
"""The least share of known lines in a text whose encoding had to be told from its bytes."""

_SEQUENCES = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def other_encoding(data: bytes, known: str | None) -> tuple[str, str] | None:
    """The text and the name of its encoding; None for what is no text or is damaged UTF-8.

    ``known`` is what the file held before. A reading that has little of it is a wrong one.
    """
    if _was_utf8(data):
        return None
    try:
        text, encoding = decode(data)
    except ValueError:
        return None
    if known is not None and _shared(text, known) < _ALIKE:
        return None
    return text, encoding


def what_is_left(data: bytes) -> str:
    """All that can be read of damaged UTF-8, with a mark where something can't."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return "".join(char for char in text if char.isprintable() or char in "\n\t")


def _was_utf8(data: bytes) -> bool:
    """Whether most of what isn't ASCII makes sense as UTF-8."""
    good = len(_SEQUENCES.findall(data))
    bad = len(re.findall(rb"[\x80-\xff]", _SEQUENCES.sub(b"", data)))
    return good > bad


def _shared(text: str, known: str) -> float:
    lines = {line.strip() for line in known.split("\n") if line.strip()}
    found = {line.strip() for line in text.split("\n")}
    return len(lines & found) / max(len(lines), 1)
