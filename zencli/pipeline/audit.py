"""Step 4: the auditor's findings, each held to the text before it counts."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import model_validator

from zencli.context.pack import Pack
from zencli.errors import ModelError
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.prose.locate import locate
from zencli.story.findings import Finding, Scope, Severity, finding_id
from zencli.story.lenient import Lenient
from zencli.story.plan import Plan

DIMENSIONS = {
    "对不上": "continuity",
    "fit": "continuity",
    "泄底": "disclosure",
    "given away": "disclosure",
    "计划": "plan",
    "plan": "plan",
    "人物": "character",
    "people": "character",
    "跟不上": "clarity",
    "thread": "clarity",
    "文字": "prose",
    "page": "prose",
}
"""The auditor's word for a dimension, in the book's language, to its stable name."""


class RawFinding(Lenient):
    """A finding as the auditor words it."""

    synonyms: ClassVar[dict[str, str]] = {
        "严重": "critical",
        "致命": "critical",
        "fatal": "critical",
        "blocker": "critical",
        "error": "critical",
        "major": "critical",
        "high": "critical",
        "警告": "warning",
        "提示": "info",
        "minor": "info",
        "low": "info",
    }

    severity: Severity = "warning"
    dimension: str = ""
    quote: str = ""
    problem: str = ""
    against: str = ""
    fix: str = ""
    scope: Scope = "local"


class AuditReply(Lenient):
    """The auditor's whole reply; an empty list is a clean chapter."""

    findings: list[RawFinding] = []

    @model_validator(mode="before")
    @classmethod
    def _needs_a_list(cls, data: Any) -> Any:
        """What isn't a list of findings must not count as an empty one."""
        if isinstance(data, dict) and not isinstance(data.get("findings"), list | dict):
            raise ValueError("findings must be a list")
        return data


@dataclass(frozen=True)
class AuditOutcome:
    """``findings`` is None when the reply couldn't be read; ``voided`` had no place in the text."""

    findings: list[Finding] | None
    voided: int = 0


def audit_prose(
    ctx: RunContext, pack: Pack, plan: Plan, title: str, prose: str, instruction: str = ""
) -> AuditOutcome:
    """Ask the auditor. An unreadable reply is an outcome, not an error; other failures raise."""
    config = pack.canon.config
    task = ctx.prompts.render(
        "audit",
        number=pack.number,
        secrets=pack.secrets(),
        instruction=instruction,
        genre_notes="" if pack.small else ctx.prompts.genre(config.genre, "audit"),
        platform_notes="" if pack.small else ctx.prompts.platform(config.platform, "audit"),
        small=pack.small,
    )
    layers = pack.about_draft(plan, title, prose, task)
    try:
        reply = ctx.structured("auditor", "audit", layers, AuditReply, chapter=pack.number)
    except ModelError as error:
        if error.code not in UNUSABLE:
            raise
        ctx.warn(f"audit: chapter {pack.number}: {error.message}")
        return AuditOutcome(None)
    return located(reply, prose)


def located(reply: AuditReply, prose: str) -> AuditOutcome:
    """Keep the findings whose quote stands in the text, each passage and dimension once."""
    found: dict[str, Finding] = {}
    voided = 0
    for raw in reply.findings:
        exact = locate(prose, raw.quote)
        if exact is None:
            voided += 1
            continue
        problem = raw.problem or raw.fix or raw.dimension or raw.severity
        dimension = DIMENSIONS.get(raw.dimension.lower(), "continuity")
        identifier = finding_id("auditor", dimension, exact)
        against = f" ({raw.against})" if raw.against else ""
        found.setdefault(
            identifier,
            Finding(
                id=identifier,
                source="auditor",
                dimension=dimension,
                severity=raw.severity,
                description=f"{problem}{against}",
                quote=exact,
                suggestion=raw.fix,
                scope=raw.scope,
            ),
        )
    return AuditOutcome(list(found.values()), voided)


def carried(findings: list[Finding], prose: str) -> list[Finding]:
    """The auditor's findings whose passage is still in the text after a local change."""
    return [f for f in findings if f.source == "auditor" and locate(prose, f.quote) is not None]
