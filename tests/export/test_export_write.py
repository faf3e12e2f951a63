"""Putting an export into a file or a folder."""

import os

import pytest

from zencli.errors import UsageError
from zencli.export.write import write_file, write_folder


def test_a_file_is_written_with_its_folders_and_nothing_beside_it(tmp_path):
    path = tmp_path / "deep" / "er" / "书 1.txt"
    write_file(path, b"one")
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["folder", "file/a.txt", "a\0b.txt", "x" * 300])
def test_a_path_that_cannot_be_written_is_named(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UsageError) as caught:
        write_file(tmp_path / name, b"new")
    assert caught.value.code == "usage.output"
    assert str(tmp_path / name) in caught.value.message
    assert (tmp_path / "file").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


def test_a_folder_holds_the_new_files_and_none_of_the_older_export(tmp_path):
    path = tmp_path / "sub" / "book"
    write_folder(path, {"0001 旧.txt": b"1", "0002 旧.txt": b"2"})
    write_folder(path, {"0001 新.txt": b"3"})
    assert {p.name: p.read_bytes() for p in path.iterdir()} == {"0001 新.txt": b"3"}
    assert [p.name for p in path.parent.iterdir()] == ["book"]


def test_a_folder_with_files_of_others_is_left_as_it_is(tmp_path):
    path = tmp_path / "book"
    path.mkdir()
    (path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError) as caught:
        write_folder(path, {"0001 a.txt": b"1"})
    assert caught.value.code == "usage.output"
    assert "notes.txt" in caught.value.message
    assert os.listdir(path) == ["notes.txt"]


def test_a_folder_that_fails_half_way_leaves_the_older_one(tmp_path):
    path = tmp_path / "book"
    write_folder(path, {"0001 a.txt": b"1"})
    with pytest.raises(UsageError):
        write_folder(path, {"0001 b.txt": b"2", "no/such/folder.txt": b"3"})
    assert os.listdir(path) == ["0001 a.txt"]
    assert os.listdir(tmp_path) == ["book"]


def test_a_file_in_the_place_of_a_folder_is_not_overwritten(tmp_path):
    path = tmp_path / "book"
    path.write_text("mine")
    with pytest.raises(UsageError):
        write_folder(path, {"0001 a.txt": b"1"})
    assert path.read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(UsageError) as caught:
        write_file(path, b"text")
    assert caught.value.code == "usage.output"
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]
