"""What has a new chapter revised: critical findings, and warnings that a patch can mend."""

from pathlib import Path

import pytest
from pipeline_helpers import (
    CLEAN,
    ZH,
    Workspace,
    book_of,
    finding,
    four_calls,
    only_critical,
    play,
    prompt,
    prose,
    roles,
    step,
)

from zencli.llm.profiles import PROFILES
from zencli.llm.scripted import Step
from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner

PLAN, WRITE, _, SETTLE = four_calls(1)
CRITICAL = finding("声音钻过桥洞，撞到对岸的墙上，回来时短了一截。", problem="声音不会变短。")
LOCAL = "对岸豆腐店本来卸下一块门板，听见她的声音，又合上了。"


THIRD = next(
    line for line in prose(1).split("\n\n") if len(line) > 20 and CRITICAL["quote"] not in line
    and LOCAL not in line and prose(1).count(line) == 1
)  # fmt: skip


def write(root: Path, *findings: dict[str, str], patched: bool = True) -> list[str]:
    """Prompts of a chapter's calls, the patch call taking both sentences out of the way."""
    patches = [
        {"finding": 1, "old": CRITICAL["quote"], "new": "声音钻过桥洞，撞在对岸的石墙上。"},
        {"finding": 2, "old": LOCAL, "new": "对岸豆腐店的门板又合上了。"},
    ]
    spot_fix = [step("spot_fix", patches=patches, note="")] if patched else []
    steps = [PLAN, WRITE, step("audit", findings=list(findings))]
    runner, model = play(root, [*steps, *spot_fix, SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert chapter.status == "passed"
    assert ("spot_fix" in roles(model)) == patched
    return [prompt(request) for request in model.requests]


def test_a_local_warning_is_mended_together_with_a_critical_finding(workspace: Workspace) -> None:
    root = workspace(0)
    prompts = write(root, CRITICAL, finding(LOCAL, severity="warning", problem="门板不清楚。"))
    assert "门板不清楚。" in prompts[3]
    assert LOCAL not in book_of(root).chapter(1)[1]


def test_a_warning_that_patches_cannot_mend_stays_out_of_them(workspace: Workspace) -> None:
    far = finding(LOCAL, severity="warning", problem="这一场要重排。", scope="structural")
    assert "这一场要重排。" not in write(workspace(0), CRITICAL, far)[3]


def test_a_local_warning_alone_is_mended_by_one_call(workspace: Workspace) -> None:
    root = workspace(0)
    prompts = write(root, finding(LOCAL, severity="warning", problem="门板不清楚。"))
    assert "门板不清楚。" in prompts[3]
    assert LOCAL not in book_of(root).chapter(1)[1]
    record = book_of(root).record(1)
    assert record is not None
    assert (record.revised, record.audited, record.findings) == (1, True, [])


def test_a_warning_costs_no_call_where_only_critical_findings_count(
    workspace: Workspace,
) -> None:
    root = only_critical(workspace(0))
    write(root, finding(LOCAL, severity="warning"), patched=False)
    assert book_of(root).chapter(1)[1] == prose(1)


def test_a_critical_finding_is_mended_where_only_those_count(workspace: Workspace) -> None:
    write(only_critical(workspace(0)), CRITICAL)


def test_a_warning_costs_no_call_in_a_small_window(workspace: Workspace) -> None:
    root = workspace(0)
    steps = [PLAN, WRITE, step("audit", findings=[finding(LOCAL, severity="warning")]), SETTLE]
    model = ZH.model(steps, profile=PROFILES["ollama"])
    chapter = Runner(root, model=model).write_next(WriteNext()).chapters[0]
    model.done()
    assert (chapter.status, len(chapter.findings)) == ("passed", 1)


STRUCTURAL = finding(LOCAL, severity="warning", scope="structural")
INFO = finding(LOCAL, severity="提示")


@pytest.mark.parametrize("told", [[STRUCTURAL], [INFO], [STRUCTURAL, INFO]])
def test_what_a_patch_cannot_mend_or_need_not_costs_no_call(
    workspace: Workspace, told: list[dict[str, str]]
) -> None:
    root = workspace(0)
    write(root, *told, patched=False)
    assert book_of(root).chapter(1)[1] == prose(1)


def test_a_warning_of_the_chapter_as_a_whole_costs_no_call(workspace: Workspace) -> None:
    """A text too long for its target, which no passage of it shows."""
    root = workspace(0)
    steps = [PLAN, WRITE, CLEAN, Step("normalise", prose(1) + "\n\n" + prose(2)), SETTLE]
    runner, model = play(root, steps)
    chapter = runner.write_next(WriteNext(chapter_word_count=2000)).chapters[0]
    model.done()
    assert [(f.dimension, f.severity, f.quote) for f in chapter.findings] == [
        ("length", "warning", "")
    ]


def test_no_rounds_leave_warnings_alone(workspace: Workspace) -> None:
    told = step("audit", findings=[finding(LOCAL, severity="warning")])
    runner, model = play(workspace(0), [PLAN, WRITE, told, SETTLE])
    chapter = runner.write_next(WriteNext(rounds=0)).chapters[0]
    model.done()
    assert (chapter.status, chapter.revised, len(chapter.findings)) == ("passed", 0, 1)


@pytest.mark.parametrize("rounds", [1, 2])
def test_rounds_limits_the_calls_for_warnings(workspace: Workspace, rounds: int) -> None:
    """A patch a round takes one warning away; what is left when the rounds are used up stays."""
    told = [finding(quote, severity="warning") for quote in (LOCAL, CRITICAL["quote"], THIRD)]
    patches = [
        step("spot_fix", patches=[{"finding": 1, "old": LOCAL, "new": "门板又合上了。"}]),
        step("spot_fix", patches=[{"finding": 1, "old": CRITICAL["quote"], "new": "声音撞回来。"}]),
    ]
    steps = [PLAN, WRITE, step("audit", findings=told), *patches[:rounds], SETTLE]
    runner, model = play(workspace(0), steps)
    chapter = runner.write_next(WriteNext(rounds=rounds)).chapters[0]
    model.done()
    assert (chapter.status, chapter.revised) == ("passed", rounds)
    assert len(chapter.findings) == len(told) - rounds


def test_a_patch_that_mends_no_warning_leaves_the_chapter_passed(workspace: Workspace) -> None:
    root = workspace(0)
    nowhere = step("spot_fix", patches=[{"finding": 1, "old": "没有这句", "new": "换"}])
    told = step("audit", findings=[finding(LOCAL, severity="warning")])
    again = Step("spot_fix_again", nowhere.text)
    runner, _ = play(root, [PLAN, WRITE, told, nowhere, again, SETTLE])
    chapter = runner.write_next(WriteNext(rounds=3)).chapters[0]
    assert book_of(root).chapter(1)[1] == prose(1)
    assert (chapter.status, chapter.revised, len(chapter.findings)) == ("passed", 0, 1)


def test_a_warning_of_the_checks_is_mended_too(workspace: Workspace) -> None:
    root = workspace(0)
    rules = book_of(root).path / "rules.md"
    rules.write_text(rules.read_text("utf-8").rstrip() + "\n\n- 水二则嘞\n", "utf-8")
    text = prose(1)
    patches = [{"finding": 1, "old": "水二则嘞", "new": "水二则咯"}]
    assert text.count("水二则嘞") == 1
    runner, model = play(root, [PLAN, WRITE, CLEAN, step("spot_fix", patches=patches), SETTLE])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert (chapter.findings, chapter.revised) == ([], 1)
    assert book_of(root).chapter(1)[1] == text.replace("水二则嘞", "水二则咯")
