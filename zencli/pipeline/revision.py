"""Step 5: one attempt at a better text, by mode. Whether it is kept is decided elsewhere."""

from dataclasses import dataclass
from typing import Any

from zencli.context.pack import Pack
from zencli.pipeline.check import earlier_prose
from zencli.pipeline.hook_pins import told_before
from zencli.pipeline.params import ReviseMode
from zencli.pipeline.plan import chapter_title
from zencli.pipeline.revising.acceptance import score_goal
from zencli.pipeline.revising.revise_kept import recorded_figures, to_keep
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.write import whole_text
from zencli.prose.count import bands, count_words
from zencli.prose.locate import nearest, occurrences
from zencli.prose.measures import describe, describe_goal, machine_score, measures
from zencli.prose.patch import PatchResult, Reason, apply_patches
from zencli.prose.segment import sentence_spans
from zencli.story.findings import Finding
from zencli.story.lenient import Lenient
from zencli.story.plan import Plan

ASKED_AGAIN: tuple[Reason, ...] = ("not found", "found more than once")
"""Why a patch missed that its maker can mend when shown the text."""

_NEAREST = 3


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


@dataclass(frozen=True)
class Order:
    """What a reviser is asked: the mode, the findings to answer, the author's words, and why its
    last attempt wasn't kept (empty for the first)."""

    mode: ReviseMode
    findings: list[Finding]
    instruction: str = ""
    rejected: str = ""

    def values(self) -> dict[str, Any]:
        """The variables that every template of a mode has."""
        return {
            "findings": findings_for_prompt(self.findings),
            "instruction": self.instruction,
            "rejected": self.rejected,
        }


def revised(ctx: RunContext, pack: Pack, draft: Draft, order: Order) -> Draft:
    """The candidate of one attempt; the same text when the reviser changed nothing."""
    if order.mode == "spot-fix":
        return _spot_fix(ctx, pack, draft, order)
    plan, title = draft.plan, draft.title
    if order.mode == "rework":
        plan = _replan(ctx, pack, draft, order)
        title = chapter_title(plan, pack) if plan.title else draft.title
    return Draft(plan, title, _whole(ctx, pack, draft, plan, order))


def _spot_fix(ctx: RunContext, pack: Pack, draft: Draft, order: Order) -> Draft:
    """Patches that hit exactly; those that missed are asked for again, once."""
    task = ctx.prompts.render("spot_fix", **order.values())
    reply = _patches(ctx, pack, draft, "spot_fix", task)
    result, tries = _applied(draft.prose, reply), reply.patches
    text, missed = result.text, result.missed
    again = [] if pack.small else [m for m in missed if m[1] in ASKED_AGAIN]
    if again:
        misses = [_miss(text, tries[index], reason) for index, reason in again]
        task = ctx.prompts.render("spot_fix_again", misses=misses)
        second = _patches(ctx, pack, Draft(draft.plan, draft.title, text), "spot_fix_again", task)
        result, tries = _applied(text, second), second.patches
        text, missed = result.text, [m for m in missed if m not in again]
        for index, reason in result.missed:
            ctx.warn(_told_miss(tries[index], reason))
    for index, reason in missed:
        ctx.warn(_told_miss(reply.patches[index], reason))
    return Draft(draft.plan, draft.title, text, reply.note)


def _patches(ctx: RunContext, pack: Pack, draft: Draft, step: str, task: str) -> SpotFix:
    layers = pack.about_draft(draft.plan, draft.title, draft.prose, task)
    return ctx.structured("reviser", step, layers, SpotFix, chapter=pack.number)


def _applied(prose: str, reply: SpotFix) -> PatchResult:
    return apply_patches(prose, [(patch.old, patch.new) for patch in reply.patches])


def _told_miss(patch: Patch, reason: Reason) -> str:
    return f"spot-fix: patch not applied ({reason}): {patch.old[:40]!r}"


def _miss(prose: str, patch: Patch, reason: Reason) -> dict[str, Any]:
    """A patch that missed, with the passages of the text that may have been meant."""
    places = [span for span, _ in zip(occurrences(prose, patch.old), range(_NEAREST), strict=False)]
    near = [_around(prose, *span) for span in places] or nearest(prose, patch.old, _NEAREST)
    return {
        "finding": patch.finding,
        "old": patch.old,
        "new": patch.new,
        "twice": reason == "found more than once",
        "near": near,
    }


def _around(prose: str, start: int, end: int) -> str:
    """A passage with the sentences that it touches and one on either side."""
    spans = sentence_spans(prose, "zh") or ((0, len(prose)),)
    touched = [i for i, span in enumerate(spans) if span[0] < end and start < span[1]]
    first, last = (touched[0], touched[-1]) if touched else (0, 0)
    return prose[spans[max(0, first - 1)][0] : spans[min(len(spans) - 1, last + 1)][1]]


def _replan(ctx: RunContext, pack: Pack, draft: Draft, order: Order) -> Plan:
    task = ctx.prompts.render(
        "replan",
        number=pack.number,
        words=pack.words,
        secrets=pack.secrets(),
        outline=pack.outline(),
        small=pack.small,
        **order.values(),
    )
    layers = pack.about_draft(draft.plan, draft.title, draft.prose, task)
    return ctx.structured("planner", "replan", layers, Plan, chapter=pack.number)


def _whole(ctx: RunContext, pack: Pack, draft: Draft, plan: Plan, order: Order) -> str:
    config = pack.canon.config
    surface = order.mode in ("polish", "anti-detect")
    target = count_words(draft.prose, config.language) if surface else pack.words
    band = bands(max(target, 1))
    low, high = (round(target * 0.95), round(target * 1.05)) if surface else (band.low, band.high)
    values = {"number": pack.number, "words": target, "low": low, "high": high, **order.values()}
    if order.mode != "rework":
        told = recorded_figures(told_before(pack.canon, pack.number))
        values["must_keep"] = to_keep(pack.canon, draft.prose, draft.prose if surface else told)
    if order.mode == "anti-detect":
        values["measures"] = _measured(pack, draft.prose)
    step = order.mode.replace("-", "_")
    layers = pack.about_draft(plan, draft.title, draft.prose, ctx.prompts.render(step, **values))
    return whole_text(ctx, pack, "reviser", step, layers)


def _measured(pack: Pack, prose: str) -> list[str]:
    language = pack.canon.config.language
    earlier = earlier_prose(pack.canon.records.book, pack.number)
    was = machine_score(prose, language)
    goal = describe_goal(was, score_goal(was), language)
    return [*describe(measures(prose, language, earlier), language), goal]


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
