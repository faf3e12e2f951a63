"""The story so far in tiers: chapters, arcs, volumes, folded from the chapters' own summaries.

Nothing is stored and nothing replaces a record: a tier is made from the state, so that it holds
what the chapters before hold and no more. Each sentence names its chapter, and carries the sentence
of the chapter that it rests on.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zencli.story.book import Language
from zencli.story.labels import chapter_word
from zencli.story.state import FactState, State, Summary

ARC = 10
"""Chapters of an arc where the outline has none."""

VOLUME_ARCS = 5
"""Arcs of a volume where the outline has none."""

ARC_SENTENCES = 3
VOLUME_SENTENCES = 4
SENTENCE_CHARS: dict[Language, int] = {"zh": 48, "en": 140}
QUOTE_CHARS: dict[Language, int] = {"zh": 20, "en": 60}

PAID, PLANTED, SETTLED = 4.0, 2.0, 1.0
"""What a chapter weighs: for each hook that it pays or plants, each fact that it settles."""

_FIRST = re.compile(r".*?(?:[。！？；]|[.!?;](?=\s|$))", re.S)


@dataclass(frozen=True)
class Arc:
    """Chapters that belong together, as the outline or the count of ten divides them."""

    first: int
    last: int
    title: str = ""


@dataclass(frozen=True)
class Volume:
    """Arcs that belong together."""

    title: str
    arcs: tuple[Arc, ...]

    @property
    def first(self) -> int:
        return self.arcs[0].first

    @property
    def last(self) -> int:
        return self.arcs[-1].last


@dataclass(frozen=True)
class Tier:
    """An arc or a volume in a few sentences."""

    first: int
    last: int
    title: str
    text: str


def divided(volumes: Sequence[Volume], latest: int) -> list[Volume]:
    """The volumes of the outline, and even ones for the chapters up to ``latest`` beyond them."""
    known = [volume for volume in volumes if volume.arcs]
    following = max((volume.last for volume in known), default=0) + 1
    made = list(known)
    while following <= latest:
        firsts = range(following, following + ARC * VOLUME_ARCS, ARC)
        made.append(Volume("", tuple(Arc(first, first + ARC - 1) for first in firsts)))
        following += ARC * VOLUME_ARCS
    return made


class Fold:
    """Folds a state's chapter summaries into arcs and volumes.

    A chapter weighs by the hooks that it plants and pays, and within an arc by the facts it settles
    too. ``written`` are summaries of whole arcs by a model, by first and last chapter; ``allowed``
    says which chapters may be told of.
    """

    def __init__(
        self,
        state: State,
        language: Language,
        written: Mapping[tuple[int, int], str] | None = None,
        allowed: Callable[[int], bool] | None = None,
    ) -> None:
        self._language: Language = language
        self._summaries = {s.number: s for s in state.summaries}
        self._allowed = allowed
        self._facts = state.facts
        self._weights: dict[int, float] = defaultdict(float)
        self._quotes: dict[int, str] = {}
        self._written = written or {}
        for hook in state.hooks.values():
            if hook.planted:
                self._weights[hook.planted] += PLANTED
                if hook.quote:
                    self._quotes.setdefault(hook.planted, hook.quote)
            if hook.status == "paid":
                self._weights[hook.last] += PAID

    def arc(self, arc: Arc, before: int) -> Tier | None:
        """An arc in its weightiest chapters, the last one among them; None without a summary.

        Only chapters before ``before`` count. Where a model has written the summary of the whole
        arc, that stands instead.
        """
        last = min(arc.last, before - 1)
        text = self._written.get((arc.first, last))
        if not text:
            told = self._told(arc.first, last)
            if len(told) > ARC_SENTENCES:
                best = sorted(told[:-1], key=self._rank_within, reverse=True)
                told = sorted([*best[: ARC_SENTENCES - 1], told[-1]])
            text = self._joined(told)
        return Tier(arc.first, last, arc.title, text) if text else None

    def volume(self, volume: Volume) -> Tier | None:
        """A volume in the weightiest chapter of each of its weightiest arcs."""
        arcs = (self._told(arc.first, arc.last) for arc in volume.arcs)
        heavy = [max(told, key=self._rank) for told in arcs if told]
        chosen = sorted(heavy, key=self._rank, reverse=True)[:VOLUME_SENTENCES]
        text = self._joined(sorted(chosen))
        return Tier(volume.first, volume.last, volume.title, text) if text else None

    def _told(self, first: int, last: int) -> list[int]:
        known = (self._summaries.get(number) for number in range(first, last + 1))
        told = [summary.number for summary in known if summary is not None and summary.text]
        return told if self._allowed is None else list(filter(self._allowed, told))

    def _rank(self, number: int) -> tuple[float, int]:
        return self._weights.get(number, 0.0), number

    def _rank_within(self, number: int) -> tuple[float, int]:
        return self._weights.get(number, 0.0) + SETTLED * len(self._facts_of(number)), number

    def _facts_of(self, number: int) -> Sequence[FactState]:
        """The facts of a chapter; they stand in the order of the chapters, an author's aside."""
        start = bisect_left(self._facts, number, key=lambda fact: fact.chapter)
        end = bisect_right(self._facts, number, key=lambda fact: fact.chapter)
        return [fact for fact in self._facts[start:end] if fact.chapter == number]

    def _joined(self, numbers: Iterable[int]) -> str:
        gap = "" if self._language == "zh" else " "
        return gap.join(self._sentence(self._summaries[number]) for number in numbers)

    def _quote(self, number: int) -> str:
        facts = (fact.quote for fact in self._facts_of(number) if fact.quote)
        return self._quotes.get(number) or next(facts, "")

    def _sentence(self, summary: Summary) -> str:
        said = cut(first_sentence(summary.text), SENTENCE_CHARS[self._language])
        return quoted_sentence(said, summary.number, self._quote(summary.number), self._language)


def quoted_sentence(said: str, chapter: int, quote: str, language: Language) -> str:
    """A sentence with its chapter and the sentence that it rests on, shortened."""
    said, where = said.strip().rstrip("。.;； "), chapter_word(chapter, language)
    if language == "zh":
        words = f"「{cut(quote, QUOTE_CHARS['zh'])}」" if quote else ""
        return f"{said}（{where}{words and '：'}{words}）。"
    words = f"“{cut(quote, QUOTE_CHARS['en'])}”" if quote else ""
    return f"{said} ({where.lower()}{words and ': '}{words})."


def first_sentence(text: str) -> str:
    """The first sentence of a summary."""
    found = _FIRST.match(text)
    return found.group().strip() if found else text.strip()


def cut(text: str, most: int) -> str:
    """The text in one line, with an ellipsis where it is longer than ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
