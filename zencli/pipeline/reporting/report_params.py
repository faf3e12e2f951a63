"""The parameters and the result of ``report``."""

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.params import Params, param


class Report(Params):
    """Draw the whole book on one HTML page with charts."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    output: str | None = param(None, "where to write the file", "--output", "-o", metavar="PATH")
    open: bool = param(False, "then open it in the browser", "--open")


class ReportResult(BaseModel):
    """What a report shows, and the file it is in. ``calls`` are those that cost something."""

    model_config = ConfigDict(frozen=True)

    book_id: str
    path: str
    chapters: int
    hooks: int
    overdue: list[str]
    people: int
    calls: int
