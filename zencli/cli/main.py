"""The program: its commands, and the one place where errors become text and exit codes."""

import inspect
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from zencli import __version__
from zencli.cli import books, doctor, history, importing, syncing, tools, verbs
from zencli.cli.options import (
    command,
    common_options,
    model_options,
    take_invocation,
    wait_option,
)
from zencli.cli.output import Outcome, emit
from zencli.cli.terminal import hush, restart_in_utf8, short_lived, use_utf8
from zencli.errors import UsageError, ZencliError
from zencli.pipeline.import_params import Import
from zencli.pipeline.params import (
    Approve,
    Audit,
    Export,
    History,
    InitBook,
    Restore,
    Revise,
    Undo,
    WriteNext,
)
from zencli.pipeline.repair_params import Doctor, Repair
from zencli.pipeline.sync_params import Sync
from zencli.story.book import Language

app = typer.Typer(
    name="zencli",
    help="From a brief to a finished novel, chapter by chapter, on plain Markdown files.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)
model_app = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="The embedded model: install, status."
)
app.add_typer(model_app, name="model")


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"zencli {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command("init-book")(command(InitBook, verbs.init_book, *model_options()))
app.command("write-next")(command(WriteNext, verbs.write_next, *model_options()))
app.command("audit")(command(Audit, verbs.audit, *model_options()))
app.command("revise")(command(Revise, verbs.revise, *model_options()))
app.command("export")(command(Export, verbs.export))
app.command("approve")(command(Approve, verbs.approve, wait_option()))
app.command("unapprove", help="Take the approval of chapters back.")(
    command(Approve, verbs.unapprove, wait_option())
)
app.command("import")(command(Import, importing.import_book, *model_options(importing.DRY_RUN)))
app.command("undo")(command(Undo, history.undo, wait_option()))
app.command("history")(command(History, history.history))
app.command("restore")(command(Restore, history.restore, wait_option()))
app.command("sync")(command(Sync, syncing.sync, *model_options()))
app.command("doctor")(command(Doctor, doctor.doctor))
app.command("repair")(command(Repair, doctor.repair, *model_options(doctor.DRY_RUN)))


def _simple(name: str, run: Any, *extra: Any) -> None:
    """Register a command whose options aren't declared as ``Params``."""

    def callback(**values: Any) -> None:
        run(take_invocation(values), **values)

    callback.__doc__ = run.__doc__
    signature = inspect.Signature([*extra, *common_options()])
    callback.__signature__ = signature  # type: ignore[attr-defined]
    group, _, verb = name.rpartition(" ")
    (model_app if group else app).command(verb)(callback)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> Any:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


_BOOK = Annotated[str | None, typer.Argument(metavar="BOOK", help="id of the book")]
_CHAPTER = Annotated[int | None, typer.Argument(metavar="CHAPTER", help="the latest when absent")]
_RECORD = Annotated[bool, typer.Option("--record", help="the record instead of the prose")]
_LANGUAGE = Annotated[Language, typer.Option("--language", help="language of the profiles")]
_VERB = Annotated[tools.SchemaVerb, typer.Argument(metavar="VERB")]

_simple("list", books.list_books)
_simple("status", books.status, _parameter("book", _BOOK, None))
_simple(
    "show",
    books.show,
    _parameter("book", _BOOK, None),
    _parameter("chapter", _CHAPTER, None),
    _parameter("record", _RECORD, False),
)
_simple("genres", books.genres, _parameter("language", _LANGUAGE, "zh"))
_simple("model install", tools.model_install)
_simple("model status", tools.model_status)
_simple("schema", tools.schema, _parameter("verb", _VERB))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the documented code."""
    if arguments is None:
        restart_in_utf8()
    short_lived()
    use_utf8()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to end it is to interrupt it
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code: Any = app(given, standalone_mode=False)
    except TyperException as error:
        code = _refuse(given, error)
    except ZencliError as error:
        code = _fail(given, error)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except (BrokenPipeError, SystemExit):  # Typer exits when nobody reads its help any more
        hush(sys.stdout)
        code = 0
    except OSError as error:
        hush(sys.stdout)
        sys.stderr.write(f"The result can't be printed: {error.strerror}.\n")
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(given: list[str], error: TyperException) -> int:
    """A usage error that the parser found, in the form that the command line asked for."""
    message = error.format_message().strip()
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(message + "\n")
        return error.exit_code
    context = getattr(error, "ctx", None)
    path = context.command_path.removeprefix(context.find_root().command_path) if context else ""
    name = path.strip()
    refused = UsageError(
        "usage.options",
        message if message.endswith((".", "?")) else f"{message}.",
        f"Try: zencli {name + ' ' if name else ''}--help",
    )
    emit(name, "--json" in given, Outcome(error=refused))
    return refused.exit_code


def _fail(given: list[str], error: ZencliError) -> int:
    """An error in the values of a command's options, found before the command began."""
    name = next((word for word in given if not word.startswith("-")), "")
    emit(name, "--json" in given, Outcome(error=error))
    return error.exit_code
