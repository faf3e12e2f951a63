"""Every command in full: its options, from the declared parameters, and what it runs.

Only the command that was asked for is defined, so that help and the looking verbs start fast.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from zencli.cli import books, tools
from zencli.cli.invocation import common_options, take_invocation
from zencli.story.book import Language

Callback = Callable[..., None]


def definition(name: str) -> Callback:
    """The Typer callback of a command. Raises ``KeyError`` for a name that isn't one."""
    if name in _LOOKING:
        return _looking(*_LOOKING[name])
    return _declared(name)


def _declared(name: str) -> Callback:
    """The commands whose parameters are declared once, as models."""
    from zencli.cli import doctor, history, importing, syncing, verbs
    from zencli.cli.options import command, model_options, wait_option
    from zencli.pipeline import params
    from zencli.pipeline.editing.sync_params import Sync
    from zencli.pipeline.importing.import_params import Import
    from zencli.pipeline.mending.repair_params import Doctor, Repair

    made: dict[str, Callable[[], Callback]] = {
        "init-book": lambda: command(params.InitBook, verbs.init_book, *model_options()),
        "write-next": lambda: command(params.WriteNext, verbs.write_next, *model_options()),
        "audit": lambda: command(params.Audit, verbs.audit, *model_options()),
        "revise": lambda: command(params.Revise, verbs.revise, *model_options()),
        "export": lambda: command(params.Export, verbs.export),
        "approve": lambda: command(params.Approve, verbs.approve, wait_option()),
        "unapprove": lambda: command(params.Approve, verbs.unapprove, wait_option()),
        "import": lambda: command(Import, importing.import_book, *model_options(importing.DRY_RUN)),
        "undo": lambda: command(params.Undo, history.undo, wait_option()),
        "history": lambda: command(params.History, history.history),
        "restore": lambda: command(params.Restore, history.restore, wait_option()),
        "sync": lambda: command(Sync, syncing.sync, *model_options()),
        "doctor": lambda: command(Doctor, doctor.doctor),
        "repair": lambda: command(Repair, doctor.repair, *model_options(doctor.DRY_RUN)),
    }
    return made[name]()


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> Any:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


_BOOK = Annotated[str | None, typer.Argument(metavar="BOOK", help="id of the book")]
_CHAPTER = Annotated[int | None, typer.Argument(metavar="CHAPTER", help="the latest when absent")]
_RECORD = Annotated[bool, typer.Option("--record", help="the record instead of the prose")]
_LANGUAGE = Annotated[Language, typer.Option("--language", help="language of the profiles")]
_VERB = Annotated[tools.SchemaVerb, typer.Argument(metavar="VERB")]

_LOOKING: dict[str, tuple[Any, ...]] = {
    "list": (books.list_books,),
    "status": (books.status, _parameter("book", _BOOK, None)),
    "show": (
        books.show,
        _parameter("book", _BOOK, None),
        _parameter("chapter", _CHAPTER, None),
        _parameter("record", _RECORD, False),
    ),
    "genres": (books.genres, _parameter("language", _LANGUAGE, "zh")),
    "model install": (tools.model_install,),
    "model status": (tools.model_status,),
    "schema": (tools.schema, _parameter("verb", _VERB)),
}


def _looking(run: Callable[..., None], *extra: Any) -> Callback:
    """A command whose options aren't declared as ``Params``."""

    def callback(**values: Any) -> None:
        run(take_invocation(values), **values)

    callback.__doc__ = run.__doc__
    signature = inspect.Signature([*extra, *common_options()])
    callback.__signature__ = signature  # type: ignore[attr-defined]
    return callback
