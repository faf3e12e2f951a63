"""``--dry-run``: the exact messages of the first call, for nothing and without a key."""

import shutil
from pathlib import Path

import pytest
from cli_helpers import Endpoint, Shell, init_words, tree
from scripts import Script

from zencli.store.layout import BookDir
from zencli.store.lock import book_lock


@pytest.mark.parametrize("language", ["zh", "en"])
def test_init_book_shows_what_it_then_sends(
    language: str, shell: Shell, endpoint: Endpoint
) -> None:
    script = Script(language)
    words = init_words(script)
    shown = shell(*words, "--dry-run", "--json", stdin=script.brief.encode()).json()
    assert list(shell.root.iterdir()) == []
    assert endpoint.bodies == []
    endpoint.play(*script.opening())
    assert shell(*words, stdin=script.brief.encode()).code == 0
    assert shown["data"]["messages"] == endpoint.bodies[0]["messages"]
    assert script.brief.strip() in shown["data"]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "words",
    [
        ["write-next", "-i", "Let it rain.", "--chapter-words", "1200"],
        ["audit", "1", "-i", "Mind the gauge."],
        ["revise", "2", "-i", "Shorter."],
        ["revise", "2", "--mode", "polish"],
        ["revise", "2", "--mode", "rework"],
    ],
)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_verb_shows_what_it_then_sends(
    words: list[str], language: str, book: Shell, endpoint: Endpoint, written: dict[str, Path]
) -> None:
    shell = book if language == "en" else _copied(written["zh"], book)
    before = tree(shell.root)
    shown = shell(*words, "--dry-run", "--json").json()
    assert tree(shell.root) == before
    assert endpoint.bodies == []
    assert shown["data"]["dry_run"] is True
    assert shown["data"]["estimated_tokens"] <= shown["data"]["window"]
    sections = sum(section["tokens"] for section in shown["data"]["sections"])
    assert 0.8 * sections < shown["data"]["estimated_tokens"] < 1.2 * sections
    assert shown["usage"]["calls"] == 0
    shell(*words)
    assert shown["data"]["messages"] == endpoint.bodies[0]["messages"]


def _copied(source: Path, book: Shell) -> Shell:
    root = book.root.with_name("zh")
    shutil.copytree(source, root)
    return Shell(root, book.variables)


def test_the_text_form_holds_the_messages_word_for_word(book: Shell, endpoint: Endpoint) -> None:
    shown = book("write-next", "--dry-run")
    book("write-next")
    for message in endpoint.bodies[0]["messages"]:
        assert f"--- {message['role']}\n{message['content']}\n" in shown.out
    assert "sections of the call plan" in shown.out
    assert "in all, of a window of" in shown.out


@pytest.mark.parametrize(
    "words",
    [["init-book", "-i", "A lighthouse."], ["write-next"], ["audit"], ["revise", "-i", "x"]],
)
def test_it_needs_no_key_no_endpoint_and_no_model(words: list[str], book: Shell) -> None:
    variables = {"ZENCLI_BASE_URL": None, "ZENCLI_MODEL": None, "ZENCLI_API_KEY": None}
    bare = Shell(book.root, variables)
    before = tree(book.root)
    result = bare(*words, "--dry-run", ZENCLI_CACHE=str(book.root.with_name("no-cache")))
    assert result.code == 0, result.err
    (book.root / "zencli.toml").write_text(
        '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "NOT_SET"\n'
    )
    keyless = bare(*words, "--dry-run")
    assert keyless.code == 0, keyless.err
    (book.root / "zencli.toml").unlink()
    assert tree(book.root) == before


def test_it_needs_no_lock_and_no_right_to_write(book: Shell) -> None:
    with book_lock(BookDir(book.root / "books" / "by-the-board"), "write-next"):
        assert book("write-next", "--dry-run").code == 0


def test_it_refuses_what_the_command_would_refuse(book: Shell, endpoint: Endpoint) -> None:
    for words in (["write-next", "--count", "9"], ["audit", "9"], ["revise", "9"]):
        result = book(*words, "--dry-run", "--json")
        assert result.code == 2, words
        assert result.json()["data"] == {}
    assert endpoint.bodies == []


def test_a_dry_run_of_checks_without_a_model_changes_nothing(book: Shell) -> None:
    before = tree(book.root)
    book("audit", "2", "--no-llm", "--dry-run", "--fail-on", "warning", "--json").json()
    assert tree(book.root) == before
