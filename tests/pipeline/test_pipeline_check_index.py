"""The checks of a book: the same findings with and without the index, alone and many together."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from long_book import WHEN, put

from zencli.context.canon import Canon
from zencli.pipeline.check import Checking, check_prose, earlier_prose
from zencli.pipeline.checking.check_index import index_rows
from zencli.prose.prints import Prints, prints
from zencli.store.cache import CACHE
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig
from zencli.story.delta import CharacterChange, Delta, HookEvent
from zencli.story.findings import Finding
from zencli.story.plan import HookStep, Plan
from zencli.story.record import Record

CHAPTERS = 60
WORDS = 300
LINE = "山下那条河一直流到看不见。"


def text_of(number: int) -> str:
    """Chapters of their own words, with planted faults: a sentence in every seventh, a passage of
    chapter 3 in chapter 40, one in the first person, and a dead man who speaks in the last."""
    first = 0x4E00 + 150 * number
    words = "".join(chr(first + i) for i in range(150))
    lines = [words[i : i + 7] + "，" + words[i + 7 : i + 15] + "。" for i in range(0, 150, 15)]
    if number % 7 == 0:
        lines.append(LINE)
    if number == 40:
        lines += text_of(3).split("\n\n")[:6]
    if number == 50:
        lines += [f"我推开第{n}道门。" for n in "二三四五六七八九"]
    if number == CHAPTERS:
        lines.append("林晚说：“我回来了。”")
    return "\n\n".join(lines)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checked") / "long"
    path.mkdir()
    book = BookDir(path)
    config = BookConfig(id="long", title="河", language="zh", created=WHEN, updated=WHEN)
    put(book, "book.toml", render_config(config))
    put(book, "rules.md", "# 规则\n\n## 视角与时态\n\n第三人称限知\n")
    put(book, "characters/林晚.md", "# 林晚\n\n- 身份：守灯人\n")
    for number in range(1, CHAPTERS + 1):
        dead = [CharacterChange(name="林晚", status="已死")] if number == 55 else []
        hooks = [HookEvent(id="new", do="plant", promise="谁点的灯？", due=20)]
        plan = Plan(hooks=[HookStep(id="H1", do="pay")]) if number == 24 else None
        record = Record(
            number=number,
            title=f"{number}",
            target_words=WORDS,
            plan=plan,
            delta=Delta(characters=dead, hooks=hooks if number == 2 else []),
            created=WHEN,
            updated=WHEN,
        )
        put(book, book.chapter_file(number), f"# {number}\n\n{text_of(number)}\n")
        put(book, book.record_file(number), record.model_dump_json())
    time.sleep(0.06)
    return path


@pytest.fixture
def book(made: Path, tmp_path: Path) -> BookDir:
    shutil.copytree(made, tmp_path / "long")
    time.sleep(0.06)
    return BookDir(tmp_path / "long")


def alone(book: BookDir, number: int) -> list[Finding]:
    prose = book.chapter(number)[1]
    return check_prose(Canon.load(book), number, prose, WORDS, earlier_prose(book, number))


def all_findings(book: BookDir, ahead: bool) -> dict[int, list[Finding]]:
    numbers = book.chapter_numbers()
    checking = Checking(Canon.load(book), numbers if ahead else ())
    return {n: checking.findings(n, book.chapter(n)[1], WORDS) for n in numbers}


def dimensions(findings: list[Finding]) -> set[str]:
    return {f.dimension for f in findings}


def test_many_chapters_checked_together_are_judged_as_each_alone(book: BookDir) -> None:
    together = all_findings(book, ahead=True)
    assert together == all_findings(book, ahead=False)
    assert {n: together[n] for n in (1, 24, 40, 60)} == {n: alone(book, n) for n in (1, 24, 40, 60)}
    assert "reused-sentence" in dimensions(together[21])
    assert "reused-sentence" not in dimensions(together[14])
    assert "overlap" in dimensions(together[40])
    assert "pov-drift" in dimensions(together[50])
    assert "dead-acting" in dimensions(together[60])
    assert "hook-overdue" in dimensions(together[23])
    assert "hook-overdue" not in dimensions(together[24])


def test_a_chapter_is_checked_against_those_before_it_alone(book: BookDir) -> None:
    before = all_findings(book, ahead=True)
    for number in range(41, CHAPTERS + 1):
        (book.path / book.chapter_file(number)).unlink()
        (book.path / book.record_file(number)).unlink()
    after = all_findings(book, ahead=True)
    assert after == {n: before[n] for n in after}
    assert len(after) == 40


def cached(book: BookDir) -> Path:
    return book.path / CACHE / "prints"


def counting() -> tuple[list[int], Callable[..., list[tuple[int, Prints]]]]:
    """A maker of rows, and the chapters that it was asked for."""
    asked: list[int] = []

    def make(book: BookDir, language: str, numbers: list[int]) -> list[tuple[int, Prints]]:
        asked.extend(numbers)
        return [(n, prints(book.chapter(n)[1], "zh")) for n in numbers]

    return asked, make


def as_lists(rows: dict[int, Prints]) -> dict[int, tuple[list[int], list[int], int, int]]:
    return {n: (list(r.sentences), list(r.grams), r.first, r.last) for n, r in rows.items()}


def test_a_chapter_is_read_for_the_index_once(book: BookDir) -> None:
    asked, make = counting()
    first = index_rows(book, "zh", 999, make)
    assert asked == list(first) == list(range(1, CHAPTERS + 1))
    asked, make = counting()
    assert as_lists(index_rows(book, "zh", 999, make)) == as_lists(first)
    assert asked == []
    put(book, book.chapter_file(9), f"# 9\n\n{LINE}\n")
    assert as_lists(index_rows(book, "zh", 999, make)) != as_lists(first)
    assert asked == [9]
    asked, make = counting()
    assert list(index_rows(book, "zh", 5, make)) == [1, 2, 3, 4]
    assert asked == []


@pytest.mark.parametrize("harm", ["deleted", "cut", "altered", "other code"])
def test_a_harmed_index_costs_time_and_nothing_else(book: BookDir, harm: str) -> None:
    before = alone(book, 40)
    data = cached(book).read_bytes()
    if harm == "deleted":
        shutil.rmtree(book.path / CACHE)
    elif harm == "cut":
        cached(book).write_bytes(data[: len(data) // 2])
    elif harm == "altered":
        cached(book).write_bytes(data[:-4] + b"\0\0\0\1")
    else:
        cached(book).write_bytes(b"")
    assert alone(book, 40) == before
    assert before


def test_a_book_that_cant_be_written_is_checked_all_the_same(book: BookDir) -> None:
    wanted = alone(book, 40)
    shutil.rmtree(book.path / CACHE)
    (book.path / CACHE).write_text("in the way", encoding="utf-8")
    assert alone(book, 40) == wanted


@pytest.mark.parametrize("ahead", [True, False])
def test_a_chapter_that_cant_be_read_doesnt_stop_those_after_it(book: BookDir, ahead: bool) -> None:
    put(book, book.chapter_file(30), b"\xff\xfe\xff")
    canon = Canon.load(book)
    numbers = [n for n in book.chapter_numbers() if n != 30]
    checking = Checking(canon, book.chapter_numbers() if ahead else ())
    found = {n: checking.findings(n, book.chapter(n)[1], WORDS) for n in numbers}
    assert "overlap" in dimensions(found[40])


def test_a_text_that_isnt_the_one_on_disk_is_checked_itself(book: BookDir) -> None:
    checking = Checking(Canon.load(book), book.chapter_numbers())
    told = checking.findings(1, "作为AI，我不能写。", WORDS)
    assert "meta-text" in dimensions(told)
    assert "meta-text" not in dimensions(checking.findings(2, book.chapter(2)[1], WORDS))
