"""From the text of a reply to a JSON object: what is around it, then what is wrong inside it."""

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[ \t]*[A-Za-z0-9]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_PUNCTUATION = str.maketrans("：，｛｝［］【】", ":,{}[][]")
_CLOSING = {'"': '"', "“": "”", "＂": "＂"}


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object in ``text``, or None when there is none.

    Tried in turn: the text as it is, the inside of a code fence, the outermost braces, full-width
    punctuation outside strings made ASCII, and repair. ``text`` must be free of thinking, and must
    not be cut off: repair would make a cut object look whole.
    """
    candidates = list(_candidates(text))
    for candidate in (*candidates, *map(narrow_punctuation, candidates)):
        found = _parsed(candidate)
        if found is not None:
            return found
    return _repaired(narrow_punctuation(candidates[-1])) if candidates else None


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    fenced = _FENCE.search(text)
    if fenced:
        yield fenced.group(1).strip()
    start = next((i for i, c in enumerate(text) if c in "{｛"), None)
    if start is not None:
        end = max(text.rfind("}"), text.rfind("｝"))
        yield text[start : end + 1] if end > start else text[start:]


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):  # also of a number with thousands of digits
        return None
    return value if isinstance(value, dict) else None


def _repaired(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    from json_repair import repair_json

    try:
        value = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def narrow_punctuation(text: str) -> str:
    """Full-width brackets, colons, commas and quotes outside strings as the ASCII ones of JSON.

    Inside strings nothing changes, except that a straight quote in a string that was opened with a
    curly one is escaped.
    """
    out: list[str] = []
    closing = ""
    escaped = False
    for char in text:
        if not closing:
            closing = _CLOSING.get(char, "")
            out.append('"' if closing else char.translate(_PUNCTUATION))
        elif escaped:
            escaped = False
            out.append(char)
        elif char == closing:
            closing = ""
            out.append('"')
        else:
            escaped = char == "\\"
            out.append('\\"' if char == '"' else char)
    return "".join(out)
