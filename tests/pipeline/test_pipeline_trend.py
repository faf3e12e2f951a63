"""How a book changes over its chapters: every measure, its slope, and a cache that never lies."""

import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_book import long_book, put
from pipeline_helpers import BOOK, Workspace, book_of, finding, play, step

from zencli.errors import DamagedError, NotFound, UsageError
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Audit
from zencli.pipeline.trends.trend import LEAST, METRICS, TrendResult, theil, trend
from zencli.pipeline.trends.trend_rows import COMPARED, keep_up, measured_rows
from zencli.prose.count import length_score
from zencli.prose.measures import measures
from zencli.store.chapter_text import join_chapter
from zencli.store.layout import BookDir
from zencli.story.fold import fold

QUOTE = "声音钻过桥洞，撞到对岸的墙上"


def rows_of(result: TrendResult) -> list[int]:
    return [row.number for row in result.rows]


def test_every_measure_of_every_chapter_is_that_of_its_text(workspace: Workspace) -> None:
    book = book_of(workspace(3))
    texts = [book.chapter(n)[1] for n in (1, 2, 3)]
    result = trend(book)
    assert rows_of(result) == [1, 2, 3]
    for n, row in enumerate(result.rows):
        wanted = measures(texts[n], "zh", texts[max(0, n - COMPARED) : n])
        assert row.words == wanted.words
        assert row.length_score == round(length_score(3000, wanted.words), 1)
        for name in ("repetition", "overlap", "sentence_variation", "ai_score", "dialogue_share"):
            assert getattr(row, name) == pytest.approx(getattr(wanted, name), abs=1e-5), name
        assert row.title == book.chapter(row.number)[0]


def test_findings_are_those_that_stand_in_the_record(workspace: Workspace) -> None:
    root = workspace(2)
    told = step("audit", findings=[finding(QUOTE)])
    play(root, [told])[0].audit(Audit(chapter_number=1))
    first, second = trend(book_of(root)).rows
    assert (first.critical, first.findings, second.findings) == (1, 1, 0)


def test_hooks_are_counted_as_each_chapter_ends(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    records = book.records()
    rows = trend(book).rows
    for row in rows:
        told = [(n, r.title, r.delta) for n, r in records.items() if n <= row.number]
        hooks = fold(book.foundation(), told).hooks.values()
        shown = [hook for hook in hooks if hook.unpaid and hook.planted]
        assert row.hooks_open == len(shown)
        assert row.hooks_overdue == sum(0 < h.due <= row.number for h in shown)
    assert (rows[7].hooks_overdue, rows[8].hooks_overdue) == (0, 1), "H1 is due in chapter 9"


def test_a_metric_that_climbs_has_its_slope_and_one_that_stays_has_none(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    for n in range(1, 41):
        put(book, book.chapter_file(n), join_chapter(f"第 {n} 夜", "灯亮着，很亮。" * (10 + n)))
    slopes = {slope.metric: slope for slope in trend(book).slopes}
    assert set(slopes) == set(METRICS)
    assert slopes["words"].slope == pytest.approx(700)
    assert slopes["words"].first < slopes["words"].median < slopes["words"].last
    assert slopes["dialogue_share"].slope == 0


@given(
    st.lists(st.integers(-1000, 1000), min_size=LEAST, max_size=60),
    st.integers(-50, 50),
    st.integers(-50, 50),
)
def test_a_straight_line_has_its_own_slope_and_one_odd_chapter_moves_nothing(
    noise: list[int], slope: int, start: int
) -> None:
    numbers = list(range(1, len(noise) + 1))
    line = [float(start + slope * n) for n in numbers]
    assert theil(numbers, line) == pytest.approx(slope)
    line[len(line) // 3] += 1e6
    assert theil(numbers, line) == pytest.approx(slope)


def test_a_short_book_has_rows_and_no_slope(workspace: Workspace) -> None:
    book = book_of(workspace(1))
    result = trend(book)
    assert rows_of(result) == [1]
    assert {slope.slope for slope in result.slopes} == {0.0}
    assert book_status(book).trend is None


def test_a_book_without_chapters_has_an_empty_trend(workspace: Workspace) -> None:
    result = trend(book_of(workspace(0)))
    assert (result.rows, result.slopes) == ([], [])


def test_a_range_shows_its_chapters_measured_against_the_whole_book(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    whole, part = trend(book).rows, trend(book, [20, 21]).rows
    assert part == whole[19:21]


def test_measuring_again_gives_the_same_and_an_edit_is_seen(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    time.sleep(0.1)  # a file that has just been written may be written again at the same time
    first = trend(book)
    assert (book.path / ".zencli" / "cache" / "measures").exists()
    assert trend(book) == first
    text = join_chapter("第 12 夜", "“灯灭了。”他说。风大了，雨也来了。")
    put(book, book.chapter_file(12), text)
    again = trend(book)
    shutil.rmtree(book.path / ".zencli" / "cache")
    assert trend(book) == again
    assert again.rows[11].dialogue_share > 0
    assert [row for row in again.rows if row.number not in range(12, 18)] == [
        row for row in first.rows if row.number not in range(12, 18)
    ]


@pytest.mark.parametrize("name", ["measures", "hook_counts"])
def test_a_broken_cache_costs_time_and_nothing_else(tmp_path: Path, name: str) -> None:
    book = long_book(tmp_path)
    time.sleep(0.1)
    first = trend(book)
    path = book.path / ".zencli" / "cache" / name
    path.write_bytes(path.read_bytes()[:-7])
    assert trend(book) == first


def test_status_shows_the_trend_once_it_is_measured(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    assert book_status(book).trend is None
    time.sleep(0.1)
    told = trend(book)
    shown = book_status(book).trend
    assert shown is not None
    known = {slope.metric: slope for slope in told.slopes}
    assert [slope.metric for slope in shown] == [m for m in METRICS if not m.startswith("hooks")]
    assert all(known[slope.metric] == slope for slope in shown)


def test_status_measures_the_few_chapters_that_are_new(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    time.sleep(0.1)
    trend(book)
    put(book, book.chapter_file(40), join_chapter("第 40 夜", "灯灭了。" * 50))
    shown = book_status(book).trend
    assert shown is not None
    assert shown == [s for s in trend(book).slopes if not s.metric.startswith("hooks")]


def test_no_file_of_the_author_is_touched(workspace: Workspace) -> None:
    root = workspace(2)
    before = {p: p.read_bytes() for p in (root / "books" / BOOK).rglob("*.*") if p.is_file()}
    runner, model = play(root, [])
    assert rows_of(runner.trend(Audit(trend=True, chapters="2-"))) == [2]
    assert model.requests == []
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.parametrize(
    "wish", [{"chapter_number": 1}, {"instruction": "看称呼"}, {"report": "md"}]
)
def test_what_has_no_meaning_for_a_trend_is_refused(
    workspace: Workspace, wish: dict[str, object]
) -> None:
    runner, _ = play(workspace(1), [])
    with pytest.raises(UsageError) as caught:
        runner.trend(Audit.model_validate({"trend": True, **wish}))
    assert caught.value.code == "usage.options"
    with pytest.raises(UsageError):
        runner.audit(Audit(trend=True))


def test_a_range_without_chapters_is_refused(workspace: Workspace) -> None:
    with pytest.raises(NotFound):
        play(workspace(1), [])[0].trend(Audit(trend=True, chapters="7-9"))


def test_many_chapters_are_measured_as_one_by_one(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    lines = [f"他数到 {n}，灯亮着，雨停在第{chr(0x4E00 + n % 90)}级台阶。" for n in range(230)]
    texts = ["".join(lines[n : n + 1 + n % 7]) for n in range(220)]
    for n, text in enumerate(texts, 1):
        put(book, book.chapter_file(n), join_chapter("", text))
    rows = measured_rows(book, "zh")
    assert list(rows) == list(range(1, 221))
    for n, row in rows.items():
        wanted = measures(texts[n - 1], "zh", texts[max(0, n - 1 - COMPARED) : n - 1])
        assert row.overlap == pytest.approx(wanted.overlap, abs=1e-5), n
        assert row.repetition == pytest.approx(wanted.repetition, abs=1e-5), n
        assert row.words == wanted.words
    assert any(row.overlap for row in rows.values())


def test_a_chapter_that_cant_be_read_is_told_also_among_many(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    for n in range(41, 221):
        put(book, book.chapter_file(n), "灯亮着。")
    put(book, book.chapter_file(130), b"\xff\xfe\x00\x00\x81")
    with pytest.raises(DamagedError) as caught:
        trend(book)
    assert "0130" in caught.value.message


def test_writing_keeps_the_measures_up(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    time.sleep(0.1)
    keep_up(book, "zh")
    kept = (book.path / ".zencli" / "cache" / "measures").read_bytes()
    assert kept.count(b'[1, "') == kept.count(b'[2, "') == 1


def test_a_damaged_chapter_doesnt_keep_others_from_being_written(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    kept = (book.path / ".zencli" / "cache" / "measures").read_bytes()
    put(book, book.chapter_file(1), b"\x81\xff")
    keep_up(book, "zh")
    assert (book.path / ".zencli" / "cache" / "measures").read_bytes() == kept


def test_a_chapter_without_a_record_is_measured_too(workspace: Workspace) -> None:
    root = workspace(2)
    (root / "books" / BOOK / "records" / "0002.json").unlink()
    row = trend(BookDir(root / "books" / BOOK)).rows[1]
    assert (row.findings, row.title) == (0, book_of(root).chapter(2)[0])
    assert row.words > 2000
