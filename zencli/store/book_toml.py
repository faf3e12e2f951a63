"""What is wrong in a file of the book, most often in ``book.toml``, in words for its author."""

import re

from pydantic import ValidationError

from zencli.errors import DamagedError

_LINE = re.compile(r"(.*?) \(at line (\d+), column \d+\)")

_WRONG = {"tuple_type": 'must be a list, as in {} = ["..."]', "extra_forbidden": "isn't a key"}
"""Kinds of wrong values, where the parser's own words say nothing to an author."""


def damaged(message: str, hint: str) -> DamagedError:
    """A file of the book that can't be used, as an error."""
    return DamagedError("book.damaged", message, hint)


def toml_error(text: str, message: str) -> DamagedError:
    """``book.toml`` isn't TOML: the line, and what the parser says of it."""
    found = _LINE.fullmatch(message)
    reason = found.group(1) if found else message.removesuffix(" (at end of document)")
    line = int(found.group(2)) if found else text.rstrip("\n").count("\n") + 1
    return damaged(f"book.toml, line {line}: {reason}.", "Correct the line.")


def value_error(text: str, error: ValidationError) -> DamagedError:
    """A key of ``book.toml`` has a value that it can't have."""
    first = error.errors()[0]
    path = [part for part in first["loc"] if isinstance(part, str)]
    key = path[-1] if path else ""
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines, 1) if re.match(rf"\s*{key}\s*=", line)), None)
    where = f"book.toml, line {at}: " if at else "book.toml: "
    wrong = _WRONG.get(first["type"], first["msg"]).format(key)
    return damaged(f"{where}{'.'.join(path)}: {wrong}.", "Correct the value.")
