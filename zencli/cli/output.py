"""Results and errors on their way out: text or one JSON object, and the exit code."""

import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import typer
from pydantic import BaseModel

from zencli.cli.options import Invocation
from zencli.cli.terminal import safe
from zencli.errors import ZencliError

INTERRUPTED = 130


@dataclass
class Outcome:
    """What a command has to say.

    ``text`` is for people, ``data`` for ``--json``. ``error`` is set when the work was done but the
    exit code isn't 0. ``usage`` and ``warnings`` are filled while the command runs, so that they
    are told when it fails too.
    """

    data: BaseModel | dict[str, Any] = field(default_factory=dict)
    text: str = ""
    error: ZencliError | None = None
    warnings: list[str] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)


class Interrupted(ZencliError):
    """Ctrl-C, or the same from outside."""

    exit_code = INTERRUPTED


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
        outcome.error = Interrupted(
            "interrupted",
            "Interrupted; everything committed is kept.",
            "Give the same command again to go on.",
        )
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
        sys.stdout.write(envelope(name, outcome) + "\n")
    elif outcome.text:
        text = safe(outcome.text)
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()
    if error is not None and not as_json:
        hint = f"\n{error.hint}" if error.hint else ""
        sys.stderr.write(safe(f"{error.message}{hint}\n"))


def envelope(name: str, outcome: Outcome) -> str:
    """The JSON object of ``cli-contract.md``: keys sorted, UTF-8."""
    error = outcome.error
    data = outcome.data
    content = {
        "zencli": 1,
        "command": name,
        "ok": error is None,
        "exit_code": error.exit_code if error else 0,
        "data": data.model_dump(mode="json") if isinstance(data, BaseModel) else data,
        "warnings": outcome.warnings,
        "error": error and {"code": error.code, "message": error.message, "hint": error.hint},
        "usage": outcome.usage or no_usage(),
    }
    return (
        json.dumps(content, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace").decode()
    )
