"""The chapters so far in tiers: the last ones whole, older ones by arc, the oldest by volume."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from zencli.context.author_control import Control
from zencli.context.budget import Allowance
from zencli.context.canon import Canon
from zencli.story.documents.outline import volumes
from zencli.story.labels import chapter_range, colon
from zencli.story.state import State
from zencli.story.tiers import Fold, Tier, divided

RECENT = 6
"""Summaries of how many chapters are shown whole."""

MOST_TIERS = 8
"""How many arcs, and how many volumes, are folded: more have no room."""

KNOWN = 20
"""How far back these may lie: there may be chapters without one, or kept out."""


@dataclass(frozen=True)
class Told:
    """``earlier`` are volumes and arcs, ``chapters`` the last ones, each in order."""

    earlier: list[str]
    chapters: list[dict[str, str | int]]


def told_so_far(
    take: Allowance, state: State, canon: Canon, number: int, control: Control, *, small: bool
) -> Told:
    """The sections ``history`` and ``earlier``: the nearest first, as far as their budgets go."""
    told = [s for s in state.summaries[-KNOWN:] if s.text and control.keeps_chapter(s.number)]
    recent = told[-(RECENT if not small else RECENT // 2) :]
    chapters = take.items(
        "history",
        list(reversed(recent)),
        lambda summary: summary.text,
        lambda summary: "one of the last chapters",
    )
    first = min((summary.number for summary in chapters), default=number)
    allowed = control.keeps_chapter if control.out else None
    fold = Fold(state, canon.config.language, canon.arc_texts, allowed)
    older = take.items(
        "earlier",
        _tiers(fold, canon, state, first),
        lambda tier: _line(tier, canon),
        lambda tier: f"chapters {tier.first}-{tier.last}, folded",
    )
    return Told(
        [_line(tier, canon) for tier in sorted(older, key=lambda tier: tier.first)],
        [{"number": s.number, "title": s.title, "text": s.text} for s in reversed(chapters)],
    )


def _tiers(fold: Fold, canon: Canon, state: State, first: int) -> Iterator[Tier]:
    """The arcs of the volume at hand and the volumes before it, by turns, each the latest first.

    ``first`` is the first chapter that is told whole. Of an arc that reaches beyond it, the part
    before it counts.
    """
    latest = max((s.number for s in state.summaries), default=0)
    begun = [v for v in divided(volumes(canon.outline), latest) if v.first < first]
    at_hand = begun[-1].arcs if begun else ()
    arcs = [arc for arc in reversed(at_hand) if arc.first < first]
    for arc, volume in zip_longest(arcs[:MOST_TIERS], begun[-2 : -2 - MOST_TIERS : -1]):
        told = fold.arc(arc, before=first) if arc else None
        if told is not None:
            yield told
        told = fold.volume(volume) if volume else None
        if told is not None:
            yield told


def _line(tier: Tier, canon: Canon) -> str:
    language = canon.config.language
    span = chapter_range(tier.first, tier.last, language)
    span = span[:1].upper() + span[1:]
    title = f"《{tier.title}》" if tier.title and language == "zh" else ""
    if tier.title and language == "en":
        title = f", “{tier.title}”"
    return f"{span}{title}{colon(language)}{tier.text}"
