"""What the loop of one turn works with: models, limits, guards, the session, and who is told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from zencli.agent.context import project_kind, system_prompt
from zencli.agent.decision import Review
from zencli.agent.events import AgentEvent
from zencli.agent.guards import Breaker, ReadGuard
from zencli.agent.limits import Limits
from zencli.agent.memory.at_hand import at_hand
from zencli.agent.memory.budgets import budgets
from zencli.agent.memory.history import window
from zencli.agent.notices import notice_text
from zencli.agent.reply import Words
from zencli.agent.room import make_room, most_input
from zencli.agent.routing import PLANNING, Routing
from zencli.agent.session import PastTurn, SessionFile, Summary
from zencli.agent.sub_agent import parameters_for
from zencli.agent.tools.registry import tools_of
from zencli.agent.turn import AgentRole, Turn
from zencli.context.prompts import Prompts
from zencli.llm.profiles import estimate_tokens
from zencli.llm.types import Message, OnText, Reply, Request, Tool
from zencli.pipeline.run_context import Previewed, RunContext

Heard = Callable[[], Sequence[str]]
"""What the author typed since the last call, while agents were at work."""

SMALL_TOOLS = ("query_files", "create_file", "edit_file", "sub_agent")
"""What is offered where the window is small: the schemas of all tools would take half of it."""


def nothing_heard() -> Sequence[str]:
    """For a turn in which nobody can say anything meanwhile."""
    return ()


@dataclass
class Desk:
    """Everything that the agents of one turn share besides the turn itself.

    ``settle`` counts what sub-agents took towards the limits of the turn. ``awaited`` is whom the
    agent wanted to hand on to when it asked what the author answers now.
    ``held`` is chat text that waits until it is known whether a reviewer speaks instead;
    ``reworking``: the reviewer has spoken, so it needn't wait. ``drafts`` are the texts that a stop
    left beside their files, ``notices`` what the author was told
    besides, ``worked`` the agents in their order.
    """

    turn: Turn
    ctx: RunContext
    session: SessionFile
    number: int
    routing: Routing
    limits: Limits
    review: Review
    past: Sequence[PastTurn] = ()
    summary: Summary | None = None
    heard: Heard = nothing_heard
    settle: Callable[[], None] = lambda: None
    awaited: AgentRole | None = None
    skills: str = ""
    breaker: Breaker = field(default_factory=Breaker)
    reads: ReadGuard = field(default_factory=ReadGuard)
    words: Words = field(default_factory=Words)
    held: list[AgentEvent] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    reworking: bool = False
    notices: list[str] = field(default_factory=list)
    worked: list[AgentRole] = field(default_factory=list)
    _tools: dict[AgentRole, tuple[Tool, ...]] = field(default_factory=dict)
    _noticed: set[str] = field(default_factory=set)

    @property
    def prompts(self) -> Prompts:
        """The templates in the language of the book."""
        return self.ctx.prompts

    def ask(self, agent: AgentRole, messages: list[Message], on_text: OnText) -> Reply:
        """The agent's next reply; what it read until now counts as seen from here on.

        Raises ``Stopped`` at a limit, ``ModelError``, ``BudgetError``, ``Previewed`` in a dry run.
        """
        self.turn.seen.update(self.turn.read_now)
        self.turn.read_now.clear()
        self.settle()
        model = self.ctx.recorded(agent)
        most = most_input(model.profile)
        note = self.again("left_out").content
        if make_room(
            messages, lambda: self._request(agent, messages).estimate(model.profile), most, note
        ):
            self.reads.forget(agent)
        request = self._request(agent, messages)
        if self.ctx.dry_run:
            raise Previewed(request, (), model.profile)
        self.limits.before_call()

        def in_time(piece: str) -> None:
            self.limits.check_time()
            on_text(piece)

        return model.complete(request, in_time)

    def _request(self, agent: AgentRole, messages: Sequence[Message]) -> Request:
        return Request(
            role=agent,
            messages=tuple(messages),
            temperature=self.ctx.models.temperature(agent),
            tools=self._tools_of(agent),
        )

    def _tools_of(self, agent: AgentRole) -> tuple[Tool, ...]:
        if agent not in self._tools:
            small = self.ctx.profile(agent).small
            offered = tools_of(agent, self.prompts.language)
            self._tools[agent] = tuple(t for t in offered if not small or t.name in SMALL_TOOLS)
        return self._tools[agent]

    def opening(
        self,
        agent: AgentRole,
        parts: Sequence[str],
        *,
        no_questions: bool = False,
        aside: Sequence[str] = (),
    ) -> list[Message]:
        """The messages that an agent begins with, the directive for it at their very end.

        ``aside`` are files whose text stands in ``parts``.
        """
        turn, prompts = self.turn, self.prompts
        profile = self.ctx.profile(agent)
        hand = at_hand(turn, prompts, profile, self.past, aside)
        own = {p: text for p, text in turn.seen.items() if p in turn.files.changes}
        turn.seen.clear()
        turn.seen.update(hand.full | own)
        turn.read_now.clear()
        roomy = not profile.small
        language = prompts.language
        sub_agents, skills = (parameters_for(agent, language), self.skills) if roomy else ("", "")
        system = system_prompt(prompts, agent, project_kind(turn), sub_agents, skills)
        request = prompts.render(
            "agent/request",
            context=hand.text,
            message=turn.asked.message.strip(),
            parts=list(parts),
            directive=self.directive(agent, no_questions=no_questions),
        )
        taken = estimate_tokens(system, profile) + estimate_tokens(request, profile)
        room = budgets(profile).history_left(taken)
        past = window(self.past, self.summary, prompts, profile, room).messages
        return [Message("system", system), *past, Message("user", request)]

    def directive(self, agent: AgentRole, *, no_questions: bool = False) -> str:
        """What binds this agent this time: the scope, read-only, and the author's language."""
        turn = self.turn
        return self.prompts.render(
            "agent/directive",
            scope=self.routing.scope,
            write_content=self.routing.write_content,
            planning=agent in PLANNING,
            reviewing=agent == "quality_reviewer",
            written=bool(turn.files.words),
            read_only=turn.read_only,
            clarify_first=turn.clarify_first,
            no_questions=no_questions,
            last_run=self.limits.last_run,
            book_language=self.prompts.language,
            reply_language=turn.reply_language,
        )

    def again(self, kind: str, **values: Any) -> Message:
        """A note in the middle of an agent's conversation."""
        usual = {"path": "", "files": [], "scope": self.routing.scope, "message": "", "left": 0}
        text = self.prompts.render("agent/again", kind=kind, **{**usual, **values})
        return Message("user", text)

    def notice_once(self, code: str, **values: object) -> None:
        """Tell the author something, at most once a turn."""
        text = self.notice(code, **values)
        if text not in self._noticed:
            self._noticed.add(text)
            self.notices.append(text)
            self.turn.emit(AgentEvent("notice", {"code": code, "text": text}))

    def notice(self, code: str, **values: object) -> str:
        """A sentence of the program, in the author's language."""
        return notice_text(code, self.turn.reply_language, **values)

    def release(self) -> None:
        """Let the author see what was held back."""
        for event in self.held:
            self.turn.emit(event)
        self.held.clear()
