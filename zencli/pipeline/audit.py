"""Step 4: the auditor's findings, each held to the text before it counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from zencli.context.pack import Pack
from zencli.errors import ModelError
from zencli.pipeline.auditing.audit_findings import merged_parts
from zencli.pipeline.auditing.audit_groups import Group, groups_for
from zencli.pipeline.auditing.audit_parts import parts_of
from zencli.pipeline.auditing.audit_reply import AuditReply, located
from zencli.pipeline.run_context import RunContext
from zencli.story.findings import Finding
from zencli.story.plan import Plan

UNREADABLE = ("llm.reply", "llm.truncated")
"""Codes of a ``ModelError`` that says: the auditor answered, and nothing can be made of it. Any
other is a fault of the endpoint or its configuration, which says nothing about the chapter."""


@dataclass(frozen=True)
class AuditOutcome:
    """``voided`` findings had no place in the text. ``read`` is False when a reply couldn't be
    read: ``findings`` are then those of the parts that could."""

    findings: list[Finding] = field(default_factory=list)
    voided: int = 0
    read: bool = True


def audit_prose(
    ctx: RunContext, pack: Pack, plan: Plan, title: str, prose: str, instruction: str = ""
) -> AuditOutcome:
    """Ask the auditor, about a long chapter part by part.

    An unreadable reply is an outcome, not an error; a failure of the endpoint raises.
    """
    asking = _Asking(ctx, pack, plan, title, instruction)
    parts = parts_of(prose, pack.canon.config.language, ctx.profile("auditor"))
    told: list[list[Finding]] = []
    voided = 0
    for number, part in enumerate(parts, 1):
        try:
            reply = asking.about(part, number, len(parts))
        except ModelError as error:
            if error.code not in UNREADABLE:
                raise
            ctx.warn(f"audit: chapter {pack.number}{_of(number, parts)}: {error.message}")
            continue
        found, void = located(reply, prose, asking.groups)
        told.append(found)
        voided += void
    return AuditOutcome(merged_parts(told, prose), voided, read=len(told) == len(parts))


def _of(number: int, parts: Sequence[str]) -> str:
    return f", part {number} of {len(parts)}" if len(parts) > 1 else ""


@dataclass(frozen=True)
class _Asking:
    """What the calls of one audit share."""

    ctx: RunContext
    pack: Pack
    plan: Plan
    title: str
    instruction: str

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        return groups_for(self.ctx.prompts, self.pack.canon.config)

    def about(self, part: str, number: int, parts: int) -> AuditReply:
        layers = self.pack.about_draft(self.plan, self.title, part, self._task(number, parts))
        return self.ctx.structured("auditor", "audit", layers, AuditReply, chapter=self.pack.number)

    def _task(self, part: int, parts: int) -> str:
        pack, config = self.pack, self.pack.canon.config
        notes = {
            "genre": self.ctx.prompts.genre(config.genre, "audit"),
            "platform": self.ctx.prompts.platform(config.platform, "audit"),
        }
        groups = _noted(self.groups, {name for name, text in notes.items() if not text})
        looked = {d.id for group in groups for d in group.dimensions}
        notes = {n: text if n in looked and not pack.small else "" for n, text in notes.items()}
        return self.ctx.prompts.render(
            "audit",
            number=pack.number,
            secrets=pack.secrets(),
            due=pack.due(),
            instruction=self.instruction,
            genre_notes=notes["genre"],
            platform_notes=notes["platform"],
            groups=groups,
            part=part,
            parts=parts,
            small=pack.small,
        )


def _noted(groups: Sequence[Group], empty: set[str]) -> list[Group]:
    """Without the dimensions that stand for notes this book doesn't have."""
    kept = [
        Group(g.id, g.name, tuple(d for d in g.dimensions if d.id not in empty)) for g in groups
    ]
    return [group for group in kept if group.dimensions]
