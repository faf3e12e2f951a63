"""Results and errors on their way out: text or one JSON object, and the exit code."""

import json
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

import typer

from zencli.cli.invocation import Invocation
from zencli.cli.terminal import hush, safe
from zencli.errors import Interrupted, ZencliError

if TYPE_CHECKING:
    from pydantic import BaseModel

_PARSER = re.compile("Value error, |, unable to parse string as an? [a-z]+")
"""What only the makers of a parser understand."""

_ESCAPED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal may act on and JSON allows as it is."""


@dataclass
class Outcome:
    """What a command has to say.

    ``text`` is for people, ``data`` for ``--json``. ``error`` is set when the work was done but the
    exit code isn't 0. ``usage`` and ``warnings`` are filled while the command runs, so that they
    are told when it fails too.
    """

    data: "BaseModel | dict[str, Any]" = field(default_factory=dict)
    text: str = ""
    error: ZencliError | None = None
    warnings: list[str] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)


def plainly(message: str) -> str:
    """A parser's message about a value, in words for its author."""
    return _PARSER.sub("", message)


def no_usage() -> dict[str, Any]:
    """The usage of a command that called no model."""
    return {
        "calls": 0,
        "input_tokens": 0,
        "cached_tokens": 0,
        "output_tokens": 0,
        "cost": None,
    }


def run_command(name: str, invocation: Invocation, body: Callable[[Outcome], None]) -> None:
    """Run a command's body, print what came of it, and exit with its code."""
    outcome = Outcome()
    try:
        body(outcome)
    except KeyboardInterrupt:
        outcome.error = Interrupted()
    except ZencliError as error:
        outcome.error = error
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        if invocation.verbose:
            traceback.print_exc(file=sys.stderr)
        outcome.error = ZencliError(
            "fault",
            f"A fault in zencli: {type(error).__name__}: {error}.",
            "Give the command again with --verbose and report what it prints.",
        )
    emit(name, invocation.json, outcome)
    raise typer.Exit(outcome.error.exit_code if outcome.error else 0)


def emit(name: str, as_json: bool, outcome: Outcome) -> None:
    """Print an outcome: the result on stdout, an error as text on stderr."""
    error = outcome.error
    if as_json:
        _write(sys.stdout, envelope(name, outcome) + "\n")
    elif outcome.text:
        text = safe(outcome.text)
        _write(sys.stdout, text if text.endswith("\n") else text + "\n")
    if error is not None and not as_json:
        hint = f"\n{error.hint}" if error.hint else ""
        _write(sys.stderr, safe(f"{error.message}{hint}\n"))


def _write(stream: TextIO, text: str) -> None:
    """Print; a reader who has gone (``| head -1``) changes nothing about what was done."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        hush(stream)


def envelope(name: str, outcome: Outcome) -> str:
    """The JSON object of ``cli-contract.md``: keys sorted, UTF-8."""
    error = outcome.error
    data = outcome.data
    content = {
        "zencli": 1,
        "command": name,
        "ok": error is None,
        "exit_code": error.exit_code if error else 0,
        "data": data if isinstance(data, dict) else data.model_dump(mode="json"),
        "warnings": outcome.warnings,
        "error": error and {"code": error.code, "message": error.message, "hint": error.hint},
        "usage": outcome.usage or no_usage(),
    }
    return printable_json(content)


def printable_json(content: dict[str, Any]) -> str:
    """JSON in one line, keys sorted, without a character that a terminal may act on."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    text = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8", "replace").decode()
