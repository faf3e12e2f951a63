"""The state from the cache is the state from the chapters, whatever happened in between."""

import random
import shutil
from pathlib import Path

import pytest
from long_book import COUNT, delta, long_book, put, put_chapter, settle_down

from zencli.context import standing
from zencli.context.canon import Canon
from zencli.store.cache import CACHE
from zencli.store.layout import BookDir
from zencli.store.records import Records
from zencli.story.fold import fold
from zencli.story.foundation import Foundation
from zencli.story.state import State


@pytest.fixture
def settled(tmp_path: Path) -> BookDir:
    """A book whose state after the last chapter is in the cache."""
    book = long_book(tmp_path)
    settle_down()
    known(book, COUNT + 1)
    assert (book.path / CACHE / "state.json").is_file()
    return book


def forget(book: BookDir) -> None:
    """Fill what a process remembers with states of another story, as a new one begins."""
    records = Records.of(book)
    for number in (2, 3):
        standing.state_before(Foundation(), records, number)


def known(book: BookDir, number: int) -> State:
    """The state as another process would get it."""
    forget(book)
    return Canon.load(book).state_before(number)


def folded(book: BookDir, number: int) -> State:
    """The state from the files alone."""
    latest = max(book.chapter_numbers())
    records = {n: r for n, r in book.records().items() if n < number and n <= latest}
    told = [(n, record.title, record.delta) for n, record in records.items()]
    return fold(Canon.load(book).foundation, told)


def test_the_state_before_any_chapter_is_the_fold_of_those_before_it(settled: BookDir) -> None:
    for number in (0, 1, 2, 10, 11, COUNT, COUNT + 1, COUNT + 9):
        assert known(settled, number) == folded(settled, number), number


def test_in_one_process_chapters_may_be_asked_for_in_any_order(settled: BookDir) -> None:
    forget(settled)
    numbers = [*range(1, COUNT + 2), 3, 2, 30, 29, COUNT + 1]
    for number in numbers:
        assert Canon.load(settled).state_before(number) == folded(settled, number), number


def test_a_cached_state_reads_no_record(settled: BookDir) -> None:
    expected = folded(settled, COUNT + 1)
    forget(settled)
    canon = Canon.load(settled)
    shutil.rmtree(settled.path / "records")
    assert canon.state_before(COUNT + 1) == expected


def test_what_changed_since_is_in_the_state(settled: BookDir) -> None:
    before = known(settled, COUNT + 1)
    put_chapter(settled, COUNT + 1)
    added = known(settled, COUNT + 2)
    assert added == folded(settled, COUNT + 2) != before
    put_chapter(settled, 5, "改")
    changed = known(settled, COUNT + 2)
    assert changed == folded(settled, COUNT + 2) != added
    put(settled, "characters/林晚.md", "# 林晚\n\n- 别名：小晚\n")
    renamed = known(settled, COUNT + 2)
    assert renamed == folded(settled, COUNT + 2) != changed
    (settled.path / settled.chapter_file(COUNT + 1)).unlink()
    taken = known(settled, COUNT + 2)
    assert taken == folded(settled, COUNT + 2)
    assert taken.number == COUNT


def test_records_on_their_way_are_folded_before_they_are_on_disk(settled: BookDir) -> None:
    canon = Canon.load(settled)
    record = canon.records[7].model_copy(update={"delta": delta(7, "新")})
    changed = canon.records.changed({7: record})
    state = standing.state_before(canon.foundation, changed, COUNT + 1)
    assert any(fact.says == "亮了 7 夜新" for fact in state.facts)
    assert known(settled, COUNT + 1) == folded(settled, COUNT + 1) != state


@pytest.mark.parametrize("name", ["state.json", "records.json", "hooks"])
@pytest.mark.parametrize("harm", ["delete", "cut", "flip", "empty", "folder"])
def test_a_harmed_cache_changes_nothing(settled: BookDir, name: str, harm: str) -> None:
    canon = Canon.load(settled)
    hooks = standing.open_hooks(canon.foundation, canon.records)
    path = settled.path / CACHE / name
    whole = path.read_bytes()
    at = random.Random(name + harm).randrange(len(whole))
    path.unlink()
    if harm == "folder":
        path.mkdir()
    elif harm != "delete":
        flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        path.write_bytes({"cut": whole[:at], "flip": flipped, "empty": b""}[harm])
    assert known(settled, COUNT + 1) == folded(settled, COUNT + 1)
    canon = Canon.load(settled)
    assert standing.open_hooks(canon.foundation, canon.records) == hooks


def test_open_hooks_are_those_unpaid_after_the_last_chapter(settled: BookDir) -> None:
    for extra in range(2):
        canon = Canon.load(settled)
        expected = sum(h.unpaid for h in folded(settled, COUNT + 2).hooks.values())
        for _ in range(2):
            assert standing.open_hooks(canon.foundation, canon.records) == expected
        if not extra:
            put_chapter(settled, COUNT + 1)
