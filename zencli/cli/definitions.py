"""Every command in full: its options, from the declared parameters, and what it runs.

Only the command that was asked for is defined, so that help and the looking verbs start fast.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from zencli.cli import books, schemas, tools
from zencli.cli.invocation import common_options, take_invocation
from zencli.story.book import Language

Callback = Callable[..., None]


def definition(name: str) -> Callback:
    """The Typer callback of a command. Raises ``KeyError`` for a name that isn't one."""
    if name == "export":
        return _export()
    if name in _LOOKING:
        return _looking(*_LOOKING[name])
    return _declared(name)


def _export() -> Callback:
    """Apart from the others: it is to be as quick as the looking verbs."""
    from zencli.cli.exporting import export
    from zencli.cli.options import command
    from zencli.pipeline.export_params import Export

    return command(Export, export)


def _declared(name: str) -> Callback:
    """The commands whose parameters are declared once, as models."""
    from zencli.cli import (
        accounts,
        doctor,
        history,
        importing,
        judging,
        mcp,
        reporting,
        skills,
        styling,
        suggesting,
        syncing,
        verbs,
    )
    from zencli.cli.options import command, endpoint_options, model_options, wait_option
    from zencli.pipeline import params
    from zencli.pipeline.accounts.trace_params import Trace
    from zencli.pipeline.auditing.waive_params import Waive
    from zencli.pipeline.editing.sync_params import Sync
    from zencli.pipeline.importing.import_params import Import
    from zencli.pipeline.mending.repair_params import Doctor, Repair
    from zencli.pipeline.reporting.report_params import Report
    from zencli.pipeline.style.style_params import StyleLearn, StyleShow
    from zencli.pipeline.suggesting.suggest_params import Suggest

    made: dict[str, Callable[[], Callback]] = {
        "agent": _agent,
        "init-book": lambda: command(params.InitBook, verbs.init_book, *model_options()),
        "write-next": lambda: command(params.WriteNext, verbs.write_next, *model_options()),
        "audit": lambda: command(params.Audit, verbs.audit, *model_options()),
        "revise": lambda: command(params.Revise, verbs.revise, *model_options()),
        "waive": lambda: command(Waive, judging.waive, wait_option()),
        "approve": lambda: command(params.Approve, verbs.approve, wait_option()),
        "unapprove": lambda: command(params.Approve, verbs.unapprove, wait_option()),
        "import": lambda: command(Import, importing.import_book, *model_options(importing.DRY_RUN)),
        "undo": lambda: command(params.Undo, history.undo, wait_option()),
        "history": lambda: command(params.History, history.history),
        "restore": lambda: command(params.Restore, history.restore, wait_option()),
        "sync": lambda: command(Sync, syncing.sync, *model_options()),
        "suggest": lambda: command(Suggest, suggesting.suggest, *model_options()),
        "mcp": lambda: command(mcp.Mcp, mcp.mcp, *model_options()),
        "report": lambda: command(Report, reporting.report),
        "skills list": lambda: command(skills.SkillsList, skills.skills_list),
        "skills show": lambda: command(skills.SkillsShow, skills.skills_show),
        "skills import": lambda: command(skills.SkillsImport, skills.skills_import),
        "skills export": lambda: command(skills.SkillsExport, skills.skills_export),
        "style learn": lambda: command(StyleLearn, styling.style_learn, *model_options()),
        "style show": lambda: command(StyleShow, styling.style_show),
        "trace": lambda: command(Trace, accounts.trace),
        "doctor": lambda: command(Doctor, doctor.doctor, *endpoint_options()),
        "repair": lambda: command(Repair, doctor.repair, *model_options(doctor.DRY_RUN)),
    }
    return made[name]()


def _agent() -> Callback:
    from zencli.agent.agent_params import AgentTurn
    from zencli.cli.agent import agent
    from zencli.cli.options import command, model_options

    return command(AgentTurn, agent, *model_options())


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> Any:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


_BOOK = Annotated[str | None, typer.Argument(metavar="BOOK", help="id of the book")]
_CHAPTER = Annotated[int | None, typer.Argument(metavar="CHAPTER", help="the latest when absent")]
_CONTEXT = Annotated[
    bool, typer.Option("--context", help="what the calls of its latest run were given, and why")
]
_RECORD = Annotated[bool, typer.Option("--record", help="the record instead of the prose")]
_DIFF = Annotated[bool, typer.Option("--diff", help="what its latest revision changed")]
_COST = Annotated[bool, typer.Option("--cost", help="what it took, instead of its chapters")]
_LANGUAGE = Annotated[Language, typer.Option("--language", help="language of the profiles")]
_VERB = Annotated[schemas.SchemaVerb, typer.Argument(metavar="VERB")]

_LOOKING: dict[str, tuple[Any, ...]] = {
    "list": (books.list_books,),
    "status": (
        books.status,
        _parameter("book", _BOOK, None),
        _parameter("cost", _COST, False),
    ),
    "show": (
        books.show,
        _parameter("book", _BOOK, None),
        _parameter("chapter", _CHAPTER, None),
        _parameter("as_record", _RECORD, False),
        _parameter("diff", _DIFF, False),
        _parameter("context", _CONTEXT, False),
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
