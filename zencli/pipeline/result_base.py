"""What every result has."""

from pydantic import BaseModel, ConfigDict


class Result(BaseModel):
    """Base of all results."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    book_id: str
