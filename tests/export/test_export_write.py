"""Exporting into a file."""

from dataclasses import replace

import pytest
from export_samples import sample

from zencli.errors import UsageError
from zencli.export.epub import render_epub
from zencli.export.md import render_md
from zencli.export.txt import render_txt
from zencli.export.write import EXPORT_FORMATS, export


@pytest.mark.parametrize(
    ("kind", "render"), [("txt", render_txt), ("md", render_md), ("epub", render_epub)]
)
def test_each_format_is_written_with_its_folders(tmp_path, kind, render):
    path = tmp_path / "deep" / "er" / f"书 1.{kind}"
    export(sample(), kind, path)
    assert path.read_bytes() == render(sample())
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert kind in EXPORT_FORMATS


def test_an_older_file_is_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    export(sample(), "txt", path)
    assert path.read_bytes() == render_txt(sample())


def test_a_book_without_chapters_is_an_error_and_writes_nothing(tmp_path):
    with pytest.raises(UsageError) as caught:
        export(replace(sample(), chapters=()), "txt", tmp_path / "sub" / "a.txt")
    assert caught.value.code == "export.empty"
    assert caught.value.hint
    assert not list(tmp_path.iterdir())


def test_a_failed_render_leaves_the_older_file(tmp_path):
    path = tmp_path / "a.epub"
    path.write_text("old")
    with pytest.raises(UsageError):
        export(replace(sample(), cover=b"no image"), "epub", path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["folder", "file/a.txt", "a\0b.txt", "x" * 300])
def test_a_path_that_cannot_be_written_is_named(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(UsageError) as caught:
        export(sample(), "txt", tmp_path / name)
    assert caught.value.code == "usage.output"
    assert str(tmp_path / name) in caught.value.message
    assert (tmp_path / "file").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]
