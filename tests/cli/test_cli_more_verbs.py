"""``report``, ``suggest`` and ``skills`` as commands."""

from pathlib import Path

import jsonschema
import pytest
from cli_helpers import Answer, Endpoint, Shell, data_schema, refuses


def checked(shell: Shell, *words: str | Path) -> dict[str, object]:
    """The data of a command that succeeds, held against its schema."""
    told = shell(*words, "--json").json()
    assert told["ok"], told
    jsonschema.validate(told["data"], data_schema(told["command"]))
    data: dict[str, object] = told["data"]
    return data


def test_report_writes_a_page_and_names_it(book: Shell) -> None:
    data = checked(book, "report")
    page = book.root / str(data["path"])
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert data["chapters"] == 2
    assert book("report", "--quiet").out.splitlines()[0].endswith("-report.html")


def test_report_refuses_a_place_it_cannot_write_to(book: Shell) -> None:
    refuses(book, ["report", "--output", "/proc/none/x.html"], "usage.output", 2, "/proc/none")


def test_suggest_by_model_and_by_rule(book: Shell, endpoint: Endpoint) -> None:
    steps = '["Write chapter 3.", "Mend chapter 1.", "Let her lie."]'
    endpoint.play(Answer(f'{{"steps": {steps}}}'))
    assert checked(book, "suggest")["source"] == "model"
    told = book("suggest", "--no-llm")
    assert [line[:2] for line in told.out.splitlines()] == ["1.", "2.", "3."]
    assert endpoint.finished == 1


def test_suggest_needs_no_model(book: Shell) -> None:
    book.variables = {"ZENCLI_BASE_URL": None, "ZENCLI_MODEL": None}
    assert checked(book, "suggest")["source"] == "built-in"


def test_skills_are_listed_shown_exported_and_imported(shell: Shell) -> None:
    listed = checked(shell, "skills", "list", "--language", "en")["skills"]
    assert {skill["name"] for skill in listed} == {"dialogue-clinic", "opening-clinic"}  # type: ignore[union-attr, index]
    shown = checked(shell, "skills", "show", "dialogue-clinic")
    assert "references/moves.md" in shown["resources"]  # type: ignore[operator]
    made = checked(shell, "skills", "export", "dialogue-clinic", "--output", "d.zip")
    assert made["path"] == "d.zip"
    taken = checked(shell, "skills", "import", "d.zip")
    assert taken["dropped"] == []
    assert (shell.root / "skills" / "dialogue-clinic" / "SKILL.md").is_file()
    refuses(shell, ["skills", "import", "d.zip"], "skill.exists", 4, "dialogue-clinic")
    checked(shell, "skills", "import", "d.zip", "--yes")


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["show", "none"], 2, "skill.not_found"),
        (["import", "none.zip"], 2, "usage.file"),
        (["export", "dialogue-clinic", "--output", "/proc/none/x.zip"], 2, "usage.output"),
        (["list", "--book", "none"], 2, "book.not_found"),
    ],
    ids=["show", "import", "export", "list"],
)
def test_skills_refuse_what_cannot_be(
    shell: Shell, words: list[str], code: int, error: str
) -> None:
    refuses(shell, ["skills", *words], error, code, "none")
