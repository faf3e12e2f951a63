"""Workflow commands that GitHub Actions turns into annotations on the chapter files."""

from collections.abc import Mapping

from zencli.export.manuscript import one_line
from zencli.pipeline.reports.places import Judged, Placed, Report
from zencli.story.findings import Severity

_COMMANDS: Mapping[Severity, str] = {"critical": "error", "warning": "warning", "info": "notice"}


def github_report(report: Report) -> str:
    """A command for every standing finding, and a plain line for each chapter.

    The plain lines hold no text of the book or of a model, because the runner reads commands from
    them too.
    """
    lines: list[str] = []
    for judged in report.chapters:
        lines += [_annotation(judged, placed) for placed in judged.standing]
        if judged.chapter.verdict == "unknown":
            lines.append(_unread(judged))
        lines.append(_summary(report.book_id, judged))
    for left in report.unjudged:
        where = {"file": left.file, "line": 1, "title": f"Chapter {left.number}: not judged"}
        lines.append(_command("error", where, one_line(left.message)))
    return "\n".join(lines) + "\n"


def _annotation(judged: Judged, placed: Placed) -> str:
    finding, place = placed.finding, placed.place
    where: dict[str, object] = {"file": judged.file, "line": placed.line}
    if place is not None:
        where["endLine"] = place.end_line
        # GitHub refuses columns on an annotation of several lines.
        if place.line == place.end_line:
            where["col"] = place.column
    title = f"Chapter {judged.chapter.number}: {finding.dimension} [{finding.id}]"
    text = placed.message
    if finding.quote:
        text += f"\n> {one_line(finding.quote)}"
    return _command(_COMMANDS[finding.severity], {**where, "title": title}, text)


def _unread(judged: Judged) -> str:
    where = {"file": judged.file, "line": 1, "title": f"Chapter {judged.chapter.number}: unknown"}
    return _command("error", where, "The auditor's reply couldn't be read.")


def _summary(book_id: str, judged: Judged) -> str:
    standing = len(judged.standing)
    waived = len(judged.findings) - standing
    return (
        f"{book_id} chapter {judged.chapter.number}: {judged.chapter.verdict}, "
        f"{standing} standing, {waived} waived, {judged.chapter.voided} voided"
    )


def _command(name: str, properties: Mapping[str, object], message: str) -> str:
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Escaped as the runner unescapes the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escaped as the runner unescapes a property of a command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
