"""What happens to a chapter that isn't clean: revised, shaped, settled, or kept with its faults."""

import json
from pathlib import Path

import pytest
from pipeline_helpers import (
    CLEAN,
    ZH,
    Breaking,
    Workspace,
    book_of,
    finding,
    four_calls,
    only_critical,
    play,
    prompt,
    prose,
    reply,
    roles,
    step,
)

from zencli.errors import ModelError
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.params import Approve, Revise, WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.chapter_text import split_chapter

PLAN, WRITE, _, SETTLE = four_calls(1)
QUOTE = "声音钻过桥洞，撞到对岸的墙上，回来时短了一截。"
OTHER = "对岸豆腐店本来卸下一块门板，听见她的声音，又合上了。"
MENDED = "声音钻过桥洞，撞在对岸的石墙上，回来时只剩半截。"
PATCH = step("spot_fix", patches=[{"finding": 1, "old": QUOTE, "new": MENDED}], note="")
RUBBISH = "抱歉，这个我做不到。"


def audit(*findings: dict[str, str]) -> Step:
    return step("audit", findings=list(findings))


def structural(quote: str = QUOTE, **fields: str) -> dict[str, str]:
    return finding(quote, scope="structural", **fields)


def test_a_critical_finding_is_mended_in_one_round_of_patches(workspace: Workspace) -> None:
    root = workspace(0)
    steps = [PLAN, WRITE, audit(finding(QUOTE, problem="声音不会变短。")), PATCH, SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext(instruction="写得短些")).chapters[0]
    model.done()
    assert book_of(root).chapter(1)[1] == prose(1).replace(QUOTE, MENDED)
    assert (chapter.status, chapter.verdict, chapter.revised) == ("passed", "passed", 1)
    assert chapter.findings == []
    request = prompt(model.requests[3])
    assert all(part in request for part in (QUOTE, "声音不会变短。", "改掉。", "写得短些"))


def test_settling_reads_the_final_text_not_the_draft(workspace: Workspace) -> None:
    runner, model = play(workspace(0), [PLAN, WRITE, audit(finding(QUOTE)), PATCH, SETTLE])
    runner.write_next(WriteNext())
    assert MENDED in prompt(model.requests[4])
    assert QUOTE not in prompt(model.requests[4])


def test_an_entry_of_the_ledger_that_rests_on_the_draft_is_dropped_and_told(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    ledger = reply("0001.settle")
    ledger["facts"] = [
        {"about": "回声", "says": "短了一截", "quote": "回来时短了一截。"},
        {"about": "回声", "says": "只剩半截", "quote": "回来时只剩半截。"},
        {"about": "无凭", "says": "没有引文", "quote": ""},
    ]
    runner, _ = play(root, [PLAN, WRITE, audit(finding(QUOTE)), PATCH, step("settle", **ledger)])
    runner.write_next(WriteNext())
    record = book_of(root).record(1)
    assert record is not None
    assert record.delta is not None
    assert [f.says for f in record.delta.facts] == ["只剩半截"]
    assert len(record.dropped) == 2
    assert any("2 entries dropped" in warning for warning in runner.warnings)


def test_warnings_and_infos_alone_cost_no_revision_where_only_critical_ones_count(
    workspace: Workspace,
) -> None:
    told = audit(finding(QUOTE, severity="warning"), finding(OTHER, severity="提示"))
    runner, model = play(only_critical(workspace(0)), [PLAN, WRITE, told, SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert (chapter.status, len(chapter.findings)) == ("passed", 2)


class Refusing(ScriptedModel):
    """A model whose endpoint won't take the requests of one step, as a content filter may do."""

    def __init__(self, steps: list[Step], role: str) -> None:
        super().__init__(steps, profile=ZH.model([]).profile)
        self._role = role
        self.refused = 0

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if request.role == self._role:
            self.refused += 1
            raise ModelError("llm.refused", "The endpoint refused the request.")
        return super().complete(request, on_text)


GRAVE = ["严重", "CRITICAL", "Critical ", "致命", "fatal", "major", "error"]


@pytest.mark.parametrize("word", GRAVE)
def test_however_a_grave_finding_is_worded_the_chapter_doesnt_pass(
    workspace: Workspace, word: str
) -> None:
    steps = [PLAN, WRITE, audit(finding(QUOTE, severity=word)), SETTLE]
    chapter = play(workspace(0), steps)[0].write_next(WriteNext(rounds=0)).chapters[0]
    assert chapter.verdict == "failed"


def test_a_structural_finding_has_the_chapter_rewritten_and_audited_again(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    new = prose(1).replace(QUOTE, MENDED)
    steps = [PLAN, WRITE, audit(structural()), Step("rewrite", new), CLEAN, SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert roles(model) == ["plan", "write", "audit", "rewrite", "audit", "settle"]
    assert new in prompt(model.requests[4])
    assert book_of(root).chapter(1)[1] == new
    assert (chapter.status, chapter.revised) == ("passed", 1)


def test_a_rewrite_with_a_new_critical_finding_is_kept_beside(workspace: Workspace) -> None:
    root = workspace(0)
    new = prose(1).replace(QUOTE, MENDED)
    steps = [PLAN, WRITE, audit(structural()), Step("rewrite", new)]
    steps += [audit(structural(MENDED, dimension="人物")), SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    book = book_of(root)
    assert book.chapter(1)[1] == prose(1)
    (kept,) = (book.path / "revisions" / "0001").glob("*.md")
    assert split_chapter(kept.read_text("utf-8"))[1] == new
    assert "critical finding" in kept.with_suffix(".diff").read_text("utf-8")
    assert (chapter.status, chapter.verdict, chapter.revised) == ("failed", "failed", 0)
    assert [f.quote for f in chapter.findings] == [QUOTE]
    assert any("not kept" in warning for warning in runner.warnings)


def test_a_rewrite_whose_audit_cant_be_read_isnt_kept(workspace: Workspace) -> None:
    root = workspace(0)
    new = prose(1).replace(QUOTE, MENDED)
    steps = [PLAN, WRITE, audit(structural()), Step("rewrite", new)]
    steps += [Step("audit", RUBBISH), Step("audit", RUBBISH), SETTLE]
    runner, _ = play(root, steps)
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert book_of(root).chapter(1)[1] == prose(1)
    assert (chapter.verdict, [f.quote for f in chapter.findings]) == ("failed", [QUOTE])
    (kept,) = (book_of(root).path / "revisions" / "0001").glob("*.md")
    assert split_chapter(kept.read_text("utf-8"))[1] == new


def test_a_patch_that_fits_nowhere_leaves_a_failed_chapter_as_it_was(workspace: Workspace) -> None:
    root = workspace(0)
    nowhere = step("spot_fix", patches=[{"finding": 1, "old": "没有这句", "new": "换"}], note="")
    again = Step("spot_fix_again", nowhere.text)
    runner, model = play(root, [PLAN, WRITE, audit(finding(QUOTE)), nowhere, again, SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert book_of(root).chapter(1)[1] == prose(1)
    assert (chapter.status, chapter.verdict) == ("failed", "failed")
    assert any("not found" in warning for warning in runner.warnings)


def test_a_patch_that_deletes_the_quote_with_half_the_chapter_isnt_applied(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    half = step("spot_fix", patches=[{"finding": 1, "old": prose(1)[:1500], "new": ""}])
    chapter = (
        play(root, [PLAN, WRITE, audit(finding(QUOTE)), half, SETTLE])[0]
        .write_next(WriteNext())
        .chapters[0]
    )
    assert book_of(root).chapter(1)[1] == prose(1)
    assert chapter.status == "failed"


def test_rounds_limits_the_revisions(workspace: Workspace) -> None:
    two = audit(finding(QUOTE), finding(OTHER))
    first = PATCH
    second = step("spot_fix", patches=[{"finding": 1, "old": OTHER, "new": "门板又合上了。"}])
    steps = [PLAN, WRITE, two, first, second, SETTLE]
    runner, model = play(workspace(0), steps)
    chapter = runner.write_next(WriteNext(rounds=2)).chapters[0]
    model.done()
    assert (chapter.status, chapter.revised) == ("passed", 2)
    assert QUOTE not in prompt(model.requests[4]), "the second round sees the first one's text"


def test_no_rounds_leave_the_chapter_failed(workspace: Workspace) -> None:
    runner, model = play(workspace(0), [PLAN, WRITE, audit(finding(QUOTE)), SETTLE])
    chapter = runner.write_next(WriteNext(rounds=0)).chapters[0]
    model.done()
    assert (chapter.status, chapter.verdict) == ("failed", "failed")


def test_a_failed_check_alone_fails_the_chapter_and_is_revised_without_audit(
    workspace: Workspace,
) -> None:
    cut = prose(1)[:-1] + "，然后他"
    whole = Step("rewrite", prose(1))
    runner, model = play(workspace(0), [PLAN, Step("write", cut), whole, SETTLE])
    chapter = runner.write_next(WriteNext(no_audit=True)).chapters[0]
    model.done()
    assert (chapter.status, chapter.verdict, chapter.revised) == ("drafted", None, 1)


def short() -> str:
    """Less than 70 % of the asked length, ending with a sentence."""
    text = prose(1)[:1700]
    return text[: text.rindex("。") + 1]


def test_a_chapter_outside_the_hard_band_is_normalised_once(workspace: Workspace) -> None:
    root = only_critical(workspace(0))
    steps = [PLAN, Step("write", short()), CLEAN, Step("normalise", prose(1)), SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert roles(model) == ["plan", "write", "audit", "normalise", "settle"]
    assert book_of(root).chapter(1)[1] == prose(1)
    assert prose(1) in prompt(model.requests[4])
    assert chapter.findings == []
    assert "3000" in model.requests[3].messages[-1].content


def test_a_chapter_inside_the_hard_band_isnt_normalised(workspace: Workspace) -> None:
    text = prose(1)[:2500]
    steps = [PLAN, Step("write", text[: text.rindex("。") + 1]), CLEAN, SETTLE]
    runner, model = play(only_critical(workspace(0)), steps)
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    told = {f.dimension: f.severity for f in chapter.findings}
    assert told["length"] == "info"


@pytest.mark.parametrize(
    "shaped", [prose(1) + "\n\n" + prose(3), short()[:900]], ids=["overshoots", "wrong way"]
)
def test_a_normalisation_that_misses_is_not_kept_and_told(
    workspace: Workspace, shaped: str
) -> None:
    root = only_critical(workspace(0))
    steps = [PLAN, Step("write", short()), CLEAN, Step("normalise", shaped), SETTLE]
    runner, model = play(root, steps)
    runner.write_next(WriteNext())
    model.done()
    assert book_of(root).chapter(1)[1] == short()
    assert any(w.startswith("normalise: not kept") for w in runner.warnings)


def test_a_normalisation_that_breaks_the_text_isnt_kept_and_told(workspace: Workspace) -> None:
    root = only_critical(workspace(0))
    steps = [PLAN, Step("write", short()), CLEAN, Step("normalise", prose(1)[:2500]), SETTLE]
    runner, model = play(root, steps)
    runner.write_next(WriteNext())
    model.done()
    assert book_of(root).chapter(1)[1] == short()
    assert any("normalise: not kept" in w and "truncated" in w for w in runner.warnings)


@pytest.mark.parametrize("bad", [Step("spot_fix", RUBBISH), Step("spot_fix", "{")])
def test_a_reviser_that_says_nothing_usable_doesnt_cost_the_chapter(
    workspace: Workspace, bad: Step
) -> None:
    root = workspace(0)
    runner, model = play(root, [PLAN, WRITE, audit(finding(QUOTE)), bad, bad, SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert (chapter.status, book_of(root).chapter(1)[1]) == ("failed", prose(1))
    assert any("stays as it was" in warning for warning in runner.warnings)


@pytest.mark.parametrize("bad", ["", "# 报水\n"])
def test_a_normaliser_that_writes_nothing_doesnt_cost_the_chapter(
    workspace: Workspace, bad: str
) -> None:
    root = only_critical(workspace(0))
    steps = [PLAN, Step("write", short()), CLEAN, Step("normalise", bad), SETTLE]
    runner, model = play(root, steps)
    runner.write_next(WriteNext())
    model.done()
    assert book_of(root).chapter(1)[1] == short()
    assert any("stays as it was" in warning for warning in runner.warnings)


def test_normalising_cant_talk_a_critical_finding_away(workspace: Workspace) -> None:
    """New words make an old quote vanish; only the auditor can say that the fault is gone."""
    root = workspace(0)
    shaped = prose(1).replace(QUOTE, MENDED)
    steps = [PLAN, Step("write", short()), audit(structural()), Step("normalise", shaped)]
    steps += [audit(structural(MENDED)), SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext(rounds=0)).chapters[0]
    model.done()
    assert (chapter.verdict, [f.quote for f in chapter.findings]) == ("failed", [MENDED])


@pytest.mark.parametrize(
    "text",
    [
        RUBBISH,
        "",
        "{}",
        "[]",
        "null",
        '"findings"',
        '{"verdict": "passed"}',
        '{"findings": null}',
        '{"findings": "第三段对不上"}',
        '{"findings": 3}',
        '{"findings": [',
        '{"findings": ' + "1" * 6000 + "}",
        "{" * 5000,
        "<think>没有问题",
    ],
)
def test_an_unreadable_audit_is_unknown_and_never_passed(workspace: Workspace, text: str) -> None:
    root = workspace(0)
    bad = Step("audit", text, "length" if text.endswith("[") else "stop")
    runner, model = play(root, [PLAN, WRITE, bad, bad, SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert (chapter.verdict, chapter.status) == ("unknown", "drafted")
    assert any(warning.startswith("audit: chapter 1") for warning in runner.warnings)
    result = play(root, [])[0].approve(Approve(all_passed=True))
    assert result.chapters == []


def test_a_refused_audit_is_an_error_of_the_endpoint_and_costs_no_second_draft(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    model = Refusing([PLAN, WRITE], "audit")
    with pytest.raises(ModelError) as caught:
        Runner(root, model=model).write_next(WriteNext())
    model.done()
    assert (caught.value.code, model.refused) == ("llm.refused", 1)
    assert book_of(root).chapter_numbers() == []
    runner, again = play(root, [SETTLE])
    chapter = runner.write_next(WriteNext(no_audit=True)).chapters[0]
    again.done()
    assert (chapter.verdict, chapter.status) == (None, "drafted")


@pytest.mark.parametrize(
    "findings",
    [
        '{"findings": [{"severity": "critical", "quote": "正文里没有的一句话", "problem": "甲"}]}',
        '{"findings": [{"severity": "critical", "quote": "", "problem": "甲"}]}',
        '{"findings": [{"severity": "critical", "problem": "甲"}]}',
    ],
    ids=["foreign", "empty", "none"],
)
def test_findings_without_a_quote_from_the_text_are_voided_and_counted(
    workspace: Workspace, findings: str
) -> None:
    root = workspace(0)
    play(root, [PLAN, WRITE, Step("audit", findings), SETTLE])[0].write_next(WriteNext())
    record = book_of(root).record(1)
    assert record is not None
    assert (record.voided, record.findings) == (1, [])


def test_an_unreadable_ledger_keeps_the_chapter_and_the_next_run_settles_it(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    bad = Step("settle", RUBBISH)
    runner, _ = play(root, [PLAN, WRITE, CLEAN, bad, bad])
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert chapter.status == "passed"
    book = book_of(root)
    record = book.record(1)
    assert record is not None
    assert record.delta is None
    assert any("unsettled" in warning for warning in runner.warnings)

    runner, model = play(root, [SETTLE, *four_calls(2)])
    runner.write_next(WriteNext())
    assert roles(model) == ["settle", "plan", "write", "audit", "settle"]
    assert reply("0001.settle")["summary"] in prompt(model.requests[1])
    record = book.record(1)
    assert record is not None
    assert record.delta is not None
    assert (record.status, record.verdict) == ("passed", "passed")
    assert book.chapter(1)[1] == prose(1)
    assert record.stale is None


def test_a_ledger_that_stays_unreadable_doesnt_stop_the_book(workspace: Workspace) -> None:
    root = workspace(0)
    bad = Step("settle", RUBBISH)
    play(root, [PLAN, WRITE, CLEAN, bad, bad])[0].write_next(WriteNext())
    runner, model = play(root, [bad, bad, *four_calls(2)])
    assert runner.write_next(WriteNext()).chapters[0].number == 2
    model.done()


def test_a_chapter_unsettled_by_a_revision_is_settled_by_the_next_run(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    patch = step("spot_fix", patches=[{"old": QUOTE, "new": MENDED}])
    bad = Step("settle", RUBBISH)
    runner, _ = play(root, [patch, bad, bad])
    result = runner.revise(Revise(chapter_number=1, instruction="改"))
    assert (result.applied, result.stale) == (True, [2])
    book = book_of(root)
    path = book.path / "records" / "0002.json"
    second = book.record(2)
    assert second is not None
    path.write_text(second.model_copy(update={"delta": None}).model_dump_json(), "utf-8")
    again = ZH.chapter(2)[-1]
    runner, model = play(root, [SETTLE, again, *four_calls(3)])
    runner.write_next(WriteNext())
    model.done()
    assert all(r.delta is not None for r in book.records().values())
    second = book.record(2)
    assert second is not None
    assert second.stale, "settling says nothing about what made it stale"


def test_settling_afterwards_keeps_an_approval(workspace: Workspace) -> None:
    root = workspace(0)
    bad = Step("settle", RUBBISH)
    play(root, [PLAN, WRITE, CLEAN, bad, bad])[0].write_next(WriteNext())
    play(root, [])[0].approve(Approve(chapters="1"))
    play(root, [SETTLE, *four_calls(2)])[0].write_next(WriteNext())
    record = book_of(root).record(1)
    assert record is not None
    assert record.status == "approved"


def test_a_ledger_without_a_summary_is_asked_again(workspace: Workspace) -> None:
    empty = step("settle", **{**reply("0001.settle"), "summary": None})
    runner, model = play(workspace(0), [PLAN, WRITE, CLEAN, empty, SETTLE])
    runner.write_next(WriteNext())
    model.done()


def test_a_sloppy_ledger_is_read_as_well_as_can_be(workspace: Workspace) -> None:
    root = workspace(0)
    ledger = {
        "summary": ["甲。", "乙。"],
        "characters": [
            {"name": "阿满", "status": None, "learned": "水是假的", "quote": QUOTE, "mood": 1},
            None,
            "祝长庚",
        ],
        "items": [{"item": "灯笼", "quantity": 1, "owner": None, "quote": QUOTE}],
        "hooks": [{"id": "H1", "do": "PAY", "due": "第 4 章", "quote": QUOTE}],
        "relations": None,
        "facts": {"about": "水则", "says": 2, "quote": QUOTE},
        "time": 1561,
        "unknown": {"a": []},
    }
    text = f"好的：\n```json\n{json.dumps(ledger, ensure_ascii=False)}\n```\n请查收。"
    runner, _ = play(root, [PLAN, WRITE, CLEAN, Step("settle", text)])
    runner.write_next(WriteNext())
    state = book_of(root).read("state.md") or ""
    assert all(part in state for part in ("甲。; 乙。", "水是假的", "灯笼", "1561", "水则：2"))
    assert "- 阿满" not in state, "an alias counts for the name on the card"
    assert any("祝长庚" in warning for warning in runner.warnings)
    assert "已还" in (book_of(root).read("hooks.md") or "")


@pytest.mark.parametrize("at", [4, 5])
def test_a_failure_in_a_revision_round_is_resumed_without_paying_twice(
    workspace: Workspace, at: int
) -> None:
    root = workspace(0)
    steps = [PLAN, WRITE, audit(finding(QUOTE)), PATCH, SETTLE]
    with pytest.raises(ModelError):
        Runner(root, model=Breaking(steps, at)).write_next(WriteNext())
    assert book_of(root).chapter_numbers() == []
    runner, model = play(root, steps[at - 1 :])
    assert runner.write_next(WriteNext()).chapters[0].revised == 1
    model.done()


def test_the_sample_novella_is_written_from_beginning_to_end(tmp_path: Path) -> None:
    """All of the sample's own replies, its revisions included."""
    last = ZH.meta["target_chapters"]
    runner, model = play(tmp_path, ZH.opening() + ZH.chapters(1, last))
    runner.init_book(ZH.wish())
    result = runner.write_next(WriteNext(until=last))
    model.done()
    assert [c.status for c in result.chapters] == ["passed"] * last
    assert [c.revised for c in result.chapters] == [0, 1, 1, 0]
