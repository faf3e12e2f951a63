"""A command imports what it needs and no more."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import Shell, environment

from zencli.cli.definitions import definition
from zencli.cli.main import COMMANDS, GROUPS

HEAVY = ("openai", "httpx2", "jinja2", "ebooklib", "markdown", "xllamacpp", "rich", "json_repair")
RUN = (
    "import sys\n"
    "from zencli.cli.main import main\n"
    "try:\n"
    "    main(sys.argv[1:])\n"
    "finally:\n"
    f"    found = [name for name in {HEAVY!r} if name in sys.modules]\n"
    "    print('LOADED', *found, file=sys.stderr)\n"
)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--version"], ["write-next", "--help"], ["status"], ["status", "--json"],
     ["list"], ["show", "1"], ["approve", "1"], ["audit", "--nope"], ["status", "nope"]],
)  # fmt: skip
def test_looking_imports_nothing_heavy(words: list[str], book: Shell) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=book.root, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "LOADED"


def test_an_audit_without_a_model_imports_no_client(book: Shell) -> None:
    words = ["audit", "2", "--no-llm", "--fail-on", "never"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=book.root, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    loaded = done.stderr.splitlines()[-1]
    assert loaded.startswith("LOADED")
    assert "openai" not in loaded
    assert "xllamacpp" not in loaded


def test_the_module_and_the_command_are_the_same(book: Shell) -> None:
    script = Path(sys.executable).with_name("zencli")
    if not script.exists():
        pytest.skip("zencli is not installed beside this interpreter")
    done = subprocess.run(
        [script, "status"], cwd=book.root, env=environment(), capture_output=True, check=True
    )
    assert done.stdout == book("status").raw_out


def test_the_help_of_the_program_says_what_each_command_says_of_itself() -> None:
    for name, line in COMMANDS.items():
        doc = (definition(name).__doc__ or "").splitlines()[0]
        assert name == "unapprove" or doc == line
    for group, commands in GROUPS.items():
        for name, line in commands.items():
            assert (definition(f"{group} {name}").__doc__ or "").splitlines()[0] == line
    with pytest.raises(KeyError):
        definition("nothing")


def test_the_help_of_the_program_imports_no_pydantic() -> None:
    code = (
        "import sys\n"
        "from zencli.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "sys.exit('pydantic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
