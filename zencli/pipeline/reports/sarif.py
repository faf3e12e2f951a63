"""SARIF 2.1.0, the form that code scanning services and editors read."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import zencli
from zencli.export.manuscript import clean
from zencli.pipeline.reports.dimensions import describe
from zencli.pipeline.reports.places import Judged, Placed, Report
from zencli.story.findings import Severity

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS: Mapping[Severity, str] = {"critical": "error", "warning": "warning", "info": "note"}
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def sarif_report(report: Report) -> str:
    """One run with all findings; waived ones are suppressed, with the author's reason."""
    book_id, chapters = report.book_id, report.chapters
    placed = [(judged, p) for judged in chapters for p in judged.findings]
    dimensions = sorted({p.finding.dimension for _, p in placed})
    results = [_result(book_id, j, p, dimensions.index(p.finding.dimension)) for j, p in placed]
    run = {
        "tool": {
            "driver": {
                "name": "zencli",
                "version": zencli.__version__,
                "rules": [_rule(dimension) for dimension in dimensions],
            }
        },
        "invocations": [_invocation(report)],
        "columnKind": "utf16CodeUnits",
        "results": results,
        "properties": {"voided": sum(judged.chapter.voided for judged in chapters)},
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(dimension: str) -> dict[str, Any]:
    text = {"text": describe(dimension)}
    return {"id": dimension, "shortDescription": text, "fullDescription": text, "help": text}


def _invocation(report: Report) -> dict[str, Any]:
    """A run fails when an audit couldn't be read: no findings doesn't mean a clean chapter."""
    missing = [
        (judged.file, "The auditor's reply couldn't be read.")
        for judged in report.chapters
        if judged.chapter.verdict == "unknown"
    ]
    missing += [(left.file, left.message) for left in report.unjudged]
    notes = [
        {
            "level": "error",
            "message": {"text": _message_text(clean(message))},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(file)}}}],
        }
        for file, message in missing
    ]
    return {"executionSuccessful": not missing, "toolExecutionNotifications": notes}


def _result(book_id: str, judged: Judged, placed: Placed, rule: int) -> dict[str, Any]:
    finding = placed.finding
    location = {"artifactLocation": _artifact(judged), "region": _region(placed)}
    return {
        "ruleId": finding.dimension,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message_text(placed.message or describe(finding.dimension))},
        "locations": [{"physicalLocation": location}],
        # The id alone says the same of every chapter that has the same fault without a quote.
        "partialFingerprints": {
            "zencliFinding/v1": f"{book_id}/{judged.chapter.number:04d}/{finding.id}"
        },
        # SARIF wants suppressions on all results of a run or on none.
        "suppressions": _suppressions(finding.waived),
        "properties": {
            "book": book_id,
            "chapter": judged.chapter.number,
            "source": finding.source,
            "scope": finding.scope,
        },
    }


def _artifact(judged: Judged) -> dict[str, str]:
    return {"uri": quote(judged.file)}


def _region(placed: Placed) -> dict[str, Any]:
    if placed.place is None:
        return {"startLine": 1}
    return {
        "startLine": placed.place.line,
        "startColumn": placed.place.column,
        "endLine": placed.place.end_line,
        "endColumn": placed.place.end_column,
        "snippet": {"text": clean(placed.finding.quote)},
    }


def _suppressions(waived: str | None) -> list[dict[str, str]]:
    if waived is None:
        return []
    return [{"kind": "external", "status": "accepted", "justification": clean(waived)}]


def _message_text(text: str) -> str:
    """Braces doubled, because they mark placeholders; what looks like a link is text."""
    return _LINK.sub(r"\\[", text.replace("{", "{{").replace("}", "}}"))
