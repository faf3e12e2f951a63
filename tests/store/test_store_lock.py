"""One writer per book; the others are told who it is, or wait."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from zencli.errors import BusyError, UsageError
from zencli.store.atomic import write_atomic
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock, holder
from zencli.store.transaction import Transaction


@contextmanager
def held_elsewhere(book: BookDir, seconds: float = 60) -> Iterator[int]:
    """Another process that holds the book; gives its pid."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with book_lock(book, "write-next"):
            os.write(writing, b"!")
            time.sleep(seconds)
        os._exit(0)
    os.read(reading, 1)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


def test_a_held_book_is_busy_and_says_by_whom_and_since_when(book: BookDir) -> None:
    with held_elsewhere(book) as pid:
        with pytest.raises(BusyError) as caught, book_lock(book, "audit"):
            pass
        assert caught.value.code == "book.busy"
        for told in ("write-next", str(pid), time.strftime("%Y-%m-%dT%H:", time.gmtime())):
            assert told in caught.value.message
        assert caught.value.exit_code == 7


def test_a_killed_holder_leaves_the_book_free(book: BookDir) -> None:
    with held_elsewhere(book):
        pass
    with book_lock(book, "audit"):
        who = holder(book)
        assert who is not None
        assert (who["verb"], who["pid"]) == ("audit", os.getpid())
    assert holder(book) is None


@pytest.mark.parametrize("wait", [10, None])
def test_waiting_takes_the_book_when_it_is_free(book: BookDir, wait: float | None) -> None:
    with held_elsewhere(book, seconds=0.3), book_lock(book, "audit", wait=wait):
        who = holder(book)
        assert who is not None
        assert who["pid"] == os.getpid()


def test_waiting_ends_after_the_time_given(book: BookDir) -> None:
    with held_elsewhere(book):
        begun = time.monotonic()
        with pytest.raises(BusyError), book_lock(book, "audit", wait=0.2):
            pass
        assert 0.2 <= time.monotonic() - begun < 10


def test_the_lock_is_given_back_after_an_error(book: BookDir) -> None:
    with pytest.raises(KeyError), book_lock(book, "audit"):
        raise KeyError("x")
    with book_lock(book, "audit"):
        pass


def test_ten_writers_lose_no_update(book: BookDir) -> None:
    children = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            try:
                add_a_line(book)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 10
    lines = (book.read("notes.md") or "").splitlines()
    assert len(set(lines)) == len(lines) == 10


def add_a_line(book: BookDir) -> None:
    with book_lock(book, "agent", wait=None):
        transaction = Transaction(book, "agent", f"run-{os.getpid()}")
        transaction.write("notes.md", f"{book.read('notes.md') or ''}{os.getpid()}\n")
        transaction.commit()


def test_entering_finishes_an_interrupted_commit_and_tells(book: BookDir) -> None:
    stage = book.path / ".zencli/stage/run-1"
    stage.mkdir(parents=True)
    (stage / "0").write_text("half", encoding="utf-8")
    with book_lock(book, "audit") as told:
        assert told is not None
        assert not stage.exists()
    with book_lock(book, "audit") as told:
        assert told is None


def test_a_book_without_permission_is_a_sentence(arena: Path) -> None:
    (arena / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError) as caught, book_lock(BookDir(arena / "file"), "audit"):
        pass
    assert caught.value.code == "usage.not_writable"


def test_an_atomic_write_killed_anywhere_leaves_the_old_or_the_new_content(
    arena: Path, killed: Callable[..., bool]
) -> None:
    path = arena / "book.epub"
    seen = set()
    for at in range(100):
        path.write_bytes(b"old")
        path.chmod(0o640)
        if not killed(lambda disk: write_atomic(path, b"new" * 1000, disk), at):
            break
        seen.add(path.read_bytes())
    assert seen == {b"old", b"new" * 1000}
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_refused_atomic_write_leaves_no_temporary_file(arena: Path) -> None:
    (arena / "taken").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomic(arena / "taken", b"x")
    assert os.listdir(arena) == ["taken"]


def test_an_atomic_write_follows_a_symlink(arena: Path) -> None:
    (arena / "link").symlink_to(arena / "target")
    write_atomic(arena / "link", b"x")
    assert (arena / "link").is_symlink()
    assert (arena / "target").read_bytes() == b"x"
