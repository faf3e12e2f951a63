"""Markdown for a pull request: a table of the chapters, then each one's findings."""

import re
from collections.abc import Sequence

from zencli.export.manuscript import one_line
from zencli.pipeline.reports.places import Judged, Placed, Report
from zencli.story.findings import SEVERITIES

_MARKS = re.compile(r"[\\`*_\[\]<>|~&$#]")
_FIRST = re.compile(r"[-+=]|\d+(?=[.)])")
_MENTION = re.compile(r"[@#](?=\w)")
_VERDICTS = {"passed": "passed", "failed": "**failed**", "unknown": "**unknown**"}


def md_report(report: Report) -> str:
    """All texts are escaped: what a model wrote shows as it was written and marks nothing up."""
    blocks = [f"## Audit of {escape(report.book_id)}", _table(report.chapters)]
    blocks += [f"Chapter {u.number} **not judged**: {escape(u.message)}" for u in report.unjudged]
    for judged in report.chapters:
        if judged.findings or judged.chapter.verdict == "unknown":
            blocks += _chapter(judged)
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """The text on one line, with every character that Markdown or GitHub would read escaped.

    A comment after ``@`` and ``#`` keeps a name in the text from notifying anybody.
    """
    text = _MARKS.sub(lambda m: "\\" + m[0], one_line(text))
    first = _FIRST.match(text)
    if first:
        number = first[0] if first[0].isdigit() else ""
        text = f"{number}\\{text[len(number) :]}"
    return _MENTION.sub(lambda m: f"{m[0]}<!-- -->", text)


def _table(chapters: Sequence[Judged]) -> str:
    worst_first = SEVERITIES[::-1]
    head = ["chapter", "title", "length", "score", "verdict", *worst_first, "waived", "voided"]
    rows = [head, ["---:", "---", "---:", "---:", "---", *["---:"] * (len(worst_first) + 2)]]
    for judged in chapters:
        chapter = judged.chapter
        standing = [p.finding.severity for p in judged.standing]
        rows.append(
            [
                str(chapter.number),
                escape(chapter.title),
                f"{chapter.words} {chapter.unit}",
                f"{chapter.length_score:.0f}",
                _VERDICTS[chapter.verdict],
                *(str(standing.count(severity)) for severity in worst_first),
                str(len(judged.findings) - len(standing)),
                str(chapter.voided),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _chapter(judged: Judged) -> list[str]:
    chapter = judged.chapter
    title = f": {escape(chapter.title)}" if chapter.title else ""
    blocks = [f"### Chapter {chapter.number}{title}", escape(judged.file)]
    if chapter.verdict == "unknown":
        blocks.append("The auditor's reply couldn't be read.")
    return blocks + [_item(placed) for placed in judged.findings]


def _item(placed: Placed) -> str:
    finding = placed.finding
    where = f"line {placed.line}" if placed.place else "whole chapter"
    waived = f" Waived: {escape(finding.waived)}" if finding.waived is not None else ""
    head = f"**{finding.severity}** {escape(finding.dimension)} ({where}, {escape(finding.id)})"
    parts = [f"- {head}: {escape(finding.description)}{waived}"]
    if finding.quote:
        parts.append(f"  > {escape(finding.quote)}")
    if finding.suggestion:
        parts.append(f"  {escape(finding.suggestion)}")
    return "\n\n".join(parts)
