"""What a sub-agent answers: the verb's whole result, and one sentence that says how it went."""

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from zencli.pipeline.params import AgentName
from zencli.pipeline.results import (
    AuditResult,
    ExportResult,
    InitBookResult,
    ReviseResult,
    WriteNextResult,
)
from zencli.story.findings import Finding


class Told(NamedTuple):
    """An answer: data for the model, and a sentence."""

    data: dict[str, Any]
    sentence: str


def told(agent: AgentName, result: BaseModel, instruction: str, folder: Path) -> Told:
    """The answer of a sub-agent. ``instruction`` is what it was asked to do.

    Paths are told as the tools on files take them, from the book's ``folder`` on; but that of an
    exported file, which is the author's, as it is.
    """
    data: dict[str, Any] = {"agent": agent, "instruction": instruction}
    match result:
        case InitBookResult():
            files = [_inside(path, folder) for path in result.files]
            made = {"book_id": result.book_id, "title": result.title, "files": files}
            return Told(data | made, f"The book {result.title} is made ({result.book_id}).")
        case WriteNextResult():
            chapters = [
                {**chapter.model_dump(mode="json"), "path": _inside(chapter.path, folder)}
                for chapter in result.chapters
            ]
            return Told(data | {"book_id": result.book_id, "chapters": chapters}, _written(result))
        case AuditResult():
            issues = [
                {"number": chapter.number, "verdict": chapter.verdict, "issues": _issues(chapter)}
                for chapter in result.chapters
            ]
            return Told(data | {"book_id": result.book_id, "chapters": issues}, _audited(result))
        case ReviseResult():
            kept = result.model_dump(mode="json")
            if result.candidate:
                kept["candidate"] = _inside(result.candidate, folder)
            return Told(data | kept, _revised(result, kept["candidate"]))
        case ExportResult():
            left = f" Left out: {len(result.skipped)} chapters." if result.skipped else ""
            sentence = f"{result.chapters} chapters are in {result.path}.{left}"
            return Told(data | result.model_dump(mode="json"), sentence)
    raise AssertionError(f"no sub-agent returns {type(result).__name__}")


def _written(result: WriteNextResult) -> str:
    told = [
        f"Chapter {chapter.number} ({chapter.title}): {chapter.words} of {chapter.target_words} "
        f"{chapter.unit}, {chapter.status}."
        for chapter in result.chapters
    ]
    return " ".join(told) or "Nothing was written."


def _audited(result: AuditResult) -> str:
    """The verdict of each chapter in the words of the contract; one that couldn't be read failed
    to pass."""
    return " ".join(
        f"Audit chapter {chapter.number}: {'PASSED' if chapter.verdict == 'passed' else 'FAILED'}, "
        f"{len(_standing(chapter.findings))} issue(s)."
        + (" The auditor's reply couldn't be read." if chapter.verdict == "unknown" else "")
        for chapter in result.chapters
    )


def _standing(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.standing]


def _issues(chapter: Any) -> list[dict[str, str]]:
    return [
        {
            "id": finding.id,
            "severity": finding.severity,
            "dimension": finding.dimension,
            "description": finding.description,
            "quote": finding.quote,
            "suggestion": finding.suggestion,
        }
        for finding in _standing(chapter.findings)
    ]


def _inside(path: str, folder: Path) -> str:
    place = Path(path)
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else path


def _revised(result: ReviseResult, candidate: str | None) -> str:
    done = "was revised" if result.applied else "is as it was"
    kept = f" The candidate is in {candidate}." if candidate else ""
    return f"Chapter {result.number} {done} ({result.mode}): {result.reason}{kept}"
