"""The program: its commands, and the one place where errors become text and exit codes."""

import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from zencli import __version__
from zencli.cli.output import Outcome, emit, plainly
from zencli.cli.terminal import hush, restart_in_utf8, short_lived, use_utf8
from zencli.errors import UsageError, ZencliError

COMMANDS = {
    "agent": "Tell the agents what you want, in your own words.",
    "init-book": "Plan a new book from a brief.",
    "write-next": "Write the next chapters.",
    "audit": "Judge chapters and compute a verdict.",
    "revise": "Revise a chapter; kept only when better.",
    "waive": "Let a finding stand, with the reason, or take that back.",
    "export": "Make a finished txt, md, epub, html or docx.",
    "approve": "Mark chapters as approved.",
    "unapprove": "Take the approval of chapters back.",
    "import": "Make a book of an existing novel, or add its new chapters to one.",
    "undo": "Take a run back: every file as it was before.",
    "history": "List the runs of a book, or the revisions of one file.",
    "restore": "Bring a file back as it was in a revision.",
    "sync": "Settle chapters that were edited by hand.",
    "doctor": "Say what is wrong with a book and which command mends it.",
    "repair": "Mend a damaged book; what is replaced stays in the history.",
    "list": "List the books of the workspace.",
    "status": "Show how a book stands, chapter by chapter.",
    "show": "Print a chapter, its record, its latest revision or its context.",
    "suggest": "Suggest three next steps, as you could ask for them.",
    "report": "Draw the whole book on one HTML page with charts.",
    "trace": "Show the calls of a run, one by one.",
    "mcp": "Serve the verbs to other programs' agents (MCP, over stdin and stdout).",
    "genres": "List the genres that have a profile.",
    "schema": "Print the JSON Schema of a verb's data.",
}
"""Every command with its line in the help."""

GROUPS = {
    "model": {
        "install": "Fetch the embedded model and verify it.",
        "status": "Say whether the embedded model is installed and intact.",
    },
    "skills": {
        "list": "List the skills that agents may read.",
        "show": "Print a skill and the texts beside it.",
        "import": "Take in a skill from a ZIP file; scripts in it are left out.",
        "export": "Make a ZIP file of a skill.",
    },
    "style": {
        "learn": "Measure a text and write its voice into the book's style.md.",
        "show": "Show what was learnt, and how far the latest chapters are from it.",
    },
}
"""Commands of two words, with their lines in the help."""

_GROUP_HELP = {
    "model": "The embedded model: install, status.",
    "skills": "Ways of working that agents may read: list, show, import, export.",
    "style": "The voice of a book, learnt from a sample: learn, show.",
}


def build_app(wanted: str | None = None) -> typer.Typer:
    """The program with the ``wanted`` command in full and the others by name only."""
    app = typer.Typer(
        name="zencli",
        help="From a brief to a finished novel, chapter by chapter, on plain Markdown files.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=True,
    )
    app.callback()(_root)
    for name, help_text in COMMANDS.items():
        app.command(name, help=help_text)(_definition(name) if name == wanted else _named_only)
    for group, commands in GROUPS.items():
        part = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help=_GROUP_HELP[group])
        for name, help_text in commands.items():
            body = _definition(f"{group} {name}") if wanted == group else _named_only
            part.command(name, help=help_text)(body)
        app.add_typer(part, name=group)
    return app


def _definition(name: str) -> Any:
    from zencli.cli.definitions import definition

    return definition(name)


def _named_only() -> None:
    """Stands for a command that this run doesn't call."""


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"zencli {__version__}\n")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with the documented code."""
    if arguments is None:
        restart_in_utf8()
    short_lived()
    use_utf8()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # to end it is to interrupt it
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        wanted = next((word for word in given if not word.startswith("-")), None)
        code: Any = build_app(wanted)(given, standalone_mode=False)
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
    message = plainly(error.format_message().strip())
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
    _tell(name, given, refused)
    return refused.exit_code


def _fail(given: list[str], error: ZencliError) -> int:
    """An error in the values of a command's options, found before the command began."""
    name = next((word for word in given if not word.startswith("-")), "")
    _tell(name, given, error)
    return error.exit_code


def _tell(name: str, given: list[str], error: ZencliError) -> None:
    emit(name, "--json" in given, Outcome(error=error))
    if "--events" in given and "--json" not in given:
        from zencli.cli.agent import tell_error
        from zencli.cli.agent_printer import EventLines

        tell_error(EventLines(), error)
