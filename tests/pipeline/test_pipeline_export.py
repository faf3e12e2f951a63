"""The verb ``export``: what goes into the file, what is told, and what is refused."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import BOOK, Workspace, book_of, prose

from zencli.cli.exporting import told_of_export
from zencli.errors import DamagedError, JudgedError, NotFound, UsageError
from zencli.pipeline.params import Approve, Export
from zencli.pipeline.results import ExportResult
from zencli.pipeline.runner import Runner

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\0\0\0\0\xd3\x10?1\0\0\0\0IEND\xaeB`\x82"
OUTLINE = """# 大纲

## 第 1 卷 报水（第 1-2 章）

### 起（第 1-2 章）

## 第 2 卷（第 3-9 章）

### 承（第 3-9 章）
"""


def export(root: Path, **wish: object) -> ExportResult:
    return Runner(root).export(Export.model_validate(wish))


def told(result: ExportResult) -> list[tuple[int, str, bool]]:
    return [(s.number, s.reason, s.left_out) for s in result.skipped]


def text_of(result: ExportResult) -> str:
    return Path(result.path).read_text("utf-8")


def change_record(root: Path, number: int, **fields: Any) -> None:
    path = book_of(root).path / f"records/{number:04d}.json"
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps({**record, **fields}), "utf-8")


def add_to_config(root: Path, text: str) -> None:
    path = book_of(root).path / "book.toml"
    path.write_text(path.read_text("utf-8") + text, "utf-8")


@pytest.mark.parametrize("form", ["txt", "md", "epub", "html", "docx"])
def test_every_form_is_one_file_with_all_chapters(workspace: Workspace, form: str) -> None:
    root = workspace(2)
    result = export(root, format=form)
    path = book_of(root).path / "exports" / f"{BOOK}.{form}"
    assert (result.path, result.chapters) == (str(path), 2)
    first = path.read_bytes()
    assert export(root, format=form) and path.read_bytes() == first, "nothing changed"
    assert os.listdir(path.parent) == [path.name]


def test_stale_and_unsettled_chapters_are_in_the_file_and_told(workspace: Workspace) -> None:
    root = workspace(3)
    change_record(root, 1, stale="chapter 0 changed")
    change_record(root, 2, delta=None)
    (book_of(root).path / "records/0003.json").unlink()
    result = export(root)
    assert result.chapters == 3
    assert told(result) == [(1, "stale", False), (2, "unsettled", False), (3, "unsettled", False)]
    assert told_of_export(result) == [
        "stale, but in the file: chapter 1", "unsettled, but in the file: chapter 2-3"
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["missing", "empty", "stale", "unsettled", "not approved"])
def test_strict_makes_each_of_them_an_error_and_writes_nothing(
    workspace: Workspace, what: str
) -> None:
    root = workspace(3)
    chapters = book_of(root).path / "chapters"
    wish: dict[str, object] = {}
    if what == "missing":
        (chapters / "0002.md").unlink()
    elif what == "empty":
        (chapters / "0002.md").write_text("# 题\n\n\n", "utf-8")
    elif what == "not approved":
        Runner(root).approve(Approve(chapters="1"))
        Runner(root).approve(Approve(chapters="3"))
        wish["approved_only"] = True
    else:
        change_record(root, 2, **({"stale": "x"} if what == "stale" else {"delta": None}))
    with pytest.raises(JudgedError) as caught:
        export(root, strict=True, **wish)
    assert caught.value.code == "export.incomplete"
    assert caught.value.exit_code == 3
    assert f"2 ({what})" in caught.value.message
    assert not (book_of(root).path / "exports").exists()
    export(root, **wish)


def test_strict_takes_a_book_that_is_whole(workspace: Workspace) -> None:
    assert export(workspace(2), strict=True).skipped == []


def test_a_gap_is_told_within_the_range_alone(workspace: Workspace) -> None:
    root = workspace(3)
    (book_of(root).path / "chapters/0002.md").unlink()
    assert told(export(root, chapters="1-3")) == [(2, "missing", True)]
    assert told(export(root, chapters="3-")) == []


def test_volumes_are_chosen_and_stand_above_their_chapters(workspace: Workspace) -> None:
    root = workspace(3)
    (book_of(root).path / "outline.md").write_text(OUTLINE, "utf-8")
    whole = text_of(export(root))
    assert whole.index("第1卷 报水\n") < whole.index("第1章") < whole.index("第2卷\n")
    first = export(root, volumes="1")
    assert first.chapters == 2
    assert "第2卷" not in text_of(first)
    assert export(root, volumes="2-").chapters == 1
    assert export(root, volumes="1-2", chapters="2-3").chapters == 2
    with zipfile.ZipFile(export(root, format="epub").path) as epub:
        assert "EPUB/part-0001.xhtml" in epub.namelist()


def test_volumes_that_are_not_there_are_refused(workspace: Workspace) -> None:
    root = workspace(2)
    (book_of(root).path / "outline.md").write_text(OUTLINE, "utf-8")
    with pytest.raises(UsageError) as caught:
        export(root, volumes="5")
    assert caught.value.code == "usage.volumes"
    with pytest.raises(NotFound):
        export(root, volumes="2")
    with pytest.raises(UsageError, match="isn't a range"):
        export(root, volumes="x")


def test_the_single_untitled_volume_of_a_short_book_is_no_part(workspace: Workspace) -> None:
    assert "第1卷" not in text_of(export(workspace(2)))


def test_the_books_own_table_says_what_options_do_not(workspace: Workspace) -> None:
    root = workspace(1)
    add_to_config(root, '\n[export]\nauthor = "甲"\npublisher = "乙"\nsubjects = ["丙", "丁"]\n')
    with zipfile.ZipFile(export(root, format="epub", author="戊").path) as epub:
        package = epub.read("EPUB/content.opf").decode()
    assert "<dc:publisher>乙<" in package
    assert "<dc:subject>丙<" in package
    assert ">戊</dc:creator>" in package
    assert "甲" not in package


@pytest.mark.parametrize(
    ("line", "said"),
    [('autor = "甲"', "export.autor"), ("series_number = -1", "export.series_number"),
     ("author = 7", "export.author")],
)  # fmt: skip
def test_a_table_that_can_not_be_used_is_named(workspace: Workspace, line: str, said: str) -> None:
    root = workspace(1)
    add_to_config(root, f"\n[export]\n{line}\n")
    with pytest.raises(DamagedError) as caught:
        export(root)
    assert said in caught.value.message
    assert "author, publisher" in caught.value.hint


def test_pictures_come_from_the_books_folder_and_others_are_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    root = workspace(1)
    folder = book_of(root).path
    (folder / "images").mkdir()
    (folder / "images/bridge 1.png").write_bytes(PNG)
    (folder / "chapters/own.png").write_bytes(PNG)
    (folder / "bad.png").write_text("none")
    (tmp_path / "out.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "out.png")
    names = ["../images/bridge%201.png", "own.png", "images/bridge%201.png", "no.png", "../bad.png",
             "../../../../out.png", "link.png", "http://example.org/a.png", "/etc/passwd",
             "../.zencli/x.png"]  # fmt: skip
    text = "# 题\n\n甲。\n\n" + "\n\n".join(f"![图]({name})" for name in names)
    (folder / "chapters/0001.md").write_text(text, "utf-8")
    result = export(root, format="epub")
    assert [note.split()[4] for note in result.notes] == names[3:]
    assert all(note.startswith("chapter 1: the picture ") for note in result.notes)
    with zipfile.ZipFile(result.path) as epub:
        images = [name for name in epub.namelist() if name.startswith("EPUB/images/")]
        page = epub.read("EPUB/chapter-0001.xhtml").decode()
    assert len(images) == 1
    assert page.count("<img ") == 3


@pytest.mark.parametrize("form", ["txt", "md"])
def test_split_makes_a_folder_anew(workspace: Workspace, form: str) -> None:
    root = workspace(2)
    result = export(root, format=form, split=True)
    folder = Path(result.path)
    assert folder == book_of(root).path / "exports" / f"{BOOK}-{form}"
    assert len(os.listdir(folder)) == 2
    export(root, format=form, split=True, chapters="2")
    assert len(os.listdir(folder)) == 1


def test_pasting_follows_the_books_own_platform_and_a_single_file_does_not(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    path = book_of(root).path / "book.toml"
    config = path.read_text("utf-8").replace('platform = "other"', 'platform = "qidian"')
    path.write_text(config, "utf-8")
    assert "第1章" in text_of(export(root))
    split = export(root, split=True)
    assert os.listdir(split.path)[0].startswith("0001 第一章 ")
    assert len(split.notes) == 1, "the sample's chapters are shorter than is usual there"
    assert export(root, split=True, platform="other").notes == []


def test_encoding_and_line_ends_reach_the_file(workspace: Workspace) -> None:
    result = export(workspace(1), encoding="gb18030", line_end="crlf")
    data = Path(result.path).read_bytes()
    assert prose(1).splitlines()[-1] in data.decode("gb18030")
    assert data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize(
    "wish",
    [
        {"format": "md", "encoding": "gb18030"},
        {"format": "epub", "split": True},
        {"format": "epub", "line_end": "crlf"},
        {"format": "docx", "vertical": True},
        {"format": "txt", "front_matter": True},
        {"format": "txt", "small_caps": True},
        {"format": "html", "platform": "tomato"},
        {"format": "html", "cover": "a.png"},
    ],
)
def test_an_option_of_another_format_is_refused(
    workspace: Workspace, wish: dict[str, object]
) -> None:
    with pytest.raises(UsageError) as caught:
        export(workspace(1), **wish)
    assert caught.value.code == "usage.options"
    assert "--format" in caught.value.message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PNG.replace(b"\0\0\1\0\0\0\1\0", b"\0\0\0\7\0\0\0\7"), "7 by 7"),
        (b"GIF89a\1\1\1\1", "neither"),
        (PNG + b"\0" * (4 << 20), "larger than 4 MB"),
    ],
)
def test_a_cover_has_a_form_and_a_size(
    workspace: Workspace, tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "cover").write_bytes(data)
    with pytest.raises(UsageError) as caught:
        export(workspace(1), format="epub", cover=str(tmp_path / "cover"))
    assert caught.value.code == "usage.cover"
    assert said in caught.value.message


def test_pages_are_kept_for_the_next_export_and_may_be_lost(workspace: Workspace) -> None:
    root = workspace(1)
    folder = book_of(root).path
    for number in range(2, 41):
        (folder / f"chapters/{number:04d}.md").write_text(f"# 题\n\n第{number}段。\n", "utf-8")
    first = Path(export(root, format="epub").path).read_bytes()
    kept = folder / ".zencli/cache/epub-pages"
    assert kept.is_file()
    assert Path(export(root, format="epub").path).read_bytes() == first
    kept.write_bytes(kept.read_bytes()[:-3])
    assert Path(export(root, format="epub").path).read_bytes() == first
    (folder / "chapters/0040.md").write_text("# 题\n\n改了。\n", "utf-8")
    with zipfile.ZipFile(export(root, format="epub").path) as epub:
        assert "改了。" in epub.read("EPUB/chapter-0040.xhtml").decode()


def test_a_chapter_file_that_leads_out_of_the_book_is_refused(
    workspace: Workspace, tmp_path: Path
) -> None:
    root = workspace(2)
    (tmp_path / "secret.md").write_text("# 秘\n\n不该看。\n", "utf-8")
    path = book_of(root).path / "chapters/0002.md"
    path.unlink()
    path.symlink_to(tmp_path / "secret.md")
    with pytest.raises(UsageError) as caught:
        export(root)
    assert caught.value.code == "usage.path"
