"""``import`` from the shell: what it prints, refuses and leaves alone."""

from pathlib import Path

import pytest
from cli_helpers import Answer, Endpoint, Shell, tree
from scripts import Script

EN = Script("en")


@pytest.fixture
def novel(shell: Shell) -> Path:
    text = "".join(
        f"Chapter {n}: Night {n}\r\n\r\n{EN.read(f'{n:04d}.write.txt').strip()}\r\n\r\n"
        for n in (1, 2)
    )
    path = shell.root / "low-water.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return path


def settle(number: int) -> str:
    return EN.read(f"{number:04d}.settle.json")


def test_a_novel_is_imported_checked_and_exported_without_a_model(
    shell: Shell, novel: Path
) -> None:
    told = shell("import", "low-water.txt", "--book", "low", "--title", "Low Water")
    assert (told.code, told.err) == (0, "")
    first, *rest = told.out.splitlines()
    assert first.startswith("Low Water (low), en: 2 of 2 chapters imported, ")
    assert "    1  Night 1  " in told.out
    assert rest[-1] == "to go on: zencli write-next low"
    assert shell("audit", "low", "--chapters", "1-", "--no-llm", "--fail-on", "never").code == 0
    exported = shell("export", "low", "--json").json()["data"]
    text = (shell.root / exported["path"]).read_text("utf-8")
    assert "Chapter 2: Night 2" in text
    history = shell("history", "low").out
    assert "  import  " in history


def test_the_json_object_holds_chapters_and_problems(shell: Shell, novel: Path) -> None:
    novel.write_bytes(b"By N. N.\r\n\r\n" + novel.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    told = shell("import", novel, "--json").json()
    data = told["data"]
    assert (data["book_id"], data["created"], data["dry_run"]) == ("low-water", True, False)
    assert [(c["number"], c["action"]) for c in data["chapters"]] == [(1, "added"), (2, "added")]
    assert data["problems"] == told["warnings"]
    assert "front_matter.md" in data["problems"][0]
    assert told["usage"]["calls"] == 0


def test_a_dry_run_shows_all_chapters_and_writes_nothing(shell: Shell, novel: Path) -> None:
    before = tree(shell.root)
    told = shell("import", novel, "--dry-run")
    assert told.code == 0
    assert "2 of 2 chapters would be imported" in told.out
    assert shell("import", novel, "--dry-run", "--json").json()["data"]["dry_run"] is True
    assert tree(shell.root) == before


def test_another_text_is_left_until_it_is_confirmed(shell: Shell, novel: Path) -> None:
    shell("import", novel)
    novel.write_text("Chapter 1: Night 1\n\nHe left.\n\nChapter 3: Day\n\nShe came.\n")
    told = shell("import", novel, "--book", "low-water")
    assert told.code == 0
    assert "[the book has another text, left]" in told.out
    assert "look at: chapter 1: the book has another text, which is left; --yes" in told.out
    chapter = shell.root / "books/low-water/chapters/0001.md"
    assert "He left." not in chapter.read_text("utf-8")
    assert "[replaced]" in shell("import", novel, "--book", "low-water", "--yes").out
    assert chapter.read_text("utf-8") == "# Night 1\n\nHe left.\n"


def test_settling_goes_on_where_it_stopped(shell: Shell, novel: Path, endpoint: Endpoint) -> None:
    endpoint.play(Answer(settle(1)), Answer("gone", status=401))
    stopped = shell("import", novel, "--settle", "--json")
    assert stopped.code == 5
    data = stopped.json()["data"]
    assert (data["settled"], data["unsettled"]) == ([1], [2])
    endpoint.play(Answer(settle(2)))
    told = shell("import", novel, "--settle", "--json").json()
    assert (told["data"]["settled"], told["usage"]["calls"]) == ([2], 1)
    assert [c["flags"] for c in shell("status", "--json").json()["data"]["chapters"]] == [[], []]
    again = shell("import", novel, "--settle")
    assert (again.code, endpoint.finished) == (0, 2)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], "import.source", "There is nothing to import."),
        (["none.txt"], "import.source", "none.txt doesn't exist."),
        (["plain.txt"], "import.chapters", "No line reads as the heading of a chapter."),
        (["bad.txt"], "import.encoding", "bad.txt can't be read"),
        (["low-water.txt", "--split", "["], "usage.split", "no regular expression"),
        (["low-water.txt", "--book", "a b"], "usage.book_id", "'a b' can't be the id"),
        (["low-water.txt", "--language", "fr"], "usage.options", "fr"),
    ],
)
def test_wrong_commands_are_refused(
    shell: Shell, novel: Path, words: list[str], code: str, said: str
) -> None:
    (shell.root / "plain.txt").write_text("Only prose.\n")
    (shell.root / "bad.txt").write_bytes(bytes(range(256)))
    before = tree(shell.root)
    told = shell("import", *words)
    assert (told.code, told.out) == (2, "")
    assert said in told.err
    assert shell("import", *words, "--json").json()["error"]["code"] == code
    assert tree(shell.root) == before
