"""What a turn of ``zencli agent`` returns: the ``data`` of the JSON object."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from zencli.agent.limits import StopReason


class TouchedFile(BaseModel):
    """A file of the book that the turn changed."""

    model_config = ConfigDict(frozen=True)

    path: str
    change: Literal["created", "changed", "deleted"]


class AgentResult(BaseModel):
    """One turn. ``book_id`` is "" when there was no book and none was made.

    ``reply`` ends with the list of files that the program made; ``question`` is what the author is
    asked, "" when nothing. ``run`` is what ``undo`` takes back; ``drafts`` are unfinished texts
    that a stop left in the book.
    """

    model_config = ConfigDict(frozen=True)

    session: str
    book_id: str
    run: str
    reply: str
    stop_reason: StopReason
    question: str
    files: list[TouchedFile]
    drafts: list[str]
    routing: dict[str, Any]
    agents: list[str]
