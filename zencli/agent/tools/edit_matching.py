"""Finding the place that an edit means: exactly, by quotation marks alike, or by its words."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from zencli.agent.tools.quote_marks import without_difference
from zencli.prose.segment import Span

How: TypeAlias = Literal["exact", "quotes", "words"]
_LEAST_WORDS = 6
"""Characters, marks and space aside, of a passage that may be found by its words."""

_MOST = 1000


@dataclass(frozen=True)
class Match:
    """All places of one kind, in order."""

    spans: tuple[Span, ...] = ()
    how: How = "exact"


def find(text: str, wanted: str, *, exact: bool, guess: bool) -> Match:
    """Where ``wanted`` stands in the text.

    ``exact``: as it is and not otherwise. Else quotation marks count as alike, and with ``guess``
    marks and white space count for nothing in a passage of six characters or more.
    """
    found = _all(text, wanted)
    if found or exact:
        return Match(found)
    found = _all(without_difference(text), without_difference(wanted))
    if found or not guess:
        return Match(found, "quotes")
    return Match(_by_words(text, wanted), "words")


def _all(text: str, wanted: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(spans) < _MOST:
        spans.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return tuple(spans)


def _by_words(text: str, wanted: str) -> tuple[Span, ...]:
    bare = "".join(letter for letter in wanted if letter.isalnum())
    if len(bare) < _LEAST_WORDS:
        return ()
    dense, places = _dense(text)
    ahead, behind = _edges(wanted)
    return tuple(
        _widened(text, (places[start], places[end - 1] + 1), ahead, behind)
        for start, end in _all(dense, bare)
        if _whole_words(text, places[start], places[end - 1] + 1)
    )


@lru_cache(maxsize=4)
def _dense(text: str) -> tuple[str, tuple[int, ...]]:
    """The letters and digits of a text, and where each of them stands."""
    places = tuple(at for at, letter in enumerate(text) if letter.isalnum())
    return "".join(text[at] for at in places), places


def _edges(wanted: str) -> tuple[int, int]:
    """How many marks the passage has before its first letter and after its last."""
    stripped = wanted.strip()
    at = [place for place, letter in enumerate(stripped) if letter.isalnum()]
    return at[0], len(stripped) - at[-1] - 1


def _widened(text: str, span: Span, ahead: int, behind: int) -> Span:
    """The span with as many of the marks about it as the wanted passage has."""
    start, end = span
    while ahead and start and _is_mark(text[start - 1]):
        start, ahead = start - 1, ahead - 1
    while behind and end < len(text) and _is_mark(text[end]):
        end, behind = end + 1, behind - 1
    return start, end


def _is_mark(letter: str) -> bool:
    return not letter.isalnum() and not letter.isspace()


def _whole_words(text: str, start: int, end: int) -> bool:
    """Whether a passage doesn't begin or end within a word of an alphabet."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (_in_word(before, text[start]) or _in_word(text[end - 1], after))


def _in_word(left: str, right: str) -> bool:
    return bool(left and right) and all(c.isalnum() and c < "\u2e80" for c in (left, right))
