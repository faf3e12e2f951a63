"""What a terminal may be sent: no control or escape characters from a model or a file."""

import gc
import os
import sys
import unicodedata
from typing import TextIO


def safe(text: str) -> str:
    """The text without control, escape and bidirectional-override characters."""
    return "\n".join(
        line if line.isprintable() else "".join(filter(_is_safe, line)) for line in text.split("\n")
    )


def _is_safe(letter: str) -> bool:
    return letter == "\t" or unicodedata.category(letter) not in _UNSAFE


_UNSAFE = {"Cc", "Cf", "Cs"}


def short_lived() -> None:
    """Look for unreachable cycles rarely: a command ends soon, and nearly all it makes stays.

    Nor does pydantic look through all installed packages for plugins.
    """
    gc.set_threshold(100_000, 50, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def interactive(stream: TextIO) -> bool:
    """Whether lines of a stream may be redrawn."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def hush(stream: TextIO) -> None:
    """Let a stream whose reader has gone lead nowhere, so that nothing fails by it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def restart_in_utf8() -> None:
    """Begin the process anew where arguments and names of files wouldn't be read as UTF-8.

    Python settles that by the locale before it runs anything. Only for a process of its own.
    """
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def use_utf8() -> None:
    """Write UTF-8 whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
