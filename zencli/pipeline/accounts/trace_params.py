"""The parameters of ``trace``."""

from zencli.pipeline.declaration import Params, param


class Trace(Params):
    """Show the calls of a run, one by one."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    run: str | None = param(
        None, "id of the run; the latest that called a model when absent", metavar="RUN",
        alone=r"\d{8}T.*",
    )  # fmt: skip
