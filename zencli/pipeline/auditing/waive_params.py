"""The parameters of ``waive``."""

from zencli.pipeline.declaration import Params, param


class Waive(Params):
    """Let a finding stand, with the reason, or take that back."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    chapter: str | None = param(None, "number of the chapter", metavar="CHAPTER", alone=r"\d+")
    finding: str | None = param(None, "id of the finding, as audit prints it", metavar="FINDING")
    reason: str = param(
        "", "why it may stand; kept with the finding", "--reason", metavar="TEXT", source=True
    )
    undo: bool = param(False, "take the waiver back: the finding stands again", "--undo")
