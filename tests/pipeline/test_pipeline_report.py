"""``report``: what is drawn is what the book holds."""

import re
from html import unescape
from pathlib import Path

import pytest
from long_book import COUNT, long_book
from pipeline_helpers import BOOK, Workspace, book_of

from zencli.errors import UsageError
from zencli.pipeline.overview import book_status
from zencli.pipeline.reporting.report_params import Report, ReportResult
from zencli.pipeline.runner import Runner


def report(root: Path, **wish: object) -> tuple[ReportResult, str]:
    result = Runner(root).report(Report.model_validate(wish))
    return result, Path(result.path).read_text("utf-8")


def rows(page: str, key: str) -> list[list[str]]:
    """The rows of the table in a section."""
    section = page[page.index(f'<h2 id="{key}">') :]
    body = section[section.index("<tbody>") : section.index("</tbody>")]
    found = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in found]


def test_the_report_lies_in_the_books_exports(workspace: Workspace) -> None:
    root = workspace(2)
    result, page = report(root)
    assert Path(result.path).parent.name == "exports"
    assert page.startswith("<!DOCTYPE html>")
    assert result.book_id == BOOK


def test_nothing_in_the_page_asks_for_another_file(workspace: Workspace) -> None:
    root = workspace(2)
    _, page = report(root)
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    assert "@import" not in page
    assert "url(" not in page


def test_every_chapter_has_its_length_in_the_table(workspace: Workspace) -> None:
    root = workspace(2)
    result, page = report(root)
    status = [(c.number, c.words) for c in book_status(book_of(root)).chapters]
    assert [(int(r[0]), int(r[2].replace(",", ""))) for r in rows(page, "words")] == status
    assert result.chapters == len(status)


def test_an_overdue_hook_is_marked_and_a_paid_one_is_not(tmp_path: Path) -> None:
    long_book(tmp_path)
    result, page = report(tmp_path)
    assert result.overdue == ["H1"]
    first = rows(page, "hooks")[0]
    assert first[0] == "H1"
    assert first[2] == "逾期"
    assert result.hooks == COUNT - COUNT // 10 + 1


def test_a_hook_is_overdue_only_after_its_chapter(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    for number in range(9, COUNT + 1):
        (book.path / book.chapter_file(number)).unlink()
    assert report(tmp_path)[0].overdue == []


def test_who_changes_is_on_stage_and_who_is_named_is_not(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    chapter = book.path / book.chapter_file(10)  # unsettled: its record tells of nobody
    chapter.write_text(chapter.read_text("utf-8") + "\n阿晚睡了。\n", "utf-8")
    _, page = report(tmp_path)
    assert ["林晚", str(COUNT - COUNT // 10), "1", str(COUNT - 1)] in rows(page, "stage")


def test_story_time_moves_with_the_deltas(tmp_path: Path) -> None:
    long_book(tmp_path)
    _, page = report(tmp_path)
    told = rows(page, "time")
    assert told[0] == ["1", "第 1 夜", "第 1 天"]
    assert "10" not in [row[0] for row in told]  # an unsettled chapter tells no time


def test_markup_in_the_authors_words_is_harmless(workspace: Workspace) -> None:
    root = workspace(2)
    chapter = root / "books" / BOOK / "chapters" / "0001.md"
    text = chapter.read_text("utf-8")
    title = '<script>alert(1)</script> & "x" \x1b[31m'
    chapter.write_text(f"# {title}\n\n" + text.split("\n\n", 1)[1], "utf-8")
    _, page = report(root)
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert any("<script>alert(1)</script>" in row[1] for row in rows(page, "words"))


def test_a_book_without_a_chapter_gets_a_page_too(workspace: Workspace) -> None:
    root = workspace(2)
    for path in (root / "books" / BOOK / "chapters").glob("*.md"):
        path.unlink()
    result, page = report(root)
    assert result.chapters == 0
    assert "<svg" not in page


@pytest.mark.parametrize("wish", ["-", "/proc/nowhere/x.html"])
def test_a_place_that_cannot_be_written_is_refused(workspace: Workspace, wish: str) -> None:
    root = workspace(2)
    with pytest.raises(UsageError) as refused:
        report(root, output=wish)
    assert refused.value.code == "usage.output"


def test_a_folder_gets_the_file_under_its_own_name(workspace: Workspace, tmp_path: Path) -> None:
    root = workspace(2)
    result, _ = report(root, output=str(tmp_path))
    assert Path(result.path) == tmp_path / f"{BOOK}-report.html"
