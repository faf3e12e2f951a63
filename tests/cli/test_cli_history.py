"""``undo``, ``history`` and ``restore`` as commands: their words, their codes, what they print."""

from pathlib import Path

import pytest
from cli_helpers import Endpoint, Shell, refuses, tree

from zencli.store.layout import BookDir
from zencli.store.lock import book_lock


def book_id(shell: Shell) -> str:
    return next((shell.root / "books").iterdir()).name


def test_undo_prints_what_it_did_and_how_to_have_it_again(book: Shell) -> None:
    before = tree(book.root, machine=False)
    told = book("undo")
    assert told.code == 0
    head, *files, last = told.out.splitlines()
    assert head.startswith("undone: write-next (")
    assert "  deleted chapters/0001.md" in files
    assert "  deleted chapters/0002.md" in files
    assert not (book.root / "books" / book_id(book) / "chapters/0002.md").exists()
    words = last.removeprefix("to have it again: zencli ").split()
    assert book(*words).code == 0
    assert tree(book.root, machine=False) == before


@pytest.mark.parametrize("named", [True, False])
def test_the_book_may_be_left_out_of_every_one_of_them(named: bool, book: Shell) -> None:
    own = [book_id(book)] if named else []
    runs = book("history", *own, "--json").json()["data"]
    assert [line["verb"] for line in runs["runs"]] == ["write-next", "init-book"]
    undone = book("undo", *own, runs["runs"][0]["run"], "--json").json()["data"]
    assert undone["run"] == runs["runs"][0]["run"]
    told = book("history", *own, "chapters/0001.md", "--json").json()["data"]
    assert (told["file"], told["runs"]) == ("chapters/0001.md", [])
    assert [(r["number"], r["size"] is None) for r in told["revisions"]] == [(2, True), (1, False)]
    restored = book("restore", *own, "chapters/0001.md", "1", "--json").json()["data"]
    assert restored["file"] == "chapters/0001.md"
    assert (book.root / "books" / book_id(book) / "chapters/0001.md").exists()


def test_the_history_names_runs_and_revisions_in_lines(book: Shell) -> None:
    run = book("undo", "--json").json()["data"]["run"]
    lines = book("history").out.splitlines()
    assert len(lines) == 3
    assert f"undo of {run}" in lines[0]
    assert lines[1].startswith(f"{run}  write-next [undone]  book.toml, chapters/0001.md")
    assert " and " in lines[1]
    lines = book("history", "chapters/0001.md").out.splitlines()
    assert lines[0].split()[0] == "2"
    assert "deleted  undo (" in lines[0]
    assert lines[0].endswith("[now]")
    assert f"bytes  write-next ({run})" in lines[1]
    brief = book.root / "books" / book_id(book) / "brief.md"
    brief.write_text("other\n")
    lines = book("history", "brief.md").out.splitlines()
    assert lines[0] == "brief.md was edited or deleted by hand since revision 1."


def test_restore_prints_what_came_back(book: Shell) -> None:
    book("undo")
    told = book("restore", "chapters/0001.md", "1")
    assert told.code == 0
    assert told.out.splitlines()[0] == "restored: chapters/0001.md as in revision 1"
    assert "  created records/0001.json" in told.out.splitlines()
    again = book("restore", "chapters/0001.md", "1")
    assert again.out == "chapters/0001.md is as in revision 1 already.\n"


def test_a_text_without_a_record_is_warned_of(book: Shell) -> None:
    folder = book.root / "books" / book_id(book)
    path = folder / "chapters/0001.md"
    path.write_text("# Mine\n\nMy own words.\n")
    book("undo", "--yes")
    told = book("history", "chapters/0001.md", "--json").json()["data"]["revisions"]
    mine = next(str(r["number"]) for r in told if r["run"] is None)
    restored = book("restore", "chapters/0001.md", mine, "--json").json()
    assert restored["warnings"] == [
        "No record was made from this text of chapter 1: it counts as edited by hand."
    ]
    assert path.read_text() == "# Mine\n\nMy own words.\n"


def test_an_edit_by_hand_needs_the_author(book: Shell) -> None:
    path = book.root / "books" / book_id(book) / "chapters/0002.md"
    path.write_text(path.read_text() + "\nOne more line.\n")
    # the lock is tried, so only the program's own folder may differ
    told = refuses(book, ["undo"], "book.edited", 4, "chapters/0002.md", machine=False)
    assert "--yes" in told.err
    assert book("undo", "--yes", "--json").json()["data"]["edited"] == ["chapters/0002.md"]


def test_the_making_of_a_book_is_undone_only_with_yes(book: Shell) -> None:
    name = book_id(book)
    book("undo")
    refuses(book, ["undo"], "book.trash", 4, name, machine=False)
    told = book("undo", "--yes")
    assert told.code == 0
    place = Path(told.out.splitlines()[1].removeprefix("  the book is now in "))
    assert (book.root / place / "book.toml").exists()
    assert "No book yet" in book("list").out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["undo", "20261130T101500.000001Z-audit"], "run.not_found", "no run"),
        (["undo", "nope"], "book.not_found", "nope"),
        (["history", "outlin.md"], "history.not_found", "outlin.md"),
        (["history", "../x.md"], "usage.path", "../x.md"),
        (["restore"], "usage.file", "which file"),
        (["restore", "outline.md"], "usage.revision", "1-"),
        (["restore", "outline.md", "99"], "usage.revision", "no revision 99"),
        (["restore", "outline.md", "x"], "usage.options", "REV"),
        (["restore", "outline.md", "0"], "usage.options", "REV"),
    ],
)
def test_wrong_words_are_refused_and_change_nothing(
    words: list[str], code: str, said: str, book: Shell
) -> None:
    refuses(book, words, code, 2, said, machine=False)


def test_a_busy_book_is_left_alone_but_its_history_is_told(book: Shell) -> None:
    folder = BookDir(book.root / "books" / book_id(book))
    with book_lock(folder, "write-next"):
        for words in (["undo"], ["restore", "outline.md", "1"]):
            assert book(*words, "--json").json()["error"]["code"] == "book.busy"
            assert book(*words).code == 7
        assert book("history").code == 0


def test_none_of_them_calls_a_model(book: Shell, endpoint: Endpoint) -> None:
    for words in (["undo"], ["history"], ["restore", "chapters/0001.md", "1"]):
        assert book(*words, "--json").json()["usage"]["calls"] == 0
    assert endpoint.bodies == []
