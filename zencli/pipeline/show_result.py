"""What ``show`` tells of a chapter."""

from zencli.pipeline.result_base import Result
from zencli.story.record import Record


class ShownChapter(Result):
    """A chapter's prose and its record, None when it has none."""

    number: int
    title: str
    text: str
    record: Record | None
