"""Turns that no longer fit are summarised, each once: goal, decisions, done, open."""

from collections.abc import Sequence

from zencli.agent.memory.history import as_messages, window
from zencli.agent.session import PastTurn, SessionFile, Summary
from zencli.errors import ModelError
from zencli.llm.profiles import estimate_tokens
from zencli.llm.types import Message, Request
from zencli.pipeline.run_context import RunContext

ROLE = "router"
"""Whose model writes the summary: the cheapest of them."""

STEP = "compact"
MOST_TOKENS = 1_200
KEPT_SHARE = 0.5
"""How much of the history's budget stays as it was said, so that the next turns have room."""

LONGEST_PART = 1_500
"""Characters of one message that the summary is made from."""


def compacted(
    ctx: RunContext,
    session: SessionFile,
    past: Sequence[PastTurn],
    summary: Summary | None,
    budget: int,
) -> Summary | None:
    """The summary to use from now on: ``summary`` while all later turns fit in ``budget`` tokens,
    else a new one, for one call, which is kept in the session.

    A call that fails changes nothing: the turns that don't fit are left out.
    """
    prompts, profile = ctx.prompts, ctx.profile(ROLE)
    if window(past, summary, prompts, profile, budget).dropped == 0 or ctx.dry_run:
        return summary
    kept = window(past, None, prompts, profile, int(budget * KEPT_SHARE))
    upto = max(kept.dropped, summary.turns + 1 if summary else 1)
    told = summary.turns if summary else 0
    turns = [
        {"author": pair[0].content[:LONGEST_PART], "reply": pair[1].content[:LONGEST_PART]}
        for pair in (as_messages(turn, prompts) for turn in past[told:upto])
    ]
    room = profile.window // 2
    while len(turns) > 1 and estimate_tokens(str(turns), profile) > room:
        turns.pop(0)
    task = prompts.render("agent/compact", earlier=summary.text if summary else "", turns=turns)
    request = Request(
        role=STEP,
        messages=(Message("user", task),),
        max_output=MOST_TOKENS,
        temperature=ctx.models.temperature(ROLE),
    )
    try:
        text = ctx.recorded(ROLE).complete(request).text.strip()
    except ModelError as error:
        ctx.warn(f"The earlier turns couldn't be summarised: {error.message}")
        return summary
    session.add("summary", turns=upto, text=text)
    return Summary(upto, text)
