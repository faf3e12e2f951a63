"""JUnit XML: a suite for the book, a case for each chapter, a failure for what must be mended."""

from xml.etree import ElementTree as ET

from zencli.export.manuscript import clean, one_line
from zencli.pipeline.reports.places import Judged, Placed, Report
from zencli.story.findings import at_or_above


def junit_report(report: Report) -> str:
    """A failure for every standing finding at or above the severity that fails the audit, an error
    for a chapter that couldn't be judged or whose audit couldn't be read; all other findings in the
    case's ``system-out``."""
    chapters, book_id = report.chapters, report.book_id
    unread = sum(j.chapter.verdict == "unknown" for j in chapters)
    counts = {
        "tests": str(len(chapters) + len(report.unjudged)),
        "failures": str(sum(bool(_failures(j, report)) for j in chapters)),
        "errors": str(unread + len(report.unjudged)),
        "skipped": "0",
    }
    root = ET.Element("testsuites", {"name": "zencli audit", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": book_id, **counts})
    for judged in chapters:
        _case(suite, report, judged)
    for unjudged in report.unjudged:
        name = f"{unjudged.number:04d}"
        attributes = {"classname": book_id, "name": name, "file": unjudged.file}
        case = ET.SubElement(suite, "testcase", attributes)
        _error(case, "audit.left_out", unjudged.message)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _error(case: ET.Element, kind: str, message: str) -> None:
    ET.SubElement(case, "error", {"type": kind, "message": one_line(message)})


def _case(suite: ET.Element, report: Report, judged: Judged) -> None:
    chapter = judged.chapter
    name = f"{chapter.number:04d} {one_line(chapter.title)}".strip()
    attributes = {"classname": report.book_id, "name": name, "file": judged.file}
    case = ET.SubElement(suite, "testcase", attributes)
    failures = _failures(judged, report)
    for placed in failures:
        finding = placed.finding
        message = one_line(finding.description)
        failure = ET.SubElement(case, "failure", {"type": finding.dimension, "message": message})
        failure.text = _block(judged, placed)
    if chapter.verdict == "unknown":
        _error(case, "audit.unknown", "The auditor's reply couldn't be read.")
    told = [_block(judged, p) for p in judged.findings if p not in failures]
    if chapter.voided:
        told.append(f"voided, their quote isn't in the text: {chapter.voided}")
    if told:
        ET.SubElement(case, "system-out").text = "\n\n".join(told)


def _failures(judged: Judged, report: Report) -> list[Placed]:
    if report.fail_on == "never":
        return []
    failing = at_or_above([p.finding for p in judged.findings], report.fail_on)
    return [p for p in judged.findings if p.finding in failing]


def _block(judged: Judged, placed: Placed) -> str:
    finding = placed.finding
    where = f"{judged.file}:{placed.line}" + (f":{placed.place.column}" if placed.place else "")
    lines = [f"{where}: {finding.severity}: {finding.dimension} [{finding.id}]", placed.message]
    if finding.quote:
        lines.append(f"> {one_line(finding.quote)}")
    if finding.waived is not None:
        lines.append(f"waived: {clean(finding.waived)}")
    return "\n".join(lines)
