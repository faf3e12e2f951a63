"""The two READMEs say the same commands and numbers, and what they show is true."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
ZENCLI = Path(sys.executable).with_name("zencli")
_BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
_BOOKS = {"Low Water": "TITLE", "low-water": "ID", "低潮": "ID"}


def commands(text: str) -> list[str]:
    """The command lines of all shell and TOML blocks, without comments and without book names."""
    found = []
    for kind, block in _BLOCK.findall(text):
        if kind not in ("sh", "toml", "yaml", "console"):
            continue
        for raw in block.splitlines():
            line = re.sub(r"\s+#.*", "", raw).strip()
            line = re.sub(r'"[^"]*[^\x00-\x7f][^"]*"|"Low Water"|"A. N. Author"', '"..."', line)
            line = re.sub(r'(-i|agent|--reason) "[^"]*"', r'\1 "..."', line)
            for name, word in _BOOKS.items():
                line = line.replace(name, word)
            found.append(line.replace("--language en", "LANG").replace("--language zh", "LANG"))
    return found


def test_both_readmes_have_the_same_commands() -> None:
    assert commands(ENGLISH) == commands(CHINESE)


def test_both_readmes_have_the_same_numbers_in_their_tables_and_text() -> None:
    def numbers(text: str) -> list[str]:
        plain = _BLOCK.sub("", text)
        return sorted(set(re.findall(r"\d[\d.,]*\d|\d", plain)))

    assert numbers(ENGLISH) == numbers(CHINESE)


def test_the_session_shows_what_the_program_prints() -> None:
    session = next(block for kind, block in _BLOCK.findall(ENGLISH) if kind == "console")
    parts = re.split(r"^\$ ", session, flags=re.M)[1:]
    for part in parts:
        command, shown = part.split("\n", 1)
        if "--check" in command:
            continue
        done = subprocess.run(
            [str(ZENCLI), *command.split()[1:]],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        )
        assert done.stdout == shown


def test_every_option_in_the_readme_exists() -> None:
    words = {w for w in re.findall(r"--[a-z][a-z-]+", ENGLISH) if w != "--editable"}
    verbs = (
        "init-book", "write-next", "audit", "revise", "approve", "export", "import", "agent",
        "report", "status", "show", "waive", "style learn", "doctor",
    )  # fmt: skip
    helps = "".join(
        subprocess.run(
            [str(ZENCLI), *verb.split(), "--help"], capture_output=True, text=True, check=True
        ).stdout
        for verb in verbs
    )
    assert {word for word in words if word not in helps} == set()
