"""``export`` as a command."""

import json
import subprocess
import sys

import jsonschema
import pytest
from cli_helpers import Shell, environment

RUN = (
    "import sys\n"
    "from zencli.cli.main import main\n"
    "try:\n"
    "    main(sys.argv[1:])\n"
    "finally:\n"
    "    names = ('docx', 'ebooklib', 'lxml', 'markdown', 'openai', 'jinja2', 'PIL', 'xllamacpp')\n"
    "    print('LOADED', *[n for n in names if n in sys.modules], file=sys.stderr)\n"
)


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["export"], "LOADED"),
        (["export", "--format", "html"], "LOADED"),
        (["export", "--format", "docx"], "LOADED docx lxml"),
        (["export", "--format", "epub"], "LOADED ebooklib lxml"),
        (["export", "--help"], "LOADED"),
    ],
)
def test_each_form_imports_its_own_packages_alone(
    words: list[str], loaded: str, book: Shell
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=book.root, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1].replace(" markdown", "") == loaded


def test_what_is_told_is_in_the_text_and_in_the_data(book: Shell) -> None:
    path = next(book.root.glob("books/*/records/0001.json"))
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "stale": "x"}), "utf-8")
    told = book("export")
    assert told.code == 0
    assert "stale, but in the file: chapter 1" in told.out
    data = book("export", "--json").json()["data"]
    assert data["skipped"] == [{"number": 1, "reason": "stale", "left_out": False}]
    jsonschema.validate(data, json.loads(book("schema", "export").out))


def test_strict_is_exit_code_3(book: Shell) -> None:
    path = next(book.root.glob("books/*/chapters/0002.md"))
    path.write_text("# Title\n\n", "utf-8")
    result = book("export", "--strict", "--json")
    assert result.code == 3
    assert result.json()["error"]["code"] == "export.incomplete"
    assert not list(book.root.glob("books/*/exports/*"))
