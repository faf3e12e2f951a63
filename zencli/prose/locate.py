"""Finding a quotation in the text it was taken from, exactly or not at all."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from zencli.prose.segment import Span, script, sentence_spans

_MIN_QUOTE = 2
_QUOTATION_MARKS = "\"'“”„‟‘’‚‛「」『』﹁﹂﹃﹄«»‹›＂＇｢｣`"
_ALIKE = {
    **{ord(mark): '"' for mark in _QUOTATION_MARKS},
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "＂＇"},
    ord("⋯"): "…",
    ord("。"): ".",
    ord("｡"): ".",
    ord("、"): ",",
    ord("､"): ",",
    ord("―"): "—",
    ord("–"): "—",
    ord("〜"): "~",
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF), ""),
}
_GAP = re.compile(r"\s+")
_WIDE_FROM = "\u2e80"
_CLAUSE_END = re.compile(r"[。！？…；，、：,.;:!?“”\"「」『』‘’]+")
_MIN_CLAUSE = 18
"""Characters, about three words; a third of it in Chinese."""


def locate(text: str, quote: str) -> str | None:
    """The words of the text that the quotation gives, as they stand in the text, else None.

    An exact match wins. Otherwise white space, quotation marks and full or half width may differ,
    nothing else: a wrong or missing word is never forgiven. The first place is taken when there
    are several; a quotation under two characters is too short to prove anything.
    """
    found = next(occurrences(text, quote), None)
    return None if found is None else text[found[0] : found[1]]


def locate_part(text: str, quote: str) -> str | None:
    """``locate``, or else the longest clause of the quotation that stands in the text.

    Models join two places into one quotation, or put their own words between two right ones. What
    is returned is verbatim all the same. A clause must be at least ``_MIN_CLAUSE`` long to count.
    """
    whole = locate(text, quote)
    if whole is not None:
        return whole
    clauses = sorted((part.strip() for part in _CLAUSE_END.split(quote)), key=len, reverse=True)
    for clause in clauses:
        if len(clause) < (_MIN_CLAUSE if clause[:1] < _WIDE_FROM else _MIN_CLAUSE // 3):
            continue
        found = locate(text, clause)
        if found is not None:
            return found
    return None


def occurrences(text: str, quote: str) -> Iterator[Span]:
    """Every place where the quotation stands (overlapping ones too): the exact ones if there are
    any, else those that differ only as ``locate`` allows."""
    quote = quote.strip()
    if len(quote) < _MIN_QUOTE:
        return
    at = text.find(quote)
    if at >= 0:
        while at >= 0:
            yield at, at + len(quote)
            at = text.find(quote, at + 1)
        return
    yield from _alike(text, quote)


def _alike(text: str, quote: str) -> Iterator[Span]:
    wanted = _folded(quote)[0]
    folded, starts, ends = _folded(text)
    if len(wanted) < _MIN_QUOTE:
        return
    at = folded.find(wanted)
    while at >= 0:
        yield starts[at], ends[at + len(wanted) - 1]
        at = folded.find(wanted, at + 1)


@lru_cache(maxsize=8)
def _folded(text: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The text with its variants unified, and where each of its characters starts and ends.

    White space becomes one space between two Latin letters or digits and nothing elsewhere, so
    that ``a nice`` and ``an ice`` stay apart. Two stops or more in a row become one ellipsis.
    """
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    gap = False
    for place, character in enumerate(text):
        alike = _ALIKE.get(ord(character), character)
        if character.isspace() or not alike:
            gap = gap or bool(alike)
            continue
        if not gap and out and alike in ".…" and out[-1] in ".…":
            out[-1] = "…"
            ends[-1] = place + 1
            continue
        if gap and out and _narrow(out[-1]) and _narrow(alike):
            out.append(" ")
            starts.append(ends[-1])
            ends.append(place)
        gap = False
        out.append(alike)
        starts.append(place)
        ends.append(place + 1)
    return "".join(out), tuple(starts), tuple(ends)


def _narrow(character: str) -> bool:
    return character < _WIDE_FROM and character.isalnum()


def line_and_column(text: str, quote: str) -> tuple[int, int] | None:
    """Where the quotation begins: line and column, both from 1, columns in characters."""
    found = next(occurrences(text, quote), None)
    if found is None:
        return None
    before = text[: found[0]]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def nearest(text: str, quote: str, n: int = 3) -> list[str]:
    """Up to ``n`` passages of the text that share most pairs of characters with the quotation,
    best first, verbatim, each of as many sentences as the quotation has.

    For messages only: what comes back isn't the quotation, and nothing is ever replaced by it.
    """
    wanted, language = _pairs(quote), script(text)
    if not wanted:
        return []
    spans = sentence_spans(text, language)
    length = max(1, len(sentence_spans(quote, language)))
    starts = range(max(1, len(spans) - length + 1)) if spans else ()
    passages = [(spans[i][0], spans[min(i + length, len(spans)) - 1][1]) for i in starts]
    scored = [(_shared(wanted, _pairs(text[a:b])), a, b) for a, b in passages]
    found: list[Span] = []
    for score, start, end in sorted(scored, key=lambda s: (-s[0], s[1])):
        if not score or len(found) == n:
            break
        if all(end <= left or right <= start for left, right in found):
            found.append((start, end))
    return [text[start:end] for start, end in found]


def _shared(wanted: Counter[str], pairs: Counter[str]) -> float:
    """The pairs that both have, as a share of all (Dice), 0 to 1."""
    return 2 * (wanted & pairs).total() / (wanted.total() + pairs.total())


def _pairs(text: str) -> Counter[str]:
    dense = _GAP.sub("", text)
    return Counter(dense[i : i + 2] for i in range(len(dense) - 1))
