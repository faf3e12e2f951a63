"""What an agent is told before it begins: a stable beginning first, what changes last.

    system     protocol, role, type of project, skills: the same all through a session
    history    what author and agents said before, the newest that fits
    user       the book at hand, the author's words, a handover, and the directive at the very end

An agent's own messages follow, so consecutive calls of one run share all but their last messages.
"""

from zencli.agent.project import project_type
from zencli.agent.turn import AgentRole, Turn
from zencli.context.prompts import Prompts


def system_prompt(
    prompts: Prompts, agent: AgentRole, kind: str, sub_agents: str, skills: str
) -> str:
    """The system message of an agent. Nothing in it changes while a session lasts."""
    parts = (
        prompts.render("agent/protocol", sub_agents=sub_agents, skills=skills),
        prompts.render(f"agent/{agent}"),
        prompts.render(f"agent/type_{kind}"),
    )
    return "\n\n".join(parts)


def project_kind(turn: Turn) -> str:
    """``novel``, ``short_story`` or ``screenplay``."""
    return project_type(turn.book) if turn.book else "novel"
