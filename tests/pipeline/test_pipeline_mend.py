"""What a reviser is told: the faults that call for it, and the warnings that can go along."""

from pathlib import Path

from pipeline_helpers import (
    Workspace,
    book_of,
    finding,
    four_calls,
    play,
    prompt,
    prose,
    roles,
    step,
)

from zencli.pipeline.params import WriteNext

PLAN, WRITE, _, SETTLE = four_calls(1)
CRITICAL = finding("声音钻过桥洞，撞到对岸的墙上，回来时短了一截。", problem="声音不会变短。")
LOCAL = "对岸豆腐店本来卸下一块门板，听见她的声音，又合上了。"


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


def test_a_warning_alone_costs_no_call(workspace: Workspace) -> None:
    root = workspace(0)
    write(root, finding(LOCAL, severity="warning"), patched=False)
    assert book_of(root).chapter(1)[1] == prose(1)
