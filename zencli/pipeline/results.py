"""What the Runner's methods return: the ``data`` of the JSON object."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.params import ExportFormat, ReviseMode
from zencli.story.findings import Finding, Verdict
from zencli.story.record import ChapterStatus


class Result(BaseModel):
    """Base of all results."""

    model_config = ConfigDict(frozen=True)

    book_id: str


class Mended(BaseModel):
    """A contradiction that was found; ``applied`` is False when its place wasn't."""

    model_config = ConfigDict(frozen=True)

    what: str
    document: str
    old: str
    new: str
    applied: bool


class InitBookResult(Result):
    """A new book."""

    title: str
    path: str
    files: list[str]
    problems: list[Mended]


class WrittenChapter(BaseModel):
    """A committed chapter."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    path: str
    words: int
    unit: Literal["chars", "words"]
    target_words: int
    length_score: float
    status: ChapterStatus
    verdict: Verdict | None
    findings: list[Finding]
    revised: int


class WriteNextResult(Result):
    """The chapters that were committed; ``plan`` is the path of a plan with ``--plan-only``."""

    chapters: list[WrittenChapter]
    plan: str | None = None


class AuditedChapter(BaseModel):
    """A judged chapter. ``voided`` counts findings whose quote isn't in the text."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    path: str
    words: int
    unit: Literal["chars", "words"]
    status: ChapterStatus
    verdict: Verdict
    findings: list[Finding]
    voided: int


class AuditResult(Result):
    """All judged chapters, in order."""

    chapters: list[AuditedChapter]


class ReviseResult(Result):
    """What a revision did. ``candidate`` is where one that wasn't kept lies."""

    number: int
    mode: ReviseMode
    applied: bool
    reason: str
    words_before: int
    words_after: int
    unit: Literal["chars", "words"]
    findings_before: int
    findings_after: int
    candidate: str | None
    stale: list[int]


class Skipped(BaseModel):
    """A chapter that isn't in the export."""

    model_config = ConfigDict(frozen=True)

    number: int
    reason: str


class ExportResult(Result):
    """A finished file."""

    path: str
    format: ExportFormat
    chapters: int
    words: int
    unit: Literal["chars", "words"]
    skipped: list[Skipped]
    messages: list[str]


class ApprovedChapter(BaseModel):
    """A chapter and its status."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    status: ChapterStatus


class ApproveResult(Result):
    """The chapters whose approval was asked for."""

    chapters: list[ApprovedChapter]
