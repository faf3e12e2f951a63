"""``style learn`` and ``style show`` as commands."""

from pathlib import Path

import jsonschema
import pytest
from cli_helpers import Answer, Endpoint, Shell, data_schema, refuses
from scripts import Script

VOICE = "The hand moves first, then the line is spoken. No comparison, no explanation."


@pytest.fixture
def sample(book: Shell) -> Path:
    path = book.root / "sample.md"
    text = "\n\n".join(Script("en").read(f"000{n}.write.txt") for n in (1, 2, 3))
    path.write_text("# One\n\n" + text * 3, encoding="utf-8")
    return path


def style_of(shell: Shell) -> str:
    return next((shell.root / "books").glob("*/style.md")).read_text(encoding="utf-8")


def test_learn_and_show(book: Shell, endpoint: Endpoint, sample: Path) -> None:
    endpoint.play(Answer(f'{{"voice": "{VOICE}"}}'))
    learnt = book("style", "learn", sample, "--json")
    told = learnt.json()
    jsonschema.validate(told["data"], data_schema("style learn"))
    assert told["command"] == "style learn"
    assert told["data"]["described"] == VOICE
    assert told["usage"]["calls"] == endpoint.finished == 1
    assert VOICE in style_of(book)
    shown = book("style", "show", "--json").json()
    jsonschema.validate(shown["data"], data_schema("style show"))
    assert VOICE in shown["data"]["text"]
    assert "chapter 1: distance " in book("style", "show").out


def test_without_a_model_and_without_anything_learnt(
    book: Shell, endpoint: Endpoint, sample: Path
) -> None:
    assert book("style", "show").out.startswith("No style was learnt: zencli style learn FILE")
    done = book("style", "learn", sample, "--no-llm", ZENCLI_API_KEY=None)
    assert (done.code, endpoint.bodies) == (0, [])
    assert "dialogue: " in done.out
    assert "## The sample" in style_of(book)


def test_a_file_that_cant_be_used_is_refused_before_any_call(
    book: Shell, endpoint: Endpoint
) -> None:
    words = ["style", "learn", "none.txt"]
    refuses(book, words, "usage.file", 2, "none.txt doesn't exist")
    assert endpoint.bodies == []


@pytest.mark.parametrize("words", [["style", "learn"], ["skills", "show"]])
def test_an_argument_that_is_needed_and_missing_is_named(book: Shell, words: list[str]) -> None:
    refuses(book, words, "usage.options", 2, "Missing argument '")


def test_a_wrong_table_of_checks_is_refused_before_any_work(book: Shell) -> None:
    path = next((book.root / "books").glob("*/book.toml"))
    path.write_text(path.read_text("utf-8") + '\n[checks]\ndisable = ["lenght"]\n', "utf-8")
    told = "checks.disable: there is no check lenght; did you mean length?"
    refuses(book, ["audit", "--no-llm"], "usage.config", 2, told, machine=False)
