"""What a layer is, and how many tokens the parts of a chapter's calls may take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from zencli.context.budget import Allowance, Section
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.story.book import Language

Part = Literal["book", "story", "needs", "planner"]

MOST: dict[Part, int] = {"book": 2_200, "story": 2_200, "needs": 2_000, "planner": 2_600}
"""Tokens of each part, however large the window is: a chapter's cost stays flat.

With a chapter of 3,000 tokens, and the instructions of all roles, the four calls of a clean chapter
stay under 45,000.
"""

LEAST_TOKENS = 1_500
"""Below this nothing sensible fits; a window that small is overrun and the endpoint says so."""

INSTRUCTIONS = 3_500
"""Tokens kept free for the instructions of the roles, and in a small window."""
SMALL_INSTRUCTIONS = 700

SHARES: dict[Part, Mapping[str, float]] = {
    "book": {"rules": 0.25, "style": 0.2, "brief": 0.25, "bible": 0.3},
    "story": {
        "focus": 0.03,
        "tail": 0.24,
        "hooks": 0.12,
        "people": 0.11,
        "items": 0.06,
        "relations": 0.03,
        "openings": 0.03,
        "endings": 0.03,
        "history": 0.16,
        "earlier": 0.15,
        "facts": 0.04,
    },
    "needs": {
        "plan": 0.5,
        "cards": 0.2,
        "touched": 0.05,
        "belongings": 0.05,
        "places": 0.04,
        "old_facts": 0.06,
        "passages": 0.1,
    },
    "planner": {
        "outline": 0.4,
        "secrets": 0.19,
        "unshown": 0.04,
        "carried": 0.03,
        "timeline": 0.08,
        "cast": 0.15,
        "places": 0.11,
    },
}
"""Each section's share of its part, in the order in which what one leaves goes to the next."""

MOST_ENTRIES = {
    "hooks": 20,
    "people": 14,
    "items": 16,
    "relations": 10,
    "belongings": 12,
    "old_facts": 12,
}
"""More of these than that help nobody: the room goes to what the chapters told."""


@dataclass(frozen=True)
class Layer:
    """A rendered layer and the sections that went into it."""

    name: str
    text: str
    sections: tuple[Section, ...] = ()


class Sizes:
    """The budgets of one chapter's calls with one model.

    ``words`` is the length of the chapter: its draft and the reply need room in the window too.
    """

    def __init__(self, profile: Profile, language: Language, words: int) -> None:
        self._profile = profile
        draft = chapter_tokens(words, language, profile)
        output = min(max(profile.max_output, draft), profile.window // 3)
        fixed = SMALL_INSTRUCTIONS if profile.small else INSTRUCTIONS
        free = max(LEAST_TOKENS, profile.window - output - draft - fixed)
        self._scale = min(1.0, free / sum(MOST.values()))

    def estimate(self, text: str) -> int:
        """About how many tokens a text is."""
        return estimate_tokens(text, self._profile)

    def of(self, part: Part) -> int:
        """The tokens of a part."""
        return int(MOST[part] * self._scale)

    def allowance(self, part: Part, taken: int = 0) -> Allowance:
        """The budget of a part, less what is ``taken`` of it already."""
        return Allowance(max(0, self.of(part) - taken), SHARES[part], self.estimate, MOST_ENTRIES)


def chapter_tokens(words: int, language: Language, profile: Profile) -> int:
    """About how many tokens a chapter of this many characters (zh) or words (en) is."""
    if language == "zh":
        return int(words * profile.tokens_per_cjk)
    return int(words * 5.7 * profile.tokens_per_latin)
