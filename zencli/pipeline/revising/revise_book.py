"""The verb ``revise``: a better version of one chapter, kept only when it is one."""

import re
from datetime import datetime
from typing import Any

from zencli.errors import NotFound
from zencli.pipeline.auditing.audit_findings import carried, combined
from zencli.pipeline.auditing.audit_groups import groups_for
from zencli.pipeline.auditing.judged_results import ReviseResult
from zencli.pipeline.chapter import Chapter, cast_plan, open_pack, status_of, used_since
from zencli.pipeline.check import earlier_prose
from zencli.pipeline.commit import ChapterVersion, commit_chapter
from zencli.pipeline.params import Revise
from zencli.pipeline.ranges import check_replaceable, one_chapter
from zencli.pipeline.revising.acceptance import Decision
from zencli.pipeline.revising.revise_files import candidate_files, reason_file
from zencli.pipeline.revising.revise_rounds import Attempt, Rounds, Version
from zencli.pipeline.revision import Draft
from zencli.pipeline.run_context import RunContext
from zencli.prose.count import count_words, length_score
from zencli.store.changes import Commit
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.findings import AuditState, Finding, Verdict
from zencli.story.record import ChapterStatus, Record

VERB = "revise"


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
    words = record.target_words or None if record else None
    pack = open_pack(ctx, book, number, words, wish=params.instruction)
    groups_for(ctx.prompts, pack.canon.config)
    plan = record.plan if record and record.plan else cast_plan(pack.canon, prose)
    known = record.findings if record else []
    waivers = [finding for finding in known if not finding.standing]
    work = Chapter(ctx, book, pack, earlier_prose(book, number), params.instruction, waivers)
    done = ctx.resume.finished(book)
    if done is not None:
        return _told_again(ctx, number, *done)
    ctx.resume.begin()
    findings = combined(work.checks(prose), carried(known, prose), known, prose)
    state: AuditState = record.audit_of(book.chapter_digest(number)) if record else "none"
    voided = record.voided if record else 0
    start = Version(Draft(plan, title, prose), findings, state, voided)
    chosen = _chosen(start.standing, params.finding)
    if params.mode == "spot-fix" and not chosen and not params.instruction:
        nothing = Decision(False, "Nothing to do: no finding stands.")
        return _result(book, params, work, Attempt(start, start, nothing))
    attempt = Rounds(work, params, start, chosen).run()
    if not attempt.decision.kept:
        return _leave(ctx, book, params, work, attempt, run_id)
    return _take(ctx, book, params, work, attempt, (run_id, now, started, record))


def _leave(
    ctx: RunContext,
    book: BookDir,
    params: Revise,
    work: Chapter,
    attempt: Attempt,
    run_id: str,
) -> ReviseResult:
    """Keep a candidate beside the chapter, with the reason and the diff; nothing when none
    differs."""
    before, after = attempt.before.draft, attempt.after.draft
    saved: dict[str, str] = {}
    if after.prose != before.prose:
        why = f"{params.mode}: {attempt.decision.reason}"
        saved = candidate_files(work.pack.number, run_id, before, after, why, work.canon)
    path = next((str(book.path / name) for name in saved if name.endswith(".md")), None)
    result = _result(book, params, work, attempt, candidate=path)
    ctx.resume.note_result(result)
    transaction = Transaction(book, VERB, run_id)
    for name, content in saved.items():
        transaction.write(name, content)
    transaction.commit()
    return result


def _take(
    ctx: RunContext,
    book: BookDir,
    params: Revise,
    work: Chapter,
    attempt: Attempt,
    run: tuple[str, datetime, Any, Record | None],
) -> ReviseResult:
    """Commit the new version with all that follows from it."""
    run_id, now, started, record = run
    before, after = attempt.before.draft, attempt.after
    settled = after.settled
    assert settled is not None
    draft, number = after.draft, work.pack.number
    work.findings, work.audit = after.findings, after.audit
    judged = work.verdict()
    why = f"{params.mode}: {attempt.decision.reason}"
    version = ChapterVersion(
        number=number,
        title=draft.title,
        prose=draft.prose,
        plan=draft.plan if draft.plan.scenes or draft.plan.purpose else None,
        target_words=work.pack.words,
        status=_status(record, judged),
        verdict=judged,
        audited=after.audit == "read",
        findings=after.findings,
        delta=settled.delta,
        dropped=settled.dropped,
        overruled=settled.overruled,
        voided=after.voided,
        revised=(record.revised if record else 0) + 1,
        usage=used_since(ctx, started),
        extra=reason_file(number, run_id, before, draft, why, work.canon),
    )
    result = _result(book, params, work, attempt)
    ctx.resume.note_result(result)
    _, stale = commit_chapter(book, work.canon, version, VERB, run_id, now)
    return result.model_copy(update={"stale": stale})


def _told_again(ctx: RunContext, number: int, told: dict[str, Any], commit: Commit) -> ReviseResult:
    """The result of an interrupted run of the same command that had committed."""
    ctx.warn(f"An interrupted run of this command has revised chapter {number}.")
    others = (re.fullmatch(r"records/(\d+)\.json", change.path) for change in commit.changes)
    stale = sorted(int(found[1]) for found in others if found and int(found[1]) != number)
    return ReviseResult.model_validate({**told, "stale": stale})


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


def _status(record: Record | None, judged: Verdict | None) -> ChapterStatus:
    """An approved chapter stays approved."""
    return "approved" if record and record.status == "approved" else status_of(judged)


def _result(
    book: BookDir,
    params: Revise,
    work: Chapter,
    attempt: Attempt,
    *,
    candidate: str | None = None,
) -> ReviseResult:
    config = work.canon.config
    before, after = attempt.before, attempt.after
    note = f" {after.draft.note}" if after.draft.note else ""
    words = count_words(after.draft.prose, config.language)
    return ReviseResult(
        book_id=book.id,
        number=work.pack.number,
        mode=params.mode,
        applied=attempt.decision.kept,
        reason=attempt.decision.reason + note,
        words_before=count_words(before.draft.prose, config.language),
        words_after=words,
        unit=config.unit,
        length_score=round(length_score(work.pack.words, words), 1),
        findings_before=len(before.standing),
        findings_after=len(after.standing),
        candidate=candidate,
        stale=[],
    )
