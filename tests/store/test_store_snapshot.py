"""What a reader sees of a commit that is under way, was broken off, or comes between."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from zencli.errors import BusyError, NotFound
from zencli.store.disk import Disk
from zencli.store.layout import BookDir
from zencli.store.recovery import recover
from zencli.store.snapshot import as_committed, snapshot
from zencli.store.transaction import Transaction

Killed = Callable[[Callable[[Disk], object], int], bool]
Seen = dict[str, object]

NAMES = ("chapters/0001.md", "chapters/0002.md", "chapters/0003.md", "focus.md", "characters/a.md")


def change(book: BookDir, disk: Disk) -> None:
    transaction = Transaction(book, "write-next", "run-1", disk)
    transaction.write("chapters/0001.md", "# One\n\nNew.\n")
    transaction.write("chapters/0003.md", "# Three\n\nNew.\n")
    transaction.write("characters/b.md", "# Bo\n")
    transaction.delete("chapters/0002.md")
    transaction.delete("characters/a.md")
    transaction.delete("focus.md")
    transaction.commit()


def look(book: BookDir) -> Seen:
    return {
        "texts": [book.read(name) for name in NAMES],
        "numbers": book.chapter_numbers(),
        "signed": [sign[2] for sign in book.signatures("chapters", ".md").values()],
        "cards": book.cards(),
    }


@pytest.fixture
def begun(book: BookDir) -> BookDir:
    for name in ("chapters/0001.md", "chapters/0002.md", "focus.md", "characters/a.md"):
        path = book.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Old {name}\n\nOld.\n", encoding="utf-8")
    return book


def test_a_commit_killed_anywhere_is_read_as_the_old_state_or_the_new_one(
    begun: BookDir, arena: Path, killed: Killed
) -> None:
    before = look(begun)
    done = BookDir(arena / "done")
    shutil.copytree(begun.path, done.path)
    change(done, Disk())
    after = look(done)
    found = []
    for at in range(1000):
        book = BookDir(arena / "victim")
        shutil.rmtree(book.path, ignore_errors=True)
        shutil.copytree(begun.path, book.path)
        if not killed(partial(change, book), at):
            break
        seen = snapshot(book, look)
        assert seen in (before, after), f"half a commit when killed at operation {at}"
        found.append(seen == after)
        recover(book)
        assert look(book) == seen, "the next writer makes of it what readers saw"
    assert found == sorted(found)
    assert found.count(True) > 8


def test_reading_that_a_commit_came_between_begins_anew(begun: BookDir) -> None:
    asked = []

    def slowly(book: BookDir) -> tuple[str | None, str | None]:
        first = book.read("chapters/0001.md")
        asked.append(first)
        if len(asked) == 1:
            change(begun, Disk())
        return first, book.read("chapters/0002.md")

    assert snapshot(begun, slowly) == ("# One\n\nNew.\n", None)
    assert len(asked) == 2


def test_what_fails_because_a_commit_came_between_is_tried_anew(begun: BookDir) -> None:
    asked = []

    def latest(book: BookDir) -> tuple[str, str]:
        number = book.chapter_numbers()[-1]
        asked.append(number)
        if len(asked) == 1:
            change(begun, Disk())
        return book.chapter(number)

    assert snapshot(begun, latest) == ("Three", "New.")
    assert asked == [2, 3]


def test_what_fails_in_a_book_that_stands_still_is_raised(begun: BookDir) -> None:
    with pytest.raises(NotFound, match="no chapter 9"):
        snapshot(begun, lambda book: book.chapter(9))


def test_a_book_that_never_stands_still_is_busy(begun: BookDir) -> None:
    def restless(book: BookDir) -> None:
        transaction = Transaction(begun, "write-next", "run")
        transaction.write("focus.md", f"{book.read('focus.md')}.")
        transaction.commit()

    with pytest.raises(BusyError) as told:
        snapshot(begun, restless)
    assert told.value.code == "book.busy"


def test_a_file_made_by_hand_after_the_commit_was_carried_out_is_seen(
    begun: BookDir, arena: Path, killed: Killed
) -> None:
    for at in range(1000):
        book = BookDir(arena / "victim")
        shutil.rmtree(book.path, ignore_errors=True)
        shutil.copytree(begun.path, book.path)
        assert killed(partial(change, book), at)
        staged = book.path / ".zencli/stage/run-1"
        if (book.path / ".zencli/commit.json").exists() and not staged.exists():
            break
    (book.path / "focus.md").write_text("again\n", encoding="utf-8")
    assert as_committed(book).read("focus.md") == "again\n"


def test_reading_needs_no_history_and_leaves_no_trace(begun: BookDir) -> None:
    before = sorted(begun.path.rglob("*"))
    assert snapshot(begun, lambda book: book.chapter_numbers()) == [1, 2]
    assert sorted(begun.path.rglob("*")) == before
    (begun.path / ".zencli").write_text("not a folder", encoding="utf-8")
    assert snapshot(begun, lambda book: book.chapter_numbers()) == [1, 2]
