"""Findings and the verdict computed from them."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["critical", "warning", "info"]
Scope = Literal["local", "structural"]
Verdict = Literal["passed", "failed", "unknown"]
Source = Literal["check", "auditor"]

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")


class Finding(BaseModel):
    """One fault of a chapter, with the passage that shows it.

    ``quote`` is verbatim in the chapter, or empty when the fault is of the chapter as a whole
    (its length). ``waived`` holds the author's reason for letting it stand, else None.
    """

    model_config = ConfigDict(frozen=True)

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


def verdict(findings: list[Finding], *, audited: bool = True) -> Verdict:
    """``failed`` when a critical finding stands, ``unknown`` when the audit couldn't be read."""
    if any(f.standing and f.severity == "critical" for f in findings):
        return "failed"
    return "passed" if audited else "unknown"


def at_or_above(findings: list[Finding], level: Severity) -> list[Finding]:
    """The standing findings of this severity or a worse one."""
    floor = SEVERITIES.index(level)
    return [f for f in findings if f.standing and SEVERITIES.index(f.severity) >= floor]
