"""One chapter from plan to commit, in the order of ``docs/architecture.md``."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from zencli.context.canon import Canon
from zencli.context.pack import Pack
from zencli.errors import ModelError
from zencli.llm.types import Usage
from zencli.pipeline.acceptance import decide, new_critical
from zencli.pipeline.audit import audit_prose, carried
from zencli.pipeline.check import check_prose, earlier_prose
from zencli.pipeline.commit import ChapterVersion, commit_chapter
from zencli.pipeline.events import StepStarted
from zencli.pipeline.normalise import normalise
from zencli.pipeline.params import ReviseMode, WriteNext
from zencli.pipeline.plan import author_plan, chapter_title, plan_chapter, with_outline
from zencli.pipeline.revision import Draft, revised
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.pipeline.settle import settle
from zencli.pipeline.write import write_prose
from zencli.store.layout import BookDir
from zencli.story.findings import Finding, Verdict, verdict
from zencli.story.plan import Plan
from zencli.story.record import CallUsage, ChapterStatus, Record


@dataclass
class Chapter:
    """The work on one chapter: what it is judged by, and where the text stands."""

    ctx: RunContext
    book: BookDir
    pack: Pack
    earlier: list[str]
    instruction: str = ""
    findings: list[Finding] = field(default_factory=list)
    audited: bool = False
    voided: int = 0
    rounds_used: int = 0
    rejected: dict[str, str] = field(default_factory=dict)

    @property
    def canon(self) -> Canon:
        return self.pack.canon

    def checks(self, prose: str) -> list[Finding]:
        self.ctx.emit(StepStarted("check", self.pack.number))
        return check_prose(self.canon, self.pack.number, prose, self.pack.words, self.earlier)

    def judge(self, draft: Draft, *, audit: bool) -> None:
        """Deterministic checks, then the model's audit; sets findings and whether it was read."""
        self.findings = self.checks(draft.prose)
        self.audited = False
        if audit:
            outcome = audit_prose(
                self.ctx, self.pack, draft.plan, draft.title, draft.prose, self.instruction
            )
            self.voided = outcome.voided
            self.audited = outcome.findings is not None
            self.findings += outcome.findings or []

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
                candidate = revised(self.ctx, self.pack, draft, mode, told, self.instruction)
            except ModelError as error:
                if error.code not in UNUSABLE:
                    raise
                self.ctx.warn(f"{mode}: the chapter stays as it was: {error.message}")
                break
            before, audited = self.findings, self.audited
            self.rejudge(candidate, audit=structural and audited)
            decision = decide(
                self.canon,
                mode,
                (draft.prose, before),
                (candidate.prose, self.findings),
                answering=answering,
                target_words=self.pack.words,
                asked=False,
                judged=self.audited or not audited,
            )
            if not decision.kept:
                self.ctx.warn(f"{mode}: not kept: {decision.reason}")
                if candidate.prose != draft.prose:
                    name = f"revisions/{self.pack.number:04d}/{mode}.md"
                    self.rejected[name] = candidate.prose + "\n"
                self.findings, self.audited = before, audited
                break
            draft = candidate
            self.rounds_used += 1
        return draft

    def shape(self, draft: Draft) -> Draft:
        """Normalise the length; a pass that adds a critical fault to the text isn't kept."""
        shaped = normalise(self.ctx, self.pack, draft.plan, draft.title, draft.prose)
        if shaped == draft.prose:
            return draft
        worse = new_critical(self.findings, self.checks(shaped))
        if worse:
            self.ctx.warn(f"normalise: not kept: {worse}")
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
        was_audited, before = self.audited, self.findings
        if audit:
            self.judge(draft, audit=True)
        else:
            self.findings = self.checks(draft.prose) + carried(before, draft.prose)
            self.audited = was_audited

    def verdict(self) -> Verdict | None:
        """None when no audit was wanted and no check failed."""
        return verdict(self.findings, audited=self.audited)


def write_chapter(
    ctx: RunContext,
    book: BookDir,
    number: int,
    params: WriteNext,
    verb_run: tuple[str, str],
    now: datetime,
) -> Record:
    """Write chapter ``number`` and commit it. ``verb_run`` is the verb and the run's id."""
    started = ctx.meter.usage + ctx.meter.recalled
    pack = open_pack(ctx, book, number, params.chapter_word_count)
    canon = pack.canon
    plan = author_plan(book, canon, number)
    if plan is None:
        canon = with_outline(ctx, canon, pack)
        if canon is not pack.canon:
            pack = open_pack(ctx, book, number, params.chapter_word_count, canon)
        plan = plan_chapter(ctx, pack, params.instruction)
    title = chapter_title(plan, pack)
    draft = Draft(plan, title, write_prose(ctx, pack, plan, params.instruction))
    work = Chapter(ctx, book, pack, earlier_prose(book, number), params.instruction)
    work.judge(draft, audit=not params.no_audit)
    draft = work.mend(draft, params.rounds)
    draft = work.shape(draft)
    settled = settle(ctx, pack, draft.plan, draft.title, draft.prose)
    judged = work.verdict() if work.audited or not params.no_audit else _unaudited(work)
    version = ChapterVersion(
        number=number,
        title=draft.title,
        prose=draft.prose,
        plan=draft.plan,
        target_words=pack.words,
        status=status_of(judged),
        verdict=judged,
        audited=work.audited,
        findings=work.findings,
        delta=settled.delta,
        dropped=settled.dropped,
        overruled=settled.overruled,
        voided=work.voided,
        revised=work.rounds_used,
        usage=used_since(ctx, started),
        extra=work.rejected,
    )
    record, _ = commit_chapter(book, canon, version, *verb_run, now)
    return record


def _unaudited(work: Chapter) -> Verdict | None:
    return "failed" if verdict(work.findings) == "failed" else None


def open_pack(
    ctx: RunContext,
    book: BookDir,
    number: int,
    chapter_words: int | None,
    canon: Canon | None = None,
) -> Pack:
    """The pack of a chapter, from the book as it is on disk or from ``canon``."""
    canon = canon or Canon.load(book)
    before = [n for n in book.chapter_numbers() if n < number]
    return Pack(
        canon,
        ctx.prompts,
        ctx.profile("writer"),
        number,
        canon.state_before(number),
        previous=book.chapter(before[-1])[1] if before else "",
        chapter_words=chapter_words,
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
