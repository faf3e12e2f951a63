"""Sections with a budget in tokens: rank, trim, never raise, and say what was cut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """One part of what a model sees.

    ``tokens`` is an estimate, ``items`` what went in, ``cut`` what was left out, ``why`` one
    sentence.
    """

    name: str
    tokens: int
    items: int
    cut: int = 0
    why: str = ""


def fit_items(
    items: Sequence[str], limit: int, estimate: Callable[[str], int]
) -> tuple[list[str], int]:
    """As many leading items as fit into ``limit`` tokens, and how many were left out."""
    kept: list[str] = []
    used = 0
    for item in items:
        cost = estimate(item) + 2
        if used + cost > limit and kept:
            break
        kept.append(item)
        used += cost
    return kept, len(items) - len(kept)


def fit_text(text: str, limit: int, estimate: Callable[[str], int]) -> tuple[str, int]:
    """A text's leading paragraphs within ``limit`` tokens, and how many paragraphs were left out.

    A first paragraph that is too long by itself is cut at a line or character boundary.
    """
    if estimate(text) <= limit:
        return text, 0
    blocks = text.split("\n\n")
    kept, cut = fit_items(blocks, limit, estimate)
    if len(kept) == 1 and estimate(kept[0]) > limit:
        share = limit / max(1, estimate(kept[0]))
        kept = [kept[0][: max(1, int(len(kept[0]) * share))].rsplit("\n", 1)[0]]
    return "\n\n".join(kept), cut
