"""Judging chapters that exist: findings, verdict, and what the auditor may know."""

import json
from pathlib import Path

import pytest
from pipeline_helpers import (
    BOOK,
    CLEAN,
    Breaking,
    Workspace,
    book_of,
    files_of,
    finding,
    four_calls,
    play,
    prompt,
    prose,
    reply,
    roles,
    step,
)

from zencli.errors import ModelError, NotFound, UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.auditing.audit_book import unreadable
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.params import Approve, Audit, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner
from zencli.story.findings import Finding, finding_id
from zencli.story.record import Record

QUOTE = "声音钻过桥洞，撞到对岸的墙上"
RUBBISH = Step("audit", "没什么可说的。")


def audit(*findings: dict[str, str]) -> Step:
    return step("audit", findings=list(findings))


def record_of(root: Path, number: int) -> Record:
    record = book_of(root).record(number)
    assert record is not None
    return record


def edit_record(root: Path, number: int, **changes: object) -> None:
    """A record as an earlier run may have left it."""
    path = root / "books" / BOOK / "records" / f"{number:04d}.json"
    path.write_text(
        record_of(root, number).model_copy(update=changes).model_dump_json(), encoding="utf-8"
    )


def test_every_part_of_a_finding_is_returned_and_kept(workspace: Workspace) -> None:
    root = workspace(1)
    told = finding(
        QUOTE,
        severity="warning",
        dimension="人物",
        problem="她不会这样想。",
        against="第 1 章",
        fix="删去。",
        scope="structural",
    )
    result = play(root, [audit(told)])[0].audit(Audit())
    chapter = result.chapters[0]
    assert chapter.findings == [
        Finding(
            id=finding_id("auditor", "character", QUOTE),
            source="auditor",
            dimension="character",
            severity="warning",
            description="她不会这样想。 (第 1 章)",
            quote=QUOTE,
            suggestion="删去。",
            scope="structural",
        )
    ]
    assert (chapter.verdict, chapter.status, chapter.voided) == ("passed", "passed", 0)
    assert record_of(root, 1).findings == chapter.findings


@pytest.mark.parametrize(
    ("severity", "verdict"), [("critical", "failed"), ("warning", "passed"), ("info", "passed")]
)
def test_the_verdict_is_computed_from_the_findings(
    workspace: Workspace, severity: str, verdict: str
) -> None:
    root = workspace(1)
    lying = step("audit", findings=[finding(QUOTE, severity=severity)], verdict="passed")
    chapter = play(root, [lying])[0].audit(Audit()).chapters[0]
    assert (chapter.verdict, chapter.status) == (verdict, verdict)
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == (verdict, verdict)


def test_quotes_come_back_as_they_stand_in_the_text(workspace: Workspace) -> None:
    """Models change quotation marks and widths when they copy."""
    told = audit(finding('"水二则嘞!"'))
    chapter = play(workspace(1), [told])[0].audit(Audit()).chapters[0]
    assert [f.quote for f in chapter.findings] == ["“水二则嘞！”"]
    assert chapter.findings[0].quote in prose(1)


def test_voided_findings_dont_count_and_are_counted(workspace: Workspace) -> None:
    root = workspace(1)
    told = audit(finding("她在雨里站着"), finding(QUOTE, severity="info"), finding("水……则嘞"))
    chapter = play(root, [told])[0].audit(Audit()).chapters[0]
    assert (chapter.voided, len(chapter.findings), chapter.verdict) == (2, 1, "passed")
    assert record_of(root, 1).voided == 2


def test_the_same_fault_told_twice_is_one_finding(workspace: Workspace) -> None:
    told = audit(finding(QUOTE, problem="甲"), finding(QUOTE, problem="乙"))
    chapter = play(workspace(1), [told])[0].audit(Audit()).chapters[0]
    assert [f.description for f in chapter.findings] == ["甲"]


def test_of_one_fault_told_twice_the_worse_telling_counts(workspace: Workspace) -> None:
    told = audit(finding(QUOTE, severity="info"), finding(QUOTE, problem="她听不见。"))
    chapter = play(workspace(1), [told])[0].audit(Audit()).chapters[0]
    assert chapter.verdict == "failed"
    assert [(f.severity, f.description) for f in chapter.findings] == [("critical", "她听不见。")]


@pytest.mark.parametrize("word", ["严重", "重大", "高", "Major", "serious"])
def test_a_severity_in_other_words_is_no_milder(workspace: Workspace, word: str) -> None:
    told = audit(finding(QUOTE, severity=word))
    assert play(workspace(1), [told])[0].audit(Audit()).chapters[0].verdict == "failed"


@pytest.mark.parametrize(
    "told",
    [["她死了又活。"], [1, 2], [["她", "死"]], {}, {"1": {"severity": "info"}}, [{"引文": "x"}]],
)
def test_findings_that_say_nothing_are_asked_for_again_and_never_a_pass(
    workspace: Workspace, told: object
) -> None:
    runner, model = play(workspace(1), [step("audit", findings=told)] * 2)
    chapter = runner.audit(Audit()).chapters[0]
    assert (chapter.verdict, len(model.requests)) == ("unknown", 2)


def test_what_is_no_finding_among_findings_is_counted_as_voided(workspace: Workspace) -> None:
    told = step("audit", findings=[finding(QUOTE), 7, "她死了又活。"])
    chapter = play(workspace(1), [told])[0].audit(Audit()).chapters[0]
    assert (len(chapter.findings), chapter.voided) == (1, 2)


def test_the_latest_chapter_is_judged_when_none_is_named(workspace: Workspace) -> None:
    assert play(workspace(2), [CLEAN])[0].audit(Audit()).chapters[0].number == 2


def test_auditing_chapter_1_never_sees_what_came_later(workspace: Workspace) -> None:
    root = workspace(3)
    runner, model = play(root, [CLEAN])
    runner.audit(Audit(chapter_number=1))
    asked = prompt(model.requests[0])
    known = " ".join(book_of(root).read(name) or "" for name in ("secrets.md", "story_bible.md"))
    for number in (1, 2, 3):
        ledger = reply(f"{number:04d}.settle")
        later = [ledger["summary"], *(f["says"] for f in ledger["facts"])]
        later += [w for c in ledger["characters"] for w in c["learned"]]
        assert len(later) > 5
        for text in later:
            assert text in known or text not in asked, text
    assert prose(1) in asked
    assert prose(2)[:60] not in asked


def test_auditing_chapter_3_sees_the_story_up_to_chapter_2(workspace: Workspace) -> None:
    runner, model = play(workspace(3), [CLEAN])
    runner.audit(Audit())
    asked = prompt(model.requests[0])
    assert reply("0002.settle")["summary"] in asked
    assert reply("0003.settle")["summary"] not in asked


def test_the_instruction_reaches_the_auditor(workspace: Workspace) -> None:
    runner, model = play(workspace(1), [CLEAN])
    runner.audit(Audit(instruction="只看  称呼。"))
    assert "只看  称呼。" in prompt(model.requests[0])


def test_an_approved_chapter_is_never_demoted_and_gets_its_findings(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [])[0].approve(Approve(chapters="1"))
    chapter = play(root, [audit(finding(QUOTE))])[0].audit(Audit()).chapters[0]
    assert (chapter.status, chapter.verdict) == ("approved", "failed")
    record = record_of(root, 1)
    assert (record.status, record.verdict, len(record.findings)) == ("approved", "failed", 1)


def test_a_waived_finding_stays_waived_and_doesnt_fail(workspace: Workspace) -> None:
    root = workspace(1)
    told = audit(finding(QUOTE))
    found = play(root, [told])[0].audit(Audit()).chapters[0].findings[0]
    edit_record(root, 1, findings=[found.model_copy(update={"waived": "有意的"})])
    chapter = play(root, [told], fresh=True)[0].audit(Audit()).chapters[0]
    assert chapter.findings[0].waived == "有意的"
    assert chapter.verdict == "passed"


def test_without_a_model_no_call_is_made_and_told_findings_stay(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [audit(finding(QUOTE))])[0].audit(Audit())
    runner, model = play(root, [])
    chapter = runner.audit(Audit(no_llm=True)).chapters[0]
    assert (model.requests, runner.usage.calls) == ([], 0)
    assert [f.quote for f in chapter.findings] == [QUOTE]
    assert chapter.verdict == "failed"


def test_without_a_model_nothing_but_the_checks_judges_the_text(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(f"# 报水\n\n{prose(1)[:-1]}，然后她", encoding="utf-8")
    chapter = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0]
    assert "truncated" in {f.dimension for f in chapter.findings}
    assert (chapter.verdict, record_of(root, 1).status) == ("failed", "failed")


def test_an_instruction_that_nobody_would_read_is_refused(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="--instruction has no meaning"):
        play(workspace(1), [])[0].audit(Audit(no_llm=True, instruction="她的口气"))


def test_without_a_model_a_second_run_changes_no_file(workspace: Workspace) -> None:
    root = workspace(2)
    play(root, [])[0].audit(Audit(no_llm=True, chapters="1-"))
    before = files_of(root / "books" / BOOK)
    play(root, [])[0].audit(Audit(no_llm=True, chapters="1-"))
    assert files_of(root / "books" / BOOK) == before


def test_an_unreadable_reply_is_unknown_and_keeps_what_was_told_before(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    told = audit(finding(QUOTE, severity="warning"))
    play(root, [told])[0].audit(Audit())
    runner, model = play(root, [RUBBISH, RUBBISH], fresh=True)
    chapter = runner.audit(Audit()).chapters[0]
    model.done()
    assert (chapter.verdict, chapter.status) == ("unknown", "drafted")
    assert [f.quote for f in chapter.findings] == [QUOTE]
    assert record_of(root, 1).findings == chapter.findings


def test_an_unknown_verdict_isnt_lifted_by_the_checks_alone(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [RUBBISH, RUBBISH])[0].audit(Audit())
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == ("unknown", "drafted")
    play(root, [CLEAN])[0].audit(Audit())
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == ("passed", "passed")


def test_the_checks_alone_dont_make_an_unaudited_chapter_passed(workspace: Workspace) -> None:
    root = workspace(1)
    edit_record(root, 1, verdict=None, audited=False, status="drafted")
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == (None, "drafted")


def test_the_checks_alone_dont_pass_a_chapter_that_failed_them_unaudited(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    plan, write, _, settle = four_calls(1)
    cut = Step("write", write.text.strip()[:-1] + "，然后她")
    played, _ = play(root, [plan, cut, settle])
    played.write_next(WriteNext(no_audit=True, rounds=0))
    assert (record_of(root, 1).verdict, record_of(root, 1).audited) == ("failed", False)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(f"# 报水\n\n{prose(1)}\n", encoding="utf-8")
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == (None, "drafted")
    play(root, [CLEAN])[0].audit(Audit())
    assert (record_of(root, 1).verdict, record_of(root, 1).audited) == ("passed", True)


def test_the_checks_alone_pass_a_chapter_again_that_the_auditor_has_read(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    whole = path.read_text("utf-8")
    path.write_text(whole.rstrip()[:-1] + "，然后她", encoding="utf-8")
    play(root, [])[0].audit(Audit(no_llm=True))
    assert record_of(root, 1).verdict == "failed"
    path.write_text(whole, encoding="utf-8")
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).audited) == ("passed", True)


def test_an_edit_that_no_auditor_has_read_isnt_passed_by_the_checks(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [audit(finding(QUOTE))])[0].audit(Audit())
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").replace(QUOTE, "声音没有回来"), encoding="utf-8")
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == (None, "drafted")


def test_an_audit_of_an_edited_text_holds_for_that_text(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").replace(QUOTE, "声音没有回来"), encoding="utf-8")
    play(root, [CLEAN])[0].audit(Audit())
    play(root, [])[0].audit(Audit(no_llm=True))
    assert (record_of(root, 1).verdict, record_of(root, 1).status) == ("passed", "passed")
    play(root, [])[0].sync(Sync(no_llm=True))
    record = record_of(root, 1)
    assert (record.verdict, record.status, record.read) == ("passed", "passed", "")
    assert not book_of(root).edited(1)


def test_a_chapter_without_a_record_gets_one(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "records" / "0001.json"
    path.unlink()
    runner, model = play(root, [audit(finding(QUOTE))])
    runner.audit(Audit())
    record = record_of(root, 1)
    assert (record.title, record.status, record.delta) == ("报水", "failed", None)
    cards = {c["name"]: c["card"][-20:] for c in reply("cast")["characters"]}
    assert cards["祝满"] in prompt(model.requests[0]), "its cast is found by its names"


def test_a_range_is_judged_chapter_by_chapter_and_kept_when_one_fails(
    workspace: Workspace,
) -> None:
    root = workspace(3)
    third = finding(prose(3)[:30])
    steps = [audit(finding(QUOTE)), CLEAN, audit(third)]
    with pytest.raises(PartlyDone) as caught:
        Runner(root, model=Breaking(steps, 3)).audit(Audit(chapters="1-3"))
    assert (caught.value.code, caught.value.exit_code) == ("llm.network", 5)
    assert [(c.number, c.verdict) for c in caught.value.result.chapters] == [
        (1, "failed"),
        (2, "passed"),
    ]
    assert [record_of(root, n).verdict for n in (1, 2, 3)] == ["failed", "passed", "passed"]
    runner, model = play(root, steps[2:])
    result = runner.audit(Audit(chapters="1-"))
    assert [(c.number, c.verdict) for c in result.chapters] == [
        (1, "failed"),
        (2, "passed"),
        (3, "failed"),
    ]
    assert roles(model) == ["audit"]


def test_a_chapter_that_is_missing_in_a_range_is_told(workspace: Workspace) -> None:
    root = workspace(3)
    (book_of(root).path / "chapters" / "0002.md").unlink()
    result = play(root, [])[0].audit(Audit(chapters="1-", no_llm=True))
    assert [c.number for c in result.chapters] == [1, 3]
    assert [(left.number, left.code) for left in result.left_out] == [(2, "book.gap")]
    error = unreadable(result)
    assert error is not None
    assert error.exit_code == 8


def test_a_range_that_fails_at_its_first_chapter_says_why(workspace: Workspace) -> None:
    with pytest.raises(ModelError) as caught:
        Runner(workspace(2), model=Breaking([], 1)).audit(Audit(chapters="1-2"))
    assert caught.value.code == "llm.network"


@pytest.mark.parametrize("wrong", ["", "a", "3-1", "1-2-3", "-2", "１-２x", "1,2"])
def test_what_is_no_range_is_refused(workspace: Workspace, wrong: str) -> None:
    with pytest.raises(UsageError) as caught:
        play(workspace(2), [])[0].audit(Audit(chapters=wrong))
    assert caught.value.code == "usage.range"


@pytest.mark.parametrize("wish", [{"chapter_number": 9}, {"chapters": "7-9"}])
def test_a_chapter_that_isnt_there_is_named(workspace: Workspace, wish: dict[str, object]) -> None:
    with pytest.raises(NotFound) as caught:
        play(workspace(2), [])[0].audit(Audit.model_validate(wish))
    assert caught.value.code == "chapter.not_found"
    assert "2" in caught.value.message, "the latest is named"


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{}\n```",
        '<think>{"findings": []}</think>{}',
        "好：{}",
        "｛“findings”：{list}｝",
    ],
)
def test_what_stands_around_the_findings_doesnt_matter(workspace: Workspace, text: str) -> None:
    found = [finding(QUOTE, severity="严重", confidence="0.9", line="3")]
    whole = json.dumps({"findings": found, "summary": None}, ensure_ascii=False)
    inner = json.dumps(found, ensure_ascii=False)
    steps = [Step("audit", text.replace("{list}", inner).replace("{}", whole))]
    runner, model = play(workspace(1), steps)
    chapter = runner.audit(Audit()).chapters[0]
    model.done()
    assert [(f.severity, f.quote) for f in chapter.findings] == [("critical", QUOTE)]


def test_a_dry_run_without_a_model_judges_and_keeps_nothing(workspace: Workspace) -> None:
    root = workspace(1)
    rules = book_of(root).path / "rules.md"
    rules.write_text(rules.read_text("utf-8").rstrip() + "\n- 灯笼\n", "utf-8")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    result = play(root, [], dry_run=True)[0].audit(Audit(no_llm=True))
    assert "banned" in [f.dimension for f in result.chapters[0].findings]
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
