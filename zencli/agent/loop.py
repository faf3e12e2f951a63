"""The loop of one turn: an agent works, the decision says who is next, until the turn ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from zencli.agent.agent_run import Run, work
from zencli.agent.chat_plan import only_in_chat
from zencli.agent.decision import (
    MOST_FILLS,
    End,
    HandOn,
    Repeat,
    Situation,
    Step,
    next_step,
)
from zencli.agent.desk import Desk
from zencli.agent.events import AgentEvent
from zencli.agent.handoff import packet
from zencli.agent.limits import Stopped, StopReason
from zencli.agent.reply import changed_files
from zencli.agent.review import review_text
from zencli.agent.routing import AGENTS, planned_agents
from zencli.agent.tools.places import type_of
from zencli.agent.turn import AgentRole
from zencli.errors import BudgetError, Interrupted, ModelError, ZencliError
from zencli.llm.types import Message
from zencli.prose.count import count_words

CHAPTER_WORDS = 400
"""Words in the chat from which a writer's answer is taken for the prose that was asked for."""


@dataclass
class Ended:
    """How a turn came to its end. ``error`` is what broke it off, None when it ended in order."""

    reason: StopReason
    agent: AgentRole
    question: str = ""
    held: AgentRole | None = None
    detail: str = ""
    error: ZencliError | None = None


@dataclass
class _Progress:
    """What the decision has to know of the turn so far."""

    plan: tuple[AgentRole, ...]
    fills: int = 0
    reviews: int = 0
    reworks: int = 0
    outlined: bool = False
    saved: bool = False
    reported: bool = False
    asked: str = ""


def run_turn(desk: Desk) -> Ended:
    """Work until the turn ends. Whatever was said and saved stays in the desk and its turn.

    Raises nothing but ``Previewed`` (dry run) and faults of the program.
    """
    try:
        return _rounds(desk)
    except Stopped as stop:
        return Ended(stop.reason, desk.turn.agent, detail=stop.detail)
    except BudgetError as error:
        return Ended("budget", desk.turn.agent, error=error)
    except ModelError as error:
        return Ended("model_failed", desk.turn.agent, error=error)
    except (KeyboardInterrupt, Interrupted):
        return Ended("interrupted", desk.turn.agent, error=Interrupted())
    except ZencliError as error:
        return Ended("failed", desk.turn.agent, error=error)
    finally:
        desk.release()


def _rounds(desk: Desk) -> Ended:
    progress = _Progress(_plan(desk))
    run = _begin(desk, desk.routing.agent, [])
    while True:
        work(desk, run)
        heard = [text for text in desk.heard() if text.strip()]
        if heard:
            run = _hear(desk, run, "\n".join(heard))
            continue
        step = _decide(desk, progress, run)
        if isinstance(step, End):
            return _end(desk, progress, run, step)
        if isinstance(step, Repeat):
            run = _repeat(desk, progress, run, step)
        else:
            run = _hand_on(desk, progress, run, step)


def _plan(desk: Desk) -> tuple[AgentRole, ...]:
    """The plan, and before it the agent whose turn had to wait for the author's answer."""
    plan = planned_agents(desk.routing)
    awaited = desk.awaited
    if awaited is None or awaited in (*plan, desk.routing.agent) or desk.turn.read_only:
        return plan
    return (awaited, *plan)


def _begin(
    desk: Desk,
    agent: AgentRole,
    parts: list[str],
    *,
    no_questions: bool = False,
    aside: Sequence[str] = (),
) -> Run:
    desk.limits.begin_run()
    desk.turn.agent = agent
    desk.worked.append(agent)
    desk.turn.emit(AgentEvent("agent_selected", {"agent": agent, "run": desk.limits.runs}))
    opening = desk.opening(agent, parts, no_questions=no_questions, aside=aside)
    return Run(agent, desk.limits.runs, opening)


def _again(desk: Desk, run: Run, note: Message) -> Run:
    """The same agent once more, going on with its conversation."""
    desk.limits.begin_run()
    desk.turn.emit(AgentEvent("agent_selected", {"agent": run.agent, "run": desk.limits.runs}))
    messages = [*run.messages, note]
    if desk.limits.last_run:
        messages[-1] = Message("user", f"{note.content}\n\n{desk.directive(run.agent)}")
    return Run(run.agent, desk.limits.runs, messages)


def _hear(desk: Desk, run: Run, text: str) -> Run:
    """What the author typed meanwhile: a follow-up run of the agent that was at work."""
    desk.release()
    desk.session.add("added", turn=desk.number, message=text)
    desk.notice_once("heard", text=text)
    following = _again(desk, run, desk.again("added", message=text))
    following.carried = run.handoff or run.carried
    return following


def _decide(desk: Desk, progress: _Progress, run: Run) -> Step:
    turn = desk.turn
    if turn.pending is not None and (turn.read_only or progress.fills >= MOST_FILLS):
        path = turn.pending.path
        turn.pending = None
        desk.notice_once("empty_removed", path=path)
    run.handoff = run.handoff or run.carried
    wanted = run.handoff.get("agent") if run.handoff else None
    return next_step(
        Situation(
            agent=run.agent,
            handoff=next((role for role in AGENTS if role == wanted), None),
            question=run.question(desk),
            empty_file=turn.pending is not None,
            only_file=run.ends_on_file and bool(run.filled),
            chat_plan=_plan_in_chat(desk, run),
            chat_prose=_prose_in_chat(desk, run),
            silent=desk.words.silent and not desk.limits.last_run,
            reported=progress.reported,
            plan=progress.plan,
            fills=progress.fills,
            reviews=progress.reviews,
            reworks=progress.reworks,
            outlined=progress.outlined,
            saved=progress.saved,
            words=sum(turn.files.words.values()),
            write_content=desk.routing.write_content,
            read_only=turn.read_only,
            clarify_first=turn.clarify_first,
            review=desk.review,
            review_words=desk.limits.table.review_words,
        )
    )


def _plan_in_chat(desk: Desk, run: Run) -> bool:
    turn = desk.turn
    if run.agent != "planner" or turn.read_only or turn.book is None:
        return False
    outlines = [
        turn.book.read(path) or ""
        for path, change in changed_files(turn).items()
        if change != "deleted" and type_of(path) == "outline"
    ]
    return only_in_chat(turn.asked.message, desk.words.of_run(run.number), outlines)


def _prose_in_chat(desk: Desk, run: Run) -> bool:
    """Whether a chapter that was asked for stands in the chat and in no file of this request."""
    turn = desk.turn
    if run.agent != "writer" or turn.read_only or turn.book is None or turn.files.changes:
        return False
    if desk.routing.write_content is not True:
        return False
    language = turn.book.config().language
    return count_words(desk.words.closing(run.number), language) >= CHAPTER_WORDS


def _repeat(desk: Desk, progress: _Progress, run: Run, step: Repeat) -> Run:
    turn = desk.turn
    if step.kind == "fill":
        progress.fills += 1
        assert turn.pending is not None
        note = desk.again("fill", path=turn.pending.path)
        if turn.pending.agent != run.agent:
            return _begin(desk, turn.pending.agent, [note.content])
    elif step.kind == "outline":
        progress.outlined = True
        note = desk.again("outline")
    elif step.kind == "save":
        progress.saved = True
        desk.words.withdraw(run.agent)
        note = desk.again("save")
    elif step.kind == "report":
        progress.reported = True
        note = desk.again("report")
    else:
        note = desk.again("continue", files=run.filled)
    desk.release()
    return _again(desk, run, note)


def _hand_on(desk: Desk, progress: _Progress, run: Run, step: HandOn) -> Run:
    turn = desk.turn
    question = run.question(desk)
    if step.blocked is not None and turn.read_only:
        desk.notice_once("read_only")
    if desk.limits.last_run:
        raise Stopped("max_agent_runs", f"{desk.limits.runs} agent runs are the limit of a turn.")
    closing = desk.words.closing(run.number)
    if step.no_questions:
        closing = "\n".join(part for part in (closing, run.clarification) if part)
        desk.words.withdraw_question(run.number)
        question = ""
    if step.kind == "review":
        progress.reviews += 1
        progress.asked = question
        desk.words.withdraw(run.agent)
        desk.held.clear()
    elif step.kind == "rework":
        progress.reworks += 1
        desk.reworking = True
        desk.words.withdraw(run.agent)
    desk.release()
    progress.plan = step.plan
    asked = run.handoff if run.handoff and run.handoff.get("agent") == step.agent else None
    made = packet(
        run.agent,
        step.agent,
        step.kind,
        asked=asked,
        closing=closing,
        scope=desk.routing.scope,
        files=[path for path, change in changed_files(turn).items() if change != "deleted"],
        question=progress.asked if step.kind in ("review", "rework") else "",
    )
    turn.emit(AgentEvent("handoff", made.to_json()))
    desk.session.add("handoff", turn=desk.number, packet=made.to_json())
    parts, aside = [made.render(desk.prompts)], list[str]()
    if step.kind == "review":
        judged = review_text(turn, desk.prompts, desk.past)
        parts.append(judged.text)
        aside = judged.whole
    return _begin(desk, step.agent, parts, no_questions=step.no_questions, aside=aside)


def _end(desk: Desk, progress: _Progress, run: Run, step: End) -> Ended:
    if step.blocked is not None and desk.turn.read_only:
        desk.notice_once("read_only")
    if step.held is not None:
        desk.notice_once("handoff_held", agent=step.held)
    question = run.question(desk) or progress.asked
    reason: StopReason = step.reason
    if reason == "finished" and question:
        reason = "question"
    if reason == "question" and not question:
        question = desk.words.closing(run.number) or desk.notice("what_to_change")
    return Ended(reason, run.agent, question=question, held=step.held)
