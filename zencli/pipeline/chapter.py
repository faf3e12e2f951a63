"""One chapter from plan to commit, in the order of ``docs/architecture.md``."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from zencli.context.canon import Canon
from zencli.context.pack import RECENT, Pack
from zencli.errors import ModelError
from zencli.llm.types import Usage
from zencli.pipeline.audit import audit_prose
from zencli.pipeline.auditing.audit_findings import carried, combined
from zencli.pipeline.auditing.audit_groups import groups_for
from zencli.pipeline.check import check_prose, earlier_prose
from zencli.pipeline.commit import ChapterVersion, commit_chapter
from zencli.pipeline.events import StepStarted
from zencli.pipeline.normalise import normalise
from zencli.pipeline.params import ReviseMode, WriteNext
from zencli.pipeline.plan import author_plan, chapter_title, plan_chapter, with_outline
from zencli.pipeline.revising.acceptance import decide, new_critical
from zencli.pipeline.revising.revise_files import candidate_files
from zencli.pipeline.revision import Draft, Order, revised
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.pipeline.settle import settle
from zencli.pipeline.trends.trend_rows import keep_up
from zencli.pipeline.write import write_prose
from zencli.store.layout import BookDir
from zencli.story.findings import AuditState, Finding, Verdict, verdict
from zencli.story.plan import Plan
from zencli.story.record import CallUsage, ChapterStatus, Record


@dataclass
class Chapter:
    """The work on one chapter: what it is judged by, and where the text stands.

    ``waivers`` are the findings that the author let stand in the chapter as it was. ``rejected``
    are the files of revisions that weren't kept, under the name of the run.
    """

    ctx: RunContext
    book: BookDir
    pack: Pack
    earlier: list[str]
    instruction: str = ""
    waivers: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    audit: AuditState = "none"
    voided: int = 0
    rounds_used: int = 0
    rejected: dict[str, str] = field(default_factory=dict)
    run_id: str = ""

    @property
    def canon(self) -> Canon:
        return self.pack.canon

    def checks(self, prose: str, plan: Plan | None = None) -> list[Finding]:
        """``plan`` is by default that of the chapter's record."""
        self.ctx.emit(StepStarted("check", self.pack.number))
        number, words = self.pack.number, self.pack.words
        return check_prose(self.canon, number, prose, words, self.earlier, plan)

    def judge(self, draft: Draft, *, audit: bool) -> None:
        """Deterministic checks, then the model's audit; sets findings and whether it was read."""
        checks, told = self.checks(draft.prose, draft.plan), list[Finding]()
        self.audit = "none"
        if audit:
            outcome = audit_prose(
                self.ctx, self.pack, draft.plan, draft.title, draft.prose, self.instruction
            )
            self.voided, told = outcome.voided, outcome.findings
            self.audit = "read" if outcome.read else "unread"
        self.findings = combined(checks, told, self.waivers, draft.prose)

    def mend(self, draft: Draft, rounds: int) -> Draft:
        """Revise while something stands that must be mended and each round removes some of it."""
        for _ in range(rounds):
            answering = self._answering()
            if not answering:
                break
            structural = any(f.scope == "structural" for f in answering)
            mode: ReviseMode = "rewrite" if structural else "spot-fix"
            told = answering + [
                f
                for f in self.findings
                if f.standing and f.severity == "warning" and f.source == "auditor"
                if (structural or f.scope == "local") and f not in answering
            ]
            try:
                order = Order(mode, told, self.instruction)
                candidate = revised(self.ctx, self.pack, draft, order)
            except ModelError as error:
                if error.code not in UNUSABLE:
                    raise
                self.ctx.warn(f"{mode}: the chapter stays as it was: {error.message}")
                break
            before, audit = self.findings, self.audit
            self.rejudge(candidate, audit=structural and audit == "read")
            decision = decide(
                self.canon,
                mode,
                (draft.prose, before),
                (candidate.prose, self.findings),
                answering=answering,
                target_words=self.pack.words,
                asked=False,
                judged=self.audit == "read" or audit != "read",
                instruction=self.instruction,
            )
            if not decision.kept:
                self.ctx.warn(f"{mode}: not kept: {decision.reason}")
                if candidate.prose != draft.prose:
                    why = f"{mode}: {decision.reason}"
                    self.rejected |= candidate_files(
                        self.pack.number, self.run_id, draft, candidate, why, self.canon
                    )
                self.findings, self.audit = before, audit
                break
            draft = candidate
            self.rounds_used += 1
        return draft

    def shape(self, draft: Draft) -> Draft:
        """Normalise the length; a pass that adds a critical fault to the text isn't kept."""
        shaped = normalise(self.ctx, self.pack, draft.plan, draft.title, draft.prose)
        if shaped == draft.prose:
            return draft
        worse = new_critical(self.findings, self.checks(shaped, draft.plan))
        if worse:
            self.ctx.warn(f"normalise: not kept: it adds a critical finding: {', '.join(worse)}")
            return draft
        draft = replace(draft, prose=shaped)
        # in new words a critical finding loses its quote: only the auditor can say that it's gone
        told = [f for f in self.findings if f.source == "auditor" and f.severity == "critical"]
        self.rejudge(draft, audit=bool(told))
        return draft

    def _answering(self) -> list[Finding]:
        """The critical findings; without any, the warnings that a local change can mend.

        A small model isn't asked to mend warnings: its patches hit nothing.
        """
        standing = [f for f in self.findings if f.standing]
        critical = [f for f in standing if f.severity == "critical"]
        if critical or self.canon.config.revise_on == "critical" or self.pack.small:
            return critical
        return [f for f in standing if f.severity == "warning" and f.scope == "local" and f.quote]

    def rejudge(self, draft: Draft, *, audit: bool) -> None:
        """Check a changed text: by the auditor afresh, or with the findings that still stand."""
        if audit:
            self.judge(draft, audit=True)
            return
        told = carried(self.findings, draft.prose)
        checks = self.checks(draft.prose, draft.plan)
        self.findings = combined(checks, told, self.waivers, draft.prose)

    def verdict(self) -> Verdict | None:
        """None when no audit was wanted and no check failed."""
        return verdict(self.findings, self.audit)


def write_chapter(
    ctx: RunContext,
    book: BookDir,
    canon: Canon,
    number: int,
    params: WriteNext,
    verb_run: tuple[str, str],
    now: datetime,
) -> Record:
    """Write chapter ``number`` and commit it; ``canon`` is the book as it is now. ``verb_run`` is
    the verb and the run's id."""
    started = ctx.meter.usage + ctx.meter.recalled
    pack = open_pack(ctx, book, number, params.chapter_word_count, canon, wish=params.instruction)
    if not params.no_audit:
        groups_for(ctx.prompts, canon.config)  # a wrong [audit] is told before a call is paid for
    plan = author_plan(book, canon, number)
    if plan is None:
        canon = with_outline(ctx, canon, pack)
        if canon is not pack.canon:
            pack = open_pack(
                ctx, book, number, params.chapter_word_count, canon, wish=params.instruction
            )
        plan = plan_chapter(ctx, pack, params.instruction)
    title = chapter_title(plan, pack)
    draft = Draft(plan, title, write_prose(ctx, pack, plan, params.instruction))
    work = Chapter(
        ctx, book, pack, earlier_prose(book, number), params.instruction, run_id=verb_run[1]
    )
    work.judge(draft, audit=not params.no_audit)
    draft = work.mend(draft, params.rounds)
    draft = work.shape(draft)
    settled = settle(ctx, pack, draft.plan, draft.title, draft.prose)
    judged = work.verdict()
    version = ChapterVersion(
        number=number,
        title=draft.title,
        prose=draft.prose,
        plan=draft.plan,
        target_words=pack.words,
        status=status_of(judged),
        verdict=judged,
        audited=work.audit == "read",
        findings=work.findings,
        delta=settled.delta,
        dropped=settled.dropped,
        overruled=settled.overruled,
        voided=work.voided,
        revised=work.rounds_used,
        usage=used_since(ctx, started),
        notes=pack.control.first_seen,
        extra=work.rejected,
    )
    record, _ = commit_chapter(book, canon, version, *verb_run, now)
    keep_up(book, canon.config.language)
    return record


def open_pack(
    ctx: RunContext,
    book: BookDir,
    number: int,
    chapter_words: int | None,
    canon: Canon | None = None,
    *,
    wish: str = "",
) -> Pack:
    """The pack of a chapter, from the book as it is on disk or from ``canon``.

    ``wish`` is the author's instruction for it.
    """
    canon = canon or Canon.load(book)
    before = [n for n in book.chapter_numbers() if n < number][-RECENT:]
    return Pack(
        canon,
        ctx.prompts,
        ctx.profile("writer"),
        number,
        canon.state_before(number),
        recent=[(n, book.chapter(n)[1]) for n in before],
        chapter_words=chapter_words,
        instruction=wish,
    )


def cast_plan(canon: Canon, prose: str) -> Plan:
    """A stand-in for a chapter without a plan: nothing but the people it names."""
    named = [c.name for c in canon.cards if any(n in prose for n in (c.name, *c.aliases) if n)]
    return Plan(cast=named)


def status_of(judged: Verdict | None) -> ChapterStatus:
    """The status that a verdict gives a chapter which isn't approved."""
    if judged in ("passed", "failed"):
        return "passed" if judged == "passed" else "failed"
    return "drafted"


def used_since(ctx: RunContext, started: Usage) -> CallUsage:
    """What the calls since ``started`` took, those read back from an earlier run included."""
    total = ctx.meter.usage + ctx.meter.recalled
    cost = None if total.cost is None else total.cost - (started.cost or 0.0)
    return CallUsage(
        calls=total.calls - started.calls,
        input_tokens=total.input_tokens - started.input_tokens,
        cached_tokens=total.cached_tokens - started.cached_tokens,
        output_tokens=total.output_tokens - started.output_tokens,
        cost=cost,
    )
