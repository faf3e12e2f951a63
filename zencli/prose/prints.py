"""What an index keeps of a chapter, so that later ones are compared with it without reading it.

The numbers are the same in every process and small: 32 bits for a sentence, and for one run of
words in ``SAMPLED``. Two chapters that share a passage share about one in eight of its runs; which
passage it is, the texts themselves say.
"""

import zlib
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from zencli.prose.repeat import LONG, long_sentences, words_of
from zencli.prose.segment import ending, opening, sentences
from zencli.story.book import Language

SAMPLED = 8
"""One run of words in so many is kept."""


class Prints(NamedTuple):
    """``sentences`` and ``grams`` ascending, each once; ``first`` and ``last`` are of the first and
    the last sentence, 0 when it is too short to tell anything."""

    sentences: Sequence[int] = ()
    grams: Sequence[int] = ()
    first: int = 0
    last: int = 0


def prints(text: str, language: Language) -> Prints:
    """The prints of a chapter's prose."""
    return Prints(
        sentences=tuple(sorted({print_of(key) for key in long_sentences(text, language)})),
        grams=tuple(sorted(_grams(text, language))),
        first=_edge(opening(text), language, 0),
        last=_edge(ending(text), language, -1),
    )


def print_of(words: str) -> int:
    """32 bits that stand for these words."""
    return zlib.crc32(words.encode())


def _grams(text: str, language: Language) -> set[int]:
    """Of the runs of ``LONG`` characters (zh) or words (en) those whose print ends in 0."""
    tokens = words_of(text, language)
    n, crc = LONG[language], zlib.crc32
    if language == "zh":
        data, size = "".join(tokens).encode("utf-32-le"), 4 * n
        values = [crc(data[at : at + size]) for at in range(0, len(data) - size + 1, 4)]
    else:
        starts = [0, *accumulate(len(token.encode()) + 1 for token in tokens)]
        data = " ".join(tokens).encode() + b" "
        values = [crc(data[a:b]) for a, b in zip(starts, starts[n:], strict=False)]
    return {value for value in values if not value % SAMPLED}


def _edge(passage: str, language: Language, which: int) -> int:
    found = sentences(passage, language)
    if not found:
        return 0
    words = words_of(found[which], language)
    return print_of(" ".join(words)) if len(words) >= LONG[language] * 2 // 3 else 0
