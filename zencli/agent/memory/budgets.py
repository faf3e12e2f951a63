"""How many tokens the parts of an agent's prompt may take."""

from dataclasses import dataclass

from zencli.llm.profiles import Profile

CONTEXT = 32_000
HISTORY = 32_000
WHOLE = 160_000
"""Tokens of the book at hand, of what was said before, and of a prompt altogether."""

SHARE = 0.25
"""The most that context and history each take of a small window."""

WORKING_FILES = 8
WORKING_CHARS = 60_000
"""The files of the last replies that are shown: so many, or so many characters."""


@dataclass(frozen=True)
class Budgets:
    """Tokens for context and history, ``whole`` for everything."""

    context: int
    history: int
    whole: int

    def history_left(self, taken: int) -> int:
        """What the history may take beside ``taken`` tokens; it's the only part that shrinks."""
        return max(0, min(self.history, self.whole - taken))


def budgets(profile: Profile) -> Budgets:
    """The budgets for a model; a small window has room for less."""
    part = int(profile.window * SHARE)
    room = profile.window - min(profile.max_output, profile.window // 4)
    return Budgets(min(CONTEXT, part), min(HISTORY, part), min(WHOLE, room))
