"""Step 7: what the final text changes in the story, each entry with its sentence."""

from dataclasses import dataclass, field

from zencli.context import wording
from zencli.context.canon import Canon
from zencli.context.pack import Pack
from zencli.errors import ModelError
from zencli.pipeline.hook_pins import pinned, told_before
from zencli.pipeline.revising.revise_events import kept_events
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.prose.locate import locate_part
from zencli.story.corrections import overruled
from zencli.story.delta import Delta, proven
from zencli.story.fold import canonical_names, fold_on
from zencli.story.plan import Plan
from zencli.story.record import CallUsage, Record


@dataclass(frozen=True)
class Settlement:
    """``delta`` is None when it couldn't be obtained: the chapter is then unsettled.

    ``overruled`` are the author's corrections that the delta changes, one sentence each.
    """

    delta: Delta | None
    dropped: list[str]
    overruled: list[str] = field(default_factory=list)

    def onto(self, record: Record, usage: CallUsage) -> Record:
        """``record`` with what was settled, and what that took."""
        return record.model_copy(
            update={
                "delta": self.delta,
                "dropped": self.dropped,
                "overruled": self.overruled,
                "usage": usage,
            }
        )


def settle(ctx: RunContext, pack: Pack, plan: Plan, title: str, prose: str) -> Settlement:
    """Ask the settler. Operations without a verbatim quote are dropped and told.

    An unreadable reply leaves the chapter unsettled and is told; other failures raise.
    """
    language = pack.canon.config.language

    def check(value: Delta) -> list[str]:
        return [] if value.summary else [wording.missing("summary", language)]

    touched = {step.id for step in plan.hooks}
    task = ctx.prompts.render(
        "settle",
        number=pack.number,
        new=plan.new,
        unshown=[hook for hook in pack.for_planner().unshown() if hook["id"] not in touched],
        small=pack.small,
    )
    layers = pack.about_draft(plan, title, prose, task)
    try:
        reply = ctx.structured("settler", "settle", layers, Delta, check=check, chapter=pack.number)
    except ModelError as error:
        if error.code not in UNUSABLE:
            raise
        ctx.warn(
            f"settle: chapter {pack.number} is kept, but unsettled: {error.message} "
            "The next write-next tries again."
        )
        return Settlement(None, [])
    delta, dropped = proven(reply, lambda quote: locate_part(prose, quote))
    if dropped:
        ctx.warn(f"settle: {len(dropped)} entries dropped, their quote isn't in the text")
    before = told_before(pack.canon, pack.number)
    delta = kept_events(before, pinned(pack.canon, pack.number, delta), prose)
    told = overruled_by(pack.canon, pack.number, title, delta)
    for sentence in told:
        ctx.warn(f"settle: {sentence}")
    return Settlement(delta, dropped, told)


def overruled_by(canon: Canon, number: int, title: str, delta: Delta) -> list[str]:
    """What a chapter tells otherwise than the author corrected it. The chapter's word stands."""
    corrections = [c for c in canon.corrections if c.at <= number]
    if not corrections:
        return []
    names = canonical_names(canon.foundation)
    before = canon.state_before(number)
    after = fold_on(before, [(number, title, delta)], names)
    return overruled(before, after, corrections, names)
