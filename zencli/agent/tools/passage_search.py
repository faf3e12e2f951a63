"""Passages of a book that hold terms, found by looking through its files.

Bytes are looked through, not words: twenty-seven megabytes, two thousand chapters, take a tenth of
a second, so there is no index to keep.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from zencli.agent.tools.places import type_of
from zencli.agent.tools.scanning import Found, files_of, paths_of
from zencli.agent.tools.search_terms import STRONG, Term, rarity, weighed
from zencli.store.layout import BookDir

LONGEST = 400
"""Characters of a passage that is shown."""

_FILES = 24
"""Files whose passages are weighed: those that hold the weightiest terms."""

_A_FILE = 3
"""Passages that one file gives."""

_A_TERM = 12
"""Places of one term that are looked at in one file."""


@dataclass(frozen=True)
class Hit:
    """A passage, verbatim: its file, the line it begins in (from 1), and its score, 0 to 1."""

    path: str
    line: int
    text: str
    score: float


def search(book: BookDir, terms: Sequence[Term], types: Sequence[str]) -> list[Hit]:
    """The passages that hold the terms, the best first; ``types`` empty means all."""
    paths = [path for path in paths_of(book) if not types or type_of(path) in types]
    holding = _holding(files_of(book, paths), terms)
    counts = [sum(at in held for _, held in holding) for at in range(len(terms))]
    worth = {
        term.text: term.weight * rarity(count, len(paths))
        for term, count in zip(terms, counts, strict=True)
    }

    def promise(entry: tuple[Found, list[int]]) -> float:
        return sum(worth[terms[at].text] for at in entry[1])

    best = heapq.nlargest(_FILES, holding, key=promise)
    hits = [hit for file, held in best for hit in _hits(file, [terms[at] for at in held], worth)]
    return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.line))


def _holding(files: Iterable[Found], terms: Sequence[Term]) -> list[tuple[Found, list[int]]]:
    """The files that hold terms. Where many hold the strong ones, the others aren't looked at."""
    strong = sum(term.weight >= STRONG for term in terms)
    first, rest = list(enumerate(terms))[:strong], list(enumerate(terms))[strong:]
    every = [(file, _held(file, first)) for file in files]
    found = [entry for entry in every if entry[1]]
    if len(found) >= _FILES:
        found.sort(key=lambda entry: -sum(terms[at].weight for at in entry[1]))
        every = found[: _FILES * 3]
    told = ((file, [*held, *_held(file, rest)]) for file, held in every)
    return [(file, held) for file, held in told if held]


def _held(file: Found, terms: Sequence[tuple[int, Term]]) -> list[int]:
    """Which of the numbered terms stand in a file."""
    data = file.data
    low = data.lower() if any(term.has_case for _, term in terms) else data
    return [at for at, term in terms if term.encoded in (low if term.has_case else data)]


def _hits(file: Found, terms: Sequence[Term], worth: Mapping[str, float]) -> list[Hit]:
    """The best passages of one file."""
    text = file.text
    low = text.lower() if any(term.has_case for term in terms) else text
    same = low if len(low) == len(text) else text
    spans = {_around(text, at) for term in terms for at in _places(same, term.text)}
    found = [
        Hit(file.path, text.count("\n", 0, start) + 1, text[start:end].strip(), score)
        for start, end in _apart(spans)
        if (score := weighed(worth, same[start:end]))
    ]
    return heapq.nlargest(_A_FILE, found, key=lambda hit: hit.score)


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    for _ in range(_A_TERM):
        if at < 0:
            return
        yield at
        at = text.find(part, at + len(part))


def _around(text: str, at: int) -> tuple[int, int]:
    """The line about a place, or of a long one as much as is shown."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    if end - start > LONGEST:
        start = max(start, at - LONGEST // 2)
        end = min(end, start + LONGEST)
    return start, end


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans in order, without those that begin in the one before."""
    last = -1
    for start, end in sorted(spans):
        if start >= last:
            yield start, end
            last = end
