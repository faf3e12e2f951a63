"""A tool's refusal on its way to the envelope."""

from typing import Any

from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.wording import tell
from zencli.agent.turn import Turn
from zencli.errors import ZencliError


class ToolRefused(ZencliError):
    """What was asked for isn't done, for a reason that the model can act on.

    ``code`` is the ``error_type`` of the envelope; ``for_author`` is said to the author instead of
    the message. ``kept``: the author's own work is left as it is, which is no failure.
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        data: dict[str, Any] | None = None,
        for_author: str = "",
        kept: bool = False,
    ) -> None:
        super().__init__(code, message, hint)
        self.data = data or {}
        self.for_author = for_author
        self.kept = kept


def result_of(error: ZencliError) -> ToolResult:
    """The envelope of a call that ended with an expected failure."""
    sentence = " ".join(part for part in (error.message, error.hint) if part)
    if isinstance(error, ToolRefused):
        return ToolResult(
            data=error.data,
            error_type=error.code,
            for_model=sentence,
            for_author=error.for_author or error.message,
            kept=error.kept,
        )
    return ToolResult(error_type=error.code, for_model=sentence, for_author=error.message)


def only_reads(turn: Turn) -> ToolRefused:
    """The refusal ``read_only_request`` of everything that would change a file."""
    return ToolRefused(
        "read_only_request",
        "The author wants nothing changed in this turn.",
        "Say in your reply what you would change.",
        for_author=tell(turn, "read_only"),
    )


def asks_first(turn: Turn) -> ToolRefused:
    """The refusal ``clarify_first`` of a wish that doesn't say what it is about."""
    return ToolRefused(
        "clarify_first",
        "The request is too vague to change anything.",
        "Ask the author one question with two or three options.",
        for_author=tell(turn, "clarify"),
        kept=True,
    )
