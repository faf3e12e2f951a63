"""What the program knows of one chapter: ``records/NNNN.json``."""

import codecs
import hashlib
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.story.delta import Delta
from zencli.story.findings import AuditState, Finding, Verdict
from zencli.story.plan import Plan

ChapterStatus = Literal["drafted", "passed", "failed", "approved"]


class CallUsage(BaseModel):
    """Tokens of the model calls that made a chapter. ``cost`` is None when no price is known."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Record(BaseModel):
    """Everything about a chapter that isn't its prose.

    ``digest`` is of the chapter file that the record was made from. ``delta`` is None while the
    chapter is unsettled. ``stale`` says why an earlier change may have made the chapter wrong.
    ``audited``: the auditor read the chapter, and its reply could be read; patches since then
    leave it so, an author's edits don't. ``read`` is the digest of the text that it read, where an
    audit came after an edit; "" is ``digest``.
    ``overruled`` says where the chapter tells otherwise than the author corrected the state.
    ``notes``: which chapter first saw each timed note of ``focus.md``; None when none was looked
    for.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    version: int = 1
    number: int
    title: str
    status: ChapterStatus = "drafted"
    verdict: Verdict | None = None
    audited: bool = False
    read: str = ""
    words: int = 0
    target_words: int = 0
    digest: str = ""
    plan: Plan | None = None
    delta: Delta | None = None
    findings: list[Finding] = []
    dropped: list[str] = []
    overruled: list[str] = []
    voided: int = 0
    revised: int = 0
    stale: str | None = None
    usage: CallUsage = CallUsage()
    notes: dict[str, int] | None = None
    created: datetime
    updated: datetime

    def audit_of(self, digest: str) -> AuditState:
        """What is known of the auditor's reading of the text with this digest."""
        if self.audited:
            return "read" if digest == (self.read or self.digest) else "none"
        return "unread" if self.verdict == "unknown" else "none"


def text_digest(text: str) -> str:
    """SHA-256 of a chapter file's text with line ends unified, as 64 hex digits."""
    unified = text.replace("\r\n", "\n") if "\r" in text else text
    return hashlib.sha256(unified.encode()).hexdigest()


def bytes_digest(data: bytes) -> str:
    """``text_digest`` of a file's text; a view of a long book is large and has nothing to unify."""
    if b"\r" in data or data.startswith(codecs.BOM_UTF8):
        return text_digest(data.decode("utf-8-sig", "replace"))
    return hashlib.sha256(data).hexdigest()
