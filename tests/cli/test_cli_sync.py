"""``sync`` as a command, and what status and other verbs say of edits by hand."""

from pathlib import Path

import pytest
from cli_helpers import Answer, Endpoint, Shell, refuses, tree
from scripts import Script

SETTLE = Script("en").read("0001.settle.json")


def folder(shell: Shell) -> Path:
    return next((shell.root / "books").iterdir())


def edit(shell: Shell, file: str, old: str, new: str) -> None:
    path = folder(shell) / file
    text = path.read_text(encoding="utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_status_names_what_was_edited(book: Shell) -> None:
    edit(book, "chapters/0001.md", ".", ". She left the lamp.")
    edit(book, "outline.md", "\n", "\nchanged\n")
    name = folder(book).name
    line = f"edited since: chapters/0001.md, outline.md (sync {name} settles edited chapters)"
    assert line in book("status").out.splitlines()
    told = book("status", "--json").json()["data"]
    assert told["edits"]["edited"] == ["chapters/0001.md", "outline.md"]


def test_an_edited_chapter_is_settled_with_one_call(book: Shell, endpoint: Endpoint) -> None:
    edit(book, "chapters/0001.md", ".", ". She left the lamp.")
    endpoint.play(Answer(SETTLE))
    told = book("sync", "--json").json()
    (chapter,) = told["data"]["chapters"]
    assert (chapter["number"], chapter["action"]) == (1, "settled")
    assert told["usage"]["calls"] == endpoint.finished == 1
    assert told["warnings"][0].startswith("edited since: chapters/0001.md")
    assert "edited" not in book("status").out
    assert book("sync").out == "No chapter was edited by hand.\n"


def test_without_a_model_it_only_measures(book: Shell, endpoint: Endpoint) -> None:
    edit(book, "chapters/0002.md", ".", ". She left the lamp.")
    done = book("sync", folder(book).name, "2", "--no-llm", ZENCLI_API_KEY=None)
    assert done.code == 0, done.err
    assert endpoint.bodies == []
    assert done.out.startswith("chapter 2: ")
    assert "measured" in done.out


def test_a_renamed_and_a_deleted_chapter_are_told(book: Shell) -> None:
    chapters = folder(book) / "chapters"
    (chapters / "0002.md").rename(chapters / "0003.md")
    (chapters / "0001.md").unlink()
    told = book("sync", "--no-llm").out.splitlines()
    assert "chapter 2 is chapter 3 now" in told
    assert "chapter 1 was taken away; its record is in the history" in told
    assert "stale now: 3" in told


@pytest.mark.parametrize("verb", ["sync", "write-next", "revise"])
def test_a_state_that_cant_be_read_is_refused_with_its_line(
    book: Shell, endpoint: Endpoint, verb: str
) -> None:
    path = folder(book) / "state.md"
    path.write_text(path.read_text("utf-8") + "\nsomething loose\n", encoding="utf-8")
    number = path.read_text("utf-8").rstrip("\n").count("\n") + 1
    before = tree(book.root, machine=False)
    done = book(verb)
    assert done.code == 8
    assert f"state.md, line {number}: " in done.err
    assert endpoint.bodies == []
    assert tree(book.root, machine=False) == before


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (["sync", "nope"], "book.not_found", "nope"),
        (["sync", "7-9"], "chapter.not_found", "7-9"),
        (["sync", "3-1"], "usage.range", "3-1"),
        (["sync", "--chapters", "1"], "usage.options", "--chapters"),
    ],
)
def test_what_is_wrong_with_the_command_is_told(
    book: Shell, words: list[str], code: str, named: str
) -> None:
    refuses(book, words, code, 2, named, machine=False)
