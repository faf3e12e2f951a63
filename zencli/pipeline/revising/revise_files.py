"""``revisions/NNNN/``: what a revision changed and why, and the text of one that wasn't kept."""

from zencli.context.canon import Canon
from zencli.pipeline.revision import Draft
from zencli.prose.diff import sentence_diff
from zencli.store.chapter_text import join_chapter


def folder_of(number: int) -> str:
    """Where the revisions of a chapter lie, in the book's folder."""
    return f"revisions/{number:04d}"


def reason_file(
    number: int, run_id: str, before: Draft, after: Draft, why: str, canon: Canon
) -> dict[str, str]:
    """``RUN.diff``: the reason in its first line, then the sentences that changed."""
    diff = sentence_diff(before.prose, after.prose, canon.config.language)
    return {f"{folder_of(number)}/{run_id}.diff": f"{why}\n\n{diff}"}


def candidate_files(
    number: int, run_id: str, before: Draft, after: Draft, why: str, canon: Canon
) -> dict[str, str]:
    """``RUN.md`` and ``RUN.diff`` of a text that wasn't kept."""
    text = join_chapter(after.title, after.prose)
    reason = reason_file(number, run_id, before, after, why, canon)
    return {f"{folder_of(number)}/{run_id}.md": text, **reason}
