"""What the book took: tokens and money, chapter by chapter and role by role."""

from collections.abc import Sequence
from functools import partial

from zencli.export.report.chart import Draw, Drawn
from zencli.export.report.data import ChapterFigures, Spending
from zencli.export.report.over_chapters import stacked
from zencli.export.report.scale import Scale, ticks
from zencli.export.report.svg import (
    WIDE,
    box,
    clean,
    drawing,
    element,
    label,
    rule,
    short_number,
    shortened,
)

Chapters = Sequence[ChapterFigures]
Words = dict[str, str]

MOST_ROLES = 5
"""How many roles have a colour of their own; the rest share one."""

_ROW, _TOP = 26, 26


def layers(spending: Sequence[Spending], words: Words) -> list[tuple[str, str, frozenset[str]]]:
    """The layers of the columns: class, name, and the roles in it. Those that took most first."""
    ranked = [s.role for s in sorted(spending, key=lambda s: (-s.tokens, s.role))]
    found = [
        (f"role{at}", role_name(role, words), frozenset([role]))
        for at, role in enumerate(ranked[:MOST_ROLES])
    ]
    rest = frozenset(ranked[MOST_ROLES:])
    return [*found, ("others", words["others"], rest)] if rest else found


def role_name(role: str, words: Words) -> str:
    """A role in the language of the report, where it has a word for it."""
    return words.get(f"role_{role}", role)


def tokens_by_chapter(
    chapters: Chapters, spending: Sequence[Spending], title: str, words: Words
) -> Draw:
    """The tokens of each chapter's calls, read and written, a layer a role."""
    drawn = [(kind, word, partial(_tokens, roles)) for kind, word, roles in layers(spending, words)]
    return stacked(chapters, title, drawn, mean=True)


def cost_by_chapter(
    chapters: Chapters, spending: Sequence[Spending], title: str, words: Words
) -> Draw:
    """The cost of each chapter's calls, a layer a role."""
    drawn = [(kind, word, partial(_cost, roles)) for kind, word, roles in layers(spending, words)]
    return stacked(chapters, title, drawn, mean=True, shown=".4f")


def by_role(spending: Sequence[Spending], title: str, words: Words) -> Draw:
    """A bar a role: read from the cache, read anew, written; the cost behind it."""

    def draw(width: int) -> Drawn:
        left, right = (160, 80) if width == WIDE else (90, 56)
        marks = ticks(max(s.tokens for s in spending), 5 if width == WIDE else 3, whole=True)
        x = Scale(0, marks[-1], left, width - right)
        height = _TOP + _ROW * len(spending)
        parts = []
        for mark in marks:
            parts.append(rule(x(mark), _TOP - 6, x(mark), height, "grid"))
            parts.append(label(x(mark), 14, short_number(mark)))
        points = []
        for row, one in enumerate(spending):
            y = _TOP + _ROW * row
            parts.append(_bar(one, x, y, left, words))
            points.append((y + _ROW / 2, _told(one, words)))
        return Drawn(drawing(width, height, title, "".join(parts)), points, rows=True)

    return draw


def _bar(one: Spending, x: Scale, y: float, left: float, words: Words) -> str:
    fresh = one.input_tokens - one.cached_tokens
    parts = [
        label(left - 8, y + 15, shortened(role_name(one.role, words), left - 12), "end", "name")
    ]
    at = 0
    parted = (("cached", one.cached_tokens), ("fresh", fresh), ("written", one.output_tokens))
    for kind, tokens in parted:
        parts.append(box(x(at), y + 2, x(at + tokens) - x(at), _ROW - 8, kind))
        at += tokens
    if one.cost is not None:
        parts.append(label(x(at) + 6, y + 15, f"{one.cost:.4f}", "start", "name"))
    return element("g", element("title", clean(_told(one, words))) + "".join(parts))


def _told(one: Spending, words: Words) -> str:
    told = [
        f"{words['calls']} {one.calls:,}",
        f"{words['input']} {one.input_tokens:,}",
        f"{words['cached']} {one.cached_tokens:,}",
        f"{words['output']} {one.output_tokens:,}",
    ]
    if one.cost is not None:
        told.append(f"{words['cost']} {one.cost:.4f}")
    return f"{role_name(one.role, words)}: {words['between'].join(told)}"


def _tokens(roles: frozenset[str], chapter: ChapterFigures) -> float:
    return sum(s.tokens for s in chapter.spent if s.role in roles)


def _cost(roles: frozenset[str], chapter: ChapterFigures) -> float:
    return sum(s.cost or 0.0 for s in chapter.spent if s.role in roles)
