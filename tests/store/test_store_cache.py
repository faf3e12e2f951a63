"""Caches save time and change nothing else."""

import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_book import COUNT, long_book, put, put_chapter, settle_down

from zencli.store.cache import CACHE, load, many_objects, store, worth_storing
from zencli.store.file_facts import facts_of
from zencli.store.layout import BookDir
from zencli.store.records import Records, facts_in


def sizes(book: BookDir, version: str = "1") -> tuple[dict[int, list[Any]], list[int]]:
    """The length of every chapter's text, and which chapters were read for it."""
    read: list[int] = []

    def find(number: int) -> list[Any]:
        read.append(number)
        return [len(book.read(book.chapter_file(number)) or "")]

    return facts_of(book, "chapters", ".md", find, version), read


@pytest.fixture
def settled(tmp_path: Path) -> BookDir:
    """A book whose cache holds what ``sizes`` found."""
    book = long_book(tmp_path)
    settle_down()
    sizes(book)
    return book


def test_what_is_stored_is_loaded(book: BookDir) -> None:
    assert load(book, "x") is None
    for content in (b"", b"\0\xff", "灯".encode() * 1000):
        store(book, "x", content)
        assert load(book, "x") == content
    assert [path.name for path in (book.path / CACHE).iterdir()] == ["x"]


@given(st.binary(max_size=60), st.integers(0, 200), st.integers(0, 255))
def test_a_file_with_any_byte_changed_or_cut_off_is_not_loaded(
    content: bytes, at: int, byte: int
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        book = BookDir(Path(folder))
        store(book, "x", content)
        path = book.path / CACHE / "x"
        whole = path.read_bytes()
        at %= len(whole)
        changed = whole[:at] + bytes([byte]) + whole[at + 1 :]
        for damaged in (changed, whole[:at], whole + b"\n"):
            path.write_bytes(damaged)
            assert load(book, "x") == (content if damaged == whole else None)


def test_a_book_that_cannot_be_written_has_no_cache_and_no_error(book: BookDir) -> None:
    (book.path / ".zencli").write_text("in the way")
    store(book, "x", b"content")
    assert load(book, "x") is None
    (book.path / ".zencli").unlink()
    (book.path / CACHE / "x").mkdir(parents=True)
    store(book, "x", b"content")
    assert load(book, "x") is None
    assert [path.name for path in (book.path / CACHE).iterdir()] == ["x"]


def test_a_short_book_and_a_small_change_are_not_worth_storing() -> None:
    assert not worth_storing(4, 4)
    assert worth_storing(40, 40)
    assert not worth_storing(39, 2000)
    assert worth_storing(40, 2000)


def test_unchanged_files_are_not_read_again(settled: BookDir) -> None:
    found, read = sizes(settled)
    assert read == []
    assert list(found) == list(range(1, COUNT + 1))
    assert all(found[n] == [len(settled.read(settled.chapter_file(n)) or "")] for n in found)


def test_a_changed_file_is_read_again_whatever_its_dates_say(settled: BookDir) -> None:
    path = settled.path / settled.chapter_file(3)
    before = path.stat()
    path.write_bytes(path.read_bytes().replace("灯".encode(), "塔".encode()))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_name("0004.md").unlink()
    put_chapter(settled, COUNT + 1)
    found, read = sizes(settled)
    assert read == [3, COUNT + 1]
    assert 4 not in found
    assert found[3] == [len(settled.read(settled.chapter_file(3)) or "")]


def test_files_just_written_are_read_each_time(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    for _ in range(2):
        assert len(sizes(book)[1]) == COUNT


def test_another_version_of_the_finder_starts_over(settled: BookDir) -> None:
    assert len(sizes(settled, "2")[1]) == COUNT


@pytest.mark.parametrize("harm", ["delete", "cut", "flip", "empty", "folder"])
def test_a_harmed_cache_costs_time_only(settled: BookDir, harm: str) -> None:
    expected, _ = sizes(settled)
    path = settled.path / CACHE / "chapters.json"
    whole = path.read_bytes()
    at = random.Random(harm).randrange(len(whole))
    path.unlink()
    if harm == "folder":
        path.mkdir()
    elif harm != "delete":
        flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        path.write_bytes({"cut": whole[:at], "flip": flipped, "empty": b""}[harm])
    found, read = sizes(settled)
    assert found == expected
    assert len(read) == COUNT


def test_the_facts_of_records_are_those_in_their_files(settled: BookDir) -> None:
    for _ in range(2):  # the second time from the cache
        records = Records.of(settled)
        assert records.facts == {n: facts_in(r) for n, r in settled.records().items()}
        assert dict(records) == settled.records()
    assert list(records.up_to(7)) == list(range(1, 8))
    with pytest.raises(KeyError):
        records.up_to(7)[8]


def test_changed_records_are_seen_and_the_files_are_not(settled: BookDir) -> None:
    records = Records.of(settled)
    new = records[2].model_copy(update={"number": 41, "title": "新"})
    more = records.changed({41: new, 2: new})
    assert (more[2], more[41], list(more)[-1]) == (new, new, 41)
    assert more.facts[2] == facts_in(new)
    assert (len(records), records[2].title) == (COUNT, "第 2 夜")
    few = records.only({5: records[5], 3: new})
    assert (list(few), few[3], few.facts[5]) == ([3, 5], new, records.facts[5])


def test_a_record_that_is_gone_meanwhile_is_no_record(settled: BookDir) -> None:
    Records.of(settled)
    records = Records.of(settled)
    (settled.path / settled.record_file(9)).unlink()
    assert records.get(9) is None


def test_hand_written_records_are_read_as_leniently_as_replies(settled: BookDir) -> None:
    text = settled.read(settled.record_file(1)) or ""
    put(settled, settled.record_file(1), text.replace('"do":"advance"', '"do":"ADVANCE"'))
    assert Records.of(settled)[1].delta == settled.records()[1].delta
    assert [event.do for event in settled.records()[1].delta.hooks] == ["advance", "plant"]  # type: ignore[union-attr]


def test_the_garbage_collector_goes_on_after_many_objects() -> None:
    import gc

    with many_objects(), many_objects():
        assert not gc.isenabled()
    assert gc.isenabled()
