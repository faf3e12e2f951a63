"""Keeping a long conversation within the window: old results of tools make way for new ones."""

from collections.abc import Callable
from dataclasses import replace

from zencli.llm.profiles import Profile
from zencli.llm.types import Message

SHORT = 600
"""Characters of a result that is left as it is."""

NEWEST = 2
"""How many of the last results are never touched."""


def most_input(profile: Profile) -> int:
    """Tokens that a request may take, so that a reply still fits."""
    return profile.window - min(profile.max_output, profile.window // 4)


def make_room(
    messages: list[Message], size: Callable[[], int], most: int, note: str
) -> list[Message]:
    """Put ``note`` in the place of long results, the oldest first, until ``size`` fits ``most``.

    ``messages`` is changed, so that later calls begin with the same bytes again. Returns what was
    taken out.
    """
    results = [i for i, m in enumerate(messages) if m.role == "tool" and len(m.content) > SHORT]
    taken = []
    for index in results[:-NEWEST] if len(results) > NEWEST else []:
        if size() <= most:
            break
        taken.append(messages[index])
        messages[index] = replace(messages[index], content=note)
    return taken
