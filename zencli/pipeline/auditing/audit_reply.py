"""What an auditor replies, and what of it counts: nothing without a place in the text."""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import model_validator

from zencli.pipeline.auditing.audit_groups import Group, dimension_of
from zencli.prose.locate import locate
from zencli.story.findings import SEVERITIES, Finding, Scope, Severity, finding_id
from zencli.story.lenient import Lenient


class RawFinding(Lenient):
    """A finding as the auditor words it."""

    synonyms: ClassVar[dict[str, str]] = {
        "严重": "critical",
        "致命": "critical",
        "重大": "critical",
        "高": "critical",
        "fatal": "critical",
        "blocker": "critical",
        "error": "critical",
        "major": "critical",
        "serious": "critical",
        "severe": "critical",
        "high": "critical",
        "警告": "warning",
        "中": "warning",
        "提示": "info",
        "轻微": "info",
        "低": "info",
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
    def _needs_findings(cls, data: Any) -> Any:
        """What isn't a list of findings must not count as an empty one; what else stands in such a
        list is a finding that says nothing, and is voided."""
        told = data.get("findings") if isinstance(data, dict) else []
        if not isinstance(told, list | dict):
            raise ValueError("findings must be a list")
        items = told if isinstance(told, list) else [told]
        known = set(RawFinding.model_fields)
        if items and not any(isinstance(item, dict) and known & set(item) for item in items):
            raise ValueError(f"findings must be objects with the keys {', '.join(sorted(known))}")
        kept = [item if isinstance(item, dict) else {"problem": str(item)} for item in items]
        return {**data, "findings": kept} if isinstance(data, dict) else data


def located(reply: AuditReply, prose: str, groups: Sequence[Group]) -> tuple[list[Finding], int]:
    """The findings whose quote stands in the prose, of each passage and dimension the most severe,
    and how many were voided because theirs doesn't."""
    found: dict[str, Finding] = {}
    voided = 0
    for raw in reply.findings:
        exact = locate(prose, raw.quote)
        if exact is None:
            voided += 1
            continue
        dimension = dimension_of(raw.dimension, groups)
        identifier = finding_id("auditor", dimension, exact)
        known = found.get(identifier)
        if known and SEVERITIES.index(known.severity) >= SEVERITIES.index(raw.severity):
            continue
        against = f" ({raw.against})" if raw.against else ""
        found[identifier] = Finding(
            id=identifier,
            source="auditor",
            dimension=dimension,
            severity=raw.severity,
            description=f"{raw.problem or raw.fix or raw.dimension or raw.severity}{against}",
            quote=exact,
            suggestion=raw.fix,
            scope=raw.scope,
        )
    return list(found.values()), voided
