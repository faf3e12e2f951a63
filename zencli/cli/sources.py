"""Text that an option takes from elsewhere: ``@FILE``, or ``-`` for stdin."""

import sys
from pathlib import Path

from zencli.errors import UsageError


def read_source(value: str, option: str) -> str:
    """The text that an option's value stands for.

    Raises ``UsageError`` for a file that can't be read and for text that isn't UTF-8.
    """
    if value == "-":
        return _stdin(option)
    if not value.startswith("@"):
        return value
    path = Path(value[1:])
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            "usage.file", f"{option}: {path} isn't UTF-8 text.", "Save it as UTF-8."
        ) from error
    except OSError as error:
        raise UsageError(
            "usage.file", f"{option}: {path} can't be read: {error.strerror}.", "Check the path."
        ) from error


def _stdin(option: str) -> str:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "usage.stdin", f"{option} - reads stdin, which is a terminal.", "Pipe a file into it."
        )
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            "usage.stdin", f"{option} -: what came by stdin isn't UTF-8 text.", "Pipe UTF-8 in."
        ) from error
