"""Reading a book: what is there, what isn't, and what can't be read."""

import tomllib
from pathlib import Path

import pytest

from zencli.errors import DamagedError, NotFound, UsageError
from zencli.store.chapter_text import join_chapter
from zencli.store.layout import BookDir, chapter_file, plan_file, record_file
from zencli.story.foundation import FirstHook, Foundation, StartingCharacter
from zencli.story.record import Record, text_digest

WHEN = "2026-11-30T12:00:00Z"


def put(book: BookDir, relative: str, data: str | bytes) -> None:
    path = book.path / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def put_chapter(book: BookDir, number: int, prose: str = "It was dark.") -> Record:
    text = join_chapter(f"Chapter {number}", prose)
    put(book, chapter_file(number), text)
    record = Record.model_validate(
        {
            "number": number,
            "title": f"Chapter {number}",
            "digest": text_digest(text),
            "created": WHEN,
            "updated": WHEN,
        }
    )
    put(book, record_file(number), record.model_dump_json())
    return record


def test_file_names_have_four_digits_and_more_when_needed(book: BookDir) -> None:
    assert chapter_file(7) == book.chapter_file(7) == "chapters/0007.md"
    assert record_file(12345) == book.record_file(12345) == "records/12345.json"
    assert plan_file(0) == book.plan_file(0) == "plans/0000.md"


def test_chapters_are_the_files_in_numeric_order(book: BookDir) -> None:
    for number in (10000, 2, 9999, 0, 1):
        put_chapter(book, number)
    for other in ("notes.md", "12.md", "00012.md", "0003.txt", "0003 draft.md", ".0003.md"):
        put(book, f"chapters/{other}", "x")
    put(book, "chapters/20261130.md", "x")
    (book.path / "chapters/0044.md").mkdir()
    assert book.chapter_numbers() == [0, 1, 2, 9999, 10000]
    assert list(book.records()) == [0, 1, 2, 9999, 10000]


def test_gaps_are_missing_chapters_below_the_latest(book: BookDir) -> None:
    assert book.gaps() == []
    for number in (2, 5):
        put_chapter(book, number)
    assert book.gaps() == [1, 3, 4]
    for number in (1, 3, 4):
        put_chapter(book, number)
    assert book.gaps() == []


def test_a_chapter_is_its_title_and_prose(book: BookDir) -> None:
    put_chapter(book, 1, "It was dark.\n\nThe lamp.")
    assert book.chapter(1) == ("Chapter 1", "It was dark.\n\nThe lamp.")


def test_a_missing_chapter_names_the_latest(book: BookDir) -> None:
    with pytest.raises(NotFound) as none:
        book.chapter(1)
    assert none.value.code == "chapter.not_found"
    put_chapter(book, 3)
    for number in (4, -1, 10**300):
        with pytest.raises(NotFound) as caught:
            book.chapter(number)
        assert "the latest is 3" in caught.value.message


def test_bom_and_windows_line_ends_are_read_away(book: BookDir) -> None:
    put(book, "outline.md", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert book.read("outline.md") == "one\ntwo\n"
    assert book.read("nothing.md") is None
    assert book.read("outline.md/deeper.md") is None


def test_text_in_another_encoding_is_damage_that_names_the_file(book: BookDir) -> None:
    put(book, "outline.md", "第一卷".encode("gb18030"))
    with pytest.raises(DamagedError) as caught:
        book.read("outline.md")
    assert caught.value.code == "book.damaged"
    assert "outline.md" in caught.value.message


@pytest.mark.parametrize("path", ["../books.toml", "/etc/hostname", "a/../../x", "secret/link.md"])
def test_reading_outside_the_book_is_refused(book: BookDir, arena: Path, path: str) -> None:
    (book.path / "secret").symlink_to(arena)
    with pytest.raises(UsageError) as caught:
        book.read(path)
    assert caught.value.code == "usage.path"


def test_a_record_is_none_without_a_file_and_damage_when_unreadable(book: BookDir) -> None:
    record = put_chapter(book, 1)
    assert book.record(1) == record
    assert book.record(2) is None
    whole = (book.path / record_file(1)).read_bytes()
    for data in (whole[: len(whole) // 2], b"", b"[]", b'{"number": "one"}'):
        put(book, record_file(1), data)
        with pytest.raises(DamagedError) as caught:
            book.record(1)
        assert caught.value.code == "book.damaged"
        assert "records/0001.json" in caught.value.message
        assert caught.value.hint


def test_the_foundation_is_empty_when_absent_and_else_as_written(book: BookDir) -> None:
    assert book.foundation() == Foundation()
    foundation = Foundation(
        characters=[StartingCharacter(name="林晚", start="在灯塔")],
        hooks=[FirstHook(id="H1", promise="谁点的灯")],
    )
    put(book, "records/foundation.json", foundation.model_dump_json())
    assert book.foundation() == foundation
    assert book.records() == {}


def test_the_configuration_takes_its_id_from_the_folder(book: BookDir) -> None:
    copy = BookDir(book.path.with_name("copy"))
    put(copy, "book.toml", book.read("book.toml") or "")
    assert (book.config().id, copy.config().id) == ("lighthouse", "copy")
    assert copy.config().title == "The Lighthouse"


def test_settings_hold_the_authors_own_keys(book: BookDir) -> None:
    text = (book.read("book.toml") or "") + "\n[revise]\nwarnings = true\n"
    put(book, "book.toml", text)
    assert book.settings() == tomllib.loads(text)
    assert book.settings()["revise"] == {"warnings": True}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('title = "x"\n\nlanguage = en\n', "book.toml, line 3:"),
        ('title = "x', "book.toml, line 1:"),
        ('title = "x"\ngenre =', "book.toml, line 2:"),
        ('title = """x\n\n\n', "book.toml, line "),
    ],
)
def test_broken_toml_names_the_line(book: BookDir, text: str, told: str) -> None:
    put(book, "book.toml", text)
    with pytest.raises(DamagedError) as caught:
        book.config()
    assert caught.value.code == "book.damaged"
    assert caught.value.message.startswith(told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("chapter_words = 3000", "chapter_words = 5", "chapter_words"),
        ('language = "en"', 'language = "fr"', "language"),
        ("target_chapters = 200", 'target_chapters = "many"', "target_chapters"),
    ],
)
def test_a_bad_value_names_the_key_and_line(book: BookDir, old: str, new: str, told: str) -> None:
    text = book.read("book.toml") or ""
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    put(book, "book.toml", text.replace(old, new))
    with pytest.raises(DamagedError) as caught:
        book.config()
    assert caught.value.message.startswith(f"book.toml, line {line}: {told}")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('off = "plot"', 'audit.off: must be a list, as in off = ["..."].'),
        ("of = []", "audit.of: isn't a key."),
    ],
)
def test_a_bad_value_in_a_table_names_the_table_too(book: BookDir, table: str, told: str) -> None:
    put(book, "book.toml", (book.read("book.toml") or "") + f"\n[audit]\n{table}\n")
    with pytest.raises(DamagedError) as caught:
        book.config()
    assert caught.value.message.endswith(told)


def test_a_missing_key_is_named(book: BookDir) -> None:
    put(book, "book.toml", 'title = "x"\n')
    with pytest.raises(DamagedError) as caught:
        book.config()
    assert "created" in caught.value.message


def test_cards_are_read_by_slug_in_order(book: BookDir) -> None:
    assert book.cards() == {}
    put(book, "characters/zoe.md", "# Zoe\n")
    put(book, "characters/林晚.md", "# 林晚\n")
    put(book, "characters/.hidden.md", "x")
    assert list(book.cards().items()) == [("zoe", "# Zoe\n"), ("林晚", "# 林晚\n")]


def test_a_chapter_is_edited_when_its_text_is_not_the_records(book: BookDir) -> None:
    put_chapter(book, 1)
    assert not book.edited(1)
    text = (book.path / chapter_file(1)).read_bytes()
    put(book, chapter_file(1), b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert not book.edited(1), "line ends and a BOM are no edit"
    put(book, chapter_file(1), text + b"More.\n")
    assert book.edited(1)
    assert not book.edited(2)
