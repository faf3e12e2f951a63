"""The parameters of ``zencli agent``, declared as those of the verbs are."""

from typing import Literal

from zencli.pipeline.declaration import Params, param


class AgentTurn(Params):
    """Tell the agents what you want, in your own words."""

    message: str | None = param(
        None,
        "what you want; @FILE reads a file, - reads stdin; a conversation when absent",
        metavar="MESSAGE",
    )
    book_id: str | None = param(None, "id of the book", "--book", metavar="BOOK")
    new_book: bool = param(False, "begin without a book: the agents can make one", "--new-book")
    session: str | None = param(
        None, "name of the session, made when there is none", "--session", metavar="NAME"
    )
    latest: bool = param(False, "go on with the latest session", "--continue")
    file: tuple[str, ...] = param(
        (), "file of the book that you point at; may be repeated", "--file", metavar="PATH"
    )
    attach: tuple[str, ...] = param(
        (), "text file from anywhere to be read; may be repeated", "--attach", metavar="FILE"
    )
    quote: tuple[str, ...] = param(
        (), "passage that you mean; may be repeated", "--quote", metavar="TEXT"
    )
    skill: tuple[str, ...] = param(
        (), "skill to be read at once; may be repeated", "--skill", metavar="NAME"
    )
    read_only: bool = param(False, "nothing may be changed, whatever is asked", "--read-only")
    route: str = param(
        "",
        "who begins: llm (a router decides, the default), off (the writer), or an agent",
        "--route",
        metavar="ROUTE",
    )
    fast: bool = param(False, "no router and no review", "--fast")
    quality: bool = param(False, "router and review, whatever is configured", "--quality")
    review: Literal["auto", "on", "off"] | None = param(
        None, "whether a reviewer reads what was written; auto: from 500 words on", "--review"
    )
    events: bool = param(False, "every event as one JSON object a line on stdout", "--events")
