"""Places that aren't as they should be: books, files, prompts, endpoints, permissions."""

import os
from pathlib import Path

import pytest
from cli_helpers import KEY, Answer, Endpoint, Shell, init_words, refuses, tree
from scripts import Script

BOOK = "by-the-board"


def test_there_is_no_book_yet(shell: Shell) -> None:
    refuses(shell, ["write-next"], "book.not_found", 2, "There is no book")


def test_which_of_two_books_must_be_said(book: Shell, written: dict[str, Path]) -> None:
    source = next((written["zh"] / "books").iterdir())
    source_copy = book.root / "books" / source.name
    source_copy.symlink_to(source)
    refuses(book, ["status"], "usage.book", 2, "There are 2 books here")
    refuses(book, ["audit", "2", "--no-llm"], "usage.book", 2, "There are 2 books here")


@pytest.mark.parametrize("verb", ["write-next", "audit", "revise", "export", "status", "approve"])
def test_an_unreadable_book_toml_names_its_line(verb: str, book: Shell, endpoint: Endpoint) -> None:
    config = book.root / "books" / BOOK / "book.toml"
    config.write_text(config.read_text("utf-8").replace('genre = "general"', "genre = general"))
    more = ["1"] if verb == "approve" else []
    refuses(book, [verb, BOOK, *more], "book.damaged", 8, "book.toml, line 5", machine=False)
    assert endpoint.bodies == []


def test_a_wrong_value_in_book_toml_names_its_line(book: Shell, endpoint: Endpoint) -> None:
    config = book.root / "books" / BOOK / "book.toml"
    text = config.read_text("utf-8").replace("target_chapters = 3", 'target_chapters = "three"')
    config.write_text(text)
    refuses(book, ["write-next"], "book.damaged", 8, "book.toml, line 8: target_chapters")
    assert endpoint.bodies == []


def test_an_unreadable_record_stops_writing(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "books" / BOOK / "records" / "0001.json").write_text('{"number": 1,')
    said = "records/0001.json can't be used"
    refuses(book, ["write-next"], "book.damaged", 8, said, machine=False)
    assert endpoint.bodies == []


def test_a_gap_in_the_chapters_stops_writing(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "books" / BOOK / "chapters" / "0001.md").unlink()
    refuses(book, ["write-next"], "book.gap", 8, "lacks chapter 1", machine=False)
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model\n", "zencli.toml: "),
        ("[model]\nname = 'x'\nbase_url = 3\n", "zencli.toml: model.base_url"),
        ("[model]\nkey = 'sk-secret-in-a-file'\n", "zencli.toml: model.key"),
        ("[models.poet]\nname = 'x'\n", "no role models.poet"),
        ("[budget]\nmax_cost = 'much'\n", "zencli.toml: budget.max_cost"),
        ("[model.profile]\nwindow = 3\n", "window"),
        ("[model.profile]\nwindou = 30000\n", "windou"),
    ],
)
def test_a_wrong_configuration_names_its_place(
    text: str, said: str, book: Shell, endpoint: Endpoint
) -> None:
    (book.root / "zencli.toml").write_text(text)
    result = book("write-next", "--json")
    error = result.json()["error"]
    assert result.code == 2
    assert error["code"] in ("usage.config", "usage.profile")
    assert said in error["message"]
    assert endpoint.bodies == []


def test_an_endpoint_without_a_model_is_refused(book: Shell) -> None:
    book.variables["ZENCLI_MODEL"] = None
    refuses(book, ["write-next"], "usage.model", 2, "without a model", machine=False)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080/v1", "ftp://127.0.0.1/v1", "http://", "nonsense", "http://[::1/v1",
     "http://127.0.0.1:abc/v1", "http://127.0.0.1:99999/v1", " http://127.0.0.1/v1\n"],
)  # fmt: skip
def test_a_base_url_that_is_none_is_refused(url: str, book: Shell) -> None:
    result = book("write-next", "--base-url", url, "--json")
    error = result.json()["error"]
    assert error["code"] == "usage.base_url"
    assert result.code == 2


def test_a_prompt_of_ones_own_that_asks_for_too_much_is_named(
    book: Shell, endpoint: Endpoint
) -> None:
    own = book.root / "prompts" / "en" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Plan chapter {{ number }}.\nMind the {{ weather }}.\n")
    said = f"{own.relative_to(book.root)}, line 2: there is no variable 'weather' here"
    refuses(book, ["write-next"], "usage.prompt", 2, said, machine=False)
    assert endpoint.bodies == []


def test_a_wrong_prompt_of_a_late_step_is_named_before_the_first_call(
    book: Shell, endpoint: Endpoint
) -> None:
    own = book.root / "prompts" / "en" / "settle.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Settle.\n\nMind the {{ weather }}.\n")
    refuses(book, ["write-next"], "usage.prompt", 2, "weather", machine=False)
    assert endpoint.bodies == []


@pytest.mark.parametrize("kind", ["folder", "gbk"])
def test_a_prompt_that_cannot_be_read_is_named(kind: str, book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "prompts" / "en" / "audit.md.j2"
    own.parent.mkdir(parents=True)
    if kind == "folder":
        own.mkdir()
    else:
        own.write_bytes("审稿".encode("gbk"))
    refuses(book, ["write-next"], "usage.prompt", 2, str(own.relative_to(book.root)), machine=False)
    assert endpoint.bodies == []


def test_a_genre_that_cannot_be_read_is_named(book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "genres" / "general.md"
    own.parent.mkdir(parents=True)
    own.write_bytes("通用".encode("gbk"))
    refuses(book, ["write-next"], "usage.prompt", 2, "genres/general.md", machine=False)
    refuses(book, ["genres"], "usage.prompt", 2, "genres/general.md")
    assert endpoint.bodies == []


def test_a_broken_prompt_names_its_line(book: Shell, endpoint: Endpoint) -> None:
    own = book.root / "prompts" / "en" / "plan.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Plan.\n{% if number %}\n")
    refuses(book, ["write-next"], "usage.prompt", 2, "plan.md.j2, line 2", machine=False)
    assert endpoint.bodies == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_named_and_never_shown(status: int, book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*[Answer(f"Incorrect API key provided: {KEY}", status=status)] * 2)
    told = refuses(book, ["write-next"], "llm.auth", 5, "refused the key", machine=False)
    assert KEY not in told.err
    assert len(endpoint.bodies) == 2, "a wrong key is not tried again"
    assert keyless(book.root)


def test_a_wrong_key_leaves_no_half_book(shell: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*[Answer("no such key", status=401)] * 2)
    refuses(shell, ["init-book", "-i", "A lighthouse."], "llm.auth", 5, "refused", machine=False)
    assert list(shell.root.glob("books/*")) == []


def test_an_endpoint_that_is_not_there_is_named(book: Shell) -> None:
    gone = "http://127.0.0.1:9/v1"
    before = tree(book.root, machine=False)
    result = book("write-next", "--base-url", gone, "--json")
    error = result.json()["error"]
    assert (result.code, error["code"]) == (5, "llm.network")
    assert f"played at {gone} can't be reached" in error["message"]
    assert tree(book.root, machine=False) == before


def test_a_plan_that_fails_half_way_leaves_no_half_book(shell: Shell, endpoint: Endpoint) -> None:
    script = Script("en")
    endpoint.play(*script.opening()[:2], Answer("nothing here", status=404))
    before = tree(shell.root, machine=False)
    words = [*init_words(script), "--json"]
    result = shell(*words, stdin=script.brief.encode())
    assert (result.code, result.json()["error"]["code"]) == (5, "llm.endpoint")
    assert result.json()["usage"]["calls"] == 2
    assert tree(shell.root, machine=False) == before
    endpoint.play(*script.opening()[2:])
    again = shell(*words, stdin=script.brief.encode()).json()
    assert again["ok"]
    assert again["usage"]["calls"] == 2, "what was paid for is read back"
    assert endpoint.finished == 4


def test_a_workspace_that_cannot_be_written_is_refused_before_any_call(
    shell: Shell, endpoint: Endpoint
) -> None:
    shell.root.chmod(0o555)
    try:
        bound = Shell(shell.root, shell.variables, before=POWERLESS)
        refuses(bound, ["init-book", "-i", "A lighthouse."], "usage.not_writable", 2, "")
    finally:
        shell.root.chmod(0o755)
    assert endpoint.bodies == []


@pytest.mark.parametrize("verb", ["write-next", "audit", "revise", "approve", "export"])
def test_a_book_that_cannot_be_written_is_refused_before_any_call(
    verb: str, book: Shell, endpoint: Endpoint
) -> None:
    folder = book.root / "books" / BOOK
    closed = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in closed:
        path.chmod(0o555)
    for path in (p for p in folder.rglob("*") if p.is_file()):
        path.chmod(0o444)
    try:
        bound = Shell(book.root, book.variables, before=POWERLESS)
        more = ["1"] if verb == "approve" else []
        code = "usage.output" if verb == "export" else "usage.not_writable"
        refuses(bound, [verb, BOOK, *more], code, 2, "")
    finally:
        for path in closed:
            path.chmod(0o755)
    assert endpoint.bodies == []


def test_a_file_in_place_of_the_books_is_refused(shell: Shell, endpoint: Endpoint) -> None:
    (shell.root / "books").write_text("not a folder")
    refuses(shell, ["init-book", "-i", "A lighthouse."], "usage.not_writable", 2, "books")
    assert endpoint.bodies == []


POWERLESS = (
    ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
)
"""Root heeds permissions only without these capabilities."""


def keyless(root: Path) -> bool:
    """Whether no file below ``root`` holds the key."""
    return all(KEY.encode() not in p.read_bytes() for p in root.rglob("*") if p.is_file())
