"""Where a setting comes from, which one wins, and that a key stays where it belongs."""

from pathlib import Path

import pytest
from cli_helpers import KEY, Answer, Endpoint, Shell
from scripts import Script

BOOK = "by-the-board"
LAYERS = ["user", "workspace", "book", "environment", "option"]


@pytest.mark.parametrize("top", range(1, len(LAYERS) + 1))
def test_the_highest_layer_names_the_model(
    top: int, book: Shell, endpoint: Endpoint, tmp_path: Path
) -> None:
    words, variables = ["audit", "1"], {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    for layer in LAYERS[:top]:
        table = f'\n[model]\nname = "{layer}-model"\nbase_url = "{endpoint.url}"\n'
        if layer == "user":
            config = tmp_path / "xdg" / "zencli" / "config.toml"
            config.parent.mkdir(parents=True)
            config.write_text(table)
        elif layer == "workspace":
            (book.root / "zencli.toml").write_text(table)
        elif layer == "book":
            own = book.root / "books" / BOOK / "book.toml"
            own.write_text(own.read_text("utf-8") + table)
        elif layer == "environment":
            variables["ZENCLI_MODEL"] = "environment-model"
        else:
            words += ["--model", "option-model"]
    bare = Shell(book.root, {"ZENCLI_API_KEY": KEY})
    endpoint.play(Script("en").chapter(1)[2])
    result = bare(*words, **variables)
    assert endpoint.bodies[0]["model"] == f"{LAYERS[top - 1]}-model", result.err


def test_a_role_has_a_model_of_its_own(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "zencli.toml").write_text(
        '[model]\nname = "common"\n[models.auditor]\nname = "strict"\ntemperature = 0.125\n'
    )
    bare = Shell(book.root, {**endpoint.environment(), "ZENCLI_MODEL": None})
    endpoint.play(*Script("en").chapter(3))
    assert bare("write-next").code == 0
    models = [body["model"] for body in endpoint.bodies]
    assert models == ["common", "common", "strict", "common", "common"]
    assert endpoint.bodies[2]["temperature"] == 0.125


def test_the_option_wins_over_a_role(book: Shell, endpoint: Endpoint) -> None:
    (book.root / "zencli.toml").write_text('[models.auditor]\nname = "strict"\n')
    book("audit", "1", "--model", "mine")
    assert endpoint.bodies[0]["model"] == "mine"


def test_a_key_is_taken_from_the_variable_that_a_file_names(
    book: Shell, endpoint: Endpoint
) -> None:
    (book.root / "zencli.toml").write_text('[model]\napi_key_env = "MY_OWN_KEY"\n')
    bare = Shell(book.root, {**endpoint.environment(), "ZENCLI_API_KEY": None})
    bare("audit", "1", MY_OWN_KEY="sk-named-by-the-file", OPENAI_API_KEY="sk-of-someone-else")
    assert set(endpoint.keys) == {"sk-named-by-the-file"}
    told = bare("audit", "1", "--json")
    assert (told.code, told.json()["error"]["code"]) == (2, "usage.key")
    assert "MY_OWN_KEY" in told.json()["error"]["message"]
    assert bare("audit", "1", "--no-llm", "--fail-on", "never").code == 0


def test_a_key_of_the_environment_goes_with_an_endpoint_of_the_environment(
    book: Shell, endpoint: Endpoint
) -> None:
    (book.root / "zencli.toml").write_text(
        '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "MY_OWN_KEY"\n'
    )
    book("audit", "1", MY_OWN_KEY="sk-for-the-other-endpoint")
    assert set(endpoint.keys) == {KEY}


def test_another_endpoint_of_a_role_is_not_sent_the_common_key(
    book: Shell, endpoint: Endpoint
) -> None:
    (book.root / "zencli.toml").write_text(
        f'[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
        f'[models.auditor]\nbase_url = "{endpoint.url}"\n'
    )
    bare = Shell(book.root, {"ZENCLI_API_KEY": KEY})
    bare("audit", "1")
    assert endpoint.keys
    assert KEY not in endpoint.keys


def test_the_openai_variables_do_too(book: Shell, endpoint: Endpoint) -> None:
    bare = Shell(book.root, {"ZENCLI_MODEL": "m"})
    bare("audit", "1", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="sk-openai-variable")
    assert set(endpoint.keys) == {"sk-openai-variable"}
    bare(
        "audit", "1", OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY="sk-openai-variable",
        ZENCLI_BASE_URL=endpoint.url, ZENCLI_API_KEY=KEY,
    )  # fmt: skip
    assert set(endpoint.keys) == {"sk-openai-variable", KEY}


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/deep/er/v2", ""])
def test_a_base_url_is_used_as_typed(path: str, book: Shell, endpoint: Endpoint) -> None:
    book("audit", "1", "--base-url", endpoint.url.removesuffix("/v1") + path)
    assert set(endpoint.paths) == {f"{path.rstrip('/')}/chat/completions"}


def test_a_key_is_in_no_file_and_in_no_output(shell: Shell, endpoint: Endpoint) -> None:
    script = Script("en")
    said = f"bad key {KEY}"
    endpoint.play(*script.opening(), *script.chapter(1), Answer(said, status=401))
    endpoint.play(Answer(said, status=400), *[Answer("No findings to speak of.")] * 2)
    words = ["init-book", BOOK, "-i", script.brief, "--language", "en", "--target-chapters", "3"]
    results = [
        shell(*words, "--chapter-words", "1500", "--verbose"),
        shell("write-next", "--verbose", "--json"),
        shell("write-next", "--verbose"),
        shell("write-next", "--verbose", "--json"),
        shell("audit", "--verbose", "--json"),
        shell("status", "--json"),
    ]
    assert [r.code for r in results[:5]] == [0, 0, 5, 5, 5]
    assert endpoint.keys == [KEY] * (4 + 4 + 1 + 1 + 2)
    assert all(KEY not in r.out + r.err for r in results)
    assert all(KEY.encode() not in p.read_bytes() for p in shell.root.rglob("*") if p.is_file())


def test_the_workspace_can_be_named_by_variable_and_by_option(
    book: Shell, tmp_path: Path, written: dict[str, Path]
) -> None:
    elsewhere = Shell(tmp_path, dict(book.variables))
    assert elsewhere("list").out.startswith("No book yet")
    named = elsewhere("list", ZENCLI_ROOT=str(book.root))
    assert named.out.startswith(BOOK)
    option = elsewhere("list", "--root", written["zh"], ZENCLI_ROOT=str(book.root))
    assert "七则桥" in option.out


def test_without_a_model_one_line_says_that_the_embedded_one_is_used(book: Shell) -> None:
    bare = Shell(book.root, {"ZENCLI_CACHE": str(book.root / "empty-cache")})
    result = bare("write-next", "--json")
    assert result.code == 5
    assert len([line for line in result.err.splitlines() if "embedded" in line]) == 1
    assert "zencli model install" in result.json()["error"]["hint"]


def test_a_book_may_be_left_out_when_there_is_one(book: Shell) -> None:
    for words in (["status"], ["show", "1"], ["export"], ["approve", "1"], ["unapprove", "1-2"]):
        assert book(*words).code == 0, words
    data = book("audit", "2", "--no-llm", "--fail-on", "never", "--json").json()["data"]
    assert (data["book_id"], [c["number"] for c in data["chapters"]]) == (BOOK, [2])
    assert book("show", "2").out == book("show", BOOK, "2").out != book("show", "1").out


def test_a_book_may_have_a_number_for_a_name(book: Shell) -> None:
    (book.root / "books" / BOOK).rename(book.root / "books" / "2")
    data = book("audit", "2", "--no-llm", "--fail-on", "never", "--json").json()["data"]
    assert data["book_id"] == "2"
    data = book("audit", "2", "1", "--no-llm", "--fail-on", "never", "--json").json()["data"]
    assert [c["number"] for c in data["chapters"]] == [1]
