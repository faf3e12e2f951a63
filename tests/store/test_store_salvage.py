"""What can be had of a book with a damaged history, and a book read as it will be."""

from pathlib import Path

import pytest

from zencli.errors import DamagedError
from zencli.store.journal import JOURNAL
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.overlay import overlaid
from zencli.store.salvage import DAMAGED, Kept, recover_or_set_aside
from zencli.store.transaction import Transaction


@pytest.fixture
def book(tmp_path: Path) -> BookDir:
    """Three commits: ``a.md`` three times, ``b.md`` made, changed by hand and deleted."""
    book = BookDir(tmp_path / "book")
    book.path.mkdir()
    for number in (1, 2, 3):
        transaction = Transaction(book, "verb", f"run-{number}")
        transaction.write("a.md", f"a {number}\n")
        if number == 2:
            transaction.write("b.md", "b 2\n")
        if number == 3:
            (book.path / "b.md").write_text("by hand\n")
            transaction.delete("b.md")
        transaction.commit()
    return book


def test_contents_come_newest_first_and_last_tells_what_a_run_left(book: BookDir) -> None:
    kept = Kept(book)
    assert list(kept.contents("a.md")) == [b"a 3\n", b"a 2\n", b"a 1\n"]
    assert list(kept.contents("b.md")) == [b"by hand\n", b"b 2\n"]
    assert kept.last("b.md") is None
    assert kept.paths() == ["a.md"]
    assert (kept.damaged, list(kept.contents("c.md"))) == ([], [])


def test_a_damaged_commit_or_content_hides_nothing_else(book: BookDir) -> None:
    (book.path / ".zencli/history/commits/000002.json").write_text("{")
    kept = Kept(book)
    assert kept.damaged == [".zencli/history/commits/000002.json"]
    assert list(kept.contents("a.md")) == [b"a 3\n", b"a 2\n", b"a 1\n"]
    for path in (book.path / ".zencli/history/objects").iterdir():
        if path.name == kept.last("a.md"):
            path.write_bytes(b"")
    assert list(Kept(book).contents("a.md")) == [b"a 2\n", b"a 1\n"]


def test_a_commit_record_that_cant_be_read_is_set_aside_only_by_who_asks(book: BookDir) -> None:
    (book.path / JOURNAL).write_text('{"number"')
    with pytest.raises(DamagedError), book_lock(book, "verb"):
        pass
    with book_lock(book, "repair", mend=recover_or_set_aside) as told:
        assert told is not None
        assert "set aside" in told
    assert not (book.path / JOURNAL).exists()
    assert [path.read_text() for path in (book.path / DAMAGED).iterdir()] == ['{"number"']
    with book_lock(book, "verb") as told:
        assert told is None


def test_an_overlay_shows_the_book_as_it_will_be_and_writes_nothing(book: BookDir) -> None:
    (book.path / "chapters").mkdir()
    (book.path / "chapters/0001.md").write_text("one\n")
    before = {p: p.read_bytes() for p in book.path.rglob("*") if p.is_file()}
    with overlaid(book, {"chapters/0002.md": b"two\n", "a.md": None}) as seen:
        assert seen.chapter_numbers() == [1, 2]
        assert (seen.read("chapters/0002.md"), seen.read("a.md")) == ("two\n", None)
        with overlaid(seen, {"chapters/0001.md": None, "a.md": b"again\n"}) as further:
            assert further.chapter_numbers() == [2]
            assert further.read("chapters/0002.md") == "two\n"
            assert further.read("a.md") == "again\n"
    assert {p: p.read_bytes() for p in book.path.rglob("*") if p.is_file()} == before
