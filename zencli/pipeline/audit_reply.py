"""What an auditor replies, and what of it counts: nothing without a place in the text."""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import model_validator

from zencli.pipeline.audit_groups import Group, dimension_of
from zencli.prose.locate import locate
from zencli.story.findings import Finding, Scope, Severity, finding_id
from zencli.story.lenient import Lenient


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


def located(reply: AuditReply, prose: str, groups: Sequence[Group]) -> tuple[list[Finding], int]:
    """The findings whose quote stands in the prose, each passage and dimension once, and how many
    were voided because theirs doesn't."""
    found: dict[str, Finding] = {}
    voided = 0
    for raw in reply.findings:
        exact = locate(prose, raw.quote)
        if exact is None:
            voided += 1
            continue
        dimension = dimension_of(raw.dimension, groups)
        identifier = finding_id("auditor", dimension, exact)
        against = f" ({raw.against})" if raw.against else ""
        found.setdefault(
            identifier,
            Finding(
                id=identifier,
                source="auditor",
                dimension=dimension,
                severity=raw.severity,
                description=f"{raw.problem or raw.fix or raw.dimension or raw.severity}{against}",
                quote=exact,
                suggestion=raw.fix,
                scope=raw.scope,
            ),
        )
    return list(found.values()), voided
