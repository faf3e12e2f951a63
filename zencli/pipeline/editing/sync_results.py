"""What ``sync`` returns."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.editing.edits import Moved
from zencli.pipeline.results import Result
from zencli.story.record import ChapterStatus

SyncAction = Literal["settled", "measured", "unsettled", "left"]


class SyncedChapter(BaseModel):
    """A chapter that was edited by hand, or is new.

    ``unsettled``: a new one that the model couldn't read; ``left``: an edited one, which therefore
    is as it was and still counts as edited. ``dropped`` are the operations whose sentence isn't in
    the text, ``overruled`` the author's corrections that it tells otherwise.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    path: str
    words: int
    unit: Literal["chars", "words"]
    status: ChapterStatus
    action: SyncAction
    dropped: list[str]
    overruled: list[str]


class SyncResult(Result):
    """What was taken over: edited and new chapters, renamed ones, those that were taken away."""

    chapters: list[SyncedChapter]
    renamed: list[Moved]
    removed: list[int]
    stale: list[int]
