"""What a report is made of. Plain data: whoever has a book collects it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from zencli.story.book import Language
from zencli.story.state import HookStatus


@dataclass(frozen=True)
class ChapterFigures:
    """The numbers of one chapter.

    ``words`` in the unit of the language; ``flags`` say what is odd, as ``stale`` or ``unsettled``;
    ``repetition``, ``overlap`` and ``dialogue_share`` shares from 0 to 1; ``variation`` the
    sentences' deviation over their mean; ``ai_score`` weight per thousand units. ``time`` is the
    story's time after it, empty when unknown. ``spent`` is what the calls that made it took, by
    role.
    """

    number: int
    title: str
    words: int
    target: int
    status: str = "drafted"
    flags: tuple[str, ...] = ()
    critical: int = 0
    warnings: int = 0
    info: int = 0
    repetition: float = 0.0
    overlap: float = 0.0
    variation: float = 0.0
    ai_score: float = 0.0
    dialogue_share: float = 0.0
    time: str = ""
    spent: "tuple[Spending, ...]" = ()


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


@dataclass(frozen=True, slots=True)
class Spending:
    """What the calls of one role took; ``cost`` is None when no price is known.

    ``cached_tokens`` are a part of ``input_tokens``.
    """

    role: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def tokens(self) -> int:
        """All that was read and written."""
        return self.input_tokens + self.output_tokens


def sum_of(role: str, spending: Iterable[Spending]) -> Spending:
    """Several put together under one name."""
    parts = list(spending)
    costs = [part.cost for part in parts if part.cost is not None]
    return Spending(
        role,
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost=sum(costs) if costs else None,
    )


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
    ai_band: Band = field(default_factory=lambda: Band(0.0, 2.0))
