"""Contents that are kept in memory: never older than the disk."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from zencli.store.kept_files import KeptFiles


@pytest.fixture
def handle(tmp_path: Path) -> Iterator[int]:
    opened = os.open(tmp_path, os.O_RDONLY)
    yield opened
    os.close(opened)


def long_ago(path: Path) -> None:
    """A file that hasn't changed for a while, by its times."""
    then = time.time() - 60
    os.utime(path, (then, then))


def test_what_changed_is_read_anew(tmp_path: Path, handle: int) -> None:
    kept, file = KeptFiles(), tmp_path / "a.md"
    for text in (b"one", b"two", b"longer than before"):
        file.write_bytes(text)
        long_ago(file)
        assert kept.read(str(tmp_path), handle, "a.md") == text
        assert kept.read(str(tmp_path), handle, "a.md") == text


def test_another_file_in_its_place_is_read_anew(tmp_path: Path, handle: int) -> None:
    kept, file = KeptFiles(), tmp_path / "a.md"
    file.write_bytes(b"one")
    assert kept.read(str(tmp_path), handle, "a.md") == b"one"
    (tmp_path / "b.md").write_bytes(b"two")
    os.replace(tmp_path / "b.md", file)
    assert kept.read(str(tmp_path), handle, "a.md") == b"two"
    file.unlink()
    assert kept.read(str(tmp_path), handle, "a.md") is None


def test_links_folders_and_large_files_give_nothing(tmp_path: Path, handle: int) -> None:
    kept = KeptFiles()
    (tmp_path / "real.md").write_bytes(b"text")
    (tmp_path / "link.md").symlink_to("real.md")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name in ("link.md", "folder.md", "pipe.md", "nowhere.md"):
        assert kept.read(str(tmp_path), handle, name) is None
    assert kept.read(str(tmp_path), handle, "real.md", 3) is None
