"""Which chapters of the book a chapter must be compared with, by the prints of all before it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from zencli.prose.prints import Prints

RECENT = 5
"""How many chapters before it a chapter is compared with, whatever they have in common."""

_SUSPECTS = 2
_HITS = 4
"""Sampled runs in common that make an older chapter one to compare with: about 32 runs in all."""


class Neighbours(NamedTuple):
    """``older``: chapters before the recent ones that may hold passages of this one, or its first
    or last sentence, ascending. ``seen``: in how many earlier chapters its sentences stand."""

    older: tuple[int, ...] = ()
    seen: Mapping[int, int] = {}


def neighbours(rows: Mapping[int, Prints], number: int, mine: Prints) -> Neighbours:
    """The neighbours of chapter ``number``, whose prints are ``mine``; ``rows`` ascending."""
    before = [n for n in rows if n < number]
    known = frozenset(mine.sentences)
    seen: Counter[int] = Counter()
    for n in before:
        seen.update(known.intersection(rows[n].sentences))
    left = set(mine.grams)
    hits: dict[int, int] = {}
    first = last = None
    for n in reversed(before[:-RECENT]):
        row = rows[n]
        shared = left.intersection(row.grams)
        if shared:
            hits[n] = len(shared)
            left -= shared
        first = n if first is None and mine.first and row.first == mine.first else first
        last = n if last is None and mine.last and row.last == mine.last else last
    return Neighbours(_chosen(hits, (first, last)), dict(seen))


def walk(rows: Mapping[int, Prints], numbers: Iterable[int]) -> Iterator[tuple[int, Neighbours]]:
    """``neighbours`` of many chapters, ascending, each row looked at once.

    What each run of words and each edge was last seen in is remembered on the way.
    """
    order = list(rows)
    wanted = set(numbers)
    seen: Counter[int] = Counter()
    grams: dict[int, int] = {}
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    for place, n in enumerate(order):
        if place > RECENT:
            old = order[place - RECENT - 1]
            grams.update(dict.fromkeys(rows[old].grams, old))
            firsts[rows[old].first] = old
            lasts[rows[old].last] = old
        mine = rows[n]
        if n in wanted:
            hits = Counter(grams[g] for g in mine.grams if g in grams)
            edges = (
                firsts.get(mine.first) if mine.first else None,
                lasts.get(mine.last) if mine.last else None,
            )
            known = {value: seen[value] for value in mine.sentences if value in seen}
            yield n, Neighbours(_chosen(hits, edges), known)
        seen.update(mine.sentences)


def _chosen(hits: Mapping[int, int], edges: Iterable[int | None]) -> tuple[int, ...]:
    many = sorted((n for n in hits if hits[n] >= _HITS), key=lambda n: (-hits[n], -n))
    return tuple(sorted({*many[:_SUSPECTS], *(n for n in edges if n is not None)}))
