"""The brief of ``init-book``."""

from pathlib import Path

from zencli.errors import UsageError
from zencli.pipeline.params import InitBook


def read_brief(params: InitBook) -> str:
    """The author's words, from the brief file and the instruction, whichever were given.

    Raises ``UsageError`` ``usage.brief`` when the file can't be read or nothing was said.
    """
    parts = []
    if params.brief:
        try:
            parts.append(Path(params.brief).read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it isn't UTF-8 text"
            raise UsageError(
                "usage.brief",
                f"The brief {params.brief} can't be read: {reason}.",
                "Check the path.",
            ) from error
    parts.append(params.instruction)
    brief = "\n\n".join(part.strip() for part in parts if part.strip())
    if not brief:
        raise UsageError(
            "usage.brief",
            "The brief is empty.",
            "Say what the book is about: --brief FILE or --instruction TEXT.",
        )
    return brief
