"""Running what a client asks for: over the same Runner and tools, inside the workspace only."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from zencli.agent.events import ignore
from zencli.agent.mcp.offers import FILE_TOOLS, PATHS, VERBS
from zencli.agent.tools.registry import call_tool
from zencli.agent.turn import Asked, Turn
from zencli.errors import UsageError, ZencliError
from zencli.llm.types import Model
from zencli.pipeline.configuration.settings import load_settings
from zencli.pipeline.params import Params
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions, utc_now
from zencli.store.layout import BookDir
from zencli.store.run_files import run_name
from zencli.store.workspace import Workspace

WAIT = 30.0
"""Seconds that a call waits for a book which another run holds."""


class Calls:
    """The tools at work in one workspace. ``call`` never raises an expected failure."""

    def __init__(
        self,
        root: Path,
        options: RunOptions,
        *,
        model: Model | None = None,
        clock: Callable[[], datetime] = utc_now,
        environ: "os._Environ[str] | dict[str, str]" = os.environ,
    ) -> None:
        self._root = root.resolve()
        self._options = replace(options, wait=WAIT)
        self._model = model
        self._clock = clock
        self._environ = environ

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """The answer as JSON data, and whether it was done.

        A failure is ``{code, message, hint}``, with ``done`` for the part that was committed.
        """
        try:
            if name in VERBS:
                return self._verb(name, arguments), True
            if name in FILE_TOOLS:
                return self._file_tool(name, arguments)
            known = ", ".join([*VERBS, *FILE_TOOLS])
            raise UsageError("usage.tool", f"There is no tool {name!r}.", f"There are: {known}.")
        except ZencliError as error:
            answer: dict[str, Any] = {
                "code": error.code, "message": error.message, "hint": error.hint
            }  # fmt: skip
            if isinstance(error, PartlyDone):
                answer["done"] = error.result.model_dump(mode="json")
            return answer, False

    def _runner(self, run_id: str = "") -> Runner:
        options = replace(self._options, part_of=run_id)
        return Runner(
            self._root, options, model=self._model, clock=self._clock, environ=self._environ
        )

    def _verb(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        verb = VERBS[name]
        runner = self._runner()
        params = _validated(verb.params, self._confined(arguments))
        result = verb.run(runner, params).model_dump(mode="json")
        usage = runner.usage
        return {
            **result,
            "warnings": runner.warnings,
            "usage": {"calls": usage.calls, "input_tokens": usage.input_tokens,
                      "cached_tokens": usage.cached_tokens,
                      "output_tokens": usage.output_tokens, "cost": usage.cost},
        }  # fmt: skip

    def _confined(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with paths made absolute. Raises UsageError for one that leads out."""
        found = dict(arguments)
        for key in PATHS:
            value = found.get(key)
            if not isinstance(value, str) or not value or value == "-":
                continue
            path = (self._root / value).resolve() if "\0" not in value else Path("/")
            if not path.is_relative_to(self._root):
                raise UsageError(
                    "usage.path", f"{key}: {value!r} leads out of the workspace.",
                    "Give a path inside it.",
                )  # fmt: skip
            found[key] = str(path)
        return found

    def _file_tool(self, name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        given = dict(arguments)
        book_id, revision = given.pop("book_id", None), given.pop("revision", None)
        if book_id is not None and not isinstance(book_id, str):
            raise UsageError("usage.parameter", "book_id: is no text.", "Give a book's id.")
        book = Workspace(self._root).open(book_id)
        turn = self._turn(book)
        path = given.get("path")
        if name == "edit_file":
            turn.seen.update(_unchanged(book, path, revision))
        before = _revisions(book, _paths(given))
        result = call_tool(turn, name, given)
        answer = result.to_json()
        after = _revisions(book, _paths(given))
        for item in answer["data"].get("files", []):
            at = item.get("path")
            if "text" in item and after.get(at) and before.get(at) == after[at]:
                item["revision"] = after[at]
        if name == "edit_file" and result.ok and isinstance(path, str):
            answer["data"]["revision"] = after.get(path)
            answer["data"]["undo"] = f"undo with run {turn.run_id}"
        return answer, result.ok

    def _turn(self, book: BookDir) -> Turn:
        run_id = run_name("mcp")
        settings = load_settings(
            self._root, book.settings(), self._environ, self._options.overrides, need_keys=False
        )
        return Turn(
            asked=Asked(""),
            workspace=Workspace(self._root),
            book=book,
            run_id=run_id,
            session="mcp",
            emit=ignore,
            clock=self._clock,
            runner=lambda: self._runner(run_id),
            reply_language="en",
            search=settings.search,
        )


def revision_of(text: str) -> str:
    """The token that stands for a file's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _validated(model: type[Params], arguments: dict[str, Any]) -> Params:
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "arguments"
        raise UsageError("usage.parameter", f"{where}: {first['msg']}.") from error


def _paths(given: dict[str, Any]) -> list[str]:
    named = [given.get("path"), *(given.get("paths") or [])]
    return [path for path in named if isinstance(path, str)]


def _revisions(book: BookDir, paths: list[str]) -> dict[str, str]:
    found = {}
    for path in paths:
        try:
            text = book.read(path)
        except ZencliError:
            continue
        if text is not None:
            found[path] = revision_of(text)
    return found


def _unchanged(book: BookDir, path: Any, revision: Any) -> dict[str, str]:
    """The file's text, by path, when it still is what ``revision`` stands for.

    Raises UsageError ``usage.revision`` without one, ``stale_content`` for an older one.
    """
    if not isinstance(revision, str) or not revision:
        raise UsageError(
            "usage.revision", "The file's revision is missing.", "Read the file first."
        )
    text = book.read(path) if isinstance(path, str) else None
    if text is None:
        return {}
    if revision_of(text) != revision:
        raise UsageError(
            "stale_content", f"{path} was changed since revision {revision}.", "Read it again."
        )
    return {path: text}
