"""Many processes at one book: one writer at a time; readers never wait nor see half a commit."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_helpers import REPO, Answer, Endpoint, Shell, wait_for
from scripts import Script

from zencli.pipeline.overview import book_status
from zencli.store.history import commits
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock

EN = Script("en")


def the_book(shell: Shell) -> BookDir:
    (path,) = (shell.root / "books").iterdir()
    return BookDir(path)


def approvals(book: BookDir) -> list[str]:
    return [record.status for record in book.records().values()]


@pytest.mark.slow
def test_ten_at_once_are_one_at_a_time_and_no_update_is_lost(
    book: Shell, endpoint: Endpoint
) -> None:
    plan, write, audit, *rest = EN.chapter(3)
    endpoint.play(plan, Answer(write.text, hold=True))
    folder = the_book(book)
    writer = book.start("write-next", "--json")
    wait_for(endpoint.holding)

    busy = [("write-next",), ("audit", "1", "--no-llm"), ("approve", folder.id, "1"),
            ("unapprove", folder.id, "1"), ("revise", "1"), ("undo",)]  # fmt: skip
    reading = [("status",), ("list",), ("show", "2"), ("export", "--output", "x.txt")]
    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(lambda words: book(*words, "--json"), [*busy, *reading]))
    for words, result in zip(busy, results, strict=False):
        told = result.json()
        assert (result.code, told["error"]["code"]) == (7, "book.busy"), (words, result.err)
        assert f"write-next (pid {writer.pid})" in told["error"]["message"]
    for words, result in zip(reading, results[len(busy) :], strict=True):
        assert result.code == 0, (words, result.err)
    assert results[len(busy)].json()["data"]["chapters"][-1]["number"] == 2
    assert (book.root / "x.txt").stat().st_size > 1000

    waiting = [
        book.start(*words, "--wait", "--json")
        for words in (("approve", folder.id, "1"), ("approve", folder.id, "2"),
                      ("audit", "1", "--no-llm", "--fail-on", "never"))
    ]  # fmt: skip
    time.sleep(1)
    assert [process.poll() for process in waiting] == [None] * 3
    writer.send_signal(signal.SIGINT)
    writer.communicate(timeout=60)
    for process in waiting:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, (out, err)
    assert approvals(folder) == ["approved", "approved"]
    endpoint.play(write, audit, *rest)
    assert book("write-next").code == 0
    assert approvals(folder)[:2] == ["approved", "approved"]
    numbers = [commit.number for commit in commits(folder)]
    assert numbers == list(range(1, len(numbers) + 1))


WRITER = """
import sys
from pathlib import Path
from zencli.pipeline.params import Approve
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
root, number = Path(sys.argv[1]), sys.argv[2]
runner = Runner(root, RunOptions(wait=None))
for turn in range(10):
    runner.approve(Approve(chapters=number), approved=turn % 2 == 0)
runner.approve(Approve(chapters=number))
"""


@contextmanager
def writing(code: str, *arguments: object) -> Iterator["subprocess.Popen[bytes]"]:
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    words = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def test_writers_that_wait_for_each_other_lose_nothing(book: Shell) -> None:
    folder = the_book(book)
    before = len(commits(folder))
    with writing(WRITER, book.root, 1) as one, writing(WRITER, book.root, 2) as two:
        for process in (one, two):
            _, err = process.communicate(timeout=60)
            assert process.returncode == 0, err
    assert approvals(folder) == ["approved", "approved"]
    assert len(commits(folder)) == before + 2 * 11


SWAPPER = """
import itertools, sys, time
from pathlib import Path
from zencli.store.disk import Disk
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.transaction import Transaction
from zencli.story.record import text_digest
book = BookDir(Path(sys.argv[1]))
slow = Disk(lambda operation, path: time.sleep(0.004) if operation == "replace" else None)
record = book.record(1)
for turn in itertools.count():
    with book_lock(book, "swap", None):
        transaction = Transaction(book, "swap", f"swap-{turn}", slow)
        text = f"# Turn {turn}\\n\\nIt is turn {turn}.\\n"
        changed = record.model_copy(update={"title": f"Turn {turn}", "digest": text_digest(text)})
        transaction.write("chapters/0001.md", text)
        transaction.write("records/0001.json", changed.model_dump_json())
        third = "chapters/0003.md", "records/0003.json"
        if turn % 2:
            for path in third:
                transaction.delete(path)
        else:
            text = "# Three\\n\\nThere it is.\\n"
            new = changed.model_copy(
                update={"number": 3, "title": "Three", "digest": text_digest(text)}
            )
            transaction.write(third[0], text)
            transaction.write(third[1], new.model_dump_json())
        transaction.commit()
    print(turn, flush=True)
    time.sleep(0.02)
"""


def test_a_reader_always_sees_a_committed_state(book: Shell) -> None:
    folder = the_book(book)
    turns = set()
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    words = [sys.executable, "-c", SWAPPER, str(folder.path)]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE) as swapping:
        try:
            assert swapping.stdout is not None
            assert swapping.stdout.readline() == b"0\n"
            until = time.monotonic() + 4
            while time.monotonic() < until:
                seen = book_status(folder)
                first = seen.chapters[0]
                assert first.flags == [] or "edited" not in first.flags, first
                turn = int(first.title.removeprefix("Turn "))
                turns.add(turn)
                assert [c.number for c in seen.chapters] == ([1, 2] if turn % 2 else [1, 2, 3])
                assert not any({"edited", "unrecorded"} & set(c.flags) for c in seen.chapters)
        finally:
            swapping.kill()
    assert len(turns) > 10


def killed_mid_commit(folder: BookDir) -> None:
    """Leave a commit whose record is in place and whose first file only was moved."""
    code = """
import os, signal, sys
from pathlib import Path
from zencli.store.disk import Disk
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
book = BookDir(Path(sys.argv[1]))
moved = []
def before(operation, path):
    if operation == "replace" and ".zencli" not in path.parts:
        moved.append(path)
        if len(moved) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
transaction = Transaction(book, "write-next", "killed", Disk(before))
record = book.record(1)
text = "# New\\n\\nA new chapter.\\n"
transaction.write("chapters/0003.md", text)
transaction.write("records/0003.json", record.model_copy(
    update={"number": 3, "title": "New", "status": "drafted"}).model_dump_json())
transaction.delete("chapters/0002.md")
transaction.delete("records/0002.json")
transaction.commit()
"""
    with writing(code, folder.path) as process:
        process.communicate(timeout=60)
    assert (folder.path / ".zencli/commit.json").exists()
    assert not (folder.path / "records/0003.json").exists()


def test_what_a_killed_writer_left_half_moved_is_read_whole(book: Shell) -> None:
    folder = the_book(book)
    killed_mid_commit(folder)
    for _ in range(2):
        seen = book("status", "--json").json()["data"]
        assert [c["number"] for c in seen["chapters"]] == [1, 3]
        assert "unrecorded" not in seen["chapters"][1]["flags"]
        shown = book("show", "3", "--json").json()["data"]
        assert (shown["text"], shown["record"]["title"]) == ("A new chapter.", "New")
        assert book("show", "2", "--json").code == 2
        assert (folder.path / ".zencli/commit.json").exists(), "a reader changed the book"
    assert book("approve", folder.id, "3").code == 0
    assert not (folder.path / ".zencli/commit.json").exists()
    assert folder.chapter_numbers() == [1, 3]


def test_different_books_never_wait_for_each_other(
    book: Shell, written: dict[str, Path], endpoint: Endpoint
) -> None:
    first = the_book(book)
    shutil.copytree(written["zh"] / "books", book.root / "books", dirs_exist_ok=True)
    (other,) = (p.name for p in (written["zh"] / "books").iterdir())
    with book_lock(first, "write-next"):
        assert book("approve", other, "1").code == 0
        assert book("approve", first.id, "1").code == 7
