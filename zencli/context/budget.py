"""Sections with a budget in tokens: rank, trim, never raise, and say what was taken and cut."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from zencli.story import markdown

T = TypeVar("T")

TOO_LONG = 3
"""How many items that don't fit are passed over before a section is full."""

SHOWN_CUT = 12
"""How many of the items that were cut are named."""

LABEL_CHARS = 80
LIMITLESS = 1_000_000


@dataclass(frozen=True)
class Item:
    """One entry of a section: how it begins, its tokens, and why it was taken."""

    label: str
    tokens: int
    why: str


@dataclass(frozen=True)
class Section:
    """One part of what a model sees.

    ``tokens`` is an estimate, ``items`` how many entries went in, ``cut`` how many were left out,
    ``taken`` the entries themselves and ``left`` how the first of those that were cut begin.
    """

    name: str
    tokens: int
    items: int
    cut: int = 0
    why: str = ""
    taken: tuple[Item, ...] = ()
    left: tuple[str, ...] = ()


class Allowance:
    """``tokens`` shared out to sections; what one of them leaves goes to the next.

    ``shares`` stand in the order in which the sections must be asked for: a fraction each.
    ``most`` says how many entries a section may have at most, however much room there is.
    """

    def __init__(
        self,
        tokens: int,
        shares: Mapping[str, float],
        estimate: Callable[[str], int],
        most: Mapping[str, int] | None = None,
    ) -> None:
        self._tokens = tokens
        self._shares = shares
        self._most = most or {}
        self._estimate = estimate
        self._spare = 0
        self.sections: list[Section] = []

    def limit(self, name: str) -> int:
        """The tokens that section ``name`` may take now."""
        return max(0, int(self._tokens * self._shares[name]) + self._spare)

    def tokens(self, text: str) -> int:
        """About how many tokens a text is."""
        return self._estimate(text)

    def items(
        self,
        name: str,
        ranked: Iterable[T],
        text: Callable[[T], str],
        why: Callable[[T], str],
        beyond: int = 0,
    ) -> list[T]:
        """The entries that fit, in the order of their rank; those that are too long are left.

        ``beyond`` counts entries of so low a rank that they aren't among them.
        """
        limit, used, missed = self.limit(name), 0, 0
        kept: list[T] = []
        taken: list[Item] = []
        left: list[str] = []
        cut = max(0, beyond)
        most = self._most.get(name, LIMITLESS)
        for entry in ranked:
            if missed >= TOO_LONG or len(kept) >= most:
                cut += 1
                if len(left) < SHOWN_CUT:
                    left.append(_label(text(entry)))
                continue
            line = text(entry)
            cost = self._estimate(line) + 2
            if used + cost > limit:
                missed += 1
                cut += 1
                left.append(_label(line))
                continue
            kept.append(entry)
            taken.append(Item(_label(line), cost, why(entry)))
            used += cost
        self._spare = limit - used
        if kept or cut:
            self.sections.append(
                Section(name, used, len(kept), cut, "", tuple(taken), tuple(left[:SHOWN_CUT]))
            )
        return kept

    def text(self, name: str, text: str, why: str) -> str:
        """As much of a text as fits, from its beginning, in whole paragraphs or lines."""
        limit = self.limit(name)
        kept, cut = fit_text(text, limit, self._estimate)
        self.note(name, kept, why, cut)
        return kept

    def note(self, name: str, text: str, why: str, cut: int = 0) -> None:
        """Count a text that goes in as it is."""
        used = self._estimate(text) if text else 0
        self._spare = self.limit(name) - used
        if text or cut:
            taken = (Item(_label(text), used, why),) if text else ()
            self.sections.append(Section(name, used, int(bool(text)), cut, why, taken))

    def apart(self, name: str, texts: Iterable[str], why: str) -> None:
        """Count what stands outside the budget, and always goes in."""
        taken = tuple(Item(_label(text), self._estimate(text), why) for text in texts)
        if taken:
            tokens = sum(item.tokens for item in taken)
            self.sections.append(Section(name, tokens, len(taken), 0, why, taken))


def fit_text(text: str, limit: int, estimate: Callable[[str], int]) -> tuple[str, int]:
    """A text's leading paragraphs within ``limit`` tokens, and how many of them aren't whole.

    Of the first that is too long, the leading lines that fit are kept; when not even one line of
    the text fits, that line's beginning. No heading is left with nothing below it.
    """
    if not text or estimate(text) <= limit:
        return text, 0
    blocks = text.split("\n\n")
    kept: list[str] = []
    left = limit
    while blocks and estimate(blocks[0]) + 2 <= left:
        left -= estimate(blocks[0]) + 2
        kept.append(blocks.pop(0))
    lines: list[str] = []
    for line in blocks[0].split("\n") if blocks else ():
        if estimate(line) + 1 > left:
            break
        left -= estimate(line) + 1
        lines.append(line)
    if lines:
        kept.append("\n".join(lines))
    elif not kept and limit > 0:
        line = blocks[0].split("\n")[0]
        kept.append(line[: max(1, len(line) * limit // max(1, estimate(line)))])
    return markdown.without_empty_sections("\n\n".join(kept)), max(len(blocks), 1)


def _label(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_CHARS else line[: LABEL_CHARS - 1] + "…"
