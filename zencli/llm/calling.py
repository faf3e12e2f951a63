"""What lasts through all attempts of one call: its time, its listener, and what it tried."""

import time
from dataclasses import dataclass, field

from zencli.llm.profiles import Profile
from zencli.llm.thinking import ThinkingFilter
from zencli.llm.tool_text import CallFilter
from zencli.llm.types import OnText, Request


@dataclass
class Call:
    """One call. ``end`` is on the monotonic clock; ``tried`` are the profiles that were refused."""

    request: Request
    on_text: OnText | None
    before: Profile
    end: float
    started: float = field(default_factory=time.monotonic)
    handed_on: bool = False
    tried: list[Profile] = field(default_factory=list)
    learned: set[str] = field(default_factory=set)
    _thinking: ThinkingFilter = field(default_factory=ThinkingFilter)
    _calls: CallFilter = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def left(self) -> float:
        """Seconds that the whole call still has."""
        return self.end - time.monotonic()

    def begin(self) -> None:
        """A reply begins."""
        self._thinking = ThinkingFilter()
        self._calls = CallFilter({tool.name for tool in self.request.tools})

    def hand_on(self, piece: str) -> None:
        """Show what of ``piece`` is text."""
        self._show(self._calls.feed(self._thinking.feed(piece)))

    def finish(self) -> None:
        """Show what was held back."""
        self._show(self._calls.feed(self._thinking.end()) + self._calls.end())

    def _show(self, text: str) -> None:
        if text and self.on_text is not None:
            self.handed_on = True
            self.on_text(text)
