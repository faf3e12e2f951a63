"""The parameters and the result of ``suggest``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.params import Params, param


class Suggest(Params):
    """Suggest three next steps, as you could ask for them."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    no_llm: bool = param(False, "by rule, without a model", "--no-llm")


class SuggestResult(BaseModel):
    """Three sentences that the author could say. ``source``: who thought of them; ``built-in`` when
    there is no model, it failed, or ``--no-llm`` was given."""

    model_config = ConfigDict(frozen=True)

    book_id: str
    suggestions: list[str]
    source: Literal["model", "built-in"]
