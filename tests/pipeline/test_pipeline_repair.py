"""``doctor`` and ``repair``: what is wrong is told in words, and mended from what is there."""

import shutil
from pathlib import Path

import pytest
from pipeline_helpers import (
    BOOK,
    ZH,
    Breaking,
    Workspace,
    book_of,
    files_of,
    four_calls,
    play,
    roles,
)

from zencli.context.canon import Canon
from zencli.errors import DamagedError, NeedsAuthor, UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.mending.readable import other_encoding
from zencli.pipeline.mending.repair_params import Doctor, Repair
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Approve, Undo, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.results import Problem, RepairResult
from zencli.pipeline.runner import Runner
from zencli.store.history import commit_numbers, digest_of, object_path, runs
from zencli.store.layout import BookDir
from zencli.story.record import text_digest


def problems(root: Path) -> list[Problem]:
    return play(root, [])[0].doctor(Doctor(book_id=BOOK)).problems


def codes(root: Path) -> list[str]:
    return [problem.code for problem in problems(root)]


def repair(root: Path, *, yes: bool = False, **params: object) -> RepairResult:
    """A repair without a model."""
    return play(root, [], confirmed=yes)[0].repair(Repair(no_llm=True, **params))  # type: ignore[arg-type]


def done(result: RepairResult) -> list[tuple[str, str]]:
    return [(file.path, file.action) for file in result.files]


def settle_steps(first: int, last: int) -> list[Step]:
    return [s for n in range(first, last + 1) for s in ZH.chapter(n) if s.role == "settle"]


def without_history(root: Path) -> BookDir:
    book = book_of(root)
    shutil.rmtree(book.path / ".zencli")
    return book


def lose_delta(book: BookDir, number: int) -> None:
    """The record as if the settler's reply couldn't be read."""
    record = book.record(number)
    assert record is not None
    text = record.model_copy(update={"delta": None}).model_dump_json(indent=1)
    (book.path / book.record_file(number)).write_text(text)


# what is told


def test_nothing_is_wrong_with_a_book_that_was_just_written(workspace: Workspace) -> None:
    root = workspace(2)
    assert problems(root) == []
    before = files_of(book_of(root).path)
    result = repair(root)
    assert (result.files, result.left) == ([], [])
    assert files_of(book_of(root).path) == before
    assert len(commit_numbers(book_of(root))) == 3


def test_the_sample_book_needs_no_repair(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "books"
    shutil.copytree(sample, tmp_path / "books")
    told = Runner(tmp_path).doctor(Doctor(book_id="七则桥")).problems
    assert [problem for problem in told if problem.repair] == []


def test_every_problem_names_its_file_and_a_command(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    (book.path / "records/0001.json").write_text("{")
    (book.path / "chapters/0002.md").write_text("# 空\n\n")
    (book.path / "outline.md").unlink()
    (book.path / "book.toml").write_text('title = "x"\nid = \n')
    (book.path / "chapters/notes.md").write_text("x")
    told = {(p.code, p.path): p for p in problems(root)}
    assert set(told) == {
        ("file.damaged", "book.toml"),
        ("file.damaged", "records/0001.json"),
        ("file.missing", "outline.md"),
        ("chapter.empty", "chapters/0002.md"),
        ("chapter.edited", "chapters/0002.md"),
        ("file.stray", "chapters/notes.md"),
    }
    assert "line 2" in told["file.damaged", "book.toml"].message
    assert told["file.missing", "outline.md"].command == f"zencli repair {BOOK}"
    assert told["chapter.edited", "chapters/0002.md"].command == f"zencli sync {BOOK} 2"
    stray = told["file.stray", "chapters/notes.md"]
    assert (stray.command, stray.repair) == (None, False)


def test_stale_edited_and_unsettled_chapters_are_told_but_stop_nothing(
    workspace: Workspace,
) -> None:
    root = workspace(3)
    book = book_of(root)
    lose_delta(book, 1)
    path = book.path / "chapters/0002.md"
    path.write_text(path.read_text() + "\n又一句。\n")
    record = book.record(3)
    assert record is not None
    stale = record.model_copy(update={"stale": "chapter 1 changed on 2026-01-01"})
    (book.path / "records/0003.json").write_text(stale.model_dump_json())
    told = {p.code: p for p in problems(root)}
    assert {"chapter.unsettled", "chapter.edited", "chapter.stale"} <= set(told)
    assert not any(problem.repair for problem in told.values())
    assert told["chapter.unsettled"].command == f"zencli repair {BOOK} 1"
    assert "chapter 1 changed on 2026-01-01" in told["chapter.stale"].message


def test_without_a_book_all_books_and_the_configuration_are_told(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "books/other").mkdir()
    (root / "books/other/chapters").mkdir()
    (root / "zencli.toml").write_text(
        '[model]\nname = "m"\nbase_url = "https://user:hunter2@example.invalid/v1?key=hunter2"\n'
        'api_key_env = "MY_KEY"\n'
    )
    result = Runner(root, environ={"MY_KEY": "sk-hunter2"}).doctor(Doctor())
    assert result.book_id is None
    assert result.books == ["other", BOOK]
    assert ("other", "book.toml") in [(p.book_id, p.path) for p in result.problems]
    assert result.setup is not None
    assert [(m.name, m.base_url, m.key) for m in result.setup.models] == [
        ("m", "https://example.invalid/v1", True)
    ]
    assert "hunter2" not in result.model_dump_json()


def test_a_configuration_that_cant_be_used_is_a_problem(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "zencli.toml").write_text("[model]\nspeed = 1\n")
    told = Runner(root, environ={}).doctor(Doctor())
    assert [(p.code, p.book_id) for p in told.problems] == [("usage.config", None)]
    (root / "zencli.toml").unlink()
    config = book_of(root).path / "book.toml"
    config.write_text(config.read_text() + "\n[budget]\nmax_cost = -1\n")
    told = Runner(root, environ={}).doctor(Doctor(book_id=BOOK))
    assert [(p.code, p.book_id, p.path) for p in told.problems] == [
        ("usage.config", BOOK, "book.toml")
    ]


# records


def test_a_lost_record_comes_back_from_the_history_without_a_model(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    before = files_of(book.path)
    (book.path / "records/0002.json").write_bytes(before["records/0002.json"][:500])
    (book.path / "records/0003.json").unlink()
    runner, model = play(root, [])
    result = runner.repair(Repair())
    assert done(result) == [("records/0002.json", "restored"), ("records/0003.json", "restored")]
    assert files_of(book.path) == before
    assert model.requests == []


def test_a_record_that_is_nowhere_is_read_from_the_prose(workspace: Workspace) -> None:
    root = workspace(3)
    book = without_history(root)
    before, known = files_of(book.path), book.records()
    (book.path / "records/0002.json").unlink()
    runner, model = play(root, settle_steps(2, 2))
    result = runner.repair(Repair())
    model.done()
    assert (result.settled, result.unsettled, result.left) == ([2], [], [])
    assert result.stale == []
    record = book.record(2)
    assert record is not None
    assert (record.delta, record.digest) == (known[2].delta, known[2].digest)
    after = files_of(book.path)
    for path in ("state.md", "hooks.md", "chapters/0002.md", "records/0001.json"):
        assert after[path] == before[path]


def test_without_a_model_it_is_measured_and_the_book_goes_on(workspace: Workspace) -> None:
    root = workspace(2)
    book = without_history(root)
    (book.path / "records/0002.json").write_bytes(b"\xff\x00")
    result = repair(root)
    assert ("records/0002.json", "measured") in done(result)
    assert result.unsettled == [2]
    record = book.record(2)
    assert record is not None
    assert record.words > 500
    assert record.digest == text_digest(book.read("chapters/0002.md") or "")
    assert (record.status, record.delta) == ("drafted", None)
    runner, model = play(root, [*settle_steps(2, 2), *four_calls(3)])
    assert runner.write_next(WriteNext()).chapters[0].number == 3
    model.done()


def test_unsettled_chapters_are_settled_and_later_ones_become_stale(workspace: Workspace) -> None:
    root = workspace(3)
    lose_delta(book_of(root), 1)
    runner, model = play(root, settle_steps(1, 1))
    result = runner.repair(Repair())
    model.done()
    assert (result.settled, result.stale) == ([1], [2, 3])
    flags = {line.number: line.flags for line in book_status(book_of(root)).chapters}
    assert flags == {1: [], 2: ["stale"], 3: ["stale"]}


@pytest.mark.parametrize(
    ("params", "chapters"),
    [
        (Repair(chapters="2"), [2]),
        (Repair(chapters="1-2"), [1, 2]),
        (Repair(first=2), [2, 3]),
        (Repair(first=0), [1, 2, 3]),
    ],
)
def test_named_chapters_are_read_again_one_call_each(
    params: Repair, chapters: list[int], workspace: Workspace
) -> None:
    root = workspace(3)
    before = files_of(book_of(root).path)
    runner, model = play(root, settle_steps(chapters[0], chapters[-1]))
    result = runner.repair(params)
    model.done()
    assert roles(model) == ["settle"] * len(chapters)
    assert result.settled == chapters
    assert result.stale == []  # the same replies: nothing that follows changed
    after = files_of(book_of(root).path)
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed <= {book_of(root).record_file(number) for number in chapters}


def test_another_reading_of_a_chapter_makes_later_ones_stale(workspace: Workspace) -> None:
    root = workspace(3)
    book_id = {"book_id": BOOK}
    runner, _ = play(root, [Step("settle", '{"summary": "别的事。"}')])
    result = runner.repair(Repair(chapters="1", **book_id))
    assert (result.settled, result.stale) == ([1], [2, 3])
    record = book_of(root).record(1)
    assert record is not None
    assert record.delta is not None
    assert record.delta.summary == "别的事。"
    assert "别的事。" in (book_of(root).read("state.md") or "")


def test_a_reply_that_cant_be_read_leaves_the_record_as_it_was(workspace: Workspace) -> None:
    root = workspace(2)
    before = files_of(book_of(root).path)
    runner, _ = play(root, [Step("settle", "no"), Step("settle", "no")])
    result = runner.repair(Repair(chapters="1"))
    assert (result.settled, result.unread, result.unsettled) == ([], [1], [])
    assert files_of(book_of(root).path) == before
    assert any("settle" in warning for warning in runner.warnings)


def test_measuring_an_edited_chapter_keeps_what_its_text_still_bears_out(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    book = book_of(root)
    play(root, [])[0].approve(Approve(chapters="1"))
    old = book.record(1)
    assert old is not None
    assert old.delta is not None
    quote = next(event.quote for event in (*old.delta.facts, *old.delta.items) if event.quote)
    path = book.path / "chapters/0001.md"
    path.write_text(path.read_text().replace(quote, "这里什么也没有。"))
    result = repair(root, chapters="1")
    assert result.stale == [2]
    new = book.record(1)
    assert new is not None
    assert new.delta is not None
    assert new.status == "approved"
    assert new.plan == old.plan
    assert quote in old.model_dump_json()
    assert quote not in [e.quote for e in (*new.delta.facts, *new.delta.items)]
    assert new.delta.summary == old.delta.summary
    assert new.dropped
    assert "chapter.edited" not in codes(root)


def test_a_repair_that_is_stopped_goes_on_where_it_was(workspace: Workspace) -> None:
    root = workspace(3)
    book = without_history(root)
    for number in (1, 2, 3):
        (book.path / book.record_file(number)).unlink()
    model = Breaking(settle_steps(1, 3), at=2)
    with pytest.raises(PartlyDone) as stopped:
        Runner(root, model=model).repair(Repair())
    assert stopped.value.code == "llm.network"
    assert (stopped.value.result.settled, stopped.value.result.unsettled) == ([1], [2, 3])
    runner, second = play(root, settle_steps(2, 3))
    assert runner.repair(Repair()).settled == [2, 3]
    second.done()
    assert problems(root) == []


def test_ranges_that_name_nothing_are_refused(workspace: Workspace) -> None:
    root = workspace(2)
    for params in (Repair(chapters="7"), Repair(chapters="1", first=1), Repair(first=9)):
        with pytest.raises(UsageError):
            play(root, [])[0].repair(params)
    assert problems(root) == []


def test_a_record_under_another_number_is_put_right(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    record = book.record(2)
    assert record is not None
    wrong = record.model_copy(update={"number": 7})
    (book.path / "records/0002.json").write_text(wrong.model_dump_json())
    assert codes(root) == ["record.number"]
    assert done(repair(root)) == [("records/0002.json", "renumbered")]
    assert book.record(2) == record


# chapters


def test_a_lost_chapter_comes_back_as_its_record_knows_it(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    before = files_of(book.path)
    (book.path / "chapters/0001.md").unlink()
    (book.path / "chapters/0002.md").write_text("\n")
    (book.path / "chapters/0003.md").write_bytes(before["chapters/0003.md"][:-100] + b"\xe7\x81")
    result = repair(root)
    assert done(result) == [(f"chapters/000{n}.md", "restored") for n in (1, 2, 3)]
    assert files_of(book.path) == before
    assert problems(root) == []


def test_a_lost_chapter_that_is_nowhere_is_left_to_the_author(workspace: Workspace) -> None:
    root = workspace(3)
    book = without_history(root)
    (book.path / "chapters/0002.md").unlink()
    result = repair(root)
    assert [(p.code, p.command) for p in result.left] == [
        ("chapter.missing", f"zencli sync {BOOK}")
    ]
    assert book.record(2) is not None
    (book.path / "records/0002.json").unlink()
    assert [(p.code, p.command) for p in repair(root).left] == [("chapter.gap", None)]


def test_a_renamed_chapter_is_left_to_sync(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    (book.path / "chapters/0002.md").rename(book.path / "chapters/0003.md")
    told = {p.code: p.command for p in problems(root)}
    assert told["chapter.renamed"] == f"zencli sync {BOOK}"
    result = repair(root)
    assert not (book.path / "chapters/0002.md").exists()
    assert "chapter.renamed" in [p.code for p in result.left]
    assert book.record(2) is not None


def test_a_chapter_saved_in_another_encoding_becomes_utf8(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    path = book.path / "chapters/0002.md"
    text = path.read_text() + "\n最后一句。\n"
    path.write_bytes(text.replace("——", "，").encode("gb18030"))
    result = repair(root)
    assert result.files[0].action == "decoded"
    assert result.files[0].note == "it was GB18030"
    assert path.read_text() == text.replace("——", "，")
    assert "chapter.edited" in [p.code for p in result.left]


def test_what_can_be_read_is_kept_when_there_is_nothing_else(workspace: Workspace) -> None:
    root = workspace(2)
    book = without_history(root)
    path = book.path / "chapters/0001.md"
    data = path.read_bytes()
    record = book.record(1)
    path.write_bytes(data[:-50] + b"\xe7\x81")
    result = repair(root)
    assert done(result)[0] == ("chapters/0001.md", "rebuilt")
    assert path.read_text().startswith(data[:-60].decode("utf-8", "ignore"))
    assert book.record(1) == record
    assert book_status(book).chapters[0].flags == ["edited"]


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        ("第一行，他们来了。\n第二行，他们走了。\n", "gb18030", "GB18030"),
        ("第一行，他們來了。\n第二行，他們走了。\n", "big5", "Big5"),
        ("第一行，他们来了。\n第二行，他们走了。\n", "utf-16", "UTF-16 LE"),
        ("The café was shut.\nHe went home again.\n", "cp1252", "Windows-1252"),
    ],
)
def test_other_encodings_are_told_from_damage(text: str, encoding: str, found: str) -> None:
    assert other_encoding(text.encode(encoding), text) == (text, found)
    assert other_encoding(text.encode(encoding), None) == (text, found)
    assert other_encoding(text.encode(encoding), "Another text altogether.\n") is None


def test_damaged_utf8_is_no_other_encoding() -> None:
    text = "“Shut the café,” he said.\nHe went “home” again.\n"
    assert other_encoding(text.encode() + b"\xe2\x80", text) is None
    assert other_encoding(b"\xff\x00\x81{" * 9, text) is None


# the author's and the program's other files


def test_documents_come_back_from_the_history_and_nothing_is_destroyed(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    book = book_of(root)
    before = files_of(book.path)
    broken = before["outline.md"][:101] + b"\xff\xff"
    (book.path / "outline.md").write_bytes(broken)
    (book.path / "rules.md").unlink()
    (book.path / "records/foundation.json").write_bytes(b"[1]")
    result = repair(root)
    assert {path for path, action in done(result) if action == "restored"} == {
        "outline.md", "rules.md", "records/foundation.json",
    }  # fmt: skip
    assert files_of(book.path) == before
    assert object_path(book, digest_of(broken)).exists()
    assert runs(book)[-1].verb == "repair"
    play(root, [])[0].undo(Undo())
    assert (book.path / "outline.md").read_bytes() == broken
    assert not (book.path / "rules.md").exists()


def test_without_a_history_documents_are_empty_and_told(workspace: Workspace) -> None:
    root = workspace(1)
    book = without_history(root)
    for name in ("outline.md", "brief.md", "records/foundation.json"):
        (book.path / name).unlink()
    result = repair(root)
    assert {path for path, action in done(result) if action == "emptied"} == {
        "outline.md", "brief.md", "records/foundation.json",
    }  # fmt: skip
    assert all(file.note for file in result.files if file.action == "emptied")
    assert [p for p in problems(root) if p.repair] == []
    Canon.load(book)


def test_a_card_comes_back_unless_another_has_its_name(workspace: Workspace) -> None:
    root = workspace(1)
    book = book_of(root)
    slugs = book.card_slugs()
    (book.path / f"characters/{slugs[0]}.md").unlink()
    (book.path / f"characters/{slugs[1]}.md").rename(book.path / "characters/new-name.md")
    gone = [p for p in problems(root) if p.code == "file.gone"]
    assert not any(p.repair for p in gone)
    assert ("characters/new-name.md" in [p.path for p in gone]) is False
    result = repair(root)
    assert (f"characters/{slugs[0]}.md", "restored") in done(result)
    assert not (book.path / f"characters/{slugs[1]}.md").exists()


def test_views_are_rendered_anew(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    before = files_of(book.path)
    (book.path / "state.md").unlink()
    (book.path / "hooks.md").write_bytes(b"\xff\xfe\x00")
    result = repair(root)
    assert done(result) == [("state.md", "rebuilt"), ("hooks.md", "rebuilt")]
    assert files_of(book.path) == before


def test_a_view_whose_edit_cant_be_read_is_kept_in_the_history(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    before = files_of(book.path)
    edited = before["state.md"] + "\n随手写的一行\n".encode()
    (book.path / "state.md").write_bytes(edited)
    told = [p for p in problems(root) if p.repair]
    assert [(p.code, p.path) for p in told] == [("view.damaged", "state.md")]
    assert "line" in told[0].message
    assert done(repair(root)) == [("state.md", "rebuilt")]
    assert files_of(book.path)["state.md"] == before["state.md"]
    assert object_path(book, digest_of(edited)).exists()


# book.toml


def test_a_lost_configuration_comes_back_from_the_history(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    before = files_of(book.path)
    (book.path / "book.toml").unlink()
    assert codes(root) == ["file.missing"]
    assert done(repair(root, book_id=BOOK)) == [("book.toml", "restored")]
    assert files_of(book.path) == before


def test_a_bad_value_is_put_right_and_the_authors_keys_stay(workspace: Workspace) -> None:
    root = workspace(1)
    book = book_of(root)
    path = book.path / "book.toml"
    config = book.config()
    text = path.read_text().replace('language = "zh"', 'language = "fr"')
    path.write_text(f'{text}\nmine = "kept"  # a remark\n')
    result = repair(root)
    assert result.files[0].note == "from the history: language"
    assert book.config() == config
    assert 'mine = "kept"  # a remark' in path.read_text()


def test_a_configuration_is_guessed_only_when_the_author_says_so(workspace: Workspace) -> None:
    root = workspace(2)
    book = without_history(root)
    config = book.config()
    (book.path / "book.toml").write_text("title = \n")
    with pytest.raises(NeedsAuthor) as asked:
        repair(root)
    assert asked.value.exit_code == 4
    assert (book.path / "book.toml").read_text() == "title = \n"
    assert done(repair(root, yes=True))[0] == ("book.toml", "rebuilt")
    made = book.config()
    assert (made.title, made.language) == (config.title, "zh")
    assert made.chapter_words == config.chapter_words
    assert made.target_chapters >= 2


# the program's own folder


def test_a_commit_record_that_cant_be_read_is_set_aside(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    (book.path / ".zencli/commit.json").write_text('{"number": 4, "ru')
    assert codes(root) == ["commit.damaged"]
    with pytest.raises(DamagedError):
        play(root, [])[0].approve(Approve(chapters="1"))
    assert repair(root).left == []
    assert problems(root) == []
    assert list((book.path / ".zencli/damaged").glob("commit.json-*"))
    play(root, [])[0].approve(Approve(chapters="1"))


def test_a_damaged_history_is_set_aside_and_the_rest_of_it_serves(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    before = files_of(book.path)
    (book.path / ".zencli/history/commits/000002.json").write_text("{")
    (book.path / "records/0003.json").unlink()
    assert codes(root)[:1] == ["history.damaged"]
    with pytest.raises(DamagedError):
        play(root, [])[0].undo(Undo())
    result = repair(root)
    assert (".zencli/history/commits/000002.json", "set aside") in done(result)
    assert result.left == []
    assert files_of(book.path) == before
    verbs = [run.verb for run in runs(book)]
    assert verbs == ["init-book", "write-next", "write-next", "repair"]


def test_a_dry_run_tells_and_changes_nothing(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    lose_delta(book, 2)
    (book.path / "rules.md").unlink()
    before = files_of(root)
    runner, model = play(root, [], dry_run=True)
    result = runner.repair(Repair())
    assert result.dry_run
    assert ("rules.md", "restored") in done(result)
    assert result.unsettled == [2]
    assert files_of(root) == before
    assert model.requests == []
