"""What a question is searched for by: its words, its names, and pairs of Chinese characters."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from zencli.prose.count import HAN
from zencli.store.layout import BookDir
from zencli.story.documents.cards import parse_card

MOST = 10
_LONGEST_WORD = 4
"""Characters of a Chinese run that is taken as one word besides its pairs."""

STRONG = 1.5
"""The weight of a word; names and phrases weigh more, parts of words less."""

_NAME, _WHOLE, _PAIR, _BETWEEN = 3.0, 2.0, 0.6, 0.4
_RUN = re.compile(f"[{HAN}]+")
_LATIN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_QUOTED = re.compile('[“"「『]([^”"」』]{2,60})[”"」』]')
_EMPTY = re.compile(
    "[的了着过是在有和与就都也还又很把被给让对从到这那哪么什吗呢吧啊谁怎为何请找出里说]+"
)
_STOP = re.compile(
    r"(?:an?|and|are|as|at|be|but|by|did|do|does|for|from|ha[ds]|have|he|her|hi[ms]|how|i[nst]?|its"
    r"|of|on|or|she|that|the|their|them|then|there|they|this|to|was|we|were|what|when|where|which"
    r"|who|why|will|with|you)",
    re.I,
)


@dataclass(frozen=True)
class Term:
    """Something that is looked for, in lower case, and how much it weighs.

    Latin letters match in any case, which costs a little: ``has_case`` says whether it has any.
    """

    text: str
    weight: float

    @cached_property
    def encoded(self) -> bytes:
        return self.text.encode("utf-8", "replace")

    @cached_property
    def has_case(self) -> bool:
        return self.text.upper() != self.text


def terms_of(query: str, names: Iterable[str]) -> list[Term]:
    """The terms of a query, the weightiest first. ``names`` are those that the book knows."""
    found: dict[str, float] = {}

    def add(text: str, weight: float) -> None:
        key = text.lower()
        found[key] = max(weight, found.get(key, 0.0))

    low = query.casefold()
    rest = query
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 1 and name.casefold() in low:
            add(name, _NAME)
            rest = rest.replace(name, " ")
    for phrase in _QUOTED.findall(query):
        add(phrase.strip(), _WHOLE)
    latin = [word for word in _LATIN.findall(_RUN.sub(" ", rest)) if len(word) > 1]
    kept = [word for word in latin if not _STOP.fullmatch(word)]
    for word in kept or latin:
        add(word, STRONG)
    for run in _RUN.findall(rest):
        for part in _EMPTY.split(run) if len(run) > _LONGEST_WORD else [run]:
            _add_part(part, add)
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return [Term(text, weight) for text, weight in ranked[:MOST] if text.strip()]


def _add_part(part: str, add: Callable[[str, float], None]) -> None:
    """A run of Chinese between empty words: a short one is a word, a long one is many pairs.

    The pairs that cover it once weigh more than those in between, so that all of it is looked for.
    """
    if len(part) <= _LONGEST_WORD:
        add(part, STRONG if len(part) > 1 else _PAIR)
    if len(part) > 2:
        for at in range(len(part) - 1):
            add(part[at : at + 2], _BETWEEN if at % 2 else _PAIR)


def rarity(count: int, files: int) -> float:
    """How much a term tells that stands in ``count`` of so many files."""
    return math.log2(2 + files / (1 + count))


def weighed(worth: Mapping[str, float], low: str) -> float:
    """How well a passage (in lower case) answers, 0 to 1: the share of what the terms are worth.

    A term that stands there twice counts a little more than once.
    """
    got = 0.0
    for term, value in worth.items():
        times = low.count(term)
        if times:
            got += value * (0.85 if times == 1 else 1.0)
    return got / sum(worth.values())


def names_on_cards(book: BookDir) -> list[str]:
    """Everything that the people of the cards are called. Raises DamagedError ``book.damaged``."""
    cards = [parse_card(text) for text in book.cards().values()]
    return [name for card in cards for name in (card.name, *card.aliases) if name]
