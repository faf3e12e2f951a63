"""What was said before: the newest turns that fit, and what stands for those that don't."""

from collections.abc import Sequence
from dataclasses import dataclass

from zencli.agent.session import PastTurn, Summary
from zencli.context.prompts import Prompts
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.types import Message


@dataclass(frozen=True)
class Window:
    """The messages, and how many of the first turns are in none of them nor in the summary."""

    messages: tuple[Message, ...]
    dropped: int


def window(
    past: Sequence[PastTurn],
    summary: Summary | None,
    prompts: Prompts,
    profile: Profile,
    budget: int,
) -> Window:
    """The newest turns within ``budget`` tokens, after the summary of earlier ones."""
    told = summary.turns if summary else 0
    head: list[Message] = []
    if summary is not None:
        head = [
            Message("user", prompts.render("agent/summary", text=summary.text)),
            Message("assistant", prompts.render("agent/summary_noted")),
        ]
        budget -= sum(estimate_tokens(message.content, profile) for message in head)
    pairs: list[tuple[Message, Message]] = []
    for turn in reversed(past[told:]):
        pair = as_messages(turn, prompts)
        budget -= sum(estimate_tokens(message.content, profile) for message in pair)
        if budget < 0:
            break
        pairs.append(pair)
    kept = [message for pair in reversed(pairs) for message in pair]
    return Window((*head, *kept), len(past) - told - len(pairs))


def as_messages(turn: PastTurn, prompts: Prompts) -> tuple[Message, Message]:
    """A turn as two messages; the reply ends with the trail of what it did."""
    said = turn.reply.strip()
    if turn.files or turn.read:
        said = prompts.render(
            "agent/trail", reply=said, files=sorted(turn.files.items()), read=turn.read
        )
    return Message("user", turn.message), Message("assistant", said or "…")
