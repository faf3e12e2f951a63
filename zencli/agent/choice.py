"""How the author wants to work with the agents: the options of a conversation."""

from dataclasses import dataclass
from typing import Literal

from zencli.agent.decision import Review
from zencli.agent.preroute import agent_named
from zencli.errors import UsageError


@dataclass(frozen=True)
class Choice:
    """How the author wants to work.

    ``route`` is ``llm``, ``off`` or the name of an agent, "" for what is configured; so is
    ``review``. ``fast`` is route off and no review, ``quality`` route llm and review on.
    ``new_book`` leaves the books that there are alone.
    """

    book_id: str | None = None
    new_book: bool = False
    session: str | None = None
    latest: bool = False
    route: str = ""
    fast: bool = False
    quality: bool = False
    review: Review | Literal[""] = ""
    read_only: bool = False


def check_choice(choice: Choice) -> None:
    """Raise UsageError for options that exclude each other, and a route that isn't one."""
    if choice.fast and choice.quality:
        raise UsageError("usage.options", "--fast and --quality exclude each other.")
    if choice.session is not None and choice.latest:
        raise UsageError("usage.options", "--session and --continue exclude each other.")
    if choice.new_book and choice.book_id is not None:
        raise UsageError("usage.options", "--book and --new-book exclude each other.")
    if choice.route not in ("", "llm", "off") and agent_named(choice.route) is None:
        raise UsageError(
            "usage.route",
            f"There is no agent {choice.route!r}.",
            "Use llm, off, planner, hook_designer, writer or quality_reviewer.",
        )
