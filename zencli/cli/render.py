"""Results as text for people."""

from zencli.cli.context_text import section_lines
from zencli.llm.types import Message
from zencli.pipeline.context_report import section_data
from zencli.pipeline.results import (
    ApproveResult,
    AuditedChapter,
    AuditResult,
    InitBookResult,
    ReviseResult,
    WriteNextResult,
)
from zencli.pipeline.run_context import Previewed
from zencli.story.findings import Finding


def init_book(result: InitBookResult) -> str:
    lines = [f"{result.title} ({result.book_id})", result.path]
    lines += [f"  {name}" for name in result.files]
    for problem in result.problems:
        what = "mended" if problem.applied else "not mended"
        lines.append(f"{what}: {problem.what}")
        if problem.applied:
            lines.append(f"  {problem.document}: {problem.old} -> {problem.new}")
    return "\n".join(lines)


def write_next(result: WriteNextResult) -> str:
    lines = [f"plan: {result.plan}"] if result.plan else []
    for chapter in result.chapters:
        verdict = chapter.verdict or "not audited"
        lines.append(
            f"chapter {chapter.number}: {chapter.title} ({chapter.words} of "
            f"{chapter.target_words} {chapter.unit}, length score {chapter.length_score:.0f}), "
            f"{verdict}, status {chapter.status}"
        )
        lines += findings(chapter.findings)
    return "\n".join(lines)


def audit(result: AuditResult) -> str:
    from zencli.cli.judged_text import summary_line

    lines = [line for chapter in result.chapters for line in _audited(chapter)]
    lines += [f"chapter {left.number}: NOT JUDGED: {left.message}" for left in result.left_out]
    if len(result.chapters) + len(result.left_out) > 1:
        lines.append(summary_line(result.summary))
    return "\n".join(lines)


def _audited(chapter: AuditedChapter) -> list[str]:
    standing = [f for f in chapter.findings if f.standing]
    voided = f", {chapter.voided} voided" if chapter.voided else ""
    head = (
        f"chapter {chapter.number}: {chapter.title}: {chapter.verdict.upper()}, "
        f"{len(standing)} finding{'' if len(standing) == 1 else 's'}{voided}, "
        f"length score {chapter.length_score:.0f}"
    )
    return [head, *findings(chapter.findings)]


def findings(items: list[Finding]) -> list[str]:
    lines = []
    for f in items:
        waived = f" (waived: {f.waived})" if f.waived is not None else ""
        lines.append(f"  {f.severity} {f.dimension} [{f.id}] {f.description}{waived}")
        if f.quote:
            lines.append(f"    > {' '.join(f.quote.split())}")
        if f.suggestion:
            lines.append(f"    {f.suggestion}")
    return lines


def revise(result: ReviseResult) -> str:
    kept = "applied" if result.applied else "not applied"
    lines = [
        f"chapter {result.number}, {result.mode}: {kept}. {result.reason}",
        f"  {result.words_before} -> {result.words_after} {result.unit}, "
        f"{result.findings_before} -> {result.findings_after} findings, "
        f"length score {result.length_score:.0f}",
    ]
    if result.candidate:
        lines.append(f"  candidate: {result.candidate}")
    if result.stale:
        lines.append(f"  stale now: {', '.join(str(n) for n in result.stale)}")
    return "\n".join(lines)


def approve(result: ApproveResult) -> str:
    if not result.chapters:
        return "No chapter to approve."
    return "\n".join(f"chapter {c.number}: {c.title}: {c.status}" for c in result.chapters)


def preview(previewed: Previewed) -> str:
    """The exact messages of the first call, its sections with their tokens, and the estimate."""
    request, profile = previewed.request, previewed.profile
    lines = [_message(message) for message in request.messages]
    lines.append(f"--- sections of the call {request.role} (tokens estimated for {profile.name})")
    lines += section_lines(map(section_data, previewed.sections))
    estimate = request.estimate(profile)
    lines.append(f"{estimate:>7}  in all, of a window of {profile.window}")
    return "\n".join(lines)


def _message(message: Message) -> str:
    return f"--- {message.role}\n{message.content}\n"
