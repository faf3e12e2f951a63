"""Transactions: whole or not at all, whatever kills them; and everything they replace is kept."""

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zencli.errors import DamagedError, UsageError
from zencli.store.disk import Disk
from zencli.store.history import content, digest_of, revisions, runs
from zencli.store.layout import BookDir
from zencli.store.recovery import recover
from zencli.store.transaction import Transaction

Tree = dict[str, bytes]
ReadTree = Callable[[Path], Tree]
Killed = Callable[[Callable[[Disk], object], int], bool]

PATHS = ["outline.md", "chapters/0001.md", "chapters/0002.md", "人物/林晚.md", "a/b/c.md"]
CONTENTS = st.binary(max_size=40)
FILES = st.dictionaries(st.sampled_from(PATHS), CONTENTS)
STEPS = st.lists(st.tuples(st.sampled_from(PATHS), st.none() | CONTENTS), max_size=8)


def put(book: BookDir, files: Tree) -> None:
    for relative, data in files.items():
        path = book.path / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_chapter(book: BookDir, disk: Disk) -> None:
    transaction = Transaction(book, "write-next", "run-1", disk)
    transaction.write("chapters/0002.md", "# Two\n\nThe lamp went out.\n")
    transaction.write("records/0002.json", "{}")
    transaction.write("state.md", "after two\n")
    transaction.write("hooks.md", "H1 paid\n")
    transaction.delete("focus.md")
    transaction.commit()


BEFORE: Tree = {
    "chapters/0001.md": b"# One\n\nIt was dark.\n",
    "state.md": b"after one\n",
    "hooks.md": b"H1 open\n",
    "focus.md": b"faster\n",
}


@pytest.fixture
def begun(book: BookDir) -> BookDir:
    put(book, BEFORE)
    return book


@pytest.fixture
def after(begun: BookDir, arena: Path, tree: ReadTree) -> Tree:
    """What the book must be when ``write_chapter`` was done."""
    copy = BookDir(arena / "copy")
    shutil.copytree(begun.path, copy.path)
    write_chapter(copy, Disk())
    return tree(copy.path)


def restored(book: BookDir, to: Path) -> BookDir:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(book.path, to)
    return BookDir(to)


def test_a_commit_killed_at_any_disk_operation_leaves_the_old_or_the_new_state_whole(
    begun: BookDir, after: Tree, arena: Path, tree: ReadTree, killed: Killed
) -> None:
    before = tree(begun.path)
    outcomes = []
    for at in range(1000):
        book = restored(begun, arena / "victim")
        if not killed(partial(write_chapter, book), at):
            break
        recover(book)
        found = tree(book.path)
        assert found in (before, after), f"half a commit when killed at operation {at}"
        outcomes.append(found == after)
        assert not (book.path / ".zencli/stage").exists()
        assert not (book.path / ".zencli/commit.json").exists()
        assert recover(book) is None
        write_chapter(book, Disk())
        assert tree(book.path) == after
        assert len(runs(book)) == 1
        for relative in ("state.md", "hooks.md", "focus.md"):
            assert content(book, digest_of(before[relative])) == before[relative]
    assert len(outcomes) > 40
    assert outcomes == sorted(outcomes), "there is one operation from which on the commit happens"
    assert {False, True} == set(outcomes)


def test_a_recovery_killed_at_any_disk_operation_is_finished_by_the_next(
    begun: BookDir, after: Tree, arena: Path, tree: ReadTree, killed: Killed
) -> None:
    stopped = stopped_after_the_journal(begun, arena / "stopped", killed)
    # The author saves files meanwhile, so that recovery has to keep these too.
    put(stopped, {"state.md": b"by hand\n", "focus.md": b"slower\n"})
    operations = 0
    for at in range(1000):
        book = restored(stopped, arena / "victim")
        if not killed(partial(recover, book), at):
            break
        operations += 1
        recover(book)
        assert tree(book.path) == after
        for mine in (b"by hand\n", b"slower\n"):
            assert content(book, digest_of(mine)) == mine
    assert operations > 20


def test_a_file_made_again_after_all_was_in_place_is_not_deleted_by_recovery(
    begun: BookDir, arena: Path, killed: Killed
) -> None:
    for at in range(1000):
        book = restored(begun, arena / "victim")
        assert killed(partial(write_chapter, book), at)
        journal, stage = book.path / ".zencli/commit.json", book.path / ".zencli/stage/run-1"
        if journal.exists() and not stage.exists():
            break
    put(book, {"focus.md": b"again\n"})
    assert recover(book) is not None
    assert book.read("focus.md") == "again\n"


def test_contents_and_names_are_durable_before_what_relies_on_them(begun: BookDir) -> None:
    done: list[tuple[str, str]] = []

    def note(operation: str, path: Path) -> None:
        done.append((operation, path.relative_to(begun.path).as_posix()))

    write_chapter(begun, Disk(note))
    begins = done.index(("replace", ".zencli/commit.json"))
    ends = done.index(("replace", ".zencli/history/commits/000001.json"))
    created = [path for operation, path in done if operation == "create"]
    assert len(created) == 12, "three replaced contents, four new ones twice, the commit record"
    for path in created:
        assert ("fsync", path) in done[:begins]
    for folder in (".zencli/stage/run-1", ".zencli/history/objects"):
        assert ("sync_folder", folder) in done[:begins]
    assert done[begins + 1] == ("sync_folder", ".zencli")
    for folder in (".", "chapters", "records"):
        assert ("sync_folder", folder) in done[begins:ends]


def stopped_after_the_journal(begun: BookDir, to: Path, killed: Killed) -> BookDir:
    for at in range(1000):
        book = restored(begun, to)
        assert killed(partial(write_chapter, book), at)
        if (book.path / ".zencli/commit.json").exists():
            return book
    raise AssertionError("no operation after the commit record")


def test_recovery_says_what_it_finished_and_what_it_discarded(
    begun: BookDir, arena: Path, killed: Killed
) -> None:
    finished = recover(stopped_after_the_journal(begun, arena / "stopped", killed))
    assert finished is not None
    assert "write-next" in finished
    assert "chapters/0002.md" in finished
    assert killed(partial(write_chapter, begun), 30)
    assert list((begun.path / ".zencli/stage").glob("*/*"))
    discarded = recover(begun)
    assert discarded is not None
    assert "discarded" in discarded


def test_an_unreadable_commit_record_is_named_and_nothing_is_touched(
    begun: BookDir, tree: ReadTree
) -> None:
    before = tree(begun.path)
    (begun.path / ".zencli").mkdir()
    (begun.path / ".zencli/commit.json").write_bytes(b"{")
    with pytest.raises(DamagedError) as caught:
        recover(begun)
    assert caught.value.code == "book.damaged"
    assert ".zencli/commit.json" in caught.value.message
    with pytest.raises(DamagedError):
        write_chapter(begun, Disk())
    assert tree(begun.path) == before


def test_a_commit_record_that_names_a_file_outside_the_book_is_refused(
    begun: BookDir, arena: Path
) -> None:
    victim = arena / "victim.txt"
    victim.write_text("mine", encoding="utf-8")
    stage = begun.path / ".zencli/stage/r"
    stage.mkdir(parents=True)
    (begun.path / ".zencli/commit.json").write_text(
        '{"number": 1, "run": "r", "verb": "x", "time": "2026-11-30T12:00:00Z",'
        ' "changes": [{"path": "../../victim.txt", "before": "0"}]}',
        encoding="utf-8",
    )
    with pytest.raises(UsageError) as caught:
        recover(begun)
    assert caught.value.code == "usage.path"
    assert victim.read_text(encoding="utf-8") == "mine"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=FILES, transactions=st.lists(STEPS, min_size=1, max_size=3))
def test_any_sequence_of_writes_and_deletes_commits_whole_and_can_be_undone(
    arena: Path, files: Tree, transactions: list[list[tuple[str, bytes | None]]]
) -> None:
    with tempfile.TemporaryDirectory(dir=arena) as folder:
        book = BookDir(Path(folder))
        put(book, files)
        expected = dict(files)
        for number, steps in enumerate(transactions):
            before = dict(expected)
            transaction = Transaction(book, "test", f"run-{number}")
            for relative, data in steps:
                if data is None:
                    transaction.delete(relative)
                    expected.pop(relative, None)
                else:
                    transaction.write(relative, data)
                    expected[relative] = data
            changes = transaction.commit()
            assert present(book) == expected
            assert {c.path for c in changes} == {
                path
                for path in before.keys() | expected.keys()
                if before.get(path) != expected.get(path)
            }
        for run in reversed(runs(book)):
            for change in run.changes:
                if change.before is None:
                    (book.path / change.path).unlink()
                else:
                    put(book, {change.path: content(book, change.before)})
        assert present(book) == files


def present(book: BookDir) -> Tree:
    paths = (p for p in book.path.rglob("*") if p.is_file())
    relative = {p.relative_to(book.path).as_posix(): p.read_bytes() for p in paths}
    return {path: data for path, data in relative.items() if not path.startswith(".zencli/")}


def test_a_transaction_that_changes_nothing_leaves_no_trace(begun: BookDir) -> None:
    transaction = Transaction(begun, "test", "run-1")
    transaction.write("state.md", BEFORE["state.md"])
    transaction.delete("nothing.md")
    assert transaction.commit() == []
    assert not (begun.path / ".zencli").exists()


def test_changes_say_what_happened_to_each_file(begun: BookDir) -> None:
    transaction = Transaction(begun, "test", "run-1")
    transaction.write("new.md", "新")
    transaction.write("state.md", "other")
    transaction.delete("focus.md")
    kinds = {change.path: change.kind for change in transaction.commit()}
    assert kinds == {"new.md": "created", "state.md": "changed", "focus.md": "deleted"}
    assert (begun.path / "new.md").read_bytes() == "新".encode()


def test_a_replaced_file_keeps_its_mode_and_a_new_one_follows_the_umask(begun: BookDir) -> None:
    (begun.path / "state.md").chmod(0o604)
    umask = os.umask(0o027)
    try:
        transaction = Transaction(begun, "test", "run-1")
        transaction.write("state.md", "other")
        transaction.write("new.md", "new")
        transaction.commit()
    finally:
        os.umask(umask)
    assert (begun.path / "state.md").stat().st_mode & 0o777 == 0o604
    assert (begun.path / "new.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "path",
    ["../x.md", "a/../../x.md", "/etc/x", "", ".", "a//b", "./a", "a/", "x\0y", ".zencli/lock"],
)
def test_paths_that_lead_out_of_the_book_are_refused(begun: BookDir, path: str) -> None:
    transaction = Transaction(begun, "test", "run-1")
    with pytest.raises(UsageError) as write:
        transaction.write(path, "x")
    with pytest.raises(UsageError) as delete:
        transaction.delete(path)
    assert (write.value.code, delete.value.code) == ("usage.path", "usage.path")


def test_symlinks_and_folders_are_not_written_through(begun: BookDir, arena: Path) -> None:
    outside = arena / "outside"
    outside.mkdir()
    (begun.path / "out").symlink_to(outside)
    (begun.path / "link.md").symlink_to(begun.path / "state.md")
    transaction = Transaction(begun, "test", "run-1")
    for path in ("out/x.md", "link.md", "chapters"):
        with pytest.raises(UsageError) as caught:
            transaction.write(path, "x")
        assert caught.value.code == "usage.path"


def test_a_file_in_the_place_of_a_folder_is_refused_before_anything_changes(
    begun: BookDir, tree: ReadTree
) -> None:
    before = tree(begun.path)
    transaction = Transaction(begun, "test", "run-1")
    transaction.write("focus.md/deep.md", "x")
    transaction.write("state.md", "other")
    with pytest.raises(UsageError) as caught:
        transaction.commit()
    assert caught.value.code == "usage.path"
    assert tree(begun.path) == before


class Full(Disk):
    """A disk that refuses one operation, as a full one does."""

    def __init__(self, at: int) -> None:
        super().__init__(self._count)
        self.left = at
        self.refused = False

    def _count(self, operation: str, path: Path) -> None:
        self.left -= 1
        if self.left < 0 and not self.refused and operation not in ("unlink", "rmdir"):
            self.refused = True
            raise OSError(28, "No space left on device", str(path))


def test_a_full_disk_gives_a_sentence_and_the_old_state_or_the_new_one_later(
    begun: BookDir, after: Tree, arena: Path, tree: ReadTree
) -> None:
    before = tree(begun.path)
    seen = set()
    for at in range(1000):
        book = restored(begun, arena / "victim")
        disk = Full(at)
        try:
            write_chapter(book, disk)
        except UsageError as error:
            assert error.code == "usage.not_writable"
            assert "No space left" in error.message
            undone = "Nothing was changed" in error.hint
            seen.add(undone)
            recover(book)
            assert tree(book.path) == (before if undone else after), at
            assert len(runs(book)) == (0 if undone else 1)
        if not disk.refused:
            break
    assert seen == {True, False}


def test_revisions_tell_every_content_of_a_file_with_hand_edits_between(book: BookDir) -> None:
    put(book, {"style.md": b"author, first\n"})
    for run, text in (("run-1", "one\n"), ("run-2", "two\n")):
        transaction = Transaction(book, "revise", run)
        transaction.write("style.md", text)
        transaction.commit()
    put(book, {"style.md": b"author, later\n"})
    transaction = Transaction(book, "undo", "run-3")
    transaction.delete("style.md")
    transaction.commit()
    found = [(r.run, r.digest) for r in revisions(book, "style.md")]
    texts = [b"author, first\n", b"one\n", b"two\n", b"author, later\n"]
    first, one, two, later = (digest_of(text) for text in texts)
    assert found == [
        ("", first),
        ("run-1", one),
        ("run-2", two),
        ("", later),
        ("run-3", None),
    ]
    assert content(book, first) == b"author, first\n"
    assert content(book, one) == b"one\n"
    assert content(book, later) == b"author, later\n"


def test_a_committed_content_is_kept_whatever_happens_to_its_file(book: BookDir) -> None:
    transaction = Transaction(book, "revise", "run-1")
    transaction.write("style.md", "short\n")
    transaction.commit()
    put(book, {"style.md": b"edited\n"})
    assert content(book, digest_of(b"short\n")) == b"short\n"
    (book.path / "style.md").unlink()
    assert content(book, digest_of(b"short\n")) == b"short\n"
    with pytest.raises(UsageError) as caught:
        content(book, digest_of(b"edited\n"))
    assert caught.value.code == "history.not_found"


def test_an_edited_file_that_a_run_leaves_alone_is_told_as_the_authors(book: BookDir) -> None:
    transaction = Transaction(book, "write-next", "run-1")
    transaction.write("chapters/0001.md", "one\n")
    transaction.commit()
    put(book, {"chapters/0001.md": b"edited\n"})
    transaction = Transaction(book, "sync", "run-2")
    transaction.keep_file("chapters/0001.md")
    transaction.keep_file("chapters/0002.md")
    transaction.write("state.md", "later\n")
    assert [change.path for change in transaction.commit()] == ["state.md"]
    (book.path / "chapters/0001.md").unlink()
    found = revisions(book, "chapters/0001.md")
    assert [(r.run, r.digest) for r in found] == [
        ("run-1", digest_of(b"one\n")),
        ("", digest_of(b"edited\n")),
    ]
    assert content(book, digest_of(b"edited\n")) == b"edited\n"
    assert [change.path for change in runs(book)[-1].changes] == ["state.md"]


def test_a_damaged_old_content_is_reported_and_not_returned(begun: BookDir) -> None:
    write_chapter(begun, Disk())
    digest = digest_of(BEFORE["state.md"])
    (begun.path / ".zencli/history/objects" / digest).write_bytes(b"rubbish")
    with pytest.raises(DamagedError) as caught:
        content(begun, digest)
    assert caught.value.code == "book.damaged"


def test_a_run_of_several_commits_is_told_as_one_change(book: BookDir) -> None:
    for text in ("one", "two"):
        transaction = Transaction(book, "write-next", "run-1")
        transaction.write("state.md", text)
        transaction.write("draft.md", text)
        transaction.commit()
    transaction = Transaction(book, "write-next", "run-1")
    transaction.delete("draft.md")
    transaction.commit()
    (run,) = runs(book)
    assert [(c.path, c.kind) for c in run.changes] == [("state.md", "created")]
    assert run.changes[0].after == digest_of(b"two")
