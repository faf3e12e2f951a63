"""The parameters of ``doctor`` and ``repair``."""

from zencli.pipeline.params import Params, param

_NUMBER = r"\d+(-\d*)?"


class Doctor(Params):
    """Say what is wrong with a book and which command mends it."""

    book_id: str | None = param(
        None, "id of the book; all books and the configuration when absent", metavar="BOOK"
    )
    online: bool = param(False, "try the configured models out: a few short calls each", "--online")
    write: bool = param(
        False, "with --online: put the profiles that fit into zencli.toml", "--write"
    )


class Repair(Params):
    """Mend a damaged book; what is replaced stays in the history."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    chapters: str | None = param(
        None,
        "rebuild the records of these chapters from their prose: 3, 1-10 or 3-",
        metavar="CHAPTERS",
        alone=_NUMBER,
    )
    first: int | None = param(
        None, "rebuild all records from this chapter on", "--from", metavar="N", ge=0, le=100_000
    )
    no_llm: bool = param(False, "no model: rebuilt records are measured only", "--no-llm")
