"""Finished files, and the author's approval."""

from pathlib import Path

import pytest
from pipeline_helpers import (
    BOOK,
    Workspace,
    book_of,
    finding,
    four_calls,
    play,
    prose,
    step,
)

from zencli.errors import DamagedError, NotFound, UsageError
from zencli.pipeline.params import Approve, Audit, Export, ExportFormat, WriteNext
from zencli.pipeline.results import ExportResult
from zencli.pipeline.runner import Runner


def end(number: int) -> str:
    """The last paragraph of a chapter."""
    return prose(number).splitlines()[-1]


def export(root: Path, **wish: object) -> ExportResult:
    return Runner(root).export(Export.model_validate(wish))


def approve(root: Path, *, approved: bool = True, **wish: object) -> list[tuple[int, str]]:
    result = Runner(root).approve(Approve.model_validate(wish), approved=approved)
    return [(chapter.number, chapter.status) for chapter in result.chapters]


@pytest.mark.parametrize("form", ["txt", "md", "epub"])
def test_every_form_is_written_into_the_books_exports(
    workspace: Workspace, form: ExportFormat
) -> None:
    root = workspace(2)
    result = export(root, format=form)
    path = Path(result.path)
    assert path == root / "books" / BOOK / "exports" / f"{BOOK}.{form}"
    assert (result.format, result.chapters, result.skipped) == (form, 2, [])
    assert result.words == sum(r.words for r in book_of(root).records().values())
    content = path.read_bytes()
    if form == "epub":
        assert content.startswith(b"PK")
    else:
        text = content.decode("utf-8")
        assert text.index("报水") < text.index(end(1)) < text.index(end(2))


def test_text_is_the_default(workspace: Workspace) -> None:
    assert export(workspace(1)).path.endswith(".txt")


def test_approved_only_leaves_the_others_out_and_says_so(workspace: Workspace) -> None:
    root = workspace(3)
    approve(root, chapters="2")
    result = export(root, approved_only=True)
    assert result.chapters == 1
    assert [(s.number, s.reason) for s in result.skipped] == [
        (1, "not approved"),
        (3, "not approved"),
    ]
    text = Path(result.path).read_text("utf-8")
    assert end(2) in text
    assert end(1) not in text


def test_an_export_without_a_chapter_is_refused_and_writes_nothing(workspace: Workspace) -> None:
    root = workspace(2)
    with pytest.raises(UsageError) as caught:
        export(root, approved_only=True)
    assert caught.value.code == "export.empty"
    with pytest.raises(UsageError) as caught:
        export(workspace(0))
    assert caught.value.code == "export.empty"
    assert caught.value.message == f"{BOOK} has no chapter to export."
    only = workspace(1)
    (only / "books" / BOOK / "chapters" / "0001.md").write_text("# 一\n\n \n", "utf-8")
    with pytest.raises(UsageError) as caught:
        export(only)
    assert "chapter 1 (empty)" in caught.value.message
    assert not (root / "books" / BOOK / "exports").exists()


def test_gaps_and_empty_chapters_are_told(workspace: Workspace) -> None:
    root = workspace(3)
    chapters = root / "books" / BOOK / "chapters"
    (chapters / "0001.md").write_text("# 报水\n\n\n", "utf-8")
    (chapters / "0002.md").unlink()
    result = export(root)
    assert [(s.number, s.reason) for s in result.skipped] == [(1, "empty"), (2, "missing")]
    assert result.chapters == 1


def test_a_range_and_another_path(workspace: Workspace, tmp_path: Path) -> None:
    root = workspace(3)
    target = tmp_path / "out.md"
    result = export(root, chapters="2-", format="md", output=str(target), author="佚名")
    assert (result.path, result.chapters, result.skipped) == (str(target), 2, [])
    assert end(1) not in target.read_text("utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    assert export(root, output=str(folder)).path == str(folder / f"{BOOK}.txt")


def test_an_export_shows_the_text_as_the_author_edited_it(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "chapters" / "0001.md"
    path.write_text(path.read_text("utf-8") + "\n灯笼掉进了河里。\n", "utf-8")
    assert "灯笼掉进了河里。" in Path(export(root).path).read_text("utf-8")


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"cover": "c.png"}, "usage.options"),
        ({"check": True}, "usage.options"),
        ({"format": "epub", "cover": "missing.png"}, "usage.cover"),
        ({"chapters": "x"}, "usage.range"),
        ({"chapters": "8"}, "chapter.not_found"),
        ({"output": "/proc/none/x.txt"}, "usage.output"),
        ({"output": "-"}, "usage.output"),
    ],
)
def test_wrong_wishes_are_refused(workspace: Workspace, wish: dict[str, object], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        export(workspace(1), **wish)
    assert caught.value.code == code


def test_a_cover_must_be_an_image(workspace: Workspace, tmp_path: Path) -> None:
    cover = tmp_path / "cover.png"
    cover.write_text("not a picture")
    with pytest.raises(UsageError) as caught:
        export(workspace(1), format="epub", cover=str(cover))
    assert caught.value.code == "usage.cover"


def test_chapters_are_approved_by_range_and_unapproved_to_their_verdict(
    workspace: Workspace,
) -> None:
    root = workspace(3)
    play(root, [step("audit", findings=[finding(prose(2)[:30])])])[0].audit(Audit(chapter_number=2))
    assert approve(root, chapters="1-2") == [(1, "approved"), (2, "approved")]
    assert approve(root, approved=False, chapters="1-") == [
        (1, "passed"),
        (2, "failed"),
        (3, "passed"),
    ]


def test_all_passed_approves_those_that_passed_and_no_others(workspace: Workspace) -> None:
    root = workspace(2)
    play(root, [step("audit", findings=[finding(prose(2)[:30])])])[0].audit(Audit())
    plan, write, _, settle = four_calls(3)
    play(root, [plan, write, settle])[0].write_next(WriteNext(no_audit=True))
    assert approve(root, all_passed=True) == [(1, "approved")]


@pytest.mark.parametrize("wish", [{}, {"chapters": "1", "all_passed": True}])
def test_approve_needs_a_range_or_all_passed(workspace: Workspace, wish: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        approve(workspace(1), **wish)
    assert caught.value.code == "usage.chapters"


def test_approving_a_missing_chapter_or_one_without_a_record_changes_nothing(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    with pytest.raises(NotFound):
        approve(root, chapters="5")
    (root / "books" / BOOK / "records" / "0002.json").unlink()
    with pytest.raises(DamagedError) as caught:
        approve(root, chapters="1-2")
    assert caught.value.code == "book.damaged"
    record = book_of(root).record(1)
    assert record is not None
    assert record.status == "passed", "all or nothing"


def test_approving_twice_is_the_same_as_once(workspace: Workspace) -> None:
    root = workspace(1)
    approve(root, chapters="1")
    before = book_of(root).read("records/0001.json")
    assert approve(root, chapters="1") == [(1, "approved")]
    assert book_of(root).read("records/0001.json") == before
