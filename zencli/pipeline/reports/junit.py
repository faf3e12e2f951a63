"""JUnit XML: a suite for the book, a case for each chapter, a failure for what must be mended."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from zencli.export.manuscript import clean, one_line
from zencli.pipeline.reports.places import Judged, Placed


def junit_report(book_id: str, chapters: Sequence[Judged]) -> str:
    """A failure for every standing critical finding, an error for an audit that couldn't be read;
    all other findings in the case's ``system-out``."""
    counts = {
        "tests": str(len(chapters)),
        "failures": str(sum(bool(_failures(j)) for j in chapters)),
        "errors": str(sum(j.chapter.verdict == "unknown" for j in chapters)),
        "skipped": "0",
    }
    root = ET.Element("testsuites", {"name": "zencli audit", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": book_id, **counts})
    for judged in chapters:
        _case(suite, book_id, judged)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: ET.Element, book_id: str, judged: Judged) -> None:
    chapter = judged.chapter
    name = f"{chapter.number:04d} {one_line(chapter.title)}".strip()
    attributes = {"classname": book_id, "name": name, "file": judged.file}
    case = ET.SubElement(suite, "testcase", attributes)
    failures = _failures(judged)
    for placed in failures:
        finding = placed.finding
        message = one_line(finding.description)
        failure = ET.SubElement(case, "failure", {"type": finding.dimension, "message": message})
        failure.text = _block(judged, placed)
    if chapter.verdict == "unknown":
        ET.SubElement(
            case,
            "error",
            {"type": "audit.unknown", "message": "The auditor's reply couldn't be read."},
        )
    rest = [p for p in judged.findings if p not in failures]
    if rest:
        ET.SubElement(case, "system-out").text = "\n\n".join(_block(judged, p) for p in rest)


def _failures(judged: Judged) -> list[Placed]:
    return [p for p in judged.standing if p.finding.severity == "critical"]


def _block(judged: Judged, placed: Placed) -> str:
    finding = placed.finding
    where = f"{judged.file}:{placed.line}" + (f":{placed.place.column}" if placed.place else "")
    lines = [f"{where}: {finding.severity}: {finding.dimension} [{finding.id}]", placed.message]
    if finding.quote:
        lines.append(f"> {one_line(finding.quote)}")
    if finding.waived is not None:
        lines.append(f"waived: {clean(finding.waived)}")
    return "\n".join(lines)
