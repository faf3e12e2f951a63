"""``waive``, ``audit --trend``, ``show --diff`` and reports, from the shell."""

import json
from xml.etree import ElementTree as ET

import jsonschema
from cli_contract import check_envelope
from cli_helpers import Endpoint, Result, Shell
from scripts import Script

from zencli.cli.schemas import SchemaVerb, data_schema
from zencli.llm.scripted import Step

EN = Script("en")


def checked(result: Result, verb: SchemaVerb) -> dict[str, object]:
    """The data of a result that keeps the contract and its own schema."""
    told = result.json()
    check_envelope(told, result.out, result.code)
    jsonschema.validate(told["data"], data_schema(verb))
    data: dict[str, object] = told["data"]
    return data


def quoted(number: int) -> str:
    text = EN.read(f"{number:04d}.write.txt")
    return next(p for p in text.split("\n\n") if len(p) > 60 and text.count(p) == 1)


def audit_reply(severity: str, quote: str) -> Step:
    finding = {
        "dimension": "thread", "severity": severity, "problem": "Unclear.", "quote": quote,
        "fix": "Say who.", "scope": "local",
    }  # fmt: skip
    return Step("audit", json.dumps({"findings": [finding]}))


def test_a_finding_is_waived_and_the_next_audit_passes(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(audit_reply("critical", quoted(1)))
    failed = book("audit", "1", "--json")
    assert failed.code == 3
    identifier = next(
        f["id"]
        for f in failed.json()["data"]["chapters"][0]["findings"]
        if f["severity"] == "critical"
    )
    data = checked(book("waive", "1", identifier, "--reason", "Meant so.", "--json"), "waive")
    assert (data["verdict"], data["standing"]) == ("passed", 0)
    endpoint.play(audit_reply("critical", quoted(1)))
    again = book("audit", "1", "--fresh")
    assert again.code == 0
    assert "(waived: Meant so.)" in again.out
    stands = book("waive", "1", identifier, "--undo")
    assert (stands.code, "it stands again" in stands.out) == (0, True)
    assert book("audit", "1", "--no-llm").code == 3


def test_a_waiver_without_a_reason_is_refused(book: Shell) -> None:
    result = book("waive", "1", "00000000", "--json")
    assert (result.code, result.json()["error"]["code"]) == (2, "usage.reason")


def test_a_range_says_where_it_stands_and_sums_up(chinese_book: Shell) -> None:
    result = chinese_book("audit", "--chapters", "1-", "--no-llm")
    assert "chapter 2 done [2 of 2]" in result.err
    assert result.out.splitlines()[-1].startswith("2 chapters: 2 passed")


def test_a_report_fails_where_the_audit_does(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(audit_reply("warning", quoted(1)))
    result = book("audit", "1", "--fail-on", "warning", "--report", "junit")
    assert result.code == 3
    assert ET.fromstring(result.out).get("failures") == "1"


def test_the_trend_is_a_table_and_an_object(chinese_book: Shell, endpoint: Endpoint) -> None:
    shown = chinese_book("audit", "--trend")
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()[1:4]] == ["chapter", "1", "2"]
    data = checked(chinese_book("audit", "--trend", "--json"), "audit")
    assert isinstance(data["rows"], list)
    assert len(data["rows"]) == 2
    assert endpoint.bodies == []


def test_the_latest_revision_is_shown_and_described(book: Shell, endpoint: Endpoint) -> None:
    assert book("show", "1", "--diff", "--json").json()["error"]["code"] == "revision.not_found"
    old = quoted(1)
    new = old.replace(" the ", " that ", 1)
    patch = Step("spot_fix", json.dumps({"patches": [{"finding": 0, "old": old, "new": new}]}))
    endpoint.play(patch, EN.chapter(1)[-1])
    assert book("revise", "1", "-i", "Plainer.").code == 0
    shown = book("show", "1", "--diff")
    assert (shown.code, "[-the-]{+that+}" in shown.out) == (0, True)
    data = checked(book("show", "1", "--diff", "--json"), "show")
    assert (data["kind"], data["number"]) == ("applied", 1)
    checked(book("show", "1", "--json"), "show")
