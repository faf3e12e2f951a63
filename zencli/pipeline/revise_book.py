"""The verb ``revise``: a better version of one chapter, kept only when it is one."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zencli.errors import NotFound
from zencli.pipeline.acceptance import Decision, decide
from zencli.pipeline.audit import carried
from zencli.pipeline.chapter import Chapter, cast_plan, open_pack, status_of, used_since
from zencli.pipeline.check import earlier_prose
from zencli.pipeline.commit import ChapterVersion, commit_chapter
from zencli.pipeline.params import Revise
from zencli.pipeline.ranges import check_replaceable, one_chapter
from zencli.pipeline.results import ReviseResult
from zencli.pipeline.revision import Draft, revised
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settle import settle
from zencli.prose.count import count_words
from zencli.prose.diff import sentence_diff
from zencli.store.changes import Commit
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.findings import Finding, Verdict
from zencli.story.record import ChapterStatus, Record

VERB = "revise"
_JUDGED_AFRESH = ("rewrite", "rework")


@dataclass(frozen=True)
class Attempt:
    """Two versions of a chapter, each with its standing findings, and what was decided."""

    before: Draft
    after: Draft
    findings_before: list[Finding]
    findings_after: list[Finding]
    decision: Decision


def chapter_to_revise(book: BookDir, params: Revise, *, confirmed: bool) -> int:
    """The number of the chapter, checked before any model is called.

    Raises ``NotFound`` for one that isn't there, ``NeedsAuthor`` for an approved one that would be
    replaced without confirmation.
    """
    number = one_chapter(book, params.chapter_number)
    if not confirmed:
        check_replaceable(book, number, "revising it")
    return number


def revise_book(
    ctx: RunContext,
    book: BookDir,
    params: Revise,
    run_id: str,
    now: datetime,
    *,
    confirmed: bool = False,
) -> ReviseResult:
    """Revise one chapter from its findings and the instruction.

    A candidate that isn't kept is saved under ``revisions/`` with its diff. Raises what
    ``chapter_to_revise`` raises, and ``NotFound`` for a finding that isn't there.
    """
    started = ctx.meter.usage + ctx.meter.recalled
    number = chapter_to_revise(book, params, confirmed=confirmed)
    title, prose = book.chapter(number)
    record = book.record(number)
    pack = open_pack(ctx, book, number, record.target_words or None if record else None)
    plan = record.plan if record and record.plan else cast_plan(pack.canon, prose)
    work = Chapter(ctx, book, pack, earlier_prose(book, number), params.instruction)
    draft = Draft(plan, title, prose)
    done = ctx.resume.finished(book)
    if done is not None:
        return _told_again(ctx, number, *done)
    ctx.resume.begin()
    standing = _standing(work, record, prose)
    chosen = _chosen(standing, params.finding)
    if params.mode == "spot-fix" and not chosen and not params.instruction:
        nothing = Decision(False, "Nothing to do: no finding stands.")
        return _result(book, params, number, Attempt(draft, draft, standing, standing, nothing))
    audited = record is not None and record.audited
    attempt = _attempt(work, params, draft, standing, chosen, audited=audited)
    if not attempt.decision.kept:
        saved = _candidate_files(book, number, params, attempt, run_id)
        path = next((str(book.path / name) for name in saved if name.endswith(".md")), None)
        result = _result(book, params, number, attempt, candidate=path)
        ctx.resume.note_result(result)
        _save(book, saved, run_id)
        return result
    candidate = attempt.after
    settled = settle(ctx, pack, candidate.plan, candidate.title, candidate.prose)
    waived = [f for f in record.findings if not f.standing] if record else []
    judged = _verdict(record, work, afresh=params.mode in _JUDGED_AFRESH)
    version = ChapterVersion(
        number=number,
        title=candidate.title,
        prose=candidate.prose,
        plan=candidate.plan if candidate.plan.scenes or candidate.plan.purpose else None,
        target_words=pack.words,
        status=_status(record, judged),
        verdict=judged,
        audited=work.audited,
        findings=list({f.id: f for f in [*work.findings, *waived]}.values()),
        delta=settled.delta,
        dropped=settled.dropped,
        overruled=settled.overruled,
        voided=work.voided,
        revised=(record.revised if record else 0) + 1,
        usage=used_since(ctx, started),
    )
    result = _result(book, params, number, attempt)
    ctx.resume.note_result(result)
    _, stale = commit_chapter(book, pack.canon, version, VERB, run_id, now)
    return result.model_copy(update={"stale": stale})


def _told_again(ctx: RunContext, number: int, told: dict[str, Any], commit: Commit) -> ReviseResult:
    """The result of an interrupted run of the same command that had committed."""
    ctx.warn(f"An interrupted run of this command has revised chapter {number}.")
    others = (re.fullmatch(r"records/(\d+)\.json", change.path) for change in commit.changes)
    stale = sorted(int(found[1]) for found in others if found and int(found[1]) != number)
    return ReviseResult.model_validate({**told, "stale": stale})


def _standing(work: Chapter, record: Record | None, prose: str) -> list[Finding]:
    """Fresh checks and the auditor's last findings, without those that the author waived."""
    told = carried(record.findings, prose) if record else []
    waived = {f.id for f in record.findings if not f.standing} if record else set()
    return [f for f in [*work.checks(prose), *told] if f.id not in waived]


def _chosen(standing: list[Finding], wanted: tuple[str, ...]) -> list[Finding]:
    known = {f.id: f for f in standing}
    unknown = [identifier for identifier in wanted if identifier not in known]
    if unknown:
        raise NotFound(
            "finding.not_found",
            f"No standing finding has the id {unknown[0]}.",
            f"Standing: {', '.join(known) or 'none'}.",
        )
    return [known[identifier] for identifier in wanted] if wanted else standing


def _attempt(
    work: Chapter,
    params: Revise,
    draft: Draft,
    standing: list[Finding],
    chosen: list[Finding],
    *,
    audited: bool,
) -> Attempt:
    """Up to ``rounds`` candidates; the first that is kept, else the last.

    ``audited``: the chapter as it stands was judged by the auditor.
    """
    attempt = Attempt(draft, draft, standing, standing, Decision(False, ""))
    for _ in range(params.rounds):
        work.findings, work.audited = standing, audited
        candidate = revised(work.ctx, work.pack, draft, params.mode, chosen, params.instruction)
        if candidate.prose != draft.prose:
            work.rejudge(candidate, audit=params.mode in _JUDGED_AFRESH)
        decision = decide(
            work.canon,
            params.mode,
            (draft.prose, standing),
            (candidate.prose, work.findings),
            answering=chosen,
            target_words=work.pack.words,
            asked=bool(params.instruction) or params.mode != "spot-fix",
            judged=work.audited or params.mode not in _JUDGED_AFRESH,
        )
        if params.force and not decision.kept and candidate.prose != draft.prose:
            decision = Decision(True, f"Kept by --force: {decision.reason}")
        attempt = Attempt(draft, candidate, standing, work.findings, decision)
        if decision.kept:
            break
    return attempt


def _verdict(record: Record | None, work: Chapter, *, afresh: bool) -> Verdict | None:
    """A chapter that no auditor was ever asked about has no verdict unless a check fails it."""
    judged = work.verdict()
    asked = afresh or (record is not None and (record.audited or record.verdict == "unknown"))
    return judged if asked or judged == "failed" else None


def _status(record: Record | None, judged: Verdict | None) -> ChapterStatus:
    """An approved chapter stays approved."""
    return "approved" if record and record.status == "approved" else status_of(judged)


def _candidate_files(
    book: BookDir, number: int, params: Revise, attempt: Attempt, run_id: str
) -> dict[str, str]:
    """A candidate beside the chapter, with the reason and the diff; nothing when none differs."""
    before, after = attempt.before, attempt.after
    if after.prose == before.prose:
        return {}
    name = f"revisions/{number:04d}/{run_id}"
    diff = sentence_diff(before.prose, after.prose, book.config().language)
    return {
        f"{name}.md": f"# {after.title}\n\n{after.prose}\n",
        f"{name}.diff": f"{params.mode}: {attempt.decision.reason}\n\n{diff}\n",
    }


def _save(book: BookDir, files: dict[str, str], run_id: str) -> None:
    transaction = Transaction(book, VERB, run_id)
    for path, content in files.items():
        transaction.write(path, content)
    transaction.commit()


def _result(
    book: BookDir,
    params: Revise,
    number: int,
    attempt: Attempt,
    *,
    candidate: str | None = None,
    stale: list[int] | None = None,
) -> ReviseResult:
    config = book.config()
    note = f" {attempt.after.note}" if attempt.after.note else ""
    return ReviseResult(
        book_id=book.id,
        number=number,
        mode=params.mode,
        applied=attempt.decision.kept,
        reason=attempt.decision.reason + note,
        words_before=count_words(attempt.before.prose, config.language),
        words_after=count_words(attempt.after.prose, config.language),
        unit=config.unit,
        findings_before=len(attempt.findings_before),
        findings_after=len(attempt.findings_after),
        candidate=candidate,
        stale=stale or [],
    )
