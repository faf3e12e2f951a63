"""All deterministic checks of a chapter: no model, the same answer every time.

A finding is critical only where the chapter can't stand: nothing there or a fragment, cut in
mid-sentence, looping, copied from earlier chapters, or an assistant speaking in it.
"""

from collections.abc import Callable, Iterator, Mapping

from zencli.prose import check_length, check_marks, check_repeat, check_style
from zencli.prose.finding import CheckContext
from zencli.prose.thresholds import THRESHOLDS
from zencli.story.findings import Finding

__all__ = ["CHECKS", "CheckContext", "run_checks"]

CHECKS: Mapping[str, Callable[[str, CheckContext], Iterator[Finding]]] = {
    "empty": check_length.empty,
    "length": check_length.length,
    "truncated": check_length.truncated,
    "repetition": check_repeat.repeats_itself,
    "overlap": check_repeat.copies_earlier,
    "reused-sentence": check_repeat.reuses_sentences,
    "opening-repeat": check_repeat.opens_alike,
    "ending-repeat": check_repeat.ends_alike,
    "ai-typical": check_style.stock_turns,
    "sentence-variation": check_style.even_sentences,
    "paragraph-shape": check_style.paragraph_shape,
    "meta-text": check_marks.meta_text,
    "banned": check_marks.banned,
    "markdown": check_marks.markdown,
    "language": check_marks.other_language,
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
        for finding in check(text, context):
            found.setdefault(finding.id, finding)
        if "empty" in {finding.dimension for finding in found.values()}:
            break
    return list(found.values())
