"""Step 5: one attempt at a better text, by mode. Whether it is kept is decided elsewhere."""

from dataclasses import dataclass
from typing import Any

from zencli.context.pack import Pack
from zencli.pipeline.params import ReviseMode
from zencli.pipeline.plan import chapter_title
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.write import whole_text
from zencli.prose.count import bands, count_words
from zencli.prose.measures import describe, measures
from zencli.prose.patch import apply_patches
from zencli.story.findings import Finding
from zencli.story.lenient import Lenient
from zencli.story.plan import Plan


class Patch(Lenient):
    """An exact replacement for one finding, counted from 1."""

    finding: int = 0
    old: str = ""
    new: str = ""


class SpotFix(Lenient):
    """The reviser's patches, and what a local change can't mend."""

    patches: list[Patch] = []
    note: str = ""


@dataclass(frozen=True)
class Draft:
    """A chapter's text with the plan it follows; ``note`` is what the reviser left unmended."""

    plan: Plan
    title: str
    prose: str
    note: str = ""


def revised(
    ctx: RunContext,
    pack: Pack,
    draft: Draft,
    mode: ReviseMode,
    findings: list[Finding],
    instruction: str,
) -> Draft:
    """The candidate of one attempt; the same text when the reviser changed nothing."""
    if mode == "spot-fix":
        return _spot_fix(ctx, pack, draft, findings, instruction)
    if mode == "rework":
        draft_plan = _replan(ctx, pack, draft, findings, instruction)
        title = chapter_title(draft_plan, pack) if draft_plan.title else draft.title
    else:
        draft_plan, title = draft.plan, draft.title
    prose = _whole(ctx, pack, draft, draft_plan, mode, findings, instruction)
    return Draft(draft_plan, title, prose)


def _spot_fix(
    ctx: RunContext, pack: Pack, draft: Draft, findings: list[Finding], instruction: str
) -> Draft:
    task = ctx.prompts.render(
        "spot_fix", findings=findings_for_prompt(findings), instruction=instruction
    )
    layers = pack.about_draft(draft.plan, draft.title, draft.prose, task)
    reply = ctx.structured("reviser", "spot_fix", layers, SpotFix, chapter=pack.number)
    patches = [(patch.old, patch.new) for patch in reply.patches]
    result = apply_patches(draft.prose, patches)
    for index, reason in result.missed:
        ctx.warn(f"spot-fix: patch {index + 1} not applied ({reason}): {patches[index][0][:40]!r}")
    return Draft(draft.plan, draft.title, result.text, reply.note)


def _replan(
    ctx: RunContext, pack: Pack, draft: Draft, findings: list[Finding], instruction: str
) -> Plan:
    task = ctx.prompts.render(
        "replan",
        number=pack.number,
        words=pack.words,
        secrets=pack.secrets(),
        outline=pack.outline(),
        findings=findings_for_prompt(findings),
        instruction=instruction,
        small=pack.small,
    )
    layers = pack.about_draft(draft.plan, draft.title, draft.prose, task)
    return ctx.structured("planner", "replan", layers, Plan, chapter=pack.number)


def _whole(
    ctx: RunContext,
    pack: Pack,
    draft: Draft,
    plan: Plan,
    mode: ReviseMode,
    findings: list[Finding],
    instruction: str,
) -> str:
    language = pack.canon.config.language
    target = count_words(draft.prose, language) if mode in ("polish", "anti-detect") else pack.words
    band = bands(max(target, 1))
    low, high = (band.low, band.high)
    if mode in ("polish", "anti-detect"):
        low, high = round(target * 0.9), round(target * 1.1)
    values: dict[str, Any] = {
        "number": pack.number,
        "words": target,
        "low": low,
        "high": high,
        "findings": findings_for_prompt(findings),
        "instruction": instruction,
    }
    if mode == "anti-detect":
        values["measures"] = describe(measures(draft.prose, language), language)
    step = mode.replace("-", "_")
    task = ctx.prompts.render(step, **values)
    layers = pack.about_draft(plan, draft.title, draft.prose, task)
    return whole_text(ctx, pack, "reviser", step, layers)


def findings_for_prompt(findings: list[Finding]) -> list[dict[str, Any]]:
    """Findings by the names that the templates use, numbered from 1."""
    return [
        {
            "number": index,
            "severity": f.severity,
            "quote": f.quote,
            "problem": f.description,
            "fix": f.suggestion,
        }
        for index, f in enumerate(findings, 1)
    ]
