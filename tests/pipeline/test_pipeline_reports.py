"""The forms of `audit --report`: real audits of the sample scripts, and nasty chapters."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_readers import (
    fingerprint,
    parse_commands,
    rendered_md,
    sarif,
    sarif_region,
    sliced,
    visible,
)
from scripts import Script

from zencli.context.prompts import Prompts
from zencli.llm.scripted import Step
from zencli.pipeline.auditing.audit_groups import OTHER, every_group
from zencli.pipeline.auditing.judged_results import LeftOut, audit_result
from zencli.pipeline.params import Audit, FailOn, ReportFormat, WriteNext
from zencli.pipeline.reports import render_report
from zencli.pipeline.reports.dimensions import DIMENSIONS
from zencli.pipeline.reports.places import place_of
from zencli.pipeline.results import AuditedChapter, AuditResult
from zencli.pipeline.runner import Runner
from zencli.prose.checks import CHECKS
from zencli.store.chapter_text import join_chapter
from zencli.story.findings import Finding, Severity, Verdict, at_or_above

FORMS: tuple[ReportFormat, ...] = ("junit", "sarif", "github", "md")
NASTY = 'a\x1b[31m <b>&"]]>\x00 100%\r\n::error::x, y: @zhang #12 `c` | [l](http://e.x) ＠𝔘'


# --- real audits -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["zh", "en"])
def audited(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, AuditResult]:
    """The script's book as it is without revisions, audited whole: one chapter has failed."""
    script = Script(request.param)
    root = tmp_path_factory.mktemp(request.param)
    last = script.meta["target_chapters"]
    written = [s for s in script.chapters(1, last) if s.role != "spot_fix"]
    audits = [step for step in written if step.role == "audit"]
    runner = Runner(root, model=script.model(script.opening() + written + audits), environ={})
    runner.init_book(script.wish())
    runner.write_next(WriteNext(chapter_count=last, rounds=0))
    return root, runner.audit(Audit(chapters="1-"))


def findings_of(result: AuditResult) -> list[tuple[AuditedChapter, Finding]]:
    return [(chapter, finding) for chapter in result.chapters for finding in chapter.findings]


@pytest.mark.parametrize("form", FORMS)
def test_a_report_is_the_same_each_time_and_ends_with_one_newline(
    audited: tuple[Path, AuditResult], form: ReportFormat
) -> None:
    root, result = audited
    text = render_report(result, form, root)
    assert text == render_report(result, form, root)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_junit_has_a_case_for_each_chapter_and_a_failure_for_each_critical_finding(
    audited: tuple[Path, AuditResult],
) -> None:
    root, result = audited
    suites = ET.fromstring(render_report(result, "junit", root))
    (suite,) = suites.findall("testsuite")
    cases = suite.findall("testcase")
    assert suite.get("name") == result.book_id
    assert [case.get("name") for case in cases] == [
        f"{c.number:04d} {c.title}" for c in result.chapters
    ]
    for case, chapter in zip(cases, result.chapters, strict=True):
        critical = at_or_above(chapter.findings, "critical")
        assert len(case.findall("failure")) == len(critical)
        told = "".join(case.itertext())
        assert all(f.id in told and f.description in told for f in chapter.findings)
        assert (root / str(case.get("file"))).samefile(chapter.path)
    failed = sum(c.verdict == "failed" for c in result.chapters)
    assert failed >= 1
    for element in (suites, suite):
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(failed)
        assert element.get("errors") == "0"


def test_sarif_is_valid_and_each_region_holds_the_quote_in_the_file(
    audited: tuple[Path, AuditResult],
) -> None:
    root, result = audited
    log = sarif(result, root)
    run = log["runs"][0]
    assert len(run["results"]) == len(findings_of(result)) >= 2
    by_id = {(c.number, f.id): (c, f) for c, f in findings_of(result)}
    for entry in run["results"]:
        chapter, finding = by_id[entry["properties"]["chapter"], fingerprint(entry)]
        assert run["tool"]["driver"]["rules"][entry["ruleIndex"]]["id"] == finding.dimension
        assert finding.description in entry["message"]["text"]
        assert finding.suggestion in entry["message"]["text"]
        location = entry["locations"][0]["physicalLocation"]
        path = root / unquote(location["artifactLocation"]["uri"])
        assert path.samefile(chapter.path)
        if finding.quote:
            assert sliced(path.read_text(encoding="utf-8"), location["region"]) == finding.quote


def test_github_annotates_the_line_on_which_the_quote_begins(
    audited: tuple[Path, AuditResult],
) -> None:
    root, result = audited
    commands = parse_commands(render_report(result, "github", root))
    assert len(commands) == len(findings_of(result))
    words = {"critical": "error", "warning": "warning", "info": "notice"}
    for (name, where, message), (chapter, finding) in zip(
        commands, findings_of(result), strict=True
    ):
        assert name == words[finding.severity]
        assert finding.description in message
        lines = Path(chapter.path).read_text(encoding="utf-8").split("\n")
        line, column = int(where["line"]), int(where["col"])
        assert lines[line - 1][column - 1 :].startswith(finding.quote)
        assert finding.id in where["title"]


def test_md_shows_every_chapter_in_a_table_and_every_quote(
    audited: tuple[Path, AuditResult],
) -> None:
    root, result = audited
    html = rendered_md(render_report(result, "md", root))
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    assert len(rows) == 1 + len(result.chapters)
    for chapter, row in zip(result.chapters, rows[1:], strict=True):
        assert chapter.verdict in row
        assert visible(chapter.title) in visible(row)
    for _, finding in findings_of(result):
        assert visible(finding.quote) in visible(html)
        assert visible(finding.description) in visible(html)


# --- chapters made by hand ---------------------------------------------------------------------


def finding(number: int, severity: Severity = "warning", **fields: Any) -> Finding:
    values: dict[str, Any] = {"dimension": "prose", "description": f"fault {number}", **fields}
    return Finding(id=f"{number:08x}", source="auditor", severity=severity, **values)


def book(
    root: Path,
    prose: str,
    *findings: Finding,
    title: str = "Tide",
    verdict: Verdict = "passed",
    raw: bytes | None = None,
) -> AuditResult:
    """A book of one chapter in ``root``, judged to have these findings."""
    path = root / "books" / "潮 one" / "chapters" / "0001.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw or join_chapter(title, prose).encode())
    chapter = AuditedChapter(
        number=1,
        title=title,
        path=str(path),
        words=5,
        unit="words",
        target_words=5,
        length_score=100.0,
        status="drafted",
        verdict=verdict,
        findings=list(findings),
        voided=0,
    )
    return audit_result("潮 one", [chapter])


def test_columns_count_utf16_units_and_the_heading_is_a_line(tmp_path: Path) -> None:
    result = book(tmp_path, "𝔘𝔘 he said 晓得。\n\nNext.", finding(1, quote="晓得"), title="晓得")
    region = sarif_region(result, tmp_path)
    assert (region["startLine"], region["startColumn"]) == (3, 14)
    assert (region["endLine"], region["endColumn"]) == (3, 16)


def test_a_title_that_says_the_whole_chapter_moves_nothing(tmp_path: Path) -> None:
    result = book(tmp_path, "One two", finding(1, quote="two"), title="One two")
    region = sarif_region(result, tmp_path)
    assert (region["startLine"], region["startColumn"]) == (3, 5)


def test_a_quote_over_several_lines_ends_on_another_line(tmp_path: Path) -> None:
    result = book(tmp_path, "One two\nthree four.", finding(1, quote="two\nthree"))
    region = sarif_region(result, tmp_path)
    assert [region[k] for k in ("startLine", "startColumn", "endLine", "endColumn")] == [3, 5, 4, 6]
    ((_, where, _),) = parse_commands(render_report(result, "github", tmp_path))
    assert where["endLine"] == "4"
    assert "col" not in where


def test_bom_and_windows_line_ends_move_nothing(tmp_path: Path) -> None:
    raw = "\ufeff# Tide\r\n\r\nOne.\r\n\r\nTwo three.\r\n".encode()
    result = book(tmp_path, "", finding(1, quote="three"), raw=raw)
    region = sarif_region(result, tmp_path)
    assert (region["startLine"], region["startColumn"]) == (5, 5)


@pytest.mark.parametrize("quote", ["", "words that are gone from the file"])
def test_a_finding_without_a_place_points_at_line_one(tmp_path: Path, quote: str) -> None:
    result = book(tmp_path, "One two.", finding(1, quote=quote))
    assert sarif_region(result, tmp_path) == {"startLine": 1}
    ((_, where, _),) = parse_commands(render_report(result, "github", tmp_path))
    assert where["line"] == "1"
    assert "col" not in where
    assert "chapters/0001.md:1: warning" in render_report(result, "junit", tmp_path)


def test_a_chapter_file_that_is_gone_still_gives_a_report(tmp_path: Path) -> None:
    result = book(tmp_path, "One two.", finding(1, quote="two"))
    Path(result.chapters[0].path).unlink()
    assert sarif_region(result, tmp_path) == {"startLine": 1}


@given(
    st.text(st.sampled_from("aé字𝔘 \n.“”"), min_size=4, max_size=60),
    st.integers(0, 59),
    st.integers(2, 20),
    st.sampled_from(["", "Tide", "字字"]),
)
def test_a_place_always_cuts_the_quote_out_of_the_file(
    prose: str, start: int, length: int, title: str
) -> None:
    quote = prose[start : start + length].strip()
    text = join_chapter(title, prose)
    place = place_of(text, quote)
    if len(quote) < 2:
        assert place is None
    else:
        assert place is not None
        columns = ("startLine", "startColumn", "endLine", "endColumn")
        values = (place.line, place.column, place.end_line, place.end_column)
        assert sliced(text, dict(zip(columns, values, strict=True))) == quote


def test_findings_stand_in_the_order_of_the_text_with_the_worst_first(tmp_path: Path) -> None:
    result = book(
        tmp_path,
        "One two three.",
        finding(1, "info", quote="three"),
        finding(2, "info", quote="two"),
        finding(3, "critical", quote="two"),
        finding(4),
    )
    shown = [fingerprint(r) for r in sarif(result, tmp_path)["runs"][0]["results"]]
    assert shown == ["00000004", "00000003", "00000002", "00000001"]


def test_a_waived_finding_is_suppressed_and_fails_nothing(tmp_path: Path) -> None:
    waived = finding(1, "critical", quote="two", waived="meant {so}")
    result = book(tmp_path, "One two.", waived, finding(2))
    entries = {fingerprint(r): r for r in sarif(result, tmp_path)["runs"][0]["results"]}
    assert entries["00000002"]["suppressions"] == []
    assert entries["00000001"]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "meant {so}"}
    ]
    suite = ET.fromstring(render_report(result, "junit", tmp_path))
    assert suite.get("failures") == "0"
    assert not list(suite.iter("failure"))
    assert "waived: meant {so}" in str(suite.findtext(".//system-out"))
    assert len(parse_commands(render_report(result, "github", tmp_path))) == 1
    assert "Waived: meant {so}" in render_report(result, "md", tmp_path)


def test_an_audit_that_was_not_read_never_looks_clean(tmp_path: Path) -> None:
    result = book(tmp_path, "One.", verdict="unknown")
    invocation = sarif(result, tmp_path)["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1
    suites = ET.fromstring(render_report(result, "junit", tmp_path))
    assert suites.get("errors") == "1"
    assert len(list(suites.iter("error"))) == 1
    assert parse_commands(render_report(result, "github", tmp_path))[0][0] == "error"
    assert "unknown" in render_report(result, "md", tmp_path)


def test_a_clean_chapter_is_reported_as_passed(tmp_path: Path) -> None:
    result = book(tmp_path, "One.")
    run = sarif(result, tmp_path)["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True
    (case,) = ET.fromstring(render_report(result, "junit", tmp_path)).iter("testcase")
    assert list(case) == []
    assert parse_commands(render_report(result, "github", tmp_path)) == []
    assert "| 1 | Tide | 5 words | 100 | passed | 0 | 0 | 0 | 0 | 0 |" in render_report(
        result, "md", tmp_path
    )


@pytest.fixture
def nasty(tmp_path: Path) -> AuditResult:
    fields: dict[str, Any] = {"description": NASTY, "suggestion": NASTY, "quote": NASTY}
    findings = [finding(1, "critical", **fields), finding(2, waived=NASTY, **fields)]
    return book(tmp_path, f"Before.\n{NASTY}", *findings, title=f"# {NASTY} #", verdict="failed")


@pytest.mark.parametrize("form", FORMS)
def test_control_characters_reach_no_report(
    nasty: AuditResult, tmp_path: Path, form: ReportFormat
) -> None:
    text = render_report(nasty, form, tmp_path)
    assert not set(text) & {chr(code) for code in range(32) if chr(code) != "\n"}
    text.encode("utf-8")


def test_nasty_text_stays_whole_in_junit_and_sarif(nasty: AuditResult, tmp_path: Path) -> None:
    (failure,) = ET.fromstring(render_report(nasty, "junit", tmp_path)).iter("failure")
    assert 'a[31m <b>&"]]> 100%\n::error::x, y:' in str(failure.text)
    message = sarif(nasty, tmp_path)["runs"][0]["results"][0]["message"]["text"]
    assert "\\[l](http://e.x)" in message, "a link that a model wrote isn't one"


def test_braces_are_no_placeholders_in_sarif(tmp_path: Path) -> None:
    result = book(tmp_path, "One.", finding(1, description="uses {0}"))
    assert sarif(result, tmp_path)["runs"][0]["results"][0]["message"]["text"] == "uses {{0}}"


def test_no_text_of_a_model_becomes_a_workflow_command(nasty: AuditResult, tmp_path: Path) -> None:
    text = render_report(nasty, "github", tmp_path)
    ((name, where, message),) = parse_commands(text)
    assert name == "error"
    properties = text.removeprefix("::error ").split("::", 1)[0]
    assert ":" not in properties, "the runner would end the property there"
    assert where["file"] == "books/潮 one/chapters/0001.md"
    assert where["title"] == "Chapter 1: prose [00000001]"
    assert "100%\n::error::x, y: @zhang" in message
    plain = [line for line in text.splitlines() if not line.startswith("::")]
    assert plain == ["潮 one chapter 1: failed, 1 standing, 1 waived, 0 voided"]


def test_percent_signs_of_a_text_are_no_escapes_in_a_workflow_command(tmp_path: Path) -> None:
    result = book(tmp_path, "One.", finding(1, description="50%0A off"))
    ((_, _, message),) = parse_commands(render_report(result, "github", tmp_path))
    assert message == "50%0A off"


def test_no_text_of_a_model_marks_anything_up_in_md(nasty: AuditResult, tmp_path: Path) -> None:
    html = rendered_md(render_report(nasty, "md", tmp_path))
    assert "<b>" not in html
    assert "<a " not in html
    assert "<code>" not in html
    assert html.count("<tr>") == 2
    assert html.count("<td") == 10
    assert "| [l](http://e.x)" in re.findall(r"<td.*?</td>", html)[1], "a bar ends no cell"
    assert not re.search(r"[@#]\w", re.sub(r"&#\w+;", "", html)), "nobody is notified"
    assert "<h3>Chapter 1: # a[31m" in html


@pytest.mark.parametrize("start", ["- x", "+ x", "1. x", "12) x", "# x", "> x", "=== x", "~~~ x"])
def test_a_quote_in_md_is_a_quote_whatever_it_begins_with(tmp_path: Path, start: str) -> None:
    result = book(tmp_path, start, finding(1, quote=start, suggestion=start))
    html = rendered_md(render_report(result, "md", tmp_path))
    assert f"<blockquote>\n<p>{start.replace('>', '&gt;')}</p>\n</blockquote>" in html
    assert f"<p>{start.replace('>', '&gt;')}</p>\n</li>" in html


def test_every_dimension_that_a_finding_can_have_is_described() -> None:
    asked = {d.id for group in every_group(Prompts("zh")) for d in group.dimensions}
    assert set(DIMENSIONS) == set(CHECKS) | asked | {OTHER}


def test_reports_take_a_relative_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = book(tmp_path, "One two.", finding(1, quote="two"))
    monkeypatch.chdir(tmp_path)
    assert sarif(result, Path("."))["runs"] == sarif(result, tmp_path)["runs"]


def test_the_report_of_an_unreadable_reply_comes_from_a_real_audit(tmp_path: Path) -> None:
    script = Script("en")
    steps = [*script.opening(), *script.chapter(1), Step("audit", "no"), Step("audit", "no")]
    runner = Runner(tmp_path, model=script.model(steps), environ={})
    runner.init_book(script.wish())
    runner.write_next(WriteNext())
    result = runner.audit(Audit())
    assert result.chapters[0].verdict == "unknown"
    assert "couldn't be read" in render_report(result, "junit", tmp_path)


# --- chapters that fail the audit, and chapters that it couldn't judge -------------------------


@pytest.mark.parametrize(("fail_on", "failures"), [("critical", 1), ("warning", 2), ("never", 0)])
def test_junit_fails_where_the_audit_does(tmp_path: Path, fail_on: FailOn, failures: int) -> None:
    found = [
        finding(1, "critical", quote="One"),
        finding(2, "warning", quote="two"),
        finding(3, "info"),
        finding(4, "critical", quote="One two", waived="Meant so."),
    ]
    result = book(tmp_path, "One two.", *found, verdict="failed")
    suites = ET.fromstring(render_report(result, "junit", tmp_path, fail_on))
    assert len(list(suites.iter("failure"))) == failures
    assert suites.get("failures") == str(min(failures, 1))
    assert all(f.id in "".join(suites.itertext()) for f in found)


@pytest.mark.parametrize("form", FORMS)
def test_a_chapter_that_couldnt_be_judged_is_an_error_in_every_form(
    tmp_path: Path, form: ReportFormat
) -> None:
    judged = book(tmp_path, "One two.")
    left = LeftOut(number=2, code="llm.context", message="The prompt doesn't fit.")
    result = audit_result(judged.book_id, judged.chapters, [left])
    text = render_report(result, form, tmp_path)
    assert "The prompt doesn't fit." in text.replace("\\'", "'")
    if form == "junit":
        suites = ET.fromstring(text)
        assert (suites.get("tests"), suites.get("errors")) == ("2", "1")
        (error,) = suites.iter("error")
        assert error.get("type") == "audit.left_out"
    if form == "sarif":
        run = sarif(result, tmp_path)["runs"][0]
        assert run["invocations"][0]["executionSuccessful"] is False
    if form == "github":
        ((name, where, _),) = parse_commands(text)
        assert (name, where["file"]) == ("error", "books/潮 one/chapters/0002.md")
    if form == "md":
        assert "**not judged**" in text


def test_every_form_counts_what_was_voided(tmp_path: Path) -> None:
    chapter = book(tmp_path, "One two.").chapters[0].model_copy(update={"voided": 3})
    result = audit_result("潮 one", [chapter])
    assert ", 3 voided" in render_report(result, "github", tmp_path)
    assert sarif(result, tmp_path)["runs"][0]["properties"] == {"voided": 3}
    (out,) = ET.fromstring(render_report(result, "junit", tmp_path)).iter("system-out")
    assert "voided" in str(out.text)


def test_md_counts_what_was_voided_and_shows_the_length_score(tmp_path: Path) -> None:
    result = book(tmp_path, "One two.")
    voided = result.chapters[0].model_copy(update={"voided": 3, "length_score": 61.4})
    text = render_report(audit_result(result.book_id, [voided]), "md", tmp_path)
    assert "| 1 | Tide | 5 words | 61 | passed | 0 | 0 | 0 | 0 | 3 |" in text
