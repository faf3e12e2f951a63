"""Revising a chapter: what each mode asks, what it may change, and when it is kept."""

import re
from pathlib import Path

import pytest
from pipeline_helpers import (
    BOOK,
    CLEAN,
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

from zencli.context.canon import Canon
from zencli.errors import ModelError, NeedsAuthor, NotFound
from zencli.llm.scripted import Step
from zencli.pipeline.params import Approve, Audit, Revise, ReviseMode, WriteNext
from zencli.pipeline.revising.revise_diff import latest_revision
from zencli.prose.count import length_score
from zencli.prose.wordlists import ai_score
from zencli.story.delta import HookEvent
from zencli.story.record import Record

QUOTE = "声音钻过桥洞，撞到对岸的墙上，回来时短了一截。"
MENDED = "声音钻过桥洞，撞在对岸的石墙上，回来时只剩半截。"
OTHER = "对岸豆腐店本来卸下一块门板，听见她的声音，又合上了。"
PATCH = step("spot_fix", patches=[{"finding": 1, "old": QUOTE, "new": MENDED}], note="")
SETTLE = four_calls(1)[3]
INSTRUCTION = "把回声写得更像石头；  别动对话。"
NEW = prose(1).replace(QUOTE, MENDED)
RUBBISH = Step("audit", "抱歉。")


def whole(mode: str, text: str) -> list[Step]:
    """The calls of a mode that returns the whole chapter, up to its audit."""
    steps = [Step(mode.replace("-", "_"), text)]
    if mode == "rework":
        steps.insert(0, step("replan", **{**reply("0001.plan"), "purpose": "另一条路"}))
    return steps + ([CLEAN] if mode in ("rewrite", "rework") else [])


def told(text: str) -> Step:
    """Patches asked for again."""
    return Step("spot_fix_again", text)


def judged(workspace: Workspace, *findings: dict[str, str], chapters: int = 1) -> Path:
    """The sample book with these findings in the record of chapter 1."""
    root = workspace(chapters)
    play(root, [step("audit", findings=list(findings))])[0].audit(Audit(chapter_number=1))
    return root


def record_of(root: Path) -> Record:
    record = book_of(root).record(1)
    assert record is not None
    return record


def test_spot_fix_is_the_default_and_works_from_the_recorded_findings(
    workspace: Workspace,
) -> None:
    root = judged(workspace, finding(QUOTE, problem="声音不会变短。"))
    runner, model = play(root, [PATCH, SETTLE])
    result = runner.revise(Revise())
    model.done()
    assert (result.mode, result.applied, result.number) == ("spot-fix", True, 1)
    assert (result.findings_before, result.findings_after) == (1, 0)
    assert result.reason
    assert book_of(root).chapter(1)[1] == NEW
    assert "声音不会变短。" in prompt(model.requests[0])
    record = record_of(root)
    assert (record.status, record.verdict, record.revised) == ("passed", "passed", 1)
    assert not book_of(root).edited(1)


def test_nothing_to_do_is_said_without_a_call(workspace: Workspace) -> None:
    root = workspace(1)
    before = files_of(root / "books" / BOOK)
    runner, _ = play(root, [])
    result = runner.revise(Revise())
    assert (result.applied, result.candidate) == (False, None)
    assert result.reason.startswith("Nothing to do")
    assert runner.usage.calls == 0
    assert files_of(root / "books" / BOOK) == before


MODES: tuple[ReviseMode, ...] = ("polish", "rewrite", "rework", "anti-detect")


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_asks_with_its_own_prompt_and_the_instruction(
    workspace: Workspace, mode: ReviseMode
) -> None:
    root = judged(workspace, finding(QUOTE, problem="声音不会变短。"))
    asked = whole(mode, NEW)
    steps = asked if asked[-1] is CLEAN else [*asked, CLEAN]  # the finding's passage is gone
    runner, model = play(root, [*steps, SETTLE])
    result = runner.revise(Revise(mode=mode, instruction=INSTRUCTION))
    model.done()
    assert (result.applied, result.mode) == (True, mode)
    assert book_of(root).chapter(1)[1] == NEW
    for request in model.requests:
        if request.role != "settle":
            assert INSTRUCTION in prompt(request), request.role
    asked = next(r for r in model.requests if r.role == mode.replace("-", "_"))
    assert prose(1) in prompt(asked)
    if mode != "anti-detect":
        assert "声音不会变短。" in prompt(asked)


def test_the_modes_ask_differently(workspace: Workspace) -> None:
    tasks = []
    for mode in MODES:
        root = workspace(1)
        runner, model = play(root, [*whole(mode, NEW), SETTLE])
        runner.revise(Revise(mode=mode))
        asked = next(r for r in model.requests if r.role == mode.replace("-", "_"))
        tasks.append(asked.messages[-1].content[-300:])
        root.rename(root.with_name(f"done-{mode}"))
    assert len(set(tasks)) == len(MODES)


def test_spot_fix_takes_an_instruction_without_a_finding(workspace: Workspace) -> None:
    root = workspace(1)
    runner, model = play(root, [PATCH, SETTLE])
    result = runner.revise(Revise(instruction=INSTRUCTION))
    assert result.applied
    assert INSTRUCTION in prompt(model.requests[0])


def test_rework_makes_a_new_plan_first_and_keeps_it(workspace: Workspace) -> None:
    root = workspace(1)
    runner, model = play(root, [*whole("rework", NEW), SETTLE])
    runner.revise(Revise(mode="rework", instruction=INSTRUCTION))
    assert roles(model) == ["replan", "rework", "audit", "settle"]
    assert "另一条路" in prompt(model.requests[1])
    plan = record_of(root).plan
    assert plan is not None
    assert plan.purpose == "另一条路"


def test_secrets_reach_the_new_plan_but_not_the_reviser(workspace: Workspace) -> None:
    root = workspace(1)
    runner, model = play(root, [*whole("rework", NEW), SETTLE])
    runner.revise(Revise(mode="rework"))
    truth = reply("concept")["secrets"][0]["truth"]
    assert [truth in prompt(r) for r in model.requests] == [True, False, True, False]


def test_settling_reads_the_revised_text(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    runner, model = play(root, [PATCH, SETTLE])
    runner.revise(Revise())
    assert MENDED in prompt(model.requests[1])
    assert QUOTE not in prompt(model.requests[1])


def shrunk() -> str:
    text = prose(1)[:2400]
    return text[: text.rindex("。") + 1]


def test_polish_that_shrinks_the_text_is_kept_beside_with_its_diff(workspace: Workspace) -> None:
    root = workspace(1)
    before = files_of(root / "books" / BOOK)
    result = play(root, [Step("polish", shrunk())])[0].revise(Revise(mode="polish"))
    assert (result.applied, result.words_after < result.words_before) == (False, True)
    assert "10 %" in result.reason
    assert result.candidate is not None
    candidate = Path(result.candidate)
    assert candidate.parent == root / "books" / BOOK / "revisions" / "0001"
    assert shrunk() in candidate.read_text("utf-8")
    diff = candidate.with_suffix(".diff").read_text("utf-8")
    assert result.reason in diff
    assert f"- {prose(1).splitlines()[-1]}" in diff
    after = files_of(root / "books" / BOOK)
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("mode", ["polish", "anti-detect"])
def test_names_and_numbers_must_survive_a_polish(workspace: Workspace, mode: ReviseMode) -> None:
    root = workspace(1)
    name = "栗子"
    assert name in prose(1)
    text = prose(1).replace(name, "孩子")
    result = play(root, whole(mode, text))[0].revise(Revise(mode=mode))
    assert not result.applied
    assert name in result.reason
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").rstrip() + "\n\n簿子上写着 1561 年。\n", "utf-8")
    text = book_of(root).chapter(1)[1].replace("1561", "1562")
    result = play(root, whole(mode, text))[0].revise(Revise(mode=mode))
    assert (result.applied, "1561" in result.reason) == (False, True)


def test_a_number_that_comes_again_isnt_kept_by_another_of_its_value(workspace: Workspace) -> None:
    root = workspace(1)
    assert prose(1).count("四则") > 1 and "第四级" in prose(1)
    text = prose(1).replace("四则", "几则")
    result = play(root, whole("polish", text))[0].revise(Revise(mode="polish"))
    assert (result.applied, "四则" in result.reason) == (False, True)


def test_anti_detect_must_lower_the_score(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    stock = "她不由得深吸一口气，眼中闪过一丝坚定，嘴角勾起一抹微笑。" * 3
    path.write_text(path.read_text("utf-8").rstrip() + f"\n\n{stock}\n", "utf-8")
    text = book_of(root).chapter(1)[1]
    worse = Step("anti_detect", text.replace(QUOTE, MENDED[:-6] + "。"))
    result = play(root, [worse])[0].revise(Revise(mode="anti-detect"))
    assert not result.applied
    assert "score" in result.reason
    better = Step("anti_detect", text.replace(stock, "她吸了一口气，笑了笑。"))
    result = play(root, [better, SETTLE], fresh=True)[0].revise(Revise(mode="anti-detect"))
    assert result.applied


def test_anti_detect_cant_bring_in_what_wasnt_there(workspace: Workspace) -> None:
    """The sample has no machine-typical turn at all: a version that has one is worse."""
    root = workspace(2)
    text = book_of(root).chapter(2)[1]
    assert ai_score(text, "zh") == 0
    worse = Step("anti_detect", text.replace("。", "，她不由得深吸一口气。", 1))
    result = play(root, [worse])[0].revise(Revise(mode="anti-detect"))
    assert not result.applied
    assert "score" in result.reason


def test_force_keeps_what_was_rejected_and_says_so(workspace: Workspace) -> None:
    root = workspace(1)
    steps = [Step("polish", shrunk()), SETTLE]
    result = play(root, steps)[0].revise(Revise(mode="polish", force=True))
    assert (result.applied, result.candidate) == (True, None)
    assert "--force" in result.reason
    assert "10 %" in result.reason
    assert book_of(root).chapter(1)[1] == shrunk()


def test_force_cant_keep_a_text_that_wasnt_changed(workspace: Workspace) -> None:
    root = workspace(1)
    result = play(root, [Step("polish", prose(1))])[0].revise(Revise(mode="polish", force=True))
    assert (result.applied, result.candidate) == (False, None)


def test_a_rewrite_with_a_new_critical_finding_is_rejected(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE, severity="warning"))
    steps = [Step("rewrite", NEW), step("audit", findings=[finding(MENDED, dimension="人物")])]
    result = play(root, steps)[0].revise(Revise(mode="rewrite"))
    assert not result.applied
    assert "character" in result.reason
    assert record_of(root).status == "passed"
    assert [f.quote for f in record_of(root).findings] == [QUOTE]


def test_a_rewrite_whose_audit_cant_be_read_is_rejected(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    result = play(root, [Step("rewrite", NEW), RUBBISH, RUBBISH])[0].revise(Revise(mode="rewrite"))
    assert not result.applied
    assert record_of(root).verdict == "failed"
    assert book_of(root).chapter(1)[1] == prose(1)


def test_a_forced_rewrite_whose_audit_cant_be_read_is_unknown(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    steps = [Step("rewrite", NEW), RUBBISH, RUBBISH, SETTLE]
    assert play(root, steps)[0].revise(Revise(mode="rewrite", force=True)).applied
    assert (record_of(root).verdict, record_of(root).status) == ("unknown", "drafted")


def test_an_unknown_verdict_isnt_lifted_by_a_spot_fix(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [RUBBISH, RUBBISH])[0].audit(Audit())
    assert play(root, [PATCH, SETTLE])[0].revise(Revise(instruction=INSTRUCTION)).applied
    assert (record_of(root).verdict, record_of(root).status) == ("unknown", "drafted")


def test_a_chapter_that_was_never_audited_isnt_passed_by_a_spot_fix(workspace: Workspace) -> None:
    root = workspace(0)
    plan, write, _, settle = four_calls(1)
    play(root, [plan, write, settle])[0].write_next(WriteNext(no_audit=True))
    assert play(root, [PATCH, SETTLE])[0].revise(Revise(instruction=INSTRUCTION)).applied
    assert (record_of(root).verdict, record_of(root).status) == (None, "drafted")
    assert (
        play(root, [*whole("rewrite", prose(1)), SETTLE])[0]
        .revise(Revise(mode="rewrite", instruction=INSTRUCTION))
        .applied
    )
    assert (record_of(root).verdict, record_of(root).status) == ("passed", "passed")


def test_a_patch_that_misses_is_told_and_nothing_changes(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    miss = step("spot_fix", patches=[{"old": "没有这句", "new": "换"}], note="要动整场。")
    runner, model = play(root, [miss, told(miss.text)])
    result = runner.revise(Revise())
    model.done()
    assert (result.applied, result.candidate) == (False, None)
    assert "要动整场。" in result.reason
    assert any("not found" in warning for warning in runner.warnings)


def test_a_patch_for_something_else_doesnt_count(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    other = step("spot_fix", patches=[{"finding": 1, "old": OTHER, "new": "门板又合上了。"}])
    result = play(root, [other])[0].revise(Revise())
    assert not result.applied
    assert "none of the findings" in result.reason
    assert book_of(root).chapter(1)[1] == prose(1)


def test_only_the_named_findings_are_answered(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE, problem="毛病甲"), finding(OTHER, problem="毛病乙"))
    wanted = next(f.id for f in record_of(root).findings if f.description == "毛病甲")
    runner, model = play(root, [PATCH, SETTLE])
    result = runner.revise(Revise(finding=(wanted,)))
    assert "毛病甲" in prompt(model.requests[0])
    assert "毛病乙" not in prompt(model.requests[0])
    assert (result.applied, result.findings_before, result.findings_after) == (True, 2, 1)
    assert record_of(root).status == "failed", "the other critical finding still stands"


def test_the_named_finding_must_be_the_one_that_is_gone(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), finding(OTHER))
    wanted = next(f.id for f in record_of(root).findings if f.quote == OTHER)
    result = play(root, [PATCH])[0].revise(Revise(finding=(wanted,)))
    assert not result.applied
    assert book_of(root).chapter(1)[1] == prose(1)


def test_an_unknown_finding_is_refused_before_any_call(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    known = record_of(root).findings[0].id
    with pytest.raises(NotFound) as caught:
        play(root, [])[0].revise(Revise(finding=(known, "00000000")))
    assert caught.value.code == "finding.not_found"
    assert known in caught.value.hint


def test_a_waived_finding_is_left_alone_and_stays(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    record = record_of(root)
    waived = record.findings[0].model_copy(update={"waived": "有意的"})
    path = root / "books" / BOOK / "records" / "0001.json"
    path.write_text(record.model_copy(update={"findings": [waived]}).model_dump_json(), "utf-8")
    assert play(root, [])[0].revise(Revise()).reason.startswith("Nothing to do")
    other = step("spot_fix", patches=[{"old": OTHER, "new": "门板又合上了。"}])
    play(root, [other, SETTLE])[0].revise(Revise(instruction="门板"))
    assert record_of(root).findings == [waived]


def test_a_finding_whose_passage_the_author_removed_is_not_answered_again(
    workspace: Workspace,
) -> None:
    root = judged(workspace, finding(QUOTE))
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").replace(QUOTE, ""), "utf-8")
    assert play(root, [])[0].revise(Revise()).reason.startswith("Nothing to do")


def test_a_hand_edited_text_is_what_is_revised(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8") + "\n灯笼掉进了河里，亮了一下。\n", "utf-8")
    runner, model = play(root, [PATCH, SETTLE])
    assert runner.revise(Revise(instruction=INSTRUCTION)).applied
    assert "灯笼掉进了河里，亮了一下。" in prompt(model.requests[0])
    assert "灯笼掉进了河里，亮了一下。" in book_of(root).chapter(1)[1]


def test_rounds_try_again_when_the_first_attempt_isnt_kept(workspace: Workspace) -> None:
    root = workspace(1)
    steps = [Step("polish", shrunk()), Step("polish", NEW), SETTLE]
    runner, model = play(root, steps)
    result = runner.revise(Revise(mode="polish", rounds=2))
    model.done()
    assert result.applied
    assert book_of(root).chapter(1)[1] == NEW


def test_later_chapters_become_stale_when_the_story_changed(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), chapters=3)
    ledger = step("settle", **{**reply("0001.settle"), "time": "七月初九"})
    result = play(root, [PATCH, ledger])[0].revise(Revise(chapter_number=1))
    assert result.stale == [2, 3]
    records = book_of(root).records()
    assert [bool(records[n].stale) for n in (1, 2, 3)] == [False, True, True]
    assert [book_of(root).chapter(n)[1] for n in (2, 3)] == [prose(2), prose(3)]
    assert reply("0003.settle")["summary"] in (book_of(root).read("state.md") or "")


def test_later_chapters_stay_fresh_when_the_story_is_the_same(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), chapters=2)
    assert play(root, [PATCH, SETTLE])[0].revise(Revise(chapter_number=1)).stale == []


def test_an_approved_chapter_stays_approved(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    play(root, [])[0].approve(Approve(chapters="1"))
    play(root, [PATCH, SETTLE], confirmed=True)[0].revise(Revise())
    assert record_of(root).status == "approved"
    assert book_of(root).chapter(1)[1] == NEW


@pytest.mark.parametrize("options", [{}, {"dry_run": True}])
def test_an_approved_chapter_isnt_revised_without_confirmation(
    workspace: Workspace, options: dict[str, bool]
) -> None:
    root = judged(workspace, finding(QUOTE))
    play(root, [])[0].approve(Approve(chapters="1"))
    before = files_of(root / "books" / BOOK)
    runner, model = play(root, [], **options)
    with pytest.raises(NeedsAuthor) as caught:
        runner.revise(Revise())
    assert (caught.value.code, caught.value.exit_code) == ("chapter.approved", 4)
    assert (model.requests, files_of(root / "books" / BOOK)) == ([], before)


def test_patches_dont_pass_a_chapter_that_no_auditor_has_read(workspace: Workspace) -> None:
    root = workspace(0)
    plan, _, _, settle = four_calls(1)
    cut = prose(1)[:-1] + "，然后她"
    play(root, [plan, Step("write", cut), settle])[0].write_next(WriteNext(no_audit=True, rounds=0))
    assert record_of(root).verdict == "failed"
    patch = {"finding": 1, "old": cut[-12:], "new": prose(1)[-9:]}
    play(root, [step("spot_fix", patches=[patch], note=""), SETTLE])[0].revise(Revise())
    assert book_of(root).chapter(1)[1] == prose(1)
    record = record_of(root)
    assert (record.verdict, record.audited, record.status) == (None, False, "drafted")


def test_revising_chapter_1_never_sees_what_came_later(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), chapters=3)
    runner, model = play(root, [PATCH, SETTLE])
    runner.revise(Revise(chapter_number=1))
    for request in model.requests:
        assert reply("0002.settle")["summary"] not in prompt(request)
        assert reply("0001.settle")["summary"] not in prompt(request)


def test_an_empty_revision_is_never_saved(workspace: Workspace) -> None:
    root = workspace(1)
    before = files_of(root / "books" / BOOK)
    with pytest.raises(ModelError) as caught:
        play(root, [Step("rewrite", "# 报水")])[0].revise(Revise(mode="rewrite"))
    assert caught.value.code == "llm.reply"
    assert files_of(root / "books" / BOOK) == before


def test_a_chapter_without_a_record_can_be_revised(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "books" / BOOK / "records" / "0001.json").unlink()
    result = play(root, [PATCH, SETTLE])[0].revise(Revise(instruction=INSTRUCTION))
    assert result.applied
    assert (record_of(root).status, record_of(root).verdict) == ("drafted", None)


def test_the_reviser_is_told_how_the_text_measures_in_anti_detect(workspace: Workspace) -> None:
    runner, model = play(workspace(1), [Step("anti_detect", NEW), SETTLE])
    runner.revise(Revise(mode="anti-detect"))
    task = model.requests[0].messages[-1].content
    assert re.search(r"\d", task[task.index(prose(1)) + len(prose(1)) :])


# --- patches that miss -------------------------------------------------------------------------


def test_a_missed_patch_is_asked_again_once_with_the_nearest_sentence_of_the_text(
    workspace: Workspace,
) -> None:
    root = judged(workspace, finding(QUOTE))
    wrong = QUOTE.replace("撞到", "碰到")
    miss = step("spot_fix", patches=[{"finding": 1, "old": wrong, "new": MENDED}])
    again = told(step("x", patches=[{"finding": 1, "old": QUOTE, "new": MENDED}]).text)
    runner, model = play(root, [miss, again, SETTLE])
    result = runner.revise(Revise())
    model.done()
    assert result.applied
    assert book_of(root).chapter(1)[1] == NEW
    shown = prompt(model.requests[1]).split(prose(1))[1]
    assert (wrong in shown, QUOTE in shown) == (True, True)
    assert runner.warnings == []


def test_a_near_miss_is_never_applied_by_itself(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    wrong = QUOTE.replace("撞到", "碰到")
    miss = step("spot_fix", patches=[{"finding": 1, "old": wrong, "new": MENDED}])
    runner, model = play(root, [miss, told(miss.text)])
    assert not runner.revise(Revise()).applied
    assert roles(model) == ["spot_fix", "spot_fix_again"]
    assert book_of(root).chapter(1)[1] == prose(1)


def test_what_hit_stays_when_another_patch_is_asked_again(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), finding(OTHER))
    patches = [
        {"finding": 1, "old": QUOTE, "new": MENDED},
        {"finding": 2, "old": "没有这一句", "new": "门板合上了。"},
    ]
    again = told(step("x", patches=[{"finding": 2, "old": OTHER, "new": "门板合上了。"}]).text)
    runner, model = play(root, [step("spot_fix", patches=patches), again, SETTLE])
    assert runner.revise(Revise()).applied
    assert book_of(root).chapter(1)[1] == NEW.replace(OTHER, "门板合上了。")
    assert MENDED in prompt(model.requests[1]), "it is shown the text as it stands by then"


def test_a_patch_for_two_places_is_shown_both(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    assert prose(1).count("阿满") > 1
    miss = step("spot_fix", patches=[{"finding": 1, "old": "阿满", "new": "她"}])
    runner, model = play(root, [miss, told('{"patches": []}')])
    runner.revise(Revise())
    assert "不止一处" in prompt(model.requests[1])


# --- what must be kept -------------------------------------------------------------------------


def with_sentence(root: Path, sentence: str) -> str:
    """The chapter with one more sentence at its end, by hand."""
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8").rstrip() + f"\n\n{sentence}\n", "utf-8")
    return book_of(root).chapter(1)[1]


@pytest.mark.parametrize("mode", ["polish", "anti-detect"])
def test_a_number_in_words_is_as_good_as_one_in_digits(
    workspace: Workspace, mode: ReviseMode
) -> None:
    root = workspace(1)
    text = with_sentence(root, "簿子上记着三百四十文。")
    same = text.replace("三百四十文", "340 文")
    result = play(root, [*whole(mode, same), SETTLE])[0].revise(Revise(mode=mode))
    assert result.applied, result.reason
    gone = same.replace("记着 340 文", "记着一笔钱").replace("记着340 文", "记着一笔钱")
    result = play(root, whole(mode, gone), fresh=True)[0].revise(Revise(mode=mode))
    assert (result.applied, "340" in result.reason) == (False, True)


def test_a_name_that_a_finding_speaks_of_may_go(workspace: Workspace) -> None:
    root = workspace(1)
    text = with_sentence(root, "栗子喊了一声，栗子又喊了一声。")
    without = text.replace("栗子", "那孩子")
    kept = play(root, whole("polish", without))[0].revise(Revise(mode="polish"))
    assert (kept.applied, "栗子" in kept.reason) == (False, True)
    steps = [*whole("polish", without), SETTLE]
    asked = Revise(mode="polish", instruction="栗子这一章不该在场。")
    assert play(root, steps, fresh=True)[0].revise(asked).applied


def test_a_number_that_was_said_must_still_be_said(workspace: Workspace) -> None:
    root = workspace(1)
    text = with_sentence(root, "“船资三百四十文。”他说。")
    told_not_said = text.replace("“船资三百四十文。”他说。", "他说了船资，三百四十文。")
    result = play(root, whole("polish", told_not_said))[0].revise(Revise(mode="polish"))
    assert (result.applied, "said aloud" in result.reason) == (False, True)


def test_polish_may_not_swallow_a_finding_unseen(workspace: Workspace) -> None:
    """In new words a finding loses its quote: only the auditor can say that it is gone."""
    root = judged(workspace, finding(QUOTE))
    still = step("audit", findings=[finding(MENDED)])
    runner, model = play(root, [Step("polish", NEW), still, SETTLE])
    assert runner.revise(Revise(mode="polish")).applied
    assert roles(model)[:2] == ["polish", "audit"]
    assert (record_of(root).verdict, record_of(root).status) == ("failed", "failed")


def test_no_row_of_polishes_takes_a_chapter_under_its_target(workspace: Workspace) -> None:
    root = workspace(1)
    least = 0.85 * 3000
    kept = []
    for _ in range(6):
        text = book_of(root).chapter(1)[1]
        shorter = text[: int(len(text) * 0.95)]
        shorter = shorter[: shorter.rindex("。") + 1]
        # names and numbers of the part that went are beside the point here
        result = play(root, [Step("polish", shorter), SETTLE], fresh=True)[0].revise(
            Revise(mode="polish", instruction="短些")
        )
        kept.append(result.applied)
        if not result.applied:
            break
    assert kept[-1] is False
    assert record_of(root).words >= least


def test_a_chapter_that_is_short_already_may_not_shrink(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(f"# 报水\n\n{shrunk()}\n", "utf-8")
    text = book_of(root).chapter(1)[1]
    less = text[: text.rindex("。", 0, len(text) - 60) + 1]
    result = play(root, [Step("polish", less)])[0].revise(Revise(mode="polish"))
    assert (result.applied, "shrinks" in result.reason) == (False, True)


PAID = {"id": "H1", "do": "pay", "clue": "说破了", "quote": QUOTE}


def paid(workspace: Workspace, chapters: int = 1) -> Path:
    """The sample book, its first chapter paying a hook on a sentence that a rewrite takes away."""
    root = workspace(chapters)
    record = record_of(root)
    assert record.delta is not None
    delta = record.delta.model_copy(update={"hooks": [HookEvent(**PAID)]})
    path = root / "books" / BOOK / "records" / "0001.json"
    path.write_text(record.model_copy(update={"delta": delta}).model_dump_json(), "utf-8")
    return root


def test_an_event_that_the_new_text_no_longer_tells_is_missed(workspace: Workspace) -> None:
    root = paid(workspace)
    silent = step("settle", **{**reply("0001.settle"), "hooks": []})
    result = play(root, [*whole("rewrite", NEW), silent])[0].revise(Revise(mode="rewrite"))
    assert (result.applied, "H1" in result.reason) == (False, True)
    assert result.candidate is not None
    assert book_of(root).chapter(1)[1] == prose(1)


def test_an_event_told_in_other_words_is_kept(workspace: Workspace) -> None:
    root = paid(workspace)
    tells = step("settle", **{**reply("0001.settle"), "hooks": [{**PAID, "quote": MENDED}]})
    assert play(root, [*whole("rewrite", NEW), tells])[0].revise(Revise(mode="rewrite")).applied


def test_an_event_whose_sentence_stands_outlives_a_settler_that_forgets_it(
    workspace: Workspace,
) -> None:
    root = paid(workspace)
    silent = step("settle", **{**reply("0001.settle"), "hooks": []})
    other = step("spot_fix", patches=[{"old": OTHER, "new": "门板又合上了。"}])
    assert play(root, [other, silent])[0].revise(Revise(instruction="门板")).applied
    delta = record_of(root).delta
    assert delta is not None
    assert [(h.id, h.do, h.quote) for h in delta.hooks] == [("H1", "pay", QUOTE)]


def test_hooks_of_later_chapters_keep_their_ids_after_a_revision(workspace: Workspace) -> None:
    root = workspace(3)
    hooks = {h.id: h.promise for h in Canon.load(book_of(root)).state_before(4).hooks.values()}
    extra = {"id": "new", "do": "plant", "promise": "灯里是谁？", "due": 9, "quote": OTHER}
    told_hooks = [*reply("0001.settle")["hooks"], extra]
    ledger = step("settle", **{**reply("0001.settle"), "hooks": told_hooks})
    patch = step("spot_fix", patches=[{"old": QUOTE, "new": MENDED}])
    result = play(root, [patch, ledger])[0].revise(Revise(chapter_number=1, instruction="回声"))
    assert result.applied
    after = {h.id: h.promise for h in Canon.load(book_of(root)).state_before(4).hooks.values()}
    assert {name: after[name] for name in hooks} == hooks
    assert set(after.values()) - set(hooks.values()) == {"灯里是谁？"}


# --- rounds, reasons, differences --------------------------------------------------------------


def test_the_next_attempt_is_told_why_the_last_one_wasnt_kept(workspace: Workspace) -> None:
    root = workspace(1)
    runner, model = play(root, [Step("polish", shrunk()), Step("polish", NEW), SETTLE])
    assert runner.revise(Revise(mode="polish", rounds=2)).applied
    first, second = (prompt(request) for request in model.requests[:2])
    assert "上一稿没有采用" not in first
    assert "上一稿没有采用，缘由是：字数从" in second


def test_rounds_of_patches_go_on_with_what_still_stands(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE, problem="毛病甲"), finding(OTHER, problem="毛病乙"))
    second = step("spot_fix", patches=[{"finding": 1, "old": OTHER, "new": "门板又合上了。"}])
    runner, model = play(root, [PATCH, second, SETTLE])
    result = runner.revise(Revise(rounds=3))
    model.done()
    assert (result.applied, result.findings_before, result.findings_after) == (True, 2, 0)
    assert "毛病甲" not in prompt(model.requests[1])
    assert record_of(root).verdict == "passed"


def test_force_doesnt_put_a_worse_round_over_one_that_was_kept(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE), finding(OTHER))
    idle = step("spot_fix", patches=[{"finding": 1, "old": "水二则嘞", "new": "水二则咯"}])
    result = play(root, [PATCH, idle, SETTLE])[0].revise(Revise(rounds=2, force=True))
    assert (result.applied, "--force" in result.reason) == (True, False)
    assert book_of(root).chapter(1)[1] == NEW


def test_one_fault_mended_and_as_grave_a_one_added_isnt_a_gain(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE, severity="warning"))
    banned = book_of(root).path / "rules.md"
    banned.write_text(banned.read_text("utf-8").rstrip() + "\n- 满天星斗\n", "utf-8")
    worse = [{"finding": 1, "old": QUOTE, "new": MENDED + "满天星斗。"}]
    result = play(root, [step("spot_fix", patches=worse)])[0].revise(Revise())
    assert (result.applied, "adds 1" in result.reason) == (False, True)


def test_anti_detect_must_fall_by_a_fifth(workspace: Workspace) -> None:
    root = workspace(1)
    stock = "她不由得深吸一口气，眼中闪过一丝坚定，嘴角勾起一抹微笑。"
    text = with_sentence(root, stock * 4)
    little = text.replace("不由得", "", 1)
    assert ai_score(little, "zh") < ai_score(text, "zh")
    result = play(root, [Step("anti_detect", little)])[0].revise(Revise(mode="anti-detect"))
    assert (result.applied, "must fall" in result.reason) == (False, True)


def test_the_diff_of_an_applied_revision_is_shown_sentence_by_sentence(
    workspace: Workspace,
) -> None:
    root = judged(workspace, finding(QUOTE))
    play(root, [PATCH, SETTLE])[0].revise(Revise())
    shown = latest_revision(book_of(root), 1)
    assert (shown.kind, shown.reason.startswith("spot-fix: 1 of 1")) == ("applied", True)
    changed = [line for hunk in shown.hunks for line in hunk.lines if line.change != "same"]
    assert [line.change for line in changed] == ["changed"]
    assert "[-到-]{+在+}" in changed[0].text


def test_the_diff_of_a_candidate_is_what_it_would_change(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [Step("polish", shrunk())])[0].revise(Revise(mode="polish"))
    shown = latest_revision(book_of(root), 1)
    assert (shown.kind, "10 %" in shown.reason) == ("candidate", True)
    assert Path(shown.path).suffix == ".md"
    assert {line.change for hunk in shown.hunks for line in hunk.lines} == {"same", "gone"}


def test_a_chapter_without_a_revision_has_no_diff(workspace: Workspace) -> None:
    with pytest.raises(NotFound) as caught:
        latest_revision(book_of(workspace(1)), 1)
    assert caught.value.code == "revision.not_found"


def test_the_length_score_of_the_new_text_is_told(workspace: Workspace) -> None:
    root = judged(workspace, finding(QUOTE))
    result = play(root, [PATCH, SETTLE])[0].revise(Revise())
    assert result.length_score == round(length_score(3000, result.words_after), 1)
