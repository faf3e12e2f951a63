"""Findings and the verdict computed from them."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["critical", "warning", "info"]
Scope = Literal["local", "structural"]
Verdict = Literal["passed", "failed", "unknown"]
Source = Literal["check", "auditor"]
AuditState = Literal["read", "unread", "none"]
"""Whether an auditor's reply on the text was read, couldn't be read, or was never asked for."""

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")


class Finding(BaseModel):
    """One fault of a chapter, with the passage that shows it.

    ``quote`` is verbatim in the chapter, or empty when the fault is of the chapter as a whole
    (its length). ``waived`` holds the author's reason for letting it stand, else None.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    id: str
    source: Source
    dimension: str
    severity: Severity
    description: str
    quote: str = ""
    suggestion: str = ""
    scope: Scope = "local"
    waived: str | None = None

    @property
    def standing(self) -> bool:
        return self.waived is None


def finding_id(source: Source, dimension: str, quote: str, description: str = "") -> str:
    """A short id that stays the same as long as the same passage has the same fault.

    The description counts only when there is no quote, because models word one fault in many ways.
    """
    basis = "\x1f".join((source, dimension, quote or description))
    return hashlib.sha256(basis.encode()).hexdigest()[:8]


def verdict(findings: list[Finding], audit: AuditState) -> Verdict | None:
    """The one verdict, wherever a chapter is judged: from its standing findings.

    ``failed`` when a critical one stands. Otherwise ``passed`` only when an auditor's reply was
    read, ``unknown`` when it couldn't be, and None when there was no audit: checks pass no chapter.
    """
    if any(f.standing and f.severity == "critical" for f in findings):
        return "failed"
    if audit == "none":
        return None
    return "passed" if audit == "read" else "unknown"


def at_or_above(findings: list[Finding], level: Severity) -> list[Finding]:
    """The standing findings of this severity or a worse one."""
    floor = SEVERITIES.index(level)
    return [f for f in findings if f.standing and SEVERITIES.index(f.severity) >= floor]
