"""The parameters of ``style learn`` and ``style show``."""

from zencli.pipeline.declaration import Params, param


class StyleLearn(Params):
    """Measure a text and write its voice into the book's style.md."""

    file: str = param(..., "the text to learn from: txt, md or epub", metavar="FILE")
    book_id: str | None = param(None, "id of the book", "--book", metavar="ID")
    no_llm: bool = param(False, "no model: the numbers alone, without a description", "--no-llm")


class StyleShow(Params):
    """Show what was learnt, and how far the latest chapters are from it."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
