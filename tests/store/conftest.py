"""A small book to change, and a way to kill the process that changes it."""

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from zencli.store.config_file import render_config
from zencli.store.disk import Disk
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

Tree = dict[str, bytes]

MEMORY = Path("/dev/shm")


@pytest.fixture
def arena() -> Iterator[Path]:
    """An empty folder, in memory where there is such a disk: hundreds of commits sync often."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as path:
        yield Path(path)


@pytest.fixture
def book(arena: Path) -> BookDir:
    """A book with its configuration and no chapter."""
    path = arena / "books" / "lighthouse"
    path.mkdir(parents=True)
    config = BookConfig(
        id="lighthouse", title="The Lighthouse", language="en", created=WHEN, updated=WHEN
    )
    (path / "book.toml").write_text(render_config(config), encoding="utf-8")
    return BookDir(path)


@pytest.fixture
def tree() -> Callable[[Path], Tree]:
    """All files of a folder but the program's own, by path."""

    def read(root: Path) -> Tree:
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and ".zencli" not in path.relative_to(root).parts
        }

    return read


@pytest.fixture
def killed() -> Callable[[Callable[[Disk], object], int], bool]:
    """Runs ``work(disk)`` in a child that is killed ahead of its n-th disk operation (from 0).

    A write it is killed in has put a part of its bytes on the disk. Returns whether the child was
    killed; False means that the work was finished with fewer operations.
    """

    def run(work: Callable[[Disk], object], at: int) -> bool:
        child = os.fork()
        if child == 0:
            _work_until(work, at)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            return True
        assert os.WEXITSTATUS(status) == 0, "the work failed before it was killed"
        return False

    return run


def _work_until(work: Callable[[Disk], object], at: int) -> None:
    left = at

    def before(operation: str, path: Path) -> None:
        nonlocal left
        if left == 0:
            if operation == "write":
                path.write_bytes(b'{"cut":')
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    try:
        work(Disk(before))
    except BaseException:
        os._exit(1)
    os._exit(0)
