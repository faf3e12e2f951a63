"""What an author gets wrong: a sentence, a code, an exit status, and not one byte changed."""

import os
import pty
import subprocess

import pytest
from cli_helpers import COMMAND, Endpoint, Shell, environment, refuses, tree

BOOK = "by-the-board"


NAMED_WRONG = {
    "unknown book": (["status", "by-the-bord"], "book.not_found", "no book 'by-the-bord'"),
    "book in a path": (["audit", "../by-the-board"], "usage.book_id", "can't be the id"),
    "existing id": (
        ["init-book", BOOK, "-i", "A lighthouse."], "book.exists", "There is a book 'by-the-board'",
    ),
    "impossible id": (["init-book", "A/B", "-i", "x"], "usage.book_id", "can't be the id"),
    "count 0": (["write-next", "--count", "0"], "usage.options", "--count"),
    "count abc": (
        ["write-next", "--count", "abc"], "usage.options", "should be a valid integer.",
    ),
    "count -3": (["write-next", "--count", "-3"], "usage.options", "--count"),
    "too long a book": (["write-next", "--count", "9"], "usage.finished", "beyond its end"),
    "count and until": (
        ["write-next", "--count", "2", "--until", "3"], "usage.options", "exclude each other",
    ),
    "plan of many chapters": (
        ["write-next", "--plan-only", "--count", "2"], "usage.options", "plans one chapter",
    ),
    "chapter and range": (
        ["audit", "1", "--chapters", "1-2", "--no-llm"], "usage.options", "exclude each other",
    ),
    "chapter words 99": (
        ["write-next", "--chapter-words", "99"], "usage.options", "--chapter-words",
    ),
    "missing chapter": (["audit", "7"], "chapter.not_found", "no chapter 7; the latest is 2"),
    "missing chapter to rewrite": (
        ["write-next", "--chapter", "9"], "chapter.not_found", "no chapter 9",
    ),
    "missing chapter to revise": (["revise", BOOK, "9"], "chapter.not_found", "no chapter 9"),
    "missing chapter to show": (["show", "9"], "chapter.not_found", "no chapter 9"),
    "chapter abc": (["audit", BOOK, "abc"], "usage.options", "CHAPTER"),
    "half a range as chapter": (["audit", "2-"], "usage.options", "CHAPTER"),
    "huge chapter": (["audit", "123456789"], "usage.options", "CHAPTER"),
    "range backwards": (
        ["audit", "--chapters", "2-1", "--no-llm"], "usage.range", "ends before it begins",
    ),
    "range of words": (["export", "--chapters", "one-two"], "usage.range", "isn't a range"),
    "range beyond": (["export", "--chapters", "30-40"], "chapter.not_found", "no chapter in 30-40"),
    "nothing approved": (["export", "--approved-only"], "export.empty", "no chapter to export"),
    "range to approve": (["approve", "two"], "book.not_found", "no book 'two'"),
    "approve nothing": (["approve"], "usage.chapters", "Say which chapters"),
    "unknown format": (
        ["export", "--format", "pdf"], "usage.options", "'--format': 'pdf' is not one of 'txt'",
    ),
    "cover for txt": (["export", "--cover", "x.png"], "usage.options", "--format epub"),
    "missing cover": (
        ["export", "--format", "epub", "--cover", "no.png"], "usage.cover", "no.png can't be read",
    ),
    "text as a cover": (
        ["export", "--format", "epub", "--cover", f"books/{BOOK}/brief.md"],
        "usage.cover",
        "neither PNG, JPEG",
    ),
    "output below a file": (
        ["export", "--output", f"books/{BOOK}/brief.md/x.txt"], "usage.output", "brief.md",
    ),
    "output to stdout": (["export", "--output", "-"], "usage.output", "can't be written to stdout"),
    "unknown mode": (["revise", "--mode", "magic"], "usage.options", "--mode"),
    "unknown finding": (["revise", "--finding", "nope"], "finding.not_found", "id nope"),
    "unknown option": (["audit", "--strict"], "usage.options", "--strict"),
    "unknown platform": (
        ["init-book", "-i", "x", "--platform", "kindle"], "usage.options", "--platform",
    ),
    "unknown language": (
        ["init-book", "-i", "x", "--language", "fr"], "usage.options", "--language",
    ),
    "no genre": (["init-book", "-i", "x", "--genre", ""], "usage.options", "--genre"),
    "no chapters": (
        ["init-book", "-i", "x", "--target-chapters", "0"], "usage.options", "--target-chapters",
    ),
    "no brief": (["init-book", "--title", "T"], "usage.brief", "The brief is empty"),
    "blank instruction": (["init-book", "-i", " \n "], "usage.brief", "The brief is empty"),
    "empty brief": (["init-book", "--brief", "empty.md"], "usage.brief", "The brief is empty"),
    "missing brief": (["init-book", "--brief", "no.md"], "usage.brief", "no.md can't be read"),
    "folder as brief": (["init-book", "--brief", "books"], "usage.brief", "books can't be read"),
    "binary brief": (["init-book", "--brief", "gbk.md"], "usage.brief", "UTF-8"),
    "missing @file": (["write-next", "-i", "@no.md"], "usage.file", "no.md can't be read"),
    "binary @file": (["write-next", "-i", "@gbk.md"], "usage.file", "UTF-8"),
    "folder as @file": (["revise", "-i", "@books"], "usage.file", "books can't be read"),
    "missing workspace": (["list", "--root", "nowhere"], "usage.root", "'nowhere' doesn't exist"),
    "file as workspace": (["list", "--root", "empty.md"], "usage.root", "isn't a folder"),
    "folder that is no book": (["audit", "drafts"], "book.not_found", "'drafts' is no book"),
    "cost that is no number": (["write-next", "--max-cost", "nan"], "usage.options", "--max-cost"),
    "negative budget": (["write-next", "--max-tokens", "-1"], "usage.options", "--max-tokens"),
    "no time": (["write-next", "--timeout", "0"], "usage.options", "--timeout"),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMED_WRONG)
def test_a_wrong_value_is_refused_before_anything_happens(
    case: str, book: Shell, endpoint: Endpoint
) -> None:
    words, code, said = NAMED_WRONG[case]
    (book.root / "empty.md").write_text("\n \n")
    (book.root / "gbk.md").write_bytes("灯塔上的人".encode("gbk"))
    (book.root / "books" / "drafts").mkdir()
    machine = words[0] not in ("audit", "revise", "approve")
    before = tree(book.root, machine=machine)
    result = book(*words, "--json")
    error = result.json()["error"]
    assert (result.code, error["code"]) == (2, code)
    assert said in error["message"]
    assert error["message"].endswith((".", "?"))
    assert "Traceback" not in result.err
    assert tree(book.root, machine=machine) == before
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    "case", ["unknown book", "count abc", "missing @file", "range backwards", "no brief"]
)
def test_a_refusal_is_a_sentence_on_stderr(case: str, book: Shell) -> None:
    words, code, said = NAMED_WRONG[case]
    refuses(book, words, code, 2, said, machine=False)


def test_an_unknown_verb_is_refused(shell: Shell) -> None:
    refuses(shell, ["write"], "usage.options", 2, "write")


def test_words_that_are_not_utf8_are_refused_before_any_call(
    book: Shell, endpoint: Endpoint
) -> None:
    gbk = os.fsdecode("灯塔上的人".encode("gbk"))
    for words in (["-i", gbk], ["-i", "x", "--title", gbk], ["-i", "x", "--genre", gbk]):
        refuses(book, ["init-book", *words], "usage.options", 2, "isn't UTF-8 text")
    told = book("init-book", "-i", "-", "--json", stdin="灯塔上的人".encode("gbk"))
    assert (told.code, told.json()["error"]["code"]) == (2, "usage.stdin")
    assert endpoint.bodies == []


def test_stdin_that_is_a_terminal_is_no_instruction(book: Shell, endpoint: Endpoint) -> None:
    before = tree(book.root)
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [*COMMAND, "write-next", "-i", "-"],
            cwd=book.root,
            env=environment(**book.variables),
            stdin=slave,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 2
    assert b"--instruction - reads stdin, which is a terminal." in done.stderr
    assert tree(book.root) == before
    assert endpoint.bodies == []


@pytest.mark.parametrize("word", ["1-2", "1-", "9999999", "２"])
def test_show_takes_one_chapter_and_refuses_what_isnt_one(book: Shell, word: str) -> None:
    done = book("show", word)
    assert done.code == 2
    assert "fault" not in done.err
    assert done.out == ""
