"""One list of a chapter's findings: duplicates merged, the author's waivers kept."""

from collections.abc import Mapping, Sequence

from zencli.prose.locate import locate, occurrences
from zencli.prose.segment import Span
from zencli.story.findings import SEVERITIES, Finding

_ALIKE = {
    "wording": (
        "prose pacing ai-typical fatigue-words sentence-variation sentence-start paragraph-shape "
        "style-distance repetition overlap reused-sentence opening-repeat ending-repeat meta-text "
        "markdown language banned"
    ),
    "facts": "continuity power dead-acting absent-acting unknown-name quantities",
    "view": "knowledge pov-drift head-hopping",
    "promise": "promise hook-overdue",
}
KINDS: Mapping[str, str] = {
    dimension: kind for kind, dimensions in _ALIKE.items() for dimension in dimensions.split()
}
"""Dimensions that name one fault from two sides: what a check counts, an auditor describes. A
dimension that isn't here is a kind of its own."""


def combined(
    checks: Sequence[Finding], told: Sequence[Finding], before: Sequence[Finding], prose: str
) -> list[Finding]:
    """The findings of a chapter: the checks', the auditor's, and what the author let stand.

    Of a check's and the auditor's finding of one kind at one place the more severe stays, the
    check's when they are alike. ``before`` are the findings that the chapter had: a waiver among
    them holds for what is found at its passage now and is no worse than it was, and stays by itself
    while the passage stands.
    """
    found = list(checks)
    for finding in told:
        twin = next((i for i, f in enumerate(found) if _twins(f, finding, prose)), None)
        if twin is None:
            found.append(finding)
        elif _rank(finding) > _rank(found[twin]):
            found[twin] = finding
    return with_waivers(found, before, prose)


def _twins(check: Finding, told: Finding, prose: str) -> bool:
    return check.source == "check" and same_fault(check, told, prose)


def merged_parts(parts: Sequence[Sequence[Finding]], prose: str) -> list[Finding]:
    """The findings of overlapping parts: one that two parts tell counts once, the worse of both."""
    found: list[Finding] = []
    for part in parts:
        known = len(found)
        for finding in part:
            twin = next((i for i in range(known) if _told_twice(found[i], finding, prose)), None)
            if twin is None:
                found.append(finding)
            elif _rank(finding) > _rank(found[twin]):
                found[twin] = finding
    return found


def _told_twice(one: Finding, other: Finding, prose: str) -> bool:
    return one.dimension == other.dimension and same_fault(one, other, prose)


def with_waivers(
    findings: Sequence[Finding], before: Sequence[Finding], prose: str
) -> list[Finding]:
    """``findings`` with the waivers among those of ``before``, as ``combined`` says."""
    kept = [f if f.standing else f.model_copy(update={"waived": None}) for f in findings]
    for old in before:
        if old.standing:
            continue
        hits = [i for i, f in enumerate(kept) if f.standing and _forgives(old, f, prose)]
        for i in hits:
            kept[i] = kept[i].model_copy(update={"waived": old.waived})
        known = any(f.id == old.id for f in kept)
        if not hits and not known and old.quote and locate(prose, old.quote) is not None:
            kept.append(old)
    return kept


def _forgives(waived: Finding, found: Finding, prose: str) -> bool:
    """Whether a waiver holds for a finding: nothing worse than what the author has seen, but for an
    auditor who weighs the same fault of the same passage anew."""
    judged_anew = bool(found.quote) and found.source == waived.source == "auditor"
    no_worse = _rank(found) <= _rank(waived)
    if not no_worse and not (judged_anew and found.dimension == waived.dimension):
        return False
    return same_fault(waived, found, prose)


def same_fault(one: Finding, other: Finding, prose: str) -> bool:
    """Whether two findings are of one kind and about one passage.

    Passages are one when they share at least half of the shorter. Findings without a passage are
    told apart by their ids alone.
    """
    if one.id == other.id:
        return True
    if _kind(one) != _kind(other) or not one.quote or not other.quote:
        return False
    a, b = _place(one, prose), _place(other, prose)
    if a is None or b is None:
        return False
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return shared * 2 >= min(a[1] - a[0], b[1] - b[0])


def carried(findings: Sequence[Finding], prose: str) -> list[Finding]:
    """The auditor's findings whose passage is still in the text after a local change."""
    return [f for f in findings if f.source == "auditor" and locate(prose, f.quote) is not None]


def _kind(finding: Finding) -> str:
    return KINDS.get(finding.dimension, finding.dimension)


def _place(finding: Finding, prose: str) -> Span | None:
    return next(occurrences(prose, finding.quote), None)


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
