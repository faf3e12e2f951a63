"""``zencli agent`` as a library: a conversation with the agents about one book."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from zencli.agent.choice import Choice, check_choice
from zencli.agent.decision import Review
from zencli.agent.desk import Desk, Heard, nothing_heard
from zencli.agent.events import AgentEvent, Emit, ignore
from zencli.agent.first_agent import first_routing
from zencli.agent.language import reply_language
from zencli.agent.limits import Limits, stop_error
from zencli.agent.loop import Ended, run_turn
from zencli.agent.memory.budgets import budgets
from zencli.agent.memory.compaction import compacted
from zencli.agent.reply import assembled, changed_files, file_list
from zencli.agent.results import AgentResult, TouchedFile
from zencli.agent.runner_events import as_agent_events
from zencli.agent.session import SessionFile, open_session
from zencli.agent.skills.reading import SkillReader
from zencli.agent.skills.shelf import find_skills
from zencli.agent.skills.uses import count_use
from zencli.agent.sub_runners import SubRunners
from zencli.agent.tools.update_project import finish_tasks
from zencli.agent.turn import Asked, Turn
from zencli.context.prompts import Prompts
from zencli.errors import UsageError, ZencliError
from zencli.llm.types import Model, Usage
from zencli.pipeline.configuration.settings import load_settings
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.session import RunOptions, Session, runs_folder, utc_now
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.workspace import Workspace
from zencli.story.book import Language


@dataclass(frozen=True)
class Outcome:
    """What a turn came to; ``error`` is what its end means for the exit code."""

    result: AgentResult
    error: ZencliError | None
    usage: Usage
    warnings: list[str] = field(default_factory=list)


class Agents:
    """The agents of a workspace.

    ``model`` answers for all roles instead of the configured ones; ``emit`` is told all events.
    """

    def __init__(
        self,
        root: Path,
        options: RunOptions | None = None,
        *,
        model: Model | None = None,
        emit: Emit = ignore,
        clock: Callable[[], datetime] = utc_now,
        environ: "os._Environ[str] | dict[str, str]" = os.environ,
    ) -> None:
        self.workspace = Workspace(root)
        self.options = options or RunOptions()
        self.model = model
        self.emit = emit
        self.clock = clock
        self.environ = environ

    @contextmanager
    def talk(self, choice: Choice) -> Iterator["Talk"]:
        """A conversation; its session is held until the block ends.

        Raises UsageError, NotFound or BusyError for a book or a session that can't be had.
        """
        check_choice(choice)
        book = self._book(choice)
        home = self.workspace.root / MACHINE / "sessions"
        folders = [home] if book is None else [_sessions(book), home]
        with open_session(
            folders,
            choice.session,
            latest=choice.latest,
            now=self.clock(),
            book=book.id if book else "",
            dry_run=self.options.dry_run,
        ) as session:
            yield Talk(self, choice, session, book)

    def _book(self, choice: Choice) -> BookDir | None:
        if choice.new_book or (choice.book_id is None and not self.workspace.book_ids()):
            return None
        return self.workspace.open(choice.book_id)


class Talk:
    """A conversation under way. ``book`` is the one that is talked about, None before there is."""

    def __init__(
        self, agents: Agents, choice: Choice, session: SessionFile, book: BookDir | None
    ) -> None:
        self.agents = agents
        self.choice = choice
        self.session = session
        self.book = book
        self.runs: list[str] = []

    def turn(self, asked: Asked, heard: Heard = nothing_heard) -> Outcome:
        """Answer a message. Whatever was said and done is in the session and the book.

        Raises ``Previewed`` in a dry run, and UsageError before any model is called.
        """
        if not asked.message.strip():
            raise UsageError("usage.message", "The message is empty.", "Say what you want.")
        agents, book = self.agents, self.book
        language = reply_language(asked.message, book.config().language if book else "zh")
        _check_files(asked, book)
        root, listener = agents.workspace.root, as_agent_events(agents.emit)
        pipeline = Session(root, agents.options, agents.model, listener, agents.environ)
        folder = runs_folder(book) if book else root / MACHINE / "runs"
        ended = Ended("failed", "writer")
        done: tuple[Desk, AgentResult, SubRunners] | None = None
        try:
            with pipeline.run("agent", book, _prompts_in(book, language), folder) as (ctx, run_id):
                parts = SubRunners(
                    root=root,
                    options=agents.options,
                    part_of=run_id,
                    confirmed=asked.confirmed,
                    model=agents.model,
                    listener=listener,
                    clock=agents.clock,
                    environ=agents.environ,
                    meter=ctx.meter,
                )
                turn = self._turn(asked, run_id, language, parts)
                desk, ended = self._answer(ctx, turn, heard, parts)
                parts.settle()
                done = desk, self._finish(desk, ended), parts
                if ended.error is not None and not turn.files.changes:
                    raise ended.error  # nothing came of it: the same command may go on from here
        except ZencliError as error:
            if done is None or error is not ended.error:
                raise
        assert done is not None
        desk, result, parts = done
        means = ended.error or stop_error(ended.reason, result.question, ended.detail)
        warnings = [*pipeline.warnings, *parts.warnings, *desk.notices]
        return Outcome(result, means, pipeline.usage, warnings)

    def _turn(self, asked: Asked, run_id: str, language: Language, parts: SubRunners) -> Turn:
        agents = self.agents
        self.runs.append(run_id)
        return Turn(
            asked=asked,
            workspace=agents.workspace,
            book=self.book,
            run_id=run_id,
            session=self.session.id,
            emit=agents.emit,
            clock=agents.clock,
            runner=parts.runner,
            reply_language=language,
            skills=self._skills(asked, language),
        )

    def _skills(self, asked: Asked, language: Language) -> SkillReader:
        """What may be read of skills; those that the author put in are read already."""
        root = self.agents.workspace.root
        book_language = self.book.config().language if self.book else language
        reader = SkillReader(find_skills(root, self.book, book_language))
        for name in asked.skills:
            reader.load(name)
            if not self.agents.options.dry_run:
                count_use(root, name, self.session.id, self.agents.clock())
        return reader

    def _answer(
        self, ctx: RunContext, turn: Turn, heard: Heard, parts: SubRunners
    ) -> tuple[Desk, Ended]:
        agents, choice = self.agents, self.choice
        settings = load_settings(
            agents.workspace.root,
            turn.book.settings() if turn.book else None,
            agents.environ,
            agents.options.overrides,
            need_keys=False,
        )
        table = settings.agent
        if agents.options.tape is None:  # a recording holds no vectors
            turn.search = settings.search
        past = self.session.turns()
        summary = self.session.summary()
        if table.compaction:
            room = budgets(ctx.profile("router")).history
            summary = compacted(ctx, self.session, past, summary, room)
        number = self.session.turn_number
        self._note_author(turn, number)
        last = past[-1].as_last() if past else None
        route = "off" if choice.fast else "llm" if choice.quality else choice.route or table.route
        routing = first_routing(ctx, turn.asked, last, route)
        if choice.read_only:
            routing = replace(routing, read_only=True)
        turn.read_only = "author" if choice.read_only else "router" if routing.read_only else ""
        turn.clarify_first = routing.source == "vague"
        turn.emit(AgentEvent("router_decided", routing.to_json()))
        self.session.add("routing", turn=number, decision=routing.to_json())
        review: Review = "off" if choice.fast else "on" if choice.quality else table.review
        desk = Desk(
            turn=turn,
            ctx=ctx,
            session=self.session,
            number=number,
            routing=routing,
            limits=Limits(table),
            review=choice.review or review,
            past=past,
            summary=summary,
            heard=heard,
            settle=parts.settle,
            awaited=last.held if last and routing.source == "inherited" else None,
            skills=turn.skills.shelf.catalogue(),
        )
        return desk, run_turn(desk)

    def _note_author(self, turn: Turn, number: int) -> None:
        asked = turn.asked
        self.session.add(
            "author",
            turn=number,
            time=self.agents.clock().isoformat(),
            message=asked.message,
            files=list(asked.files),
            attachments=[name for name, _ in asked.attachments],
            quotes=list(asked.quotes),
            run=turn.run_id,
        )

    def _finish(self, desk: Desk, ended: Ended) -> AgentResult:
        turn = desk.turn
        self._take_book(turn)
        folders = [turn.book.path] if turn.book else []
        prompts = Prompts(turn.reply_language, [*folders, self.agents.workspace.root])
        _close_tasks(desk)
        files = changed_files(turn)
        if any(path.startswith("chapters/") for path in turn.files.words):
            desk.notice_once("unsettled")
        text = assembled(desk.words, turn.reply_language, ended.question)
        listed = file_list(turn, prompts, files)
        self.session.add(
            "reply",
            turn=desk.number,
            text=text,
            stop_reason=ended.reason,
            question=ended.question,
            agent=ended.agent,
            held=ended.held,
            clarified=turn.clarify_first,
            files=files,
            read=list(turn.files.read),
            run=turn.run_id,
        )
        return AgentResult(
            session=self.session.id,
            book_id=turn.book.id if turn.book else "",
            run=turn.run_id,
            reply="\n\n".join(part for part in (text, listed) if part),
            stop_reason=ended.reason,
            question=ended.question,
            files=[TouchedFile(path=path, change=change) for path, change in files.items()],
            drafts=desk.drafts,
            routing=desk.routing.to_json(),
            agents=list(desk.worked),
        )

    def _take_book(self, turn: Turn) -> None:
        """A book that was made in this turn is the one that is talked about from now on."""
        if turn.book is not None and (self.book is None or self.book.path != turn.book.path):
            self.book = turn.book
            self.session.move(_sessions(turn.book))


def _close_tasks(desk: Desk) -> None:
    """Close the tasks whose files were written; a book that is busy just now keeps them open."""
    try:
        finish_tasks(desk.turn)
    except ZencliError as error:
        desk.notices.append(error.message)


def _check_files(asked: Asked, book: BookDir | None) -> None:
    """Refuse files that the author points at and that aren't in the book."""
    for path in asked.files:
        if book is None or book.read(path) is None:
            raise UsageError(
                "usage.file",
                f"There is no file {path} in the book.",
                "Give a path inside the book, such as chapters/0001.md; --attach takes any file.",
            )


def _prompts_in(book: BookDir | None, message: Language) -> Language:
    return book.config().language if book else message


def _sessions(book: BookDir) -> Path:
    return book.path / MACHINE / "sessions"
