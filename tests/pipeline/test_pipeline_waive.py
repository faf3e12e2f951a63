"""Letting a finding stand: the verdict follows, and later audits remember."""

from pathlib import Path

import pytest
from pipeline_helpers import BOOK, CLEAN, Workspace, book_of, files_of, finding, play, step

from zencli.errors import NotFound, UsageError, ZencliError
from zencli.llm.scripted import Step
from zencli.pipeline.auditing.waive_params import Waive
from zencli.pipeline.params import Approve, Audit, Undo
from zencli.story.record import Record

QUOTE = "声音钻过桥洞，撞到对岸的墙上，回来时短了一截。"
WIDER = "她冲着还黑的河面喊。声音钻过桥洞，撞到对岸的墙上，回来时短了一截。"
REASON = "她还小，分不清。"


def audit(*findings: dict[str, str]) -> Step:
    return step("audit", findings=list(findings))


def record_of(root: Path) -> Record:
    record = book_of(root).record(1)
    assert record is not None
    return record


def failed(workspace: Workspace) -> tuple[Path, str]:
    """The sample's first chapter with one critical finding, and its id."""
    root = workspace(1)
    chapter = play(root, [audit(finding(QUOTE))])[0].audit(Audit()).chapters[0]
    assert chapter.verdict == "failed"
    return root, chapter.findings[0].id


def waive(root: Path, identifier: str, **fields: object) -> object:
    wish = {"chapter": "1", "finding": identifier, "reason": REASON, **fields}
    return play(root, [])[0].waive(Waive.model_validate(wish))


def test_a_waived_finding_stays_with_its_reason_and_the_chapter_passes(
    workspace: Workspace,
) -> None:
    root, identifier = failed(workspace)
    result = play(root, [])[0].waive(Waive(chapter="1", finding=identifier, reason=REASON))
    assert (result.verdict, result.status, result.standing) == ("passed", "passed", 0)
    record = record_of(root)
    assert [(f.id, f.waived) for f in record.findings] == [(identifier, REASON)]
    assert (record.verdict, record.status) == ("passed", "passed")


def test_a_waiver_can_be_taken_back(workspace: Workspace) -> None:
    root, identifier = failed(workspace)
    waive(root, identifier)
    result = play(root, [])[0].waive(Waive(chapter="1", finding=identifier, undo=True))
    assert (result.finding.waived, result.verdict, result.standing) == (None, "failed", 1)
    assert record_of(root).status == "failed"


def test_a_waiver_is_a_run_that_can_be_undone(workspace: Workspace) -> None:
    root, identifier = failed(workspace)
    before = files_of(root / "books" / BOOK)
    waive(root, identifier)
    play(root, [])[0].undo(Undo())
    assert files_of(root / "books" / BOOK) == before


@pytest.mark.parametrize("quote", [QUOTE, QUOTE[:-5], WIDER])
def test_a_later_audit_that_quotes_the_same_passage_finds_it_waived(
    workspace: Workspace, quote: str
) -> None:
    root, identifier = failed(workspace)
    waive(root, identifier)
    again = audit(finding(quote, problem="换一种说法。"))
    chapter = play(root, [again], fresh=True)[0].audit(Audit()).chapters[0]
    assert [f.waived for f in chapter.findings] == [REASON]
    assert (chapter.verdict, chapter.status) == ("passed", "passed")


def test_a_waiver_outlives_an_audit_that_doesnt_find_it(workspace: Workspace) -> None:
    root, identifier = failed(workspace)
    waive(root, identifier)
    play(root, [CLEAN], fresh=True)[0].audit(Audit())
    assert [f.waived for f in record_of(root).findings] == [REASON]
    chapter = play(root, [audit(finding(QUOTE))], fresh=True)[0].audit(Audit()).chapters[0]
    assert chapter.verdict == "passed"


@pytest.mark.parametrize(
    "other",
    [
        finding("对岸豆腐店本来卸下一块门板，听见她的声音，又合上了。"),
        finding(QUOTE, dimension="人物"),
    ],
    ids=["another passage", "another kind of fault"],
)
def test_a_waiver_is_for_one_fault_at_one_place(
    workspace: Workspace, other: dict[str, str]
) -> None:
    root, identifier = failed(workspace)
    waive(root, identifier)
    chapter = play(root, [audit(other)], fresh=True)[0].audit(Audit()).chapters[0]
    assert (chapter.verdict, len([f for f in chapter.findings if f.standing])) == ("failed", 1)


def test_a_waiver_goes_with_its_passage(workspace: Workspace) -> None:
    root, identifier = failed(workspace)
    waive(root, identifier)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").replace(QUOTE, "回声很短。"), "utf-8")
    chapter = play(root, [CLEAN], fresh=True)[0].audit(Audit()).chapters[0]
    assert chapter.findings == []


def test_a_waived_check_stays_waived_without_a_model(workspace: Workspace) -> None:
    root = workspace(1)
    rules = book_of(root).path / "rules.md"
    rules.write_text(rules.read_text("utf-8").rstrip() + "\n- 桥洞\n", "utf-8")
    found = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].findings
    banned = next(f for f in found if f.dimension == "banned")
    waive(root, banned.id)
    after = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].findings
    assert [f.waived for f in after if f.id == banned.id] == [REASON]


def test_a_waiver_holds_for_nothing_worse_at_its_passage(workspace: Workspace) -> None:
    root = workspace(1)
    mild = audit(finding(QUOTE, severity="info", dimension="文字"))
    identifier = play(root, [mild])[0].audit(Audit()).chapters[0].findings[0].id
    waive(root, identifier)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    worse = f"{QUOTE[:-1]}，作为一个人工智能助手，我无法继续写下去。"
    path.write_text(path.read_text("utf-8").replace(QUOTE, worse), "utf-8")
    chapter = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0]
    assert chapter.verdict == "failed"
    assert [f.dimension for f in chapter.findings if f.standing] == ["meta-text"]


def test_a_waived_length_lets_no_fragment_pass(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    paragraphs = path.read_text("utf-8").split("\n\n")
    path.write_text("\n\n".join(paragraphs[: len(paragraphs) // 2]) + "\n", "utf-8")
    found = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].findings
    waive(root, next(f.id for f in found if f.dimension == "length"))
    assert play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].verdict == "passed"
    path.write_text("\n\n".join(paragraphs[:4]) + "\n", "utf-8")
    assert play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].verdict == "failed"


def test_an_approved_chapter_stays_approved(workspace: Workspace) -> None:
    root, identifier = failed(workspace)
    play(root, [])[0].approve(Approve(chapters="1"))
    waive(root, identifier)
    assert (record_of(root).status, record_of(root).verdict) == ("approved", "passed")


def test_a_waiver_passes_no_chapter_that_no_auditor_has_read(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "records" / "0001.json"
    record = record_of(root).model_copy(update={"audited": False, "verdict": None})
    path.write_text(record.model_dump_json(), "utf-8")
    chapter = root / "books" / BOOK / "chapters" / "0001.md"
    chapter.write_text(chapter.read_text("utf-8").rstrip()[:-1] + "，然后她\n", "utf-8")
    found = play(root, [])[0].audit(Audit(no_llm=True)).chapters[0].findings
    cut = next(f for f in found if f.dimension == "truncated")
    waive(root, cut.id)
    assert (record_of(root).verdict, record_of(root).status) == (None, "drafted")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"reason": ""}, "usage.reason"),
        ({"reason": "  \n"}, "usage.reason"),
        ({"finding": None}, "usage.finding"),
        ({"chapter": None}, "usage.finding"),
        ({"chapter": "one"}, "usage.options"),
        ({"chapter": "9"}, "chapter.not_found"),
        ({"finding": "00000000"}, "finding.not_found"),
        ({"undo": True}, "usage.waived"),
    ],
)
def test_what_cant_be_waived_is_said_and_nothing_changes(
    workspace: Workspace, fields: dict[str, object], code: str
) -> None:
    root, identifier = failed(workspace)
    before = files_of(root / "books" / BOOK)
    with pytest.raises(UsageError) as caught:
        waive(root, identifier, **fields)
    assert caught.value.code == code
    assert files_of(root / "books" / BOOK) == before


def test_a_chapter_without_a_record_has_nothing_to_waive(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "books" / BOOK / "records" / "0001.json").unlink()
    with pytest.raises(NotFound) as caught:
        waive(root, "00000000")
    assert caught.value.code == "record.not_found"
    assert isinstance(caught.value, ZencliError)
