"""What the looking verbs tell of a long book is the same with and without caches."""

import shutil
from pathlib import Path

import pytest
from long_book import COUNT, long_book, put, put_chapter, settle_down

from zencli.pipeline.overview import BookStatusView, book_status
from zencli.store.cache import CACHE
from zencli.store.layout import BookDir


@pytest.fixture
def settled(tmp_path: Path) -> BookDir:
    """A long book whose status is in the cache."""
    book = long_book(tmp_path)
    settle_down()
    book_status(book)
    assert (book.path / CACHE / "chapters.json").is_file()
    return book


def uncached(book: BookDir) -> BookStatusView:
    """The status of a copy of the book that has no cache."""
    copy = book.path.parent / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(book.path, copy, ignore=shutil.ignore_patterns(".zencli"))
    status = book_status(BookDir(copy)).model_copy(update={"book_id": book.id})
    shutil.rmtree(copy)
    return status


def test_the_status_is_the_same_from_the_cache(settled: BookDir) -> None:
    status = book_status(settled)
    assert status == uncached(settled)
    assert (len(status.chapters), status.words) == (COUNT, 4 * COUNT)
    assert [c.number for c in status.chapters if c.flags] == [10, 20, 30, 40]


def test_an_edit_is_seen_at_once_and_its_words_are_counted(settled: BookDir) -> None:
    put(settled, settled.chapter_file(3), "# 新题\n\n灯灭了，他走了。\n")
    for _ in range(2):
        line = book_status(settled).chapters[2]
        assert (line.title, line.words, line.flags) == ("新题", 8, ["edited"])
        assert book_status(settled) == uncached(settled)
        settle_down()


def test_a_chapter_whose_record_changed_is_edited_though_its_file_is_as_before(
    settled: BookDir,
) -> None:
    text = settled.read(settled.record_file(4)) or ""
    digest = settled.records()[4].digest
    put(settled, settled.record_file(4), text.replace(digest, "0" * 64))
    assert book_status(settled).chapters[3].flags == ["edited"]
    (settled.path / settled.record_file(5)).unlink()
    line = book_status(settled).chapters[4]
    assert (line.title, line.words, line.flags) == ("第 5 夜", 4, ["unrecorded"])
    assert book_status(settled) == uncached(settled)


def test_chapters_come_and_go(settled: BookDir) -> None:
    put_chapter(settled, COUNT + 1)
    (settled.path / settled.chapter_file(8)).unlink()
    status = book_status(settled)
    assert (len(status.chapters), status.gaps) == (COUNT, [8])
    assert status == uncached(settled)


def test_a_short_book_is_looked_at_without_leaving_anything_in_its_folder(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    for number in range(6, COUNT + 1):
        (book.path / book.chapter_file(number)).unlink()
        (book.path / book.record_file(number)).unlink()
    settle_down()
    book_status(book)
    assert not (book.path / ".zencli").exists()


def test_a_card_that_cannot_be_read_does_not_hide_the_status(settled: BookDir) -> None:
    expected = book_status(settled)
    put(settled, "characters/林晚.md", "# 林晚".encode("gb18030"))
    assert book_status(settled) == expected
