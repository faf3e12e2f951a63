"""The parameters of every verb, declared once.

The Typer options, the ``sub_agent`` schema and the Runner's methods are all made from these
models; ``cli-contract.md`` names them.
"""

from typing import Any, Literal

from pydantic import field_validator

from zencli.pipeline.declaration import AgentName, Meta, Params, meta_of, param, wire_name
from zencli.pipeline.export_params import Export, ExportFormat
from zencli.story.book import Language, Platform

__all__ = [
    "AgentName",
    "Export",
    "ExportFormat",
    "Meta",
    "Params",
    "meta_of",
    "param",
    "wire_name",
]

ReviseMode = Literal["spot-fix", "polish", "rewrite", "rework", "anti-detect"]
FailOn = Literal["critical", "warning", "never"]
ReportFormat = Literal["junit", "sarif", "github", "md"]


_NUMBER = r"\d+(-\d*)?"
_RUN = r"\d{8}T.*"
_PATH = r".*[./].*"


def _book(agents: tuple[AgentName, ...], description: str) -> Any:
    return param(None, description, agents=agents, metavar="BOOK")


class InitBook(Params):
    """Plan a new book from a brief."""

    book_id: str | None = _book(
        ("architect",), "id of the new book; derived from the title when absent"
    )
    instruction: str = param(
        "",
        "what the author wants, kept word for word",
        "--instruction",
        "-i",
        agents=("architect",),
        metavar="TEXT",
        source=True,
    )
    brief: str = param(
        "",
        "file with the author's brief, kept word for word",
        "--brief",
        metavar="FILE",
    )
    title: str = param(
        "",
        "title; taken from the story bible's first heading when absent",
        "--title",
        agents=("architect",),
    )
    genre: str = param(
        "general",
        "genre, open text; `zencli genres` lists those with a profile",
        "--genre",
        agents=("architect",),
        min_length=1,
    )
    platform: Platform = param(
        "other", "platform whose readers' habits count", "--platform", agents=("architect",)
    )
    language: Language = param("zh", "language of the book", "--language", agents=("architect",))
    target_chapters: int = param(
        200,
        "number of chapters of the finished book",
        "--target-chapters",
        agents=("architect",),
        ge=1,
        le=100_000,
    )
    chapter_word_count: int = param(
        3000,
        "length of a chapter: characters in zh, words in en",
        "--chapter-words",
        agents=("architect",),
        ge=100,
        le=100_000,
    )

    @field_validator("title")
    @classmethod
    def _one_line(cls, title: str) -> str:
        return " ".join(title.split())


class WriteNext(Params):
    """Write the next chapters."""

    book_id: str | None = _book(("writer",), "id of the book")
    instruction: str = param(
        "",
        "what the author wants of these chapters",
        "--instruction",
        "-i",
        agents=("writer",),
        metavar="TEXT",
        source=True,
    )
    chapter_word_count: int | None = param(
        None,
        "length of a chapter for this run; the book's own when absent",
        "--chapter-words",
        agents=("writer",),
        ge=100,
        le=100_000,
    )
    chapter_count: int = param(
        1, "how many chapters to write", "--count", agents=("writer",), ge=1, le=100_000
    )
    until: int | None = param(
        None, "write until this chapter exists, instead of --count", "--until", ge=1, le=100_000
    )
    chapter: int | None = param(
        None, "write this existing chapter anew", "--chapter", ge=0, le=100_000
    )
    no_audit: bool = param(False, "leave out the model's audit", "--no-audit")
    rounds: int = param(1, "revision rounds at most, 0 for none", "--rounds", ge=0, le=10)
    plan_only: bool = param(False, "plan the chapter, save plans/NNNN.md and stop", "--plan-only")


class Audit(Params):
    """Judge chapters and compute a verdict."""

    book_id: str | None = _book(("auditor",), "id of the book")
    chapter_number: int | None = param(
        None,
        "chapter; the latest when absent",
        agents=("auditor",),
        metavar="CHAPTER",
        alone=_NUMBER,
        ge=0,
        le=100_000,
    )
    instruction: str = param(
        "",
        "what the author wants looked at",
        "--instruction",
        "-i",
        agents=("auditor",),
        metavar="TEXT",
        source=True,
    )
    chapters: str | None = param(
        None, "range of chapters instead of one: 1-20, 7 or 3-", "--chapters", metavar="RANGE"
    )
    fail_on: FailOn = param(
        "critical", "exit 3 when a standing finding is this severe", "--fail-on"
    )
    no_llm: bool = param(False, "deterministic checks only, no model", "--no-llm")
    report: ReportFormat | None = param(
        None, "print the findings in this form instead of text", "--report"
    )
    trend: bool = param(
        False, "show how the chapters change over the book instead of judging them", "--trend"
    )


class Revise(Params):
    """Revise a chapter; kept only when better."""

    book_id: str | None = _book(("reviser",), "id of the book")
    chapter_number: int | None = param(
        None,
        "chapter; the latest when absent",
        agents=("reviser",),
        metavar="CHAPTER",
        alone=_NUMBER,
        ge=0,
        le=100_000,
    )
    instruction: str = param(
        "",
        "the author's brief for the revision",
        "--instruction",
        "-i",
        agents=("reviser",),
        metavar="TEXT",
        source=True,
    )
    mode: ReviseMode = param("spot-fix", "how much may change", "--mode", agents=("reviser",))
    finding: tuple[str, ...] = param(
        (), "id of a finding to answer; may be repeated; all when absent", "--finding", metavar="ID"
    )
    force: bool = param(False, "keep the revision even when it isn't better", "--force")
    rounds: int = param(1, "attempts at most", "--rounds", ge=1, le=10)


class Approve(Params):
    """Mark chapters as approved."""

    book_id: str | None = param(None, "id of the book", metavar="BOOK")
    chapters: str | None = param(None, "chapters: 3, 1-10 or 3-", metavar="CHAPTERS", alone=_NUMBER)
    all_passed: bool = param(False, "every chapter that passed its audit", "--all-passed")


class Undo(Params):
    """Take a run back: every file as it was before."""

    book_id: str | None = _book((), "id of the book")
    run: str | None = param(
        None, "id of the run; the last one that isn't undone when absent", metavar="RUN", alone=_RUN
    )


class History(Params):
    """List the runs of a book, or the revisions of one file."""

    book_id: str | None = _book((), "id of the book")
    file: str | None = param(
        None, "file of the book, such as chapters/0001.md", metavar="FILE", alone=_PATH
    )


class Restore(Params):
    """Bring a file back as it was in a revision."""

    book_id: str | None = _book((), "id of the book")
    file: str | None = param(
        None, "file of the book, such as chapters/0001.md", metavar="FILE", alone=_PATH
    )
    revision: int | None = param(
        None, "number of the revision; `zencli history FILE` lists them", metavar="REV", ge=1
    )


VERBS: dict[AgentName, type[Params]] = {
    "architect": InitBook,
    "writer": WriteNext,
    "auditor": Audit,
    "reviser": Revise,
    "exporter": Export,
}
"""Which verb each agent of ``sub_agent`` runs."""
