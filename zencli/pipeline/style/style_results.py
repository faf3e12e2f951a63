"""What ``style learn`` and ``style show`` return."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.result_base import Result


class Feature(BaseModel):
    """A measured feature: its mean, and how far pieces of the sample differ. Shares are 0 to 1."""

    model_config = ConfigDict(frozen=True)

    name: str
    mean: float
    spread: float


class StyleResult(Result):
    """What was learnt. ``changed`` is False when ``style.md`` said so already, or in a dry run."""

    path: str
    source: str
    units: int
    unit: Literal["chars", "words"]
    features: list[Feature]
    favourites: list[str]
    described: str
    changed: bool


class ChapterDistance(BaseModel):
    """How far a chapter is from the sample, in spreads of the sample."""

    model_config = ConfigDict(frozen=True)

    number: int
    distance: float


class StyleView(Result):
    """What a book's ``style.md`` holds of a sample; ``text`` is empty when nothing was learnt."""

    path: str
    text: str
    features: list[Feature]
    favourites: list[str]
    chapters: list[ChapterDistance]
