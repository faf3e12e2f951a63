"""What a run tells whoever watches it; the command line turns events into progress."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from zencli.llm.recorded import CallDone


@dataclass(frozen=True)
class StepStarted:
    """A step of the work begins; ``chapter`` is None outside of chapters."""

    step: str
    chapter: int | None = None
    target_words: int | None = None


@dataclass(frozen=True)
class TextPiece:
    """A piece of prose as it is written."""

    text: str


@dataclass(frozen=True)
class Notice:
    """Something the author should know, in one sentence."""

    text: str


@dataclass(frozen=True)
class ChapterDone:
    """A chapter was committed or judged; ``place`` is where a range stands: ``3 of 20``."""

    number: int
    title: str
    words: int
    unit: str
    status: str
    place: str = ""


Event: TypeAlias = StepStarted | TextPiece | Notice | ChapterDone | CallDone
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """A listener for callers that don't watch."""
