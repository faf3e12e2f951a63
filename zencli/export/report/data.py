"""What a report is made of. Plain data: whoever has a book collects it."""

from dataclasses import dataclass, field

from zencli.story.book import Language
from zencli.story.state import HookStatus


@dataclass(frozen=True)
class ChapterFigures:
    """The numbers of one chapter.

    ``words`` in the unit of the language; ``repetition``, ``overlap`` and ``dialogue_share`` shares
    from 0 to 1; ``variation`` the sentences' deviation over their mean; ``ai_score`` weight per
    thousand units. ``time`` is the story's time after it, empty when unknown. Tokens are those of
    the calls that made it; ``cost`` is None when no price is known.
    """

    number: int
    title: str
    words: int
    target: int
    status: str = "drafted"
    critical: int = 0
    warnings: int = 0
    info: int = 0
    repetition: float = 0.0
    overlap: float = 0.0
    variation: float = 0.0
    ai_score: float = 0.0
    dialogue_share: float = 0.0
    time: str = ""
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class Lifeline:
    """A hook from planting to payoff, by chapter; 0 where something hasn't happened or isn't set.

    ``moves`` are the chapters that advanced it. ``overdue``: unpaid after its ``due`` chapter.
    """

    id: str
    promise: str
    kind: str
    status: HookStatus
    planted: int
    last: int
    due: int
    overdue: bool
    moves: tuple[int, ...] = ()


@dataclass(frozen=True)
class OnStage:
    """Where a character appears: ``acts`` are chapters that have him on stage, ``named`` those
    that only name him."""

    name: str
    acts: frozenset[int]
    named: frozenset[int]


@dataclass(frozen=True)
class Spending:
    """What the calls of one role took; ``cost`` is None when no price is known."""

    role: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True)
class Band:
    """Where human novels stand in a measure: from ``low`` to ``high``."""

    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """A table of the book's state: its heading and rows, the first row the column names."""

    heading: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ReportData:
    """All of a report.

    ``facts`` are label and value pairs for its head. ``repetition_band`` and ``ai_band`` are the
    ranges of human novels. ``made`` is the date as it is printed.
    """

    title: str
    book_id: str
    language: Language
    made: str
    facts: tuple[tuple[str, str], ...] = ()
    chapters: tuple[ChapterFigures, ...] = ()
    hooks: tuple[Lifeline, ...] = ()
    people: tuple[OnStage, ...] = ()
    spending: tuple[Spending, ...] = ()
    standing: tuple[Standing, ...] = ()
    repetition_band: Band = field(default_factory=lambda: Band(0.0, 1.0))
    ai_band: Band = field(default_factory=lambda: Band(0.0, 4.5))
