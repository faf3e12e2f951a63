"""``doctor`` and ``repair`` as commands; and no verb that dies of a damaged file."""

import io
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from cli_helpers import KEY, Answer, Endpoint, Shell, refuses, tree
from scripts import Script
from typer.main import get_command

from zencli.cli.main import build_app
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock

FILES = (
    "book.toml", "brief.md", "story_bible.md", "outline.md", "timeline.md", "secrets.md",
    "rules.md", "style.md", "state.md", "hooks.md", "chapters/0001.md", "chapters/0002.md",
    "records/0001.json", "records/0002.json", "records/foundation.json", "records/files.json",
    ".zencli/history/commits/000001.json", ".zencli/history/commits/000003.json",
)  # fmt: skip
"""Every file of the written book, of the cards, runs and contents of the history one each."""

DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "garbage": lambda path: path.write_bytes(b"\xff\x00\x81{\xe4" * 9),
}

VERBS = (
    ["status"], ["list"], ["show", "2"], ["show", "1", "--record"], ["history"],
    ["audit", "--no-llm", "--chapters", "1-", "--fail-on", "never"], ["write-next", "--dry-run"],
    ["export"], ["approve", "1-"],
)  # fmt: skip


def folder(root: Path) -> Path:
    return next((root / "books").iterdir())


def give(root: Path, *words: str) -> tuple[int, str]:
    """Exit code and output of a command that runs in this process."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = get_command(build_app(words[0])).main(
            [*words, "--root", str(root)], standalone_mode=False
        )
    return code, out.getvalue()


def one_of_each(book: Path) -> list[str]:
    """``FILES``, and the first card, run log and content of the history."""
    first = [
        next(iter(sorted(book.glob(pattern))))
        for pattern in ("characters/*.md", ".zencli/runs/*/*.json", ".zencli/history/objects/*")
    ]
    return [*FILES, *(path.relative_to(book).as_posix() for path in first)]


def test_the_files_that_are_damaged_below_are_all_there_are(written: dict[str, Path]) -> None:
    book = folder(written["en"])
    present = {p.relative_to(book).as_posix() for p in book.rglob("*") if p.is_file()}
    others = (
        "characters/", ".zencli/runs/", ".zencli/history/", ".zencli/lock", ".zencli/cache/",
        ".zencli/calls.jsonl",
    )  # fmt: skip
    assert {path for path in present if not path.startswith(others)} == {
        path for path in FILES if not path.startswith(".")
    }
    assert set(one_of_each(book)) <= present


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("place", range(len(FILES) + 3))
def test_no_verb_dies_of_a_damaged_file_and_repair_mends_it(
    place: int, damage: str, written: dict[str, Path], tmp_path: Path
) -> None:
    root = tmp_path / "work"
    shutil.copytree(written["en"], root)
    book = folder(root)
    DAMAGES[damage](book / one_of_each(book)[place])
    for words in (*VERBS, ["doctor", book.name]):
        code, out = give(root, *words)
        assert code in (0, 2, 8), f"{words}: {code}: {out}"
    code, out = give(root, "repair", "--no-llm")
    assert code == 0, out
    code, out = give(root, "status", "--json")
    assert code == 0, out
    assert [line["number"] for line in json.loads(out)["data"]["chapters"]] == [1, 2]
    assert give(root, "doctor", book.name)[0] == 0


def test_a_healthy_book_has_nothing_wrong(book: Shell) -> None:
    name = folder(book.root).name
    before = tree(book.root, machine=False)
    told = book("doctor", name)
    assert (told.code, told.out) == (0, f"{name}: nothing is wrong\n")
    data = book("doctor", name, "--json").json()["data"]
    assert (data["book_id"], data["problems"], data["setup"]) == (name, [], None)
    assert tree(book.root, machine=False) == before


def test_without_a_book_the_configuration_is_told_and_never_a_key(
    book: Shell, endpoint: Endpoint
) -> None:
    told = book("doctor")
    assert told.code == 0
    assert f"played at {endpoint.url}, with a key" in told.out
    assert KEY not in told.out + told.err
    setup = book("doctor", "--json").json()["data"]["setup"]
    assert setup["models"][0]["key"] is True
    assert endpoint.bodies == []


def test_what_is_wrong_is_told_with_the_command_that_mends_it(book: Shell) -> None:
    name = folder(book.root).name
    (folder(book.root) / "records/0001.json").write_text("{")
    (folder(book.root) / "outline.md").unlink()
    told = book("doctor", name)
    assert told.code == 8
    assert "outline.md is missing." in told.out
    assert f"    zencli repair {name}\n" in told.out
    assert told.err == f"2 problems need repair.\nBegin with: zencli repair {name}\n"
    envelope = book("doctor", name, "--json").json()
    assert envelope["error"]["code"] == "book.damaged"
    assert {p["code"] for p in envelope["data"]["problems"]} == {"file.missing", "file.damaged"}
    mended = book("repair", name)
    assert mended.code == 0
    assert mended.out.splitlines() == ["restored: outline.md", "restored: records/0001.json"]
    assert book("repair", name).out == "nothing to mend\n"


def test_of_very_many_problems_of_a_kind_the_first_are_told(book: Shell) -> None:
    chapters = folder(book.root) / "chapters"
    for number in range(9):
        (chapters / f"note-{number}.md").write_text("x")
    told = book("doctor", folder(book.root).name)
    assert told.code == 0
    assert told.out.count("is no part of the book") == 5
    assert told.out.endswith("... and 4 more like that\n")


def test_a_book_without_its_configuration_is_found_all_the_same(book: Shell) -> None:
    name = folder(book.root).name
    (folder(book.root) / "book.toml").unlink()
    refused = book("status", name)
    assert refused.code == 2
    assert f"zencli repair {name}" in refused.err
    assert book("doctor").code == 8
    shutil.rmtree(folder(book.root) / ".zencli")
    refuses(book, ["repair", "--no-llm"], "book.config", 4, "book.toml", machine=False)
    assert book("repair", "--no-llm", "--yes").code == 0
    assert book("status", name).code == 0


def test_repair_reads_a_chapter_with_the_model(book: Shell, endpoint: Endpoint) -> None:
    shutil.rmtree(folder(book.root) / ".zencli")
    (folder(book.root) / "records/0002.json").unlink()
    dry = book("repair", "--dry-run")
    assert "to be read by the model: chapter 2" in dry.out
    assert endpoint.bodies == []
    endpoint.play(*[step for step in Script("en").chapter(2) if step.role == "settle"])
    told = book("repair", "--json").json()
    assert told["usage"]["calls"] == len(endpoint.bodies) == 1
    assert told["data"]["settled"] == [2]
    assert book("doctor", folder(book.root).name).code == 0


def test_what_was_mended_is_told_when_the_model_fails(book: Shell, endpoint: Endpoint) -> None:
    shutil.rmtree(folder(book.root) / ".zencli")
    (folder(book.root) / "records/0002.json").unlink()
    endpoint.play(Answer("No such key.", status=401))
    told = book("repair", "2")
    assert told.code == 5
    assert "No usable reply" not in told.err
    assert "measured: records/0002.json" in told.out
    assert "unsettled: 2" in told.out
    endpoint.play(Answer("No."), Answer("No."))
    told = book("repair", "2")
    assert told.code == 5
    assert "No usable reply came for chapter 2." in told.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["doctor", "nope"], "book.not_found", "nope"),
        (["repair", "nope"], "book.not_found", "nope"),
        (["repair", "9"], "chapter.not_found", "9"),
        (["repair", "1", "--from", "1"], "usage.options", "--from"),
        (["repair", "--from", "x"], "usage.options", "--from"),
    ],
)
def test_wrong_words_are_refused_and_change_nothing(
    words: list[str], code: str, said: str, book: Shell
) -> None:
    refuses(book, words, code, 2, said, machine=False)


def test_a_busy_book_is_looked_at_but_not_mended(book: Shell) -> None:
    with book_lock(BookDir(folder(book.root)), "write-next"):
        assert book("repair", "--no-llm").code == 7
        assert book("doctor", folder(book.root).name).code == 0
