"""Taking runs back, and bringing old contents back: nothing that was ever in a book is lost."""

import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_helpers import (
    BOOK,
    ZH,
    Workspace,
    book_of,
    files_of,
    four_calls,
    play,
    prose,
    reply,
    step,
)

from zencli.context.canon import Canon
from zencli.errors import NeedsAuthor, NotFound, UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.editing.edits import Edits, noticed
from zencli.pipeline.params import Approve, History, Restore, Undo, WriteNext
from zencli.pipeline.past.restore import restore
from zencli.pipeline.past.undo import undo
from zencli.pipeline.results import HistoryResult, RestoreResult, UndoResult
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.disk import Disk
from zencli.store.history import runs
from zencli.store.known_files import KNOWN, known_json, present_digests
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.transaction import Transaction
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.record import Record

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NEW_PROSE = prose(1) + "\n\n她把灯留在桥头。"
NEW_SUMMARY = "她把灯留在了桥头。"


def take_back(root: Path, run: str | None = None, *, confirmed: bool = False) -> UndoResult:
    return Runner(root, RunOptions(confirmed=confirmed)).undo(Undo(run=run))


def history(root: Path, file: str | None = None) -> HistoryResult:
    return Runner(root).history(History(file=file))


def bring_back(root: Path, file: str, revision: int) -> RestoreResult:
    return Runner(root).restore(Restore(file=file, revision=revision))


def write(root: Path, *numbers: int) -> None:
    """Write the next chapters in one run."""
    steps = [s for number in numbers for s in four_calls(number)]
    play(root, steps)[0].write_next(WriteNext(chapter_count=len(numbers)))


def write_anew(root: Path) -> None:
    """Write chapter 1 anew, with another ending and another summary."""
    plan, _, audit, settle = four_calls(1)
    told = {**json.loads(settle.text), "summary": NEW_SUMMARY}
    steps = [plan, Step("write", NEW_PROSE), audit, step("settle", **told)]
    play(root, steps)[0].write_next(WriteNext(chapter=1))


def run_of(root: Path, verb: str) -> str:
    """The id of the latest run of a verb."""
    return next(line.run for line in history(root).runs if line.verb == verb)


def record_of(root: Path, number: int) -> Record:
    record = book_of(root).record(number)
    assert record is not None
    return record


def files(root: Path) -> dict[str, bytes]:
    return files_of(root / "books" / BOOK)


def views_follow_the_records(root: Path) -> bool:
    canon = Canon.load(book_of(root))
    state = canon.state_before(max(canon.records, default=0) + 1)
    told = render_state(state, "zh"), render_hooks(state.hooks, "zh")
    return told == (book_of(root).read("state.md"), book_of(root).read("hooks.md"))


def test_the_last_run_is_taken_back_whole(workspace: Workspace) -> None:
    root = workspace(1)
    before = files(root)
    write(root, 2)
    result = take_back(root)
    assert files(root) == before
    assert result.verb == "write-next"
    told = {change.path: change.change for change in result.files}
    assert told["chapters/0002.md"] == told["records/0002.json"] == "deleted"
    assert told["state.md"] == "changed"


def test_a_run_of_several_commits_is_taken_back_in_one(workspace: Workspace) -> None:
    root = workspace(0)
    before = files(root)
    write(root, 1, 2, 3)
    take_back(root)
    assert files(root) == before
    assert len(list((root / "books" / BOOK / ".zencli/history/commits").iterdir())) == 5


def test_undoing_again_goes_further_back_and_what_was_undone_can_be_had_again(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    states = [files(root)]
    for number in (2, 3):
        write(root, number)
        states.append(files(root))
    last, before = take_back(root), take_back(root)
    assert files(root) == states[0]
    assert before.undo is not None
    assert last.undo is not None
    take_back(root, before.undo)
    assert files(root) == states[1]
    take_back(root, last.undo)
    assert files(root) == states[2]
    assert take_back(root).run == last.run, "it counts as done again"


def test_the_next_chapter_is_written_after_an_undo_as_if_nothing_had_been(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    take_back(root)
    write(root, 2)
    assert book_of(root).chapter_numbers() == [1, 2]
    assert book_of(root).chapter(2)[1] == prose(2)


def test_an_edit_by_hand_is_named_and_kept_in_the_history(workspace: Workspace) -> None:
    root = workspace(1)
    write_anew(root)
    path = root / "books" / BOOK / "chapters/0001.md"
    edited = path.read_text("utf-8") + "\n我加的一句。\n"
    path.write_text(edited, "utf-8")
    before = files(root)
    with pytest.raises(NeedsAuthor) as caught:
        take_back(root)
    assert caught.value.code == "book.edited"
    assert "chapters/0001.md" in caught.value.message
    assert "state.md" not in caught.value.message
    assert files(root) == before
    result = take_back(root, confirmed=True)
    assert result.edited == ["chapters/0001.md"]
    assert book_of(root).chapter(1)[1] == prose(1)
    mine = [r for r in history(root, "chapters/0001.md").revisions if r.run is None]
    assert len(mine) == 1
    bring_back(root, "chapters/0001.md", mine[0].number)
    assert path.read_text("utf-8") == edited
    assert book_of(root).edited(1)


def test_a_file_that_the_author_deleted_since_is_named_too(workspace: Workspace) -> None:
    root = workspace(1)
    write_anew(root)
    (root / "books" / BOOK / "chapters/0001.md").unlink()
    with pytest.raises(NeedsAuthor, match=r"chapters/0001\.md"):
        take_back(root)
    take_back(root, confirmed=True)
    assert book_of(root).chapter(1)[1] == prose(1)


def test_an_edit_that_was_made_before_a_run_comes_back_with_its_undo(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters/0001.md"
    path.write_text(path.read_text("utf-8") + "\n我加的一句。\n", "utf-8")
    mine = path.read_bytes()
    write_anew(root)
    take_back(root)
    assert path.read_bytes() == mine


def test_a_setting_that_the_author_changed_since_stays(workspace: Workspace) -> None:
    root = workspace(1)
    write(root, 2)
    path = root / "books" / BOOK / "book.toml"
    text = path.read_text("utf-8") + '\n[model]\nname = "mine"\n'
    path.write_text(text, "utf-8")
    take_back(root)
    assert book_of(root).settings()["model"] == {"name": "mine"}
    assert book_of(root).chapter_numbers() == [1]


def test_the_book_is_no_longer_finished_when_its_last_chapter_is_undone(
    workspace: Workspace,
) -> None:
    root = workspace(3)
    write(root, 4)
    assert book_of(root).config().status == "finished"
    path = root / "books" / BOOK / "book.toml"
    path.write_text("mine = 1\n" + path.read_text("utf-8"), "utf-8")
    take_back(root)
    assert book_of(root).config().status == "writing"


def test_an_older_run_is_taken_back_when_no_later_one_built_on_its_files(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    Runner(root).approve(Approve(chapters="1"))
    approval = run_of(root, "approve")
    write(root, 2)
    take_back(root, approval)
    assert record_of(root, 1).status == "passed"
    assert record_of(root, 2).status == "passed"
    assert take_back(root).verb == "write-next"


def test_an_older_change_of_the_story_is_taken_back_under_what_was_written_since(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    before = files(root)
    write_anew(root)
    anew = run_of(root, "write-next")
    write(root, 2)
    assert NEW_SUMMARY in (book_of(root).read("state.md") or "")
    result = take_back(root, anew)
    after = files(root)
    for name in ("chapters/0001.md", "records/0001.json"):
        assert after[name] == before[name]
    assert result.stale == [2]
    assert "chapter 1 changed" in (record_of(root, 2).stale or "")
    assert views_follow_the_records(root)
    assert NEW_SUMMARY not in (book_of(root).read("state.md") or "")
    assert take_back(root).verb == "write-next", "a stale mark doesn't stand in the way"
    assert files(root).keys() == before.keys()
    assert views_follow_the_records(root)


@pytest.mark.parametrize("later", ["chapter", "approval"])
def test_an_older_run_that_a_later_one_built_on_is_refused(
    workspace: Workspace, later: str
) -> None:
    root = workspace(1)
    written = run_of(root, "write-next")
    if later == "chapter":
        write(root, 2)
    else:
        Runner(root).approve(Approve(chapters="1"))
    before = files(root)
    with pytest.raises(UsageError) as caught:
        take_back(root, written, confirmed=True)
    assert caught.value.code == "usage.run"
    assert files(root) == before
    take_back(root)
    take_back(root, written)
    assert book_of(root).chapter_numbers() == []


def test_what_cannot_be_undone_is_said(workspace: Workspace) -> None:
    root = workspace(1)
    with pytest.raises(NotFound) as caught:
        take_back(root, "20261130T101500.000001Z-audit")
    assert caught.value.code == "run.not_found"
    result = take_back(root)
    with pytest.raises(UsageError, match="undone already") as again:
        take_back(root, result.run)
    assert result.undo is not None
    assert result.undo in again.value.hint


def test_a_run_that_the_author_took_back_by_hand_counts_as_undone(workspace: Workspace) -> None:
    root = workspace(1)
    before = files(root)
    Runner(root).approve(Approve(chapters="1"))
    name = "records/0001.json"
    (root / "books" / BOOK / name).write_bytes(before[name])
    assert take_back(root).files == []
    assert take_back(root).verb == "write-next"


def test_two_approvals_of_the_same_second_are_two_runs(workspace: Workspace) -> None:
    root = workspace(2)
    runner = Runner(root, clock=lambda: NOW)
    runner.approve(Approve(chapters="1"))
    runner.approve(Approve(chapters="2"))
    runner.undo(Undo())
    assert [record_of(root, n).status for n in (1, 2)] == ["approved", "passed"]


def test_undoing_the_making_of_a_book_moves_it_to_the_trash(workspace: Workspace) -> None:
    root = workspace(1)
    take_back(root)
    before = files(root)
    with pytest.raises(NeedsAuthor) as caught:
        take_back(root)
    assert caught.value.code == "book.trash"
    assert files(root) == before
    result = take_back(root, confirmed=True)
    assert result.trash is not None
    moved = Path(result.trash)
    assert moved.parent == root / ".zencli/trash"
    assert files_of(moved) == before
    assert list((root / "books").iterdir()) == []
    play(root, ZH.opening())[0].init_book(ZH.wish())
    again = take_back(root, confirmed=True).trash
    assert again is not None
    assert Path(again) != moved
    shutil.move(again, root / "books" / BOOK)
    assert book_of(root).config().title == BOOK


def test_a_command_that_waited_while_the_book_was_moved_away_is_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    root = workspace(0)
    book = book_of(root)
    told, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(told, 1)
        os._exit(_code_of_waiting(book))
    with book_lock(book, "undo"):
        os.write(begin, b"x")
        time.sleep(0.3)
        book.path.rename(tmp_path / "moved")
    _, status = os.waitpid(child, 0)
    assert os.WEXITSTATUS(status) == 2
    os.close(told)
    os.close(begin)


def _code_of_waiting(book: BookDir) -> int:
    try:
        with book_lock(book, "approve", 30):
            return 0
    except NotFound:
        return 2


def test_the_history_tells_every_run_and_what_became_of_it(workspace: Workspace) -> None:
    root = workspace(2)
    undone = take_back(root)
    newest, second, first, made = history(root).runs
    assert [line.verb for line in (newest, second, first, made)] == [
        "undo", "write-next", "write-next", "init-book",
    ]  # fmt: skip
    assert newest.run == undone.undo
    assert (newest.undoes, newest.undone_by) == (second.run, None)
    assert (second.undoes, second.undone_by) == (None, newest.run)
    assert first.undone_by is None
    assert {f.path: f.change for f in made.files}["brief.md"] == "created"


def test_the_history_of_a_file_has_every_content_it_had(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters/0001.md"
    first = path.stat().st_size
    path.write_text("# 报水\n\n我的。\n", "utf-8")
    mine = path.stat().st_size
    assert history(root, "chapters/0001.md").edited
    write_anew(root)
    assert not history(root, "chapters/0001.md").edited
    take_back(root)
    take_back(root, confirmed=True)
    assert not path.exists()
    told = history(root, "chapters/0001.md")
    size = len(NEW_PROSE.encode()) + len("# 报水\n\n\n".encode())
    assert [(r.number, r.verb, r.size) for r in reversed(told.revisions)] == [
        (1, "write-next", first), (2, None, mine), (3, "write-next", size), (4, "undo", mine),
        (5, "undo", None),
    ]  # fmt: skip
    assert [r.number for r in told.revisions if r.current] == [5]
    assert not told.edited


def test_a_commit_under_way_is_no_edit_by_hand_to_the_history(workspace: Workspace) -> None:
    root = workspace(1)
    book = book_of(root)
    seen = set()

    def look(operation: str, path: Path) -> None:
        seen.add(history(root, "style.md").edited)

    transaction = Transaction(book, "work", "run-1", Disk(look))
    for name in ("rules.md", "style.md", "timeline.md"):
        transaction.write(name, "new\n")
    transaction.commit()
    assert seen == {False}
    assert [r.verb for r in history(root, "style.md").revisions] == ["work", "init-book"]


def test_a_file_without_history_is_not_found_and_near_names_are_offered(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    with pytest.raises(NotFound) as caught:
        history(root, "outlin.md")
    assert caught.value.code == "history.not_found"
    assert "outline.md" in caught.value.hint
    (root / "books" / BOOK / "mine.md").write_text("x")
    with pytest.raises(NotFound):
        history(root, "mine.md")
    for name in ("../brief.md", "/etc/passwd"):
        with pytest.raises(UsageError) as outside:
            history(root, name)
        assert outside.value.code == "usage.path"


def test_a_deleted_chapter_comes_back_with_its_record_and_no_call(workspace: Workspace) -> None:
    root = workspace(2)
    before = files(root)
    take_back(root)
    result = bring_back(root, "chapters/0002.md", 1)
    assert (result.file, result.revision, result.stale) == ("chapters/0002.md", 1, [])
    after = files(root)
    for name in ("chapters/0002.md", "records/0002.json", "state.md", "hooks.md"):
        assert after[name] == before[name], name
    take_back(root)
    assert book_of(root).chapter_numbers() == [1]


@pytest.mark.parametrize(
    "name", ["chapters/0002.md", "records/0002.json", "state.md", "brief.md", "book.toml"]
)
def test_what_the_author_deleted_comes_back(workspace: Workspace, name: str) -> None:
    root = workspace(2)
    before = files(root)
    last = history(root, name).revisions[0].number
    (root / "books" / BOOK / name).unlink()
    if name == "book.toml":
        now = datetime.now(UTC)
        wish = Restore(file=name, revision=last)
        restore(book_of(root), wish, "r", now, warn=print)
    else:
        bring_back(root, name, last)
    assert files(root) == before


def test_a_record_cut_in_half_comes_back(workspace: Workspace) -> None:
    root = workspace(2)
    before = files(root)
    path = root / "books" / BOOK / "records/0001.json"
    path.write_bytes(path.read_bytes()[:200])
    last = history(root, "records/0001.json").revisions[0]
    assert not last.current
    bring_back(root, "records/0001.json", last.number)
    assert files(root) == before


def test_an_earlier_text_brings_its_facts_back_and_makes_later_chapters_stale(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    write_anew(root)
    write(root, 2)
    result = bring_back(root, "chapters/0001.md", 1)
    assert book_of(root).chapter(1)[1] == prose(1)
    assert not book_of(root).edited(1)
    assert result.stale == [2]
    assert views_follow_the_records(root)
    assert NEW_SUMMARY not in (book_of(root).read("state.md") or "")
    take_back(root)
    assert record_of(root, 2).stale is None
    assert NEW_SUMMARY in (book_of(root).read("state.md") or "")


def test_what_is_put_back_is_no_edit_by_hand(workspace: Workspace) -> None:
    root = workspace(1)
    write_anew(root)
    anew = run_of(root, "write-next")
    write(root, 2)
    book = book_of(root)
    know_all(book)
    (book.path / "outline.md").write_text("# 我的大纲\n", "utf-8")
    card = next((book.path / "characters").iterdir())
    card.unlink()
    name = f"characters/{card.name}"
    assert noticed(book).edited == ["outline.md"]
    assert noticed(book).deleted == [name]
    bring_back(root, "outline.md", 1)
    assert noticed(book).edited == []
    assert noticed(book).deleted == [name], "what else was done by hand still is"
    bring_back(root, name, 1)
    assert noticed(book) == Edits()
    take_back(root, anew)
    assert noticed(book) == Edits()


def test_an_older_view_that_is_brought_back_counts_as_the_authors_wish(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    know_all(book_of(root))
    bring_back(root, "state.md", 1)
    assert noticed(book_of(root)).edited == ["state.md"]


def know_all(book: BookDir) -> None:
    """Let every file count as the program's own, as every commit does."""
    (book.path / KNOWN).write_text(known_json(present_digests(book)), "utf-8")


def test_restoring_what_is_there_changes_nothing(workspace: Workspace) -> None:
    root = workspace(1)
    before = files(root)
    assert bring_back(root, "chapters/0001.md", 1).files == []
    assert files(root) == before
    assert [line.verb for line in history(root).runs] == ["write-next", "init-book"]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({}, "usage.file"),
        ({"file": "chapters/0002.md"}, "usage.revision"),
        ({"file": "chapters/0002.md", "revision": 3}, "usage.revision"),
        ({"file": "chapters/0002.md", "revision": 2}, "usage.revision"),
        ({"file": "chapters/0009.md", "revision": 1}, "history.not_found"),
        ({"file": "../x", "revision": 1}, "usage.path"),
    ],
)
def test_a_revision_that_cannot_be_restored_is_refused(
    workspace: Workspace, wish: dict[str, object], code: str
) -> None:
    root = workspace(2)
    take_back(root)
    before = files(root)
    with pytest.raises(UsageError) as caught:
        Runner(root).restore(Restore.model_validate(wish))
    assert caught.value.code == code
    assert files(root) == before


def test_a_file_that_the_author_made_is_kept_when_a_run_takes_it_away(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    plan = step("plan", **reply("0001.plan"))
    play(root, [plan])[0].write_next(WriteNext(plan_only=True))
    path = root / "books" / BOOK / "plans/0001.md"
    path.write_text("# 我的计划\n", "utf-8")
    take_back(root, confirmed=True)
    assert not path.exists()
    mine = next(r for r in history(root, "plans/0001.md").revisions if r.run is None)
    bring_back(root, "plans/0001.md", mine.number)
    assert path.read_text("utf-8") == "# 我的计划\n"


def killed(work: Callable[[Disk], object], at: int) -> bool:
    """Whether ``work`` was killed ahead of its n-th disk operation, or had fewer."""
    child = os.fork()
    if child == 0:
        left = iter(range(at))

        def before(operation: str, path: Path) -> None:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            work(Disk(before))
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _undo(book: BookDir, disk: Disk, *, confirmed: bool = False) -> None:
    with book_lock(book, "undo"):
        undo(
            book,
            None,
            "killed-undo",
            NOW,
            trash=book.path.parents[1] / ".zencli/trash",
            confirmed=confirmed,
            warn=print,
            disk=disk,
        )


def _restore(book: BookDir, disk: Disk) -> None:
    wish = Restore(file="chapters/0001.md", revision=1)
    with book_lock(book, "restore"):
        restore(book, wish, "killed-restore", NOW, warn=print, disk=disk)


@pytest.mark.parametrize("work", [_undo, _restore])
def test_killed_at_any_disk_operation_the_book_is_as_before_or_as_after(
    workspace: Workspace, work: Callable[[BookDir, Disk], None]
) -> None:
    root = workspace(1)
    write_anew(root)
    before = files(root)
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(root, copy)
        work(book_of(copy), Disk())
        after = files(copy)
        outcomes = []
        for at in range(1000):
            victim = Path(folder) / "victim"
            shutil.rmtree(victim, ignore_errors=True)
            shutil.copytree(root, victim)
            if not killed(partial(work, book_of(victim)), at):
                break
            with book_lock(book_of(victim), "next"):
                found = files(victim)
            assert found in (before, after), f"half of it when killed at operation {at}"
            outcomes.append(found == after)
            if found == before:
                work(book_of(victim), Disk())
                assert files(victim) == after
    assert {False, True} == set(outcomes)
    assert outcomes == sorted(outcomes)


def test_a_move_to_the_trash_that_is_killed_has_happened_or_not(workspace: Workspace) -> None:
    root = workspace(0)
    before = files(root)
    moved = []
    for at in range(100):
        victim = root.with_name(f"victim-{at}")
        shutil.copytree(root, victim)
        if not killed(partial(_undo, book_of(victim), confirmed=True), at):
            break
        places = [*(victim / "books").iterdir(), *(victim / ".zencli/trash").glob("*")]
        assert len(places) == 1
        assert files_of(places[0]) == before
        moved.append(places[0].parent.name == "trash")
    assert {False, True} == set(moved)


def _memory() -> Path | None:
    memory = Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) else None


PATHS = ["notes.md", "plans/0001.md", "人物/林晚.md"]
CHANGES = st.dictionaries(
    st.sampled_from(PATHS), st.none() | st.sampled_from([b"", b"one", b"two"]), min_size=1
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(CHANGES, min_size=1, max_size=4))
def test_all_runs_undone_give_the_book_as_it_was_and_those_undone_the_book_as_it_became(
    changes: list[dict[str, bytes | None]],
) -> None:
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        book = BookDir(Path(folder))
        states = [files_of(book.path)]
        for number, change in enumerate(changes):
            transaction = Transaction(book, "work", f"run-{number}")
            for path, data in change.items():
                if data is None:
                    transaction.delete(path)
                else:
                    transaction.write(path, data)
            if transaction.commit():
                states.append(files_of(book.path))
        for number, state in enumerate(reversed(states[:-1])):
            _undo_plainly(book, None, f"undo-{number}")
            assert files_of(book.path) == state
        undone = [run.run for run in runs(book) if run.undoes]
        for number, (run, state) in enumerate(zip(reversed(undone), states[1:], strict=True)):
            _undo_plainly(book, run, f"redo-{number}")
            assert files_of(book.path) == state


def _undo_plainly(book: BookDir, run: str | None, run_id: str) -> None:
    undo(book, run, run_id, NOW, trash=book.path, confirmed=False, warn=print)
