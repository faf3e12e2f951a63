"""What needs no router: a vague wish, "continue" after a stop, a short answer to a question."""

import re
from dataclasses import dataclass, replace

from zencli.agent.limits import CONTINUABLE, StopReason
from zencli.agent.questions import (
    MOST_SHORT,
    is_agreement,
    is_continue,
    is_vague_edit,
    is_yes_but,
    proposals,
    proposes_one_edit,
)
from zencli.agent.routing import AGENTS, MOST_SCOPE, Routing
from zencli.agent.turn import AgentRole, Asked

_REFUSAL = re.compile(
    r"(?:不|别|先不|算了|不用|不要|no\b|nope|not now|stop|don't|never mind)", re.IGNORECASE
)
_NEW_ORDER = re.compile(
    r"^(?:请|帮我|给我|你)?(?:把.*|重新)?(?:写|改|删|导出|审|检查|生成|创建|新建)|^(?:write|delete|export|"
    r"review|create|revise|rewrite|show|list)\b",
    re.IGNORECASE,
)
_STEPS: tuple[tuple[re.Pattern[str], AgentRole], ...] = (
    (re.compile(r"审|检查|复核|\breview\b|\bcheck\b|proofread", re.IGNORECASE), "quality_reviewer"),
    (re.compile(r"伏笔|钩子|悬念|\bhooks?\b|foreshadow", re.IGNORECASE), "hook_designer"),
    (re.compile(r"大纲|提纲|规划|分章|细纲|\boutline\b|\bplan\b", re.IGNORECASE), "planner"),
)
_OFFERING = re.compile(
    r"^.*?(?:要不要我?|(?:是否)?需要我|要我|用不用我?|\b(?:shall|should) (?:i|we)\b"
    r"|\b(?:do|would) you (?:want|like) (?:me )?to\b|\b(?:want|ready for) me to\b)\s*",
    re.IGNORECASE,
)
_PROSE = re.compile(r"写|续写|正文|改|润|\bwrite\b|\bdraft\b|\brevise\b|\bedit\b", re.IGNORECASE)


@dataclass(frozen=True)
class LastTurn:
    """What the session knows of the turn before: its reply, how it ended, and its routing.

    ``question`` is what it asked the author, ``agent`` who was at work last, ``clarified`` that it
    asked what a vague wish meant, ``files`` how many it changed.
    """

    reply: str
    stop_reason: StopReason
    question: str = ""
    agent: AgentRole = "writer"
    routing: Routing | None = None
    clarified: bool = False
    held: AgentRole | None = None
    files: int = 0


def preroute(asked: Asked, last: LastTurn | None) -> Routing | None:
    """The routing of a message that shows who it is for, else None. No model is called."""
    if _vague(asked, last):
        return Routing("writer", "quick", "vague_request", 1.0, source="vague")
    if last is None:
        return None
    if is_continue(asked.message) and last.stop_reason in CONTINUABLE:
        base = last.routing or Routing("writer", "quick")
        return replace(base, agent=last.agent, reason="continue", source="continue")
    return _answer(asked.message, last)


def _vague(asked: Asked, last: LastTurn | None) -> bool:
    if asked.files or asked.attachments or asked.quotes or not is_vague_edit(asked.message):
        return False
    return last is None or not (last.clarified or proposes_one_edit(last.reply))


def _answer(message: str, last: LastTurn) -> Routing | None:
    """A short reply to a question: a yes to a proposal, or what was missing."""
    text = message.strip()
    if not last.question or last.routing is None or not text or len(text) > MOST_SHORT:
        return None
    offers = proposals(last.question)
    if offers:
        if is_agreement(text):
            return _agreed(offers[-1], last.routing)
        if _REFUSAL.match(text) or _NEW_ORDER.search(text) or is_yes_but(text):
            return None
    return replace(last.routing, reason="answer", source="inherited")


def _agreed(offer: str, last: Routing) -> Routing:
    """The proposed step; read-only, no prose and the scope of the turn before don't bind it."""
    agent = next((role for pattern, role in _STEPS if pattern.search(offer)), None)
    if agent is None or (agent == "planner" and _first_is_prose(offer)):
        agent = "writer"
    return Routing(
        agent=agent,
        workflow="review_only" if agent == "quality_reviewer" else "quick",
        reason="agreed_to_proposal",
        confidence=last.confidence,
        write_content=agent == "writer",
        scope=_OFFERING.sub("", offer).rstrip("?？ ").removesuffix("吗")[:MOST_SCOPE],
        source="agreed",
    )


def _first_is_prose(offer: str) -> bool:
    """``write chapter 2 from the outline`` is prose, ``write the outline`` is not."""
    prose = re.search(r"正文|第.{1,6}[章集]|\bchapters? \w+|\bscene\b", offer, re.IGNORECASE)
    return bool(prose and _PROSE.search(offer))


def agent_named(route: str) -> AgentRole | None:
    """The agent that ``--route`` names, None for ``llm`` and ``off``."""
    return next((role for role in AGENTS if role == route.replace("-", "_")), None)
