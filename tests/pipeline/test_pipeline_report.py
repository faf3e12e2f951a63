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
from zencli.store.calls import CALLS, CallFile


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
    assert re.findall(r'<svg[^>]* aria-label="([^"]+)"', page) == ["各角色的用量与花费"] * 2


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


def test_tokens_are_those_that_the_book_was_charged_with(workspace: Workspace) -> None:
    root = workspace(2)
    _, page = report(root)
    calls = [call for call in CallFile(book_of(root).path / CALLS).read() if not call.recalled]
    assert {call.chapter for call in calls} == {None, 1, 2}
    for number, row in zip((1, 2), rows(page, "spent"), strict=True):
        made = [call for call in calls if call.chapter == number]
        read, cached, wrote = (
            sum(parts) for parts in zip(*((c.input, c.cached, c.output) for c in made), strict=True)
        )
        assert row[:1] + row[2:6] == [
            str(number), f"{len(made):,}", f"{read:,}", f"{cached:,}", f"{wrote:,}"
        ]  # fmt: skip
    total = rows(page, "roles")[-1]
    assert total[:3] == ["合计", str(len(calls)), f"{sum(c.input for c in calls):,}"]


def test_the_bands_of_human_novels_end_where_the_checks_find_nothing(workspace: Workspace) -> None:
    _, page = report(workspace(1))
    for key, end in (("repetition", 1.0), ("ai", 2.0)):
        section = page[page.index(f'<h2 id="{key}">') :]
        ticks = dict(re.findall(r'y="([\d.]+)" text-anchor="end" class="tick">([\d.]+)<', section))
        band = re.search(r'y="([\d.]+)"[^>]* class="band"', section)
        assert band
        top = next(float(y) - 4 for y, number in ticks.items() if float(number) == end)
        assert float(band[1]) == pytest.approx(top, abs=0.2)


def test_the_books_state_is_told(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    (book.path / book.chapter_file(3)).unlink()
    chapter = book.path / book.chapter_file(2)
    chapter.write_text(chapter.read_text("utf-8") + "\n又一句。\n", "utf-8")
    _, page = report(tmp_path)
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert facts["缺的章"] == "1"
    assert facts["已定稿"] == "0"
    unsettled = COUNT // 10
    assert facts["待理的章"] == str(unsettled + 1)
    told = {row[0]: row[4] for row in rows(page, "words")}
    assert told["1"] == "草稿"
    assert told["2"] == "草稿，改动未理"
    assert told["10"] == "草稿，未结算"
