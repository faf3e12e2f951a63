"""Repetition within a chapter and against earlier ones, by runs of words (n-grams).

Measured on human novels with these sizes: 0.2 to 1.0 % of the 6-grams of a Chinese chapter and 0.3
to 0.6 % of the 4-grams of an English one have stood before in it; text that loops reaches 10 to 50.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, repeat

from zencli.prose.count import HAN
from zencli.prose.segment import Span, paragraph_spans, sentence_spans
from zencli.story.book import Language

SHORT = {"zh": 6, "en": 4}
"""Words in the runs that are compared within one chapter."""
LONG = {"zh": 12, "en": 8}
"""Words in the runs that are compared between chapters; shorter sentences aren't listed."""

_WORD = {
    "zh": re.compile(f"[{HAN}]|[A-Za-z0-9]+"),
    "en": re.compile(r"[^\W_]+(?:['’-][^\W_]+)*"),
}
_ZH_RUN = re.compile(f"[{HAN}]+|[A-Za-z0-9]+")


@lru_cache(maxsize=24)
def words_of(text: str, language: Language) -> tuple[str, ...]:
    """The words of the prose as they are compared: in lower case, without punctuation."""
    word = _ZH_RUN if language == "zh" else _WORD[language]
    found = [w for start, end in paragraph_spans(text) for w in word.findall(text, start, end)]
    if language == "en":
        return tuple("\n".join(found).lower().replace("’", "'").split("\n")) if found else ()
    return tuple(_taken_apart(found))


def _taken_apart(runs: Iterable[str]) -> list[str]:
    """The words of runs of characters; each of the latter is a word."""
    words: list[str] = []
    for run in runs:
        words.extend(run if run[0] > "z" else (run.lower(),))
    return words


def _words(text: str, span: Span, language: Language) -> list[str]:
    if language == "zh":
        return _taken_apart(_ZH_RUN.findall(text, *span))
    return [word.lower() for word in _WORD[language].findall(text, *span)]


@lru_cache(maxsize=4)
def _places(text: str, language: Language) -> tuple[Span, ...]:
    """Where each of ``words_of`` stands."""
    word = _WORD[language]
    return tuple(
        match.span()
        for start, end in paragraph_spans(text)
        for match in word.finditer(text, start, end)
    )


def _grams(words: Sequence[str], n: int) -> list[int]:
    """A hash of each run of ``n`` words: runs are many, and only compared."""
    return list(map(hash, zip(*(words[i:] for i in range(n)), strict=False)))


@lru_cache(maxsize=24)
def _long_grams(text: str, language: Language) -> list[int]:
    """``LONG`` is twice ``SHORT``: each run is two short ones, one after the other."""
    short = _short_grams(text, language)
    return list(map(hash, zip(short, short[SHORT[language] :], strict=False)))


@lru_cache(maxsize=24)
def _long_set(text: str, language: Language) -> frozenset[int]:
    return frozenset(_long_grams(text, language))


def _shared(text: str, previous: Sequence[str], language: Language) -> frozenset[int]:
    """The long runs of a text that an earlier one has."""
    mine = _long_set(text, language)
    return frozenset().union(*(mine & _long_set(earlier, language) for earlier in previous))


@lru_cache(maxsize=24)
def long_sentences(text: str, language: Language) -> dict[str, Span]:
    """Where each sentence of 12 characters (zh), 8 words (en) or more first stands, by its words
    with a space between them."""
    found: dict[str, Span] = {}
    least = LONG[language]
    for start, end in sentence_spans(text, language):
        words = _words(text, (start, end), language) if end - start >= least else []
        if len(words) >= least:
            found.setdefault(" ".join(words).replace("’", "'"), (start, end))
    return found


@lru_cache(maxsize=4)
def _short_grams(text: str, language: Language) -> list[int]:
    return _grams(words_of(text, language), SHORT[language])


def repetition(text: str, language: Language) -> float:
    """The share of runs (6 characters zh, 4 words en) that stood in the text before, 0 to 1."""
    grams = _short_grams(text, language)
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def overlap(text: str, previous: Sequence[str], language: Language) -> float:
    """The share of runs (12 characters zh, 8 words en) that stand in an earlier text, 0 to 1."""
    grams = _long_grams(text, language)
    shared = _shared(text, previous, language)
    flags = list(map(shared.__contains__, grams))
    return flags.count(True) / len(grams) if shared else 0.0


class RecentRuns:
    """The runs of texts that come one after the other, to measure each against the last ones."""

    def __init__(self, language: Language, most: int) -> None:
        self._language = language
        self._most = most
        self._seen: dict[int, int] = {}
        self._count = 0

    def overlap(self, text: str) -> float:
        """``overlap`` of the next text with at most the ``most`` before it; it is remembered."""
        grams = _long_grams(text, self._language)
        oldest = max(0, self._count - self._most)
        places = map(self._seen.get, grams, repeat(-1))
        found = [place for place in places if place >= oldest]
        self._seen.update(zip(grams, repeat(self._count)))
        self._count += 1
        return len(found) / len(grams) if grams else 0.0


def repeated_spans(text: str, language: Language, least: int) -> list[Span]:
    """Passages of at least ``least`` words that stood in the text before, the longest first."""
    n = min(SHORT[language], least)
    short = n == SHORT[language]
    grams = _short_grams(text, language) if short else _grams(words_of(text, language), n)
    first = dict(zip(reversed(grams), range(len(grams) - 1, -1, -1), strict=True))
    again = sorted(set(range(len(grams))).difference(first.values()))
    return _runs(text, language, again, n, least)


def overlapping_spans(
    text: str, previous: Sequence[str], language: Language, least: int = 0
) -> list[Span]:
    """Passages of at least ``least`` words that stand in an earlier text, the longest first."""
    n = LONG[language]
    shared = _shared(text, previous, language)
    again = [i for i, g in enumerate(_long_grams(text, language)) if g in shared]
    return _runs(text, language, again, n, least)


def _runs(text: str, language: Language, again: list[int], n: int, least: int) -> list[Span]:
    """Passages of at least ``least`` words; their runs of ``n`` begin at ``again``, ascending."""
    ends = [b for b, following in pairwise([*again, -1]) if following != b + 1]
    begins = [b for before, b in pairwise([-2, *again]) if before + 1 != b]
    long = [(a, b + n - 1) for a, b in zip(begins, ends, strict=True) if b + n - a >= least]
    places = _places(text, language) if long else ()
    return [(places[a][0], places[b][1]) for a, b in sorted(long, key=lambda r: r[0] - r[1])]


def run_count(text: str, language: Language, *, within: bool) -> int:
    """How many runs the shares are taken of: short ones (``repetition``) or long (``overlap``)."""
    n = (SHORT if within else LONG)[language]
    return max(0, len(words_of(text, language)) - n + 1)
