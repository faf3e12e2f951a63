"""How a run ended, as its log keeps it."""

from typing import Any

from zencli.errors import Interrupted, ZencliError
from zencli.store.runs import Outcome


def outcome_of(error: BaseException) -> tuple[Outcome, dict[str, Any]]:
    """The outcome of a run that ``error`` ended, and what is told of it."""
    if isinstance(error, ZencliError):
        if error.exit_code == Interrupted.exit_code:
            return "interrupted", {}
        return "failed", {"code": error.code, "message": error.message}
    if isinstance(error, Exception):
        return "failed", {"code": "fault", "message": type(error).__name__}
    return "interrupted", {}
