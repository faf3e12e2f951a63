"""Sections of a book that are near to a question in meaning, where embeddings are configured."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import mul

from zencli.agent.tools.scanning import Found
from zencli.agent.tools.vector_cache import keep_vectors, key_of, load_vectors
from zencli.llm.embeddings import Embeddings, Vector
from zencli.store.layout import BookDir

SECTION = 900
"""Characters of a section, about."""

MOST_NEW = 640
"""Sections that one search has embedded; a long book is taken in by several searches."""

_NEAREST = 12
_COARSE = 192
"""Numbers of a vector by which the many are sifted before the few are compared in full."""

_SIFTED = 200


@dataclass(frozen=True)
class Section:
    """A piece of a file, verbatim, and the line it begins in."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Near:
    """Sections near to the question, each with how near, 0 to 1; ``left`` aren't embedded yet."""

    sections: tuple[tuple[Section, float], ...]
    left: int = 0


def nearest(book: BookDir, files: Iterable[Found], query: str, embeddings: Embeddings) -> Near:
    """The sections nearest to the query. Raises ``ModelError``."""
    sections = [section for file in files for section in _sections(file)]
    keys = [key_of(embeddings.name, section.text) for section in sections]
    known = load_vectors(book, dict.fromkeys(keys))
    missing = {k: s.text for k, s in zip(keys, sections, strict=True) if k not in known}
    new = dict(list(missing.items())[:MOST_NEW])
    (wanted, *made) = embeddings.vectors([query, *new.values()])
    fresh = dict(zip(new, made, strict=True))
    if fresh:
        keep_vectors(book, fresh, keys)
    known |= fresh
    pairs = [
        (section, known[key])
        for key, section in zip(keys, sections, strict=True)
        if key in known and len(known[key]) == len(wanted)
    ]
    return Near(tuple(_ranked(wanted, pairs)), len(missing) - len(new))


def _ranked(wanted: Vector, pairs: Sequence[tuple[Section, Vector]]) -> list[tuple[Section, float]]:
    """The nearest ones. How near is counted from the average: models differ in what is far."""
    front = wanted[:_COARSE]
    coarse = [(sum(map(mul, front, vector)), at) for at, (_, vector) in enumerate(pairs)]
    sifted = heapq.nlargest(_SIFTED, coarse)
    full = [(sum(map(mul, wanted, pairs[at][1])), at) for _, at in sifted]
    best = heapq.nlargest(_NEAREST, full)
    if not best:
        return []
    average = sum(value for value, _ in full) / len(full)
    span = max(best[0][0] - average, 1e-6)
    return [
        (pairs[at][0], max(0.0, min(1.0, (value - average) / span)) * max(0.0, best[0][0]))
        for value, at in best
        if value > average or len(pairs) == 1
    ]


def _sections(file: Found) -> Iterator[Section]:
    """Whole lines together, up to the size of a section; a longer line is a section of its own."""
    held: list[str] = []
    size = first = 0
    for number, line in enumerate(file.text.split("\n"), 1):
        if held and size + len(line) > SECTION:
            yield Section(file.path, first, "\n".join(held).strip())
            held, size = [], 0
        if line.strip():
            first = first if held else number
            held.append(line)
            size += len(line)
        elif held:
            held.append(line)
    if held:
        yield Section(file.path, first, "\n".join(held).strip())
