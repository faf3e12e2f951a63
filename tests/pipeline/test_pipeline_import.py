"""Import: an existing novel becomes a book, and grows by its new chapters alone."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import CLEAN, ZH, Breaking, files_of, roles
from scripts import Script

from zencli.errors import NeedsAuthor, UsageError
from zencli.llm.scripted import ScriptedModel, Step
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Approve, Audit, Export, Undo, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.results import ImportResult
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.layout import BookDir

EN = Script("en")


def text_of(script: Script, *numbers: int, **changed: str) -> str:
    """Chapters of a script as one text file."""
    word = "第{}章 夜{}" if script is ZH else "Chapter {}: Night {}"
    parts = []
    for number in numbers:
        prose = script.read(f"{number:04d}.write.txt").strip()
        parts.append(f"{word.format(number, number)}\n\n{changed.get(f'c{number}', prose)}\n")
    return "\n\n".join(parts)


def settles(script: Script, *numbers: int) -> list[Step]:
    return [step for n in numbers for step in script.chapter(n) if step.role == "settle"]


def write(path: Path, text: str, codec: str = "utf-8") -> Path:
    path.write_bytes(text.encode(codec))
    return path


def take(
    root: Path, source: Path, *, options: RunOptions | None = None, **wish: Any
) -> ImportResult:
    return Runner(root, options).import_book(Import(source=str(source), **wish))


def actions(result: ImportResult) -> list[tuple[int, str]]:
    return [(chapter.number, chapter.action) for chapter in result.chapters]


def flags(book: BookDir) -> dict[int, list[str]]:
    return {c.number: list(c.flags) for c in book_status(book).chapters}


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    return write(tmp_path / "夜.txt", text_of(ZH, 1, 2))


def test_a_novel_becomes_a_book_with_its_text_unchanged(tmp_path: Path, novel: Path) -> None:
    result = take(tmp_path, novel)
    assert (result.book_id, result.title, result.language) == ("夜", "夜", "zh")
    assert (result.created, actions(result)) == (True, [(1, "added"), (2, "added")])
    book = BookDir(Path(result.path))
    for number in (1, 2):
        assert book.chapter(number) == (f"夜{number}", ZH.read(f"{number:04d}.write.txt").strip())
    config = book.config()
    assert (config.target_chapters, config.status) == (100, "writing")
    assert flags(book) == {1: ["unsettled"], 2: ["unsettled"]}
    assert "夜.txt" in (book.read("brief.md") or "")
    assert book.cards() == {}


@pytest.mark.parametrize("codec", ["utf-8-sig", "gb18030", "utf-16", "utf-16-be"])
def test_the_encoding_and_the_line_ends_make_no_difference(
    tmp_path: Path, novel: Path, codec: str
) -> None:
    other = write(tmp_path / "b.txt", novel.read_text("utf-8").replace("\n", "\r\n"), codec)
    first, second = take(tmp_path, novel, book_id="a"), take(tmp_path, other, book_id="b")
    chapters = [
        {name: data for name, data in files_of(Path(r.path)).items() if name.startswith("chapters")}
        for r in (first, second)
    ]
    assert chapters[0] == chapters[1]
    told = [p for p in second.problems if "read as" in p]
    assert bool(told) is (codec != "utf-8-sig")


def test_what_is_imported_is_exported_again_character_for_character(tmp_path: Path) -> None:
    heads = ["楔子 风", "第一回宴桃园", "第二卷 秋", "第02回 雪　夜", "第三回合手", "尾声"]
    body = "".join(
        f"{head}\n" if "卷" in head else f"{head}\n\n　　他说：“走。”\n雨停了，{head}。\n\n"
        for head in heads
    )
    source = write(tmp_path / "a.txt", body)
    result = take(tmp_path, source)
    exported = Runner(tmp_path).export(Export())
    text = Path(exported.path).read_text("utf-8")
    assert squeezed(text) == result.title + squeezed(body)


def test_the_books_own_export_can_be_imported_again(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel, book_id="a")
    for form in ("md", "epub"):
        exported = Runner(tmp_path).export(
            Export(book_id="a", format=form)  # type: ignore[arg-type]
        )
        again = take(tmp_path, Path(exported.path), book_id=f"b-{form}")
        assert [c.title for c in again.chapters] == ["夜1", "夜2"]
        first, second = BookDir(tmp_path / "books/a"), BookDir(Path(again.path))
        assert squeezed(first.chapter(2)[1]) == squeezed(second.chapter(2)[1])


def test_a_dry_run_tells_and_writes_nothing(tmp_path: Path, novel: Path) -> None:
    before = files_of(tmp_path)
    result = take(tmp_path, novel, options=RunOptions(dry_run=True))
    assert (result.dry_run, result.created) == (True, True)
    assert [(c.number, c.title, c.where) for c in result.chapters] == [
        (1, "夜1", "line 1"),
        (2, "夜2", result.chapters[1].where),
    ]
    assert all(chapter.words > 2000 for chapter in result.chapters)
    assert files_of(tmp_path) == before
    assert not (tmp_path / "books").exists()


def test_only_new_chapters_are_added(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    book = BookDir(tmp_path / "books/夜")
    before = files_of(book.path)
    assert actions(take(tmp_path, novel)) == [(1, "same"), (2, "same")]
    assert files_of(book.path) == before
    novel.write_text(text_of(ZH, 1, 2, 3), "utf-8")
    assert actions(take(tmp_path, novel)) == [(1, "same"), (2, "same"), (3, "added")]
    after = files_of(book.path)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed - {"book.toml"} == {"chapters/0003.md", "records/0003.json"}


def test_another_text_is_told_and_left_unless_confirmed(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    book = BookDir(tmp_path / "books/夜")
    play_settle(tmp_path, novel, 1, 2)
    Runner(tmp_path).approve(Approve(chapters="1"))
    novel.write_text(text_of(ZH, 1, 2, c1="他走了。"), "utf-8")
    before = files_of(book.path)
    result = take(tmp_path, novel)
    assert actions(result) == [(1, "different"), (2, "same")]
    assert any("--yes replaces it" in problem for problem in result.problems)
    assert files_of(book.path) == before
    result = take(tmp_path, novel, options=RunOptions(confirmed=True))
    assert actions(result) == [(1, "replaced"), (2, "same")]
    assert book.chapter(1)[1] == "他走了。"
    assert flags(book) == {1: ["unsettled"], 2: ["stale"]}
    Runner(tmp_path).undo(Undo())
    assert (
        files_of(book.path).items()
        >= {name: data for name, data in before.items() if name != "book.toml"}.items()
    )


def play_settle(root: Path, source: Path, *numbers: int) -> ScriptedModel:
    model = ZH.model(settles(ZH, *numbers))
    result = Runner(root, model=model).import_book(Import(source=str(source), settle=True))
    assert (result.settled, result.unsettled) == (list(numbers), [])
    return model


def test_settling_reads_each_chapter_once(tmp_path: Path, novel: Path) -> None:
    model = play_settle(tmp_path, novel, 1, 2)
    assert roles(model) == ["settle", "settle"]
    book = BookDir(tmp_path / "books/夜")
    assert flags(book) == {1: [], 2: []}
    assert "祝满" in (book.read("state.md") or "")
    play_settle(tmp_path, novel)


def test_settling_goes_on_where_it_was_stopped(tmp_path: Path, novel: Path) -> None:
    novel.write_text(text_of(ZH, 1, 2, 3), "utf-8")
    wish = Import(source=str(novel), settle=True)
    broken = Breaking(settles(ZH, 1, 2, 3), at=3)
    with pytest.raises(PartlyDone) as caught:
        Runner(tmp_path, model=broken).import_book(wish)
    assert (caught.value.code, caught.value.exit_code) == ("llm.network", 5)
    assert (caught.value.result.settled, caught.value.result.unsettled) == ([1, 2], [3])
    rest = ZH.model(settles(ZH, 3))
    result = Runner(tmp_path, model=rest).import_book(wish)
    assert (result.settled, roles(rest)) == ([3], ["settle"])
    whole = tmp_path / "whole"
    whole.mkdir()
    play_settle(whole, novel, 1, 2, 3)
    stopped, at_once = BookDir(tmp_path / "books/夜"), BookDir(whole / "books/夜")
    for number in (1, 2, 3):
        one, other = stopped.record(number), at_once.record(number)
        assert one is not None
        assert other is not None
        assert one.delta == other.delta
    assert stopped.read("state.md") == at_once.read("state.md")


def test_a_missing_key_is_found_before_anything_is_written(tmp_path: Path, novel: Path) -> None:
    (tmp_path / "zencli.toml").write_text(
        '[model]\nname = "x"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "NO_SUCH_KEY"\n'
    )
    with pytest.raises(UsageError) as caught:
        take(tmp_path, novel, settle=True)
    assert caught.value.code == "usage.key"
    assert not (tmp_path / "books").exists()


@pytest.mark.parametrize("script", [ZH, EN])
def test_write_next_goes_on_from_the_end(tmp_path: Path, script: Script) -> None:
    take(tmp_path, write(tmp_path / "a.txt", text_of(script, 1, 2)))
    plan, prose, last = (s for s in script.chapter(3) if s.role in ("plan", "write", "settle"))
    model = script.model([*settles(script, 2), plan, prose, CLEAN, last])
    result = Runner(tmp_path, model=model).write_next(WriteNext())
    assert [(c.number, c.status) for c in result.chapters] == [(3, "passed")]
    assert roles(model) == ["settle", "plan", "write", "audit", "settle"]
    end = script.read("0002.write.txt").strip()[-40:]
    assert end in model.requests[1].messages[1].content


def test_a_book_that_was_written_since_takes_no_harm(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    plan, prose, last = (s for s in ZH.chapter(3) if s.role in ("plan", "write", "settle"))
    model = ZH.model([*settles(ZH, 2), plan, prose, CLEAN, last])
    Runner(tmp_path, model=model).write_next(WriteNext())
    play_settle(tmp_path, novel, 1)
    assert flags(BookDir(tmp_path / "books/夜")) == {1: [], 2: [], 3: ["stale"]}


def test_an_imported_book_can_be_checked_without_a_model(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    result = Runner(tmp_path).audit(Audit(chapters="1-", no_llm=True))
    found = [f.dimension for c in result.chapters for f in c.findings if f.severity == "critical"]
    assert found == []


def test_undoing_the_import_takes_the_new_book_away(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    with pytest.raises(NeedsAuthor):
        Runner(tmp_path).undo(Undo())
    Runner(tmp_path, RunOptions(confirmed=True)).undo(Undo())
    assert not (tmp_path / "books/夜").exists()
    take(tmp_path, novel)
    novel.write_text(text_of(ZH, 1, 2, 3), "utf-8")
    take(tmp_path, novel)
    Runner(tmp_path).undo(Undo())
    assert BookDir(tmp_path / "books/夜").chapter_numbers() == [1, 2]


def test_a_folder_is_read_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "《长夜》全本"
    (folder / "卷一").mkdir(parents=True)
    for number in (1, 2, 10):
        write(folder / "卷一" / f"{number}.txt", f"第{number}章\n\n第{number}夜。\n")
    write(folder / "楔子.txt", "起风了。\n")
    write(folder / "cover.jpg", "x")
    write(folder / ".hidden.txt", "第99章\n\n不。\n")
    result = take(tmp_path, folder)
    assert result.title == "长夜"
    assert [c.number for c in result.chapters] == [0, 1, 2, 10]
    assert any("cover.jpg" in problem for problem in result.problems)
    assert any("jump from 2 to 10" in problem for problem in result.problems)


def test_what_stands_before_the_first_chapter_is_kept_apart(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", "书名：雨\n作者：某\n\n第一章\n\n甲。\n")
    result = take(tmp_path, source)
    book = BookDir(Path(result.path))
    assert book.read("front_matter.md") == "书名：雨\n作者：某\n"
    assert any("front_matter.md" in problem for problem in result.problems)
    write(source, "别的。\n\n第一章\n\n甲。\n\n第二章\n\n乙。\n")
    again = take(tmp_path, source)
    assert book.read("front_matter.md") == "书名：雨\n作者：某\n"
    assert any("holds another text" in problem for problem in again.problems)


def test_empty_and_odd_chapters_are_told(tmp_path: Path) -> None:
    lines = [f"第{n}章\n\n{'他走了很久，雨还在下。' * 30}\n" for n in range(1, 8)]
    lines[2] = "第3章\n\n"
    lines[4] = "第5章\n\n走。\n"
    lines[5] = f"第6章\n\n{'长。' * 5000}\n"
    result = take(tmp_path, write(tmp_path / "a.txt", "\n".join(lines)))
    assert (3, "empty") in actions(result)
    assert BookDir(Path(result.path)).chapter_numbers() == [1, 2, 4, 5, 6, 7]
    told = "\n".join(result.problems)
    assert "chapter 3 has no text and is left out" in told
    assert "chapter 5 is very short" in told
    assert "chapter 6 is very long" in told


def test_chapters_that_leave_a_gap_or_pass_the_end_are_told(tmp_path: Path, novel: Path) -> None:
    take(tmp_path, novel)
    more = write(tmp_path / "more.txt", "第120章\n\n甲。\n")
    result = take(tmp_path, more, book_id="夜")
    told = "\n".join(result.problems)
    assert "chapter 3 to 119 would be missing" in told
    assert "planned for 100 chapters" in told


def test_the_book_gets_what_the_options_say(tmp_path: Path, novel: Path) -> None:
    result = take(tmp_path, novel, book_id="x", title="长  夜", genre="mystery", language="en")
    config = BookDir(Path(result.path)).config()
    assert (config.id, config.title, config.genre) == ("x", "长 夜", "mystery")
    assert (config.language, result.unit) == ("en", "words")


@pytest.mark.parametrize(
    ("text", "wish", "code"),
    [
        ("只有正文。", {}, "import.chapters"),
        ("第一章\n\n第二章\n", {}, "import.empty"),
        ("   \n", {}, "import.source"),
        ("第一章\n\n甲。", {"split": "("}, "usage.split"),
        ("第一章\n\n甲。", {"split": "^Z"}, "import.chapters"),
        ("第一章\n\n甲。", {"book_id": "../x"}, "usage.book_id"),
        ("第一章\n\n甲。", {"book_id": "夜", "genre": "mystery"}, "usage.options"),
        ("第一章\n\n甲。", {"book_id": "夜", "title": "昼"}, "usage.options"),
        ("第一章\n\n甲。", {"book_id": "夜", "language": "en"}, "usage.options"),
        ("第一章\n\n甲。", {"title": "夜"}, "book.exists"),
    ],
)
def test_wrong_wishes_are_refused_and_change_nothing(
    tmp_path: Path, novel: Path, text: str, wish: dict[str, Any], code: str
) -> None:
    take(tmp_path, novel)
    source = write(tmp_path / "a.txt", text)
    before = files_of(tmp_path)
    with pytest.raises(UsageError) as caught:
        take(tmp_path, source, **wish)
    assert caught.value.code == code
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("none.txt", None, "import.source"),
        ("a.docx", b"x", "import.source"),
        ("x" * 300, None, "import.source"),
        ("a.txt", bytes(range(256)), "import.encoding"),
        ("a.epub", b"x", "import.epub"),
    ],
)
def test_sources_that_cant_be_read_are_named(
    tmp_path: Path, name: str, data: bytes | None, code: str
) -> None:
    source = tmp_path / name
    if data is not None:
        source.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        take(tmp_path, source)
    assert caught.value.code == code
    assert name in caught.value.message
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError):
        take(tmp_path, empty)


def test_records_tell_of_the_text_they_were_made_from(tmp_path: Path, novel: Path) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    result = Runner(tmp_path, clock=lambda: now).import_book(Import(source=str(novel)))
    book = BookDir(Path(result.path))
    record = book.record(1)
    assert record is not None
    assert (record.status, record.delta, record.plan) == ("drafted", None, None)
    assert record.words == record.target_words == result.chapters[0].words
    assert (record.created, book.edited(1)) == (now, False)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("x.txt", "《长夜》\n\n第一章\n\n甲。\n", "长夜"),
        ("x.md", "# 长夜\n\n## 第一章\n\n甲。\n", "长夜"),
        ("x.md", "# 第一章\n\n甲。\n", "x"),
        ("《长夜》作者：某.txt", "第一章\n\n甲。\n", "长夜"),
        ("low_water.txt", "Chapter 1\n\nHe slept.\n", "low water"),
    ],
)
def test_the_title_is_where_people_write_it(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    assert take(tmp_path, write(tmp_path / name, text)).title == title
