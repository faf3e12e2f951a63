"""What ``audit`` and ``revise`` return."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.params import ReviseMode
from zencli.pipeline.result_base import Result
from zencli.story.findings import Finding, Severity, Verdict
from zencli.story.record import ChapterStatus


class AuditedChapter(BaseModel):
    """A judged chapter. ``voided`` counts findings whose quote isn't in the text."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    path: str
    words: int
    unit: Literal["chars", "words"]
    target_words: int
    length_score: float
    status: ChapterStatus
    verdict: Verdict
    findings: list[Finding]
    voided: int


class LeftOut(BaseModel):
    """A chapter of the range that couldn't be judged, with the code and words of the error."""

    model_config = ConfigDict(frozen=True)

    number: int
    code: str
    message: str


class AuditSummary(BaseModel):
    """An audit in numbers: chapters by verdict, standing findings by severity."""

    model_config = ConfigDict(frozen=True)

    chapters: int
    passed: int
    failed: int
    unknown: int
    left_out: int
    critical: int
    warning: int
    info: int
    waived: int
    voided: int


class AuditResult(Result):
    """All judged chapters, in order; ``left_out`` are those that couldn't be judged."""

    chapters: list[AuditedChapter]
    left_out: list[LeftOut] = []
    summary: AuditSummary


def audit_result(
    book_id: str, chapters: Sequence[AuditedChapter], left_out: Sequence[LeftOut] = ()
) -> AuditResult:
    """The result of an audit, summed up."""
    findings = [f for chapter in chapters for f in chapter.findings]

    def of(severity: Severity) -> int:
        return sum(f.standing and f.severity == severity for f in findings)

    verdicts = [chapter.verdict for chapter in chapters]
    return AuditResult(
        book_id=book_id,
        chapters=list(chapters),
        left_out=list(left_out),
        summary=AuditSummary(
            chapters=len(chapters),
            passed=verdicts.count("passed"),
            failed=verdicts.count("failed"),
            unknown=verdicts.count("unknown"),
            left_out=len(left_out),
            critical=of("critical"),
            warning=of("warning"),
            info=of("info"),
            waived=sum(not f.standing for f in findings),
            voided=sum(chapter.voided for chapter in chapters),
        ),
    )


class WaiveResult(Result):
    """A finding that was waived, or stands again, and what follows for its chapter."""

    number: int
    finding: Finding
    status: ChapterStatus
    verdict: Verdict | None
    standing: int


class ReviseResult(Result):
    """What a revision did. ``candidate`` is where one that wasn't kept lies."""

    number: int
    mode: ReviseMode
    applied: bool
    reason: str
    words_before: int
    words_after: int
    unit: Literal["chars", "words"]
    length_score: float
    findings_before: int
    findings_after: int
    candidate: str | None
    stale: list[int]
