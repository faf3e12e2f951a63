"""The attempts of one revision: each judged, and settled where the text was written anew."""

from dataclasses import dataclass, replace

from zencli.pipeline.auditing.audit_findings import carried
from zencli.pipeline.chapter import Chapter
from zencli.pipeline.hook_pins import told_before
from zencli.pipeline.params import Revise
from zencli.pipeline.revising.acceptance import SURFACE_MODES, Decision, decide, refusal
from zencli.pipeline.revising.revise_events import lost_events
from zencli.pipeline.revision import Draft, Order, revised
from zencli.pipeline.settle import Settlement, settle
from zencli.story.findings import AuditState, Finding
from zencli.story.fold import canonical_names

_JUDGED_AFRESH = ("rewrite", "rework")


@dataclass(frozen=True)
class Version:
    """A text, its findings, waived ones too, and how far an auditor has read it.

    ``settled`` is what it tells, where that was asked already."""

    draft: Draft
    findings: list[Finding]
    audit: AuditState
    voided: int = 0
    settled: Settlement | None = None

    @property
    def standing(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.standing]


@dataclass(frozen=True)
class Attempt:
    """Two versions of a chapter and what was decided about the second."""

    before: Version
    after: Version
    decision: Decision


@dataclass
class Rounds:
    """Up to ``rounds`` attempts: one that isn't kept is made again with the reason, and of local
    ones that are kept the next goes on with what still stands."""

    work: Chapter
    params: Revise
    start: Version
    chosen: list[Finding]

    def run(self) -> Attempt:
        """From the first version to the last that was kept; if none was, to the last candidate."""
        base, rejected = self.start, ""
        kept, last = None, Attempt(self.start, self.start, Decision(False, ""))
        for _ in range(self.params.rounds):
            answering = [f for f in self.chosen if f.id in {s.id for s in base.standing}]
            if kept is not None and (self.params.mode != "spot-fix" or not answering):
                break
            last = self._attempt(base, answering, rejected)
            if last.decision.kept:
                base, kept = last.after, last
            rejected = last.decision.told
        if kept is None:
            return last
        final = self._settled(Attempt(self.start, kept.after, kept.decision))
        if kept.before is not self.start and final.decision.kept:
            return replace(final, decision=self._decision(self.start, final.after, self.chosen))
        return final

    def _attempt(self, base: Version, answering: list[Finding], rejected: str) -> Attempt:
        work, params = self.work, self.params
        order = Order(params.mode, answering, params.instruction, rejected)
        candidate = revised(work.ctx, work.pack, base.draft, order)
        work.findings, work.audit, work.voided = base.findings, base.audit, base.voided
        afresh = self._afresh(base, candidate)
        if candidate.prose != base.draft.prose:
            work.rejudge(candidate, audit=afresh)
        after = Version(candidate, work.findings, work.audit, work.voided)
        judged = not afresh or after.audit == "read"
        attempt = Attempt(base, after, self._decision(base, after, answering, judged=judged))
        return attempt if params.mode == "spot-fix" else self._settled(attempt)

    def _afresh(self, base: Version, candidate: Draft) -> bool:
        """Whether only the auditor can say what stands: scenes are new, or a text in new words has
        swallowed the passages of the auditor's findings."""
        if self.params.mode in _JUDGED_AFRESH:
            return True
        told = [f for f in base.standing if f.source == "auditor" and f.severity != "info"]
        return self.params.mode in SURFACE_MODES and len(carried(told, candidate.prose)) < len(told)

    def _decision(
        self, base: Version, after: Version, answering: list[Finding], *, judged: bool = True
    ) -> Decision:
        work, params = self.work, self.params
        decision = decide(
            work.canon,
            params.mode,
            (base.draft.prose, base.findings),
            (after.draft.prose, after.findings),
            answering=answering,
            target_words=work.pack.words,
            asked=bool(params.instruction) or params.mode != "spot-fix",
            judged=judged,
            delta=told_before(work.canon, work.pack.number),
            instruction=params.instruction,
        )
        return self._forced(decision, base, after)

    def _settled(self, attempt: Attempt) -> Attempt:
        """The attempt with what the new text tells; not kept when it lost what the old one did."""
        if not attempt.decision.kept or attempt.after.settled is not None:
            return attempt
        work, after = self.work, attempt.after
        draft, pack, canon = after.draft, work.pack, work.canon
        settled = settle(work.ctx, pack, draft.plan, draft.title, draft.prose)
        after = replace(after, settled=settled)
        names = canonical_names(canon.foundation)
        decision, lost = attempt.decision, list[str]()
        if settled.delta is not None:
            lost = lost_events(
                told_before(canon, pack.number),
                settled.delta,
                draft.prose,
                lambda called: names.get(called, called),
                canon.config.language,
            )
        if lost:
            refused = refusal("events", canon.config.language, what=", ".join(lost))
            decision = self._forced(refused, attempt.before, after)
        return Attempt(attempt.before, after, decision)

    def _forced(self, decision: Decision, base: Version, after: Version) -> Decision:
        if decision.kept or not self.params.force or after.draft.prose == base.draft.prose:
            return decision
        if base is not self.start:  # a better version is at hand
            return decision
        return Decision(True, f"Kept by --force: {decision.reason}")
