"""What happens after an agent's run: one pure function.

``next_step`` knows nothing of models, files or prompts; ``tests/agent/test_agent_decision.py``
holds its table of cases.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from zencli.agent.routing import PLANNING, WRITING
from zencli.agent.turn import AgentRole, ReadOnly

Review: TypeAlias = Literal["auto", "on", "off"]
HandoffKind: TypeAlias = Literal["explicit", "planned", "review", "rework"]
RepeatKind: TypeAlias = Literal["fill", "continue", "outline", "save", "report"]

MOST_FILLS = 2
MOST_REVIEWS = 2
MOST_REWORKS = 1


@dataclass(frozen=True)
class Situation:
    """How things stand when a run has ended.

    Of the run: ``agent``; ``handoff`` asked for by tool; ``question`` to the author, by tool or by
    the last line; ``empty_file`` was left; ``only_file``: it ended with a file's body, written into
    a new file, and no word after it; ``chat_plan``: a plan asked for stands only in the chat;
    ``chat_prose``: so does prose.

    ``silent``: nobody said a word to the author yet, and another run is allowed; ``reported``: one
    was asked to.

    Of the turn: ``plan`` still ahead; ``fills``, ``reviews``, ``reworks`` so far; ``outlined``: the
    run of ``chat_plan`` was had, ``saved``: that of ``chat_prose``; ``words`` that the writer put
    into body files.
    """

    agent: AgentRole
    handoff: AgentRole | None = None
    question: str = ""
    empty_file: bool = False
    only_file: bool = False
    chat_plan: bool = False
    chat_prose: bool = False
    silent: bool = False
    reported: bool = False
    plan: tuple[AgentRole, ...] = ()
    fills: int = 0
    reviews: int = 0
    reworks: int = 0
    outlined: bool = False
    saved: bool = False
    words: int = 0
    write_content: bool | None = None
    read_only: ReadOnly = ""
    clarify_first: bool = False
    review: Review = "auto"
    review_words: int = 500


@dataclass(frozen=True)
class Repeat:
    """The same agent once more: to fill its empty file, to go on, to put into a file what stands
    only in the chat, or to answer the author."""

    kind: RepeatKind


@dataclass(frozen=True)
class HandOn:
    """Another agent, and the plan that is left after it.

    ``no_questions``: it is to take the recommended option instead of asking. ``blocked`` names an
    agent that the run wanted and that may not follow.
    """

    agent: AgentRole
    kind: HandoffKind
    plan: tuple[AgentRole, ...] = ()
    no_questions: bool = False
    blocked: AgentRole | None = None


@dataclass(frozen=True)
class End:
    """The turn is over. ``held`` is a handoff that waits for the author's answer; ``blocked`` one
    that isn't allowed at all."""

    reason: Literal["finished", "question", "invalid_handoff"]
    held: AgentRole | None = None
    blocked: AgentRole | None = None


Step: TypeAlias = Repeat | HandOn | End


def next_step(now: Situation) -> Step:
    """What to do next; the order of the cases is their rank."""
    if now.empty_file and now.fills < MOST_FILLS:
        return Repeat("fill")
    if now.clarify_first:
        return End("question")
    if now.handoff is not None and now.handoff == now.agent:
        return End("invalid_handoff")
    if now.only_file and now.handoff is None and not now.question:
        return Repeat("continue")
    if now.chat_plan and not now.outlined and now.handoff is None and not now.question:
        return Repeat("outline")
    if now.chat_prose and not now.saved and now.handoff is None:
        return Repeat("save")
    if now.question:
        return _after_question(now)
    blocked = _blocked(now)
    if now.handoff is not None and blocked is None:
        return _explicit(now, now.handoff)
    if _review_due(now):
        return HandOn("quality_reviewer", "review", _after_review(now.plan), blocked=blocked)
    if now.plan:
        return HandOn(now.plan[0], "planned", now.plan[1:], blocked=blocked)
    if now.silent and not now.reported:
        return Repeat("report")
    return End("finished", blocked=blocked)


def _after_question(now: Situation) -> Step:
    """A question stops the turn, but for planners whose prose is awaited and for a due review."""
    awaited = now.write_content is True and "writer" in now.plan
    if now.agent in PLANNING and awaited and now.handoff in (None, "writer"):
        rest = now.plan[now.plan.index("writer") + 1 :]
        return HandOn("writer", "planned", rest, no_questions=True)
    if _review_due(now) and now.handoff in (None, "quality_reviewer"):
        return HandOn("quality_reviewer", "review", _after_review(now.plan))
    return End("question", held=now.handoff)


def _blocked(now: Situation) -> AgentRole | None:
    """The agent that the run asked for and that may not follow."""
    wanted = now.handoff
    if wanted is None:
        return None
    if now.read_only and wanted in WRITING:
        return wanted
    if wanted == "quality_reviewer" and not _may_review(now):
        return wanted
    if now.agent == "quality_reviewer" and wanted == "writer" and now.reworks >= MOST_REWORKS:
        return wanted
    return None


def _explicit(now: Situation, wanted: AgentRole) -> HandOn:
    if wanted == "quality_reviewer":
        return HandOn(wanted, "review", _after_review(now.plan))
    if now.agent == "quality_reviewer" and wanted == "writer":
        return HandOn(wanted, "rework", now.plan)
    plan = now.plan[now.plan.index(wanted) + 1 :] if wanted in now.plan else now.plan
    return HandOn(wanted, "explicit", plan)


def _may_review(now: Situation) -> bool:
    """A rework isn't reviewed again, and nothing is reviewed a third time."""
    return now.reviews < MOST_REVIEWS and now.reworks == 0


def _review_due(now: Situation) -> bool:
    if now.agent != "writer" or now.review == "off" or not _may_review(now):
        return False
    least = 1 if now.review == "on" else now.review_words
    return now.words >= max(least, 1)


def _after_review(plan: tuple[AgentRole, ...]) -> tuple[AgentRole, ...]:
    return tuple(agent for agent in plan if agent != "quality_reviewer")
