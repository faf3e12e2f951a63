"""The parameters of ``sync``."""

from zencli.pipeline.params import Params, param

_NUMBER = r"\d+(-\d*)?"


class Sync(Params):
    """Settle chapters that were edited by hand."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    chapters: str | None = param(
        None,
        "only these chapters: 3, 1-10 or 3-; every edited one when absent",
        metavar="CHAPTERS",
        alone=_NUMBER,
    )
    no_llm: bool = param(
        False, "no model: count, check and keep what the text still says", "--no-llm"
    )
