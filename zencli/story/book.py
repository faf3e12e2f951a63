"""The configuration of a book, as ``book.toml`` holds it."""

from datetime import datetime
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["zh", "en"]
Platform = Literal["tomato", "qidian", "feilu", "other"]
ReviseOn = Literal["critical", "warning"]
ArcSummaries = Literal["fold", "model"]
BookStatus = Literal["outlining", "writing", "finished"]

LANGUAGES: tuple[str, ...] = get_args(Language)
PLATFORMS: tuple[str, ...] = get_args(Platform)


class AuditSwitches(BaseModel):
    """``[audit]``: groups and dimensions of the auditor, by id, that the author turns on or off.

    Which there are stands in ``prompts/<language>/audit_dimensions.md.j2``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


class ContextConfig(BaseModel):
    """``[context]``. ``arc_summaries``: folded from the chapters' for nothing, or by a model."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    arc_summaries: ArcSummaries = "fold"


class BookConfig(BaseModel):
    """What kind of book this is. Keys that the author adds to ``book.toml`` stay there.

    ``revise_on``: what makes ``write-next`` revise a new chapter: a critical finding alone, or
    warnings too that a local change can mend.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    id: str
    title: str
    genre: str = "general"
    platform: Platform = "other"
    language: Language = "zh"
    target_chapters: int = Field(200, ge=1)
    chapter_words: int = Field(3000, ge=100)
    revise_on: ReviseOn = "warning"
    audit: AuditSwitches = Field(default_factory=AuditSwitches)
    series: str = ""
    context: ContextConfig = Field(default_factory=ContextConfig)
    status: BookStatus = "outlining"
    created: datetime
    updated: datetime

    @property
    def unit(self) -> Literal["chars", "words"]:
        """What lengths of this book are counted in."""
        return "chars" if self.language == "zh" else "words"
