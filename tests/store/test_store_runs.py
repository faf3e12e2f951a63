"""The log of runs: what was paid for is read back, and never twice, and never when it is stale."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zencli.errors import UsageError
from zencli.store.runs import RunLog, prune, shrink


def reply(text: str) -> dict[str, Any]:
    return {"text": text, "finish_reason": "stop"}


def kept(folder: Path, *pairs: tuple[str, str], verb: str = "write-next") -> RunLog:
    """A run that kept these replies and didn't end."""
    run = RunLog.start(folder, verb)
    for digest, text in pairs:
        run.keep(digest, "writer", {"messages": [digest]}, reply(text))
    return run


def test_a_killed_run_gives_its_replies_to_the_next_one(arena: Path) -> None:
    kept(arena, ("a", "甲"), ("b", "乙\udc80"))
    run = RunLog.start(arena, "write-next")
    assert run.recall("b") == reply("乙\udc80")
    assert run.recall("a") == reply("甲")
    assert run.recall("c") is None


@pytest.mark.parametrize("outcome", ["failed", "interrupted"])
def test_a_run_that_failed_gives_its_replies_to_the_next_one(arena: Path, outcome: Any) -> None:
    kept(arena, ("a", "one")).finish(outcome, {"error": "llm.network"})
    assert RunLog.start(arena, "write-next").recall("a") == reply("one")


def test_a_run_that_is_done_gives_nothing(arena: Path) -> None:
    kept(arena, ("a", "one")).finish("done", {})
    assert RunLog.start(arena, "write-next").recall("a") is None


def test_replies_are_given_once_each_in_the_order_they_came(arena: Path) -> None:
    kept(arena, ("a", "one"), ("a", "two"))
    kept(arena, ("a", "three"))
    run = RunLog.start(arena, "write-next")
    assert [run.recall("a") for _ in range(4)] == [
        reply("one"),
        reply("two"),
        reply("three"),
        None,
    ]
    again = RunLog.start(arena, "write-next")
    assert again.recall("a") == reply("one"), "the run that recalled it didn't end either"


def test_another_verb_and_a_fresh_start_recall_nothing(arena: Path) -> None:
    kept(arena, ("a", "one"))
    assert RunLog.start(arena, "audit").recall("a") is None
    assert RunLog.start(arena, "write-next", fresh=True).recall("a") is None
    assert RunLog.start(arena, "write-next").recall("a") == reply("one")


def test_its_own_replies_are_not_recalled(arena: Path) -> None:
    assert kept(arena, ("a", "one")).recall("a") is None


def test_done_supersedes_the_runs_that_asked_the_same(arena: Path) -> None:
    kept(arena, ("a", "one"), ("b", "two"))
    kept(arena, ("x", "other chapter"))
    resumed = RunLog.start(arena, "write-next")
    resumed.recall("a")
    resumed.finish("done", {})
    later = RunLog.start(arena, "write-next")
    assert later.recall("b") is None
    assert later.recall("x") == reply("other chapter"), "that run asked nothing of this one"


def test_a_fresh_run_that_is_done_supersedes_too(arena: Path) -> None:
    kept(arena, ("a", "old"))
    fresh = RunLog.start(arena, "write-next", fresh=True)
    assert fresh.recall("a") is None
    fresh.keep("a", "writer", {}, reply("new"))
    fresh.finish("done", {})
    assert RunLog.start(arena, "write-next").recall("a") is None


def test_an_unfinished_resume_supersedes_nothing(arena: Path) -> None:
    kept(arena, ("a", "one"))
    resumed = RunLog.start(arena, "write-next")
    resumed.recall("a")
    resumed.keep("b", "auditor", {}, reply("two"))
    resumed.finish("failed", {})
    third = RunLog.start(arena, "write-next")
    assert (third.recall("a"), third.recall("b")) == (reply("one"), reply("two"))


def test_a_rejected_reply_is_never_recalled(arena: Path) -> None:
    first = kept(arena, ("a", "rubbish"))
    first.reject("a")
    first.keep("a", "writer", {}, reply("good"))
    second = RunLog.start(arena, "write-next")
    assert second.recall("a") == reply("good")
    second.reject("a")
    second.reject("never asked")
    assert RunLog.start(arena, "write-next").recall("a") is None


def test_files_of_a_run_are_numbered_and_hold_the_whole_call(arena: Path) -> None:
    run = RunLog.start(arena, "write-next")
    run.keep("a", "planner", {"messages": []}, reply("plan"))
    run.keep_partial("writer", "It was da")
    run.keep("b", "writer/../x", {}, reply("text"))
    run.note("context", {"sections": {"state": 400}})
    run.finish("done", {"chapters": [1]})
    names = {p.name for p in run.folder.iterdir()}
    assert {"001-planner.json", "002-writer.partial.md", "003-writer-x.json"} <= names
    assert {"context.json", "outcome.json"} <= names
    assert run.folder == arena / run.id
    assert run.id.endswith("Z-write-next")
    assert (run.folder / "002-writer.partial.md").read_text(encoding="utf-8") == "It was da"


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=30)), max_size=4))
def test_half_written_files_never_stop_a_later_start(
    arena: Path, cuts: list[tuple[int, bytes]]
) -> None:
    verb = f"verb{len(os.listdir(arena))}"
    run = kept(arena, ("a", "one"), ("b", "two"), verb=verb)
    run.note("context", {})
    names = ["001-writer.json", "002-writer.json", "context.json", "outcome.json"]
    for index, data in cuts:
        (run.folder / names[index]).write_bytes(data)
    damaged = {index for index, _ in cuts}
    later = RunLog.start(arena, verb)
    assert later.recall("a") == (None if 0 in damaged else reply("one"))
    assert later.recall("b") == (None if 1 in damaged else reply("two"))


@pytest.mark.parametrize(
    "data",
    [
        "[]",
        '{"digest": 1, "reply": {}}',
        '{"digest": "a"}',
        '{"digest": "a", "reply": 1}',
        '{"outcome": 1, "supersedes": 3}',
        '{"supersedes": [[1]]}',
    ],
)
def test_files_of_another_shape_are_passed_over(arena: Path, data: str) -> None:
    run = kept(arena)
    for name in ("001-writer.json", "outcome.json"):
        (run.folder / name).write_text(data, encoding="utf-8")
    assert RunLog.start(arena, "write-next").recall("a") is None


def test_a_reply_is_on_disk_whole_or_not_at_all_when_killed(arena: Path) -> None:
    """The kernel stops the process at a random time; what ``keep`` returned from must be there."""
    for number in range(8):
        verb = f"verb-{number}"
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            run = RunLog.start(arena, verb)
            for call in range(10_000):
                run.keep(str(call), "writer", {}, reply("x" * 2000))
                os.write(writing, b"!")
            os._exit(0)
        os.close(writing)
        told = len(os.read(reading, number + 1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reading, "rb") as pipe:
            told += len(pipe.read())
        later = RunLog.start(arena, verb)
        found = 0
        while later.recall(str(found)) == reply("x" * 2000):
            found += 1
        assert found in (told, told + 1)


def in_child(work: Callable[[], object]) -> tuple[int, int]:
    """Run ``work`` in another process that then stays alive; its pid and a pipe that ends it."""
    reading, writing = os.pipe()
    ending, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        held = work()
        os.write(writing, b"!")
        os.read(ending, 1)
        os._exit(0 if held else 1)
    os.close(ending)
    os.read(reading, 1)
    os.close(reading)
    os.close(writing)
    return child, end


def test_the_run_of_a_living_process_is_neither_recalled_nor_pruned(arena: Path) -> None:
    child, end = in_child(lambda: kept(arena, ("a", "one")))
    try:
        run = RunLog.start(arena, "write-next")
        assert run.recall("a") is None
        run.finish("done", {})
        assert prune(arena, 0) == [run.id]
    finally:
        os.close(end)
        os.waitpid(child, 0)
    assert RunLog.start(arena, "write-next").recall("a") == reply("one")


def test_pruning_keeps_the_newest_runs(arena: Path) -> None:
    runs = [kept(arena, ("a", str(number))) for number in range(5)]
    (arena / "mine.txt").write_text("x", encoding="utf-8")
    assert prune(arena, 2) == [run.id for run in runs[:3]]
    assert sorted(os.listdir(arena)) == sorted(["mine.txt", *(run.id for run in runs[3:])])
    assert prune(arena, 2) == []
    assert prune(arena / "nowhere", 2) == []


def test_a_folder_that_cannot_be_made_is_a_sentence(arena: Path) -> None:
    (arena / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        RunLog.start(arena / "file" / "runs", "audit")
    assert caught.value.code == "usage.not_writable"


def test_shrinking_keeps_the_newest_calls_of_finished_runs_and_all_of_others(arena: Path) -> None:
    def calls(run: RunLog) -> list[str]:
        return sorted(path.name[:3] for path in run.folder.glob("[0-9]*.json"))

    first, broken, last = (RunLog.start(arena, verb) for verb in ("audit", "write-next", "audit"))
    for run in (first, broken, last):
        for number in range(12):
            run.keep(f"{number}", "writer", {"prompt": "x" * 900}, reply("one"))
    first.finish("done", {})
    broken.finish("failed", {})
    last.finish("done", {})
    size = next(last.folder.glob("001-*.json")).stat().st_size
    shrink(arena, 13 * size + 100)
    assert calls(last) == [f"{n:03d}" for n in range(1, 13)]
    assert len(calls(broken)) == 12
    assert calls(first) == ["012"]
    assert (first.folder / "outcome.json").exists()
    shrink(arena, 0)
    assert (calls(first), calls(last), len(calls(broken))) == ([], [], 12)
    shrink(arena / "nowhere", 0)


@pytest.mark.parametrize("outcome", ["failed", "interrupted"])
def test_a_run_that_failed_before_any_reply_leaves_no_trace(tmp_path: Path, outcome: Any) -> None:
    folder = tmp_path / ".zencli" / "runs"
    run = RunLog.start(folder, "init-book")
    run.note("command", {"brief": "x"})
    run.finish(outcome, {"code": "llm.network"})
    assert list(tmp_path.iterdir()) == []
    kept(folder, ("a", "one")).finish(outcome, {})
    RunLog.start(folder, "write-next").finish(outcome, {})
    assert RunLog.start(folder, "write-next").recall("a") == reply("one")


def test_a_run_that_only_read_replies_back_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    kept(folder, ("a", "one")).finish("failed", {})
    again = RunLog.start(folder, "write-next")
    assert again.recall("a") == reply("one")
    again.finish("failed", {})
    assert again.folder.is_dir()
