"""``agent``: one turn of the agents, or a conversation."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zencli.agent.agent_params import AgentTurn
from zencli.agent.events import AgentEvent, Emit, ignore
from zencli.cli.agent_printer import EventLines, Narrator
from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.cli.sources import read_source
from zencli.errors import Interrupted, UsageError, ZencliError

if TYPE_CHECKING:
    from zencli.agent.choice import Choice
    from zencli.agent.talk import Agents
    from zencli.agent.talk import Outcome as TurnOutcome
    from zencli.agent.turn import Asked
    from zencli.llm.types import Usage


def agent(invocation: Invocation, params: AgentTurn) -> None:
    """Tell the agents what you want, in your own words."""
    if params.message is None and not params.events and not invocation.json and _can_talk():
        from zencli.cli.agent_conversation import converse

        run_command("agent", invocation, lambda outcome: converse(invocation, params, outcome))
        return
    emit = watcher(invocation, events=params.events)

    def body(outcome: Outcome) -> None:
        try:
            _one_turn(invocation, params, emit, outcome)
        except ZencliError as error:
            tell_error(emit, error)
            raise
        except KeyboardInterrupt:
            tell_error(emit, Interrupted())
            raise
        if outcome.error is not None and outcome.error.exit_code in _BROKEN:
            tell_error(emit, outcome.error)
        if params.events:
            outcome.text = ""

    run_command("agent", invocation, body)


_BROKEN = (1, 5, 130)
"""Exit codes of turns that were broken off: their last event is ``error``."""


def _can_talk() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def watcher(invocation: Invocation, *, events: bool = False) -> Emit:
    """Who is told the events of a turn."""
    if events:
        return EventLines()
    return ignore if invocation.quiet else Narrator(verbose=invocation.verbose)


def tell_error(emit: Emit, error: ZencliError) -> None:
    """The final event of a turn that was broken off."""
    told = {"code": error.code, "message": error.message, "hint": error.hint}
    emit(AgentEvent("error", told))


def _one_turn(invocation: Invocation, params: AgentTurn, emit: Emit, outcome: Outcome) -> None:
    from zencli.cli import render
    from zencli.cli.preview import preview
    from zencli.pipeline.run_context import Previewed

    if params.events and invocation.json:
        raise UsageError("usage.options", "--events and --json exclude each other.")
    if params.message is None:
        raise UsageError(
            "usage.message",
            "There is no message, and no terminal to talk in.",
            'Give one: zencli agent "write the next chapter", @FILE, or - for stdin.',
        )
    wanted = asked(params, params.message, confirmed=invocation.yes)
    try:
        with agents(invocation, emit).talk(choice(params)) as talk:
            turned = talk.turn(wanted)
    except Previewed as previewed:
        outcome.data, outcome.text = preview(previewed), render.preview(previewed)
        return
    fill(outcome, turned)
    if turned.error is None or turned.error.exit_code not in _BROKEN:
        data = turned.result.model_dump(mode="json")
        emit(AgentEvent("done", {**data, "usage": outcome.usage}))


def fill(outcome: Outcome, turned: "TurnOutcome") -> None:
    """What a turn came to, as a command prints it."""
    outcome.data, outcome.text = turned.result, turned.result.reply
    outcome.error = turned.error
    outcome.warnings = [*turned.warnings]
    outcome.usage = _usage(turned.usage)


def _usage(usage: "Usage") -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
    }


def agents(invocation: Invocation, emit: Emit) -> "Agents":
    """The agents of the workspace, with the options of this command."""
    from zencli.agent.talk import Agents

    return Agents(invocation.root, invocation.run_options(), emit=emit)


def choice(params: AgentTurn) -> "Choice":
    """How the author wants to work."""
    from zencli.agent.choice import Choice

    return Choice(
        book_id=params.book_id,
        new_book=params.new_book,
        session=params.session,
        latest=params.latest,
        route=params.route,
        fast=params.fast,
        quality=params.quality,
        review=params.review or "",
        read_only=params.read_only,
    )


def asked(params: AgentTurn, message: str, *, confirmed: bool) -> "Asked":
    """The author's side of a turn; sources are read here.

    Raises UsageError for one that can't be read.
    """
    from zencli.agent.turn import Asked

    return Asked(
        message=read_source(message, "MESSAGE"),
        files=tuple(path.removeprefix("./") for path in params.file),
        attachments=tuple(
            (Path(name).name, read_source(f"@{name}", "--attach")) for name in params.attach
        ),
        quotes=params.quote,
        skills=params.skill,
        confirmed=confirmed,
    )
