"""All deterministic checks of a chapter: no model, the same answer every time.

A finding is critical only where the chapter can't stand: nothing there or a fragment, cut in
mid-sentence, looping, copied from earlier chapters, or an assistant speaking in it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from zencli.prose import (
    check_length,
    check_marks,
    check_numbers,
    check_people,
    check_repeat,
    check_story,
    check_style,
    check_view,
    check_voice,
    check_words,
)
from zencli.prose.finding import CheckContext
from zencli.prose.thresholds import THRESHOLDS
from zencli.story.findings import Finding

__all__ = ["CHECKS", "Check", "CheckContext", "run_checks"]


class Check(NamedTuple):
    """A check: what of a chapter it judges, and how. ``run`` documents the measure."""

    group: str
    run: Callable[[str, CheckContext], Iterator[Finding]]

    @property
    def measure(self) -> str:
        """What is measured and what follows from it, in one paragraph."""
        return " ".join((self.run.__doc__ or "").split())


CHECKS: Mapping[str, Check] = {
    "empty": Check("form", check_length.empty),
    "length": Check("form", check_length.length),
    "truncated": Check("form", check_length.truncated),
    "repetition": Check("repetition", check_repeat.repeats_itself),
    "overlap": Check("repetition", check_repeat.copies_earlier),
    "reused-sentence": Check("repetition", check_repeat.reuses_sentences),
    "opening-repeat": Check("repetition", check_repeat.opens_alike),
    "ending-repeat": Check("repetition", check_repeat.ends_alike),
    "ai-typical": Check("prose", check_words.stock_turns),
    "fatigue-words": Check("prose", check_words.fatigue_words),
    "sentence-variation": Check("prose", check_style.even_sentences),
    "sentence-start": Check("prose", check_style.same_starts),
    "paragraph-shape": Check("prose", check_style.paragraph_shape),
    "style-distance": Check("prose", check_voice.far_from_sample),
    "meta-text": Check("form", check_marks.meta_text),
    "banned": Check("rules", check_marks.banned),
    "markdown": Check("form", check_marks.markdown),
    "language": Check("form", check_marks.other_language),
    "pov-drift": Check("rules", check_view.point_of_view),
    "head-hopping": Check("rules", check_view.head_hopping),
    "dead-acting": Check("continuity", check_people.dead_acting),
    "absent-acting": Check("continuity", check_people.absent_acting),
    "unknown-name": Check("continuity", check_people.unknown_names),
    "quantities": Check("continuity", check_numbers.quantities),
    "hook-overdue": Check("plot", check_story.hooks_overdue),
}
"""Every check by its id, which is also the ``dimension`` of its findings."""


def run_checks(text: str, context: CheckContext) -> list[Finding]:
    """All findings of the enabled checks, in the order of ``CHECKS``, each id once.

    An empty chapter has that finding alone. Raises ``ValueError`` when ``disabled`` names no check
    or ``thresholds`` no threshold.
    """
    unknown = [
        *(context.disabled - CHECKS.keys()),
        *(context.thresholds.keys() - THRESHOLDS.keys()),
    ]
    if unknown:
        raise ValueError(f"no such check or threshold: {', '.join(sorted(unknown))}")
    found: dict[str, Finding] = {}
    for check_id, check in CHECKS.items():
        if check_id in context.disabled:
            continue
        for finding in check.run(text, context):
            found.setdefault(finding.id, finding)
        if "empty" in {finding.dimension for finding in found.values()}:
            break
    return list(found.values())
