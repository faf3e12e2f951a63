"""What is offered: the verbs by their declared parameters, and the tools on files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from zencli.agent.tools import edit_file, hybrid_search, query_files
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.overview import book_status, list_books
from zencli.pipeline.params import (
    Approve,
    Audit,
    Export,
    History,
    InitBook,
    Params,
    Revise,
    Undo,
    WriteNext,
)
from zencli.pipeline.runner import Runner
from zencli.pipeline.suggesting.suggest_params import Suggest


class Books(Params):
    """List the books of the workspace."""


class Status(Params):
    """Show how a book stands, chapter by chapter."""

    book_id: str | None = None


@dataclass(frozen=True)
class Verb:
    """A verb: its parameters, what runs it, and whether it changes a book."""

    params: type[Params]
    run: Callable[[Runner, Any], BaseModel]
    reads: bool = False
    about: str = ""

    @property
    def description(self) -> str:
        """What it does, in one sentence."""
        return self.about or (self.params.__doc__ or "").splitlines()[0]


VERBS: dict[str, Verb] = {
    "list": Verb(Books, lambda runner, _: list_books(runner.workspace), reads=True),
    "status": Verb(Status, lambda r, p: book_status(r.workspace.open(p.book_id)), reads=True),
    "history": Verb(History, lambda runner, p: runner.history(p), reads=True),
    "suggest": Verb(Suggest, lambda runner, p: runner.suggest(p), reads=True),
    "init_book": Verb(InitBook, lambda runner, p: runner.init_book(p)),
    "write_next": Verb(WriteNext, lambda runner, p: runner.write_next(p)),
    "audit": Verb(Audit, lambda runner, p: runner.audit(p)),
    "revise": Verb(Revise, lambda runner, p: runner.revise(p)),
    "export": Verb(Export, lambda runner, p: runner.export(p)),
    "approve": Verb(Approve, lambda runner, p: runner.approve(p)),
    "unapprove": Verb(
        Approve,
        lambda runner, p: runner.approve(p, approved=False),
        about="Take the approval of chapters back.",
    ),
    "sync": Verb(Sync, lambda runner, p: runner.sync(p)),
    "undo": Verb(Undo, lambda runner, p: runner.undo(p)),
}
"""By the tool's name; each maps onto the same method of the Runner as the verb does."""

PATHS = ("output", "brief", "cover")
"""Parameters that name files: these must lie in the workspace."""

FILE_TOOLS = {
    "query_files": query_files.SPEC,
    "hybrid_search": hybrid_search.SPEC,
    "edit_file": edit_file.SPEC,
}
"""Tools on the files of one book, as the program's own agents have them."""

_BOOK = {"type": "string", "description": "id of the book; may be left out when there is one"}
_REVISION = {
    "type": "string",
    "description": "the file's revision as query_files gave it",
}


@dataclass(frozen=True)
class Offer:
    """A tool as a client sees it."""

    name: str
    description: str
    schema: dict[str, Any]
    reads: bool


def offers() -> list[Offer]:
    """Everything that is offered, always in the same order."""
    found = [
        Offer(name, verb.description, _verb_schema(verb.params), verb.reads)
        for name, verb in VERBS.items()
    ]
    for name, spec in FILE_TOOLS.items():
        schema = spec.schema("en")
        properties = {"book_id": _BOOK, **schema["properties"]}
        required = list(schema.get("required", ()))
        if name == "edit_file":
            properties["revision"] = _REVISION
            required.append("revision")
        schema = {**schema, "properties": properties, "required": required}
        found.append(Offer(name, spec.description["en"], schema, spec.permission == "read"))
    return found


def _verb_schema(params: type[Params]) -> dict[str, Any]:
    """The declared parameters as JSON Schema, without the words of the declaration itself."""
    schema = params.model_json_schema()
    for field in schema.get("properties", {}).values():
        field.pop("zencli", None)
        field.pop("title", None)
    schema.pop("title", None)
    return schema
