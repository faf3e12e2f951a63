"""The checks beside ``vale`` on the same English novel, where ``vale`` is installed.

Vale gets what it can express of the same rules: the stock turns, the tiring words, talk about the
draft, and words said twice running.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.import_bench import NotThere, moby_dick
from zencli.prose.fatigue import FATIGUE
from zencli.prose.turns import EN

Row = tuple[str, str, str]
RUNS = 3

_DRAFT = (r"chapter \d+", "to be continued", "as an AI", "word count", "in the last chapter")
_INI = "StylesPath = styles\nMinAlertLevel = suggestion\n\n[*.md]\nBasedOnStyles = Checks\n"


def vale_rows() -> Iterator[Row]:
    """How long both take over Moby Dick, and the ratio; or why there is none."""
    name = "Moby Dick: checks beside vale"
    vale = shutil.which("vale")
    if vale is None:
        yield name, "skipped", "vale isn't installed"
        return
    try:
        text = moby_dick()
    except NotThere as error:
        yield name, "skipped", str(error)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        chapters = _imported(root, text)
        ours = median(_seconds(_audit(root)) for _ in range(RUNS))
        _write_rules(root)
        theirs = median(
            _seconds([vale, "--config", str(root / ".vale.ini"), "--no-exit", str(chapters)])
            for _ in range(RUNS)
        )
    note = f"zencli {ours:.2f} s with all its checks, vale {theirs:.2f} s"
    yield name, f"{theirs / ours:.1f} times", note


def _imported(root: Path, text: str) -> Path:
    source = root / "novel.txt"
    source.write_text(text, encoding="utf-8")
    zencli = str(Path(sys.executable).with_name("zencli"))
    command = [zencli, "import", str(source), "--root", str(root), "--book", "novel"]
    subprocess.run(command, check=True, capture_output=True)
    return root / "books" / "novel" / "chapters"


def _audit(root: Path) -> list[str]:
    zencli = str(Path(sys.executable).with_name("zencli"))
    command = [zencli, "audit", "novel", "--root", str(root), "--chapters", "1-", "--no-llm"]
    return [*command, "--quiet", "--fail-on", "never", "--json"]


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def _write_rules(root: Path) -> None:
    """A style of vale with the rules; JSON is YAML."""
    style = root / "styles" / "Checks"
    style.mkdir(parents=True)
    (root / ".vale.ini").write_text(_INI, encoding="utf-8")
    rules = {
        "Turns": [turn for turns in EN.values() for turn in turns],
        "Tired": [form for family in FATIGUE["en"] for form in family.split("|")],
        "Draft": list(_DRAFT),
    }
    for name, tokens in rules.items():
        rule = {"extends": "existence", "level": "warning", "ignorecase": True, "tokens": tokens}
        (style / f"{name}.yml").write_text(json.dumps({**rule, "message": f"{name}: '%s'"}))
    twice = {"extends": "repetition", "level": "warning", "alpha": True, "tokens": [r"[^\s]+"]}
    (style / "Twice.yml").write_text(json.dumps({**twice, "message": "'%s' twice"}))
