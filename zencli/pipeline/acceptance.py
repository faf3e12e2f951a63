"""Whether a revision is kept: it removes findings, adds no critical one, keeps what it must."""

import re
from collections import Counter
from dataclasses import dataclass

from zencli.context.canon import Canon
from zencli.pipeline.params import ReviseMode
from zencli.prose.count import bands, count_words
from zencli.prose.wordlists import ai_score
from zencli.story.findings import Finding

_DIGITS = re.compile(r"\d+")
SURFACE_MODES = ("polish", "anti-detect")


@dataclass(frozen=True)
class Decision:
    """``reason`` is one sentence for the author."""

    kept: bool
    reason: str


def decide(
    canon: Canon,
    mode: ReviseMode,
    before: tuple[str, list[Finding]],
    after: tuple[str, list[Finding]],
    *,
    answering: list[Finding],
    target_words: int,
    asked: bool,
    judged: bool = True,
) -> Decision:
    """Compare two versions, each a text with its standing findings.

    ``answering`` are the findings that the reviser was given, at least one of which must be gone.
    ``asked``: the author gave an instruction or chose a mode that needs no finding, so a revision
    that removes none may still be kept. ``judged`` is False when the auditor's reply on the new
    version couldn't be read.
    """
    old, new = before[0], after[0]
    if old == new:
        return Decision(False, "The reviser left the text as it was.")
    if not judged:
        return Decision(False, "The auditor's reply on the revision couldn't be read.")
    for problem in (
        new_critical(before[1], after[1]),
        _length(canon, mode, old, new, target_words),
        _surface(canon, mode, old, new),
    ):
        if problem:
            return Decision(False, problem)
    now = {f.id for f in after[1]}
    removed = len({f.id for f in answering} - now)
    added = len(now - {f.id for f in before[1]})
    if not removed and answering and not asked:
        return Decision(False, "The revision removes none of the findings.")
    if removed:
        fresh = added or "none"
        return Decision(True, f"{removed} of {len(answering)} findings are gone, {fresh} new.")
    return Decision(True, "The text was revised as asked; no critical finding is new.")


def new_critical(before: list[Finding], after: list[Finding]) -> str:
    """One sentence when ``after`` has more critical findings of a dimension, else empty."""
    was = Counter(f.dimension for f in before if f.severity == "critical")
    now = Counter(f.dimension for f in after if f.severity == "critical")
    worse = sorted(dimension for dimension in now if now[dimension] > was[dimension])
    return f"The revision adds a critical finding: {', '.join(worse)}." if worse else ""


def _length(canon: Canon, mode: ReviseMode, old: str, new: str, target: int) -> str:
    language, unit = canon.config.language, canon.config.unit
    was, now = count_words(old, language), count_words(new, language)
    if mode in (*SURFACE_MODES, "spot-fix"):
        if abs(now - was) > max(was * 0.10, 30):
            return f"The length moved from {was} to {now} {unit}, more than 10 %."
        return ""
    band = bands(target)
    inside = band.low_hard <= now <= band.high_hard
    if not inside and abs(now - target) > abs(was - target):
        return f"{now} {unit} is further from the target of {target} than the {was} before."
    return ""


def _surface(canon: Canon, mode: ReviseMode, old: str, new: str) -> str:
    if mode not in SURFACE_MODES:
        return ""
    lost = [c.name for c in canon.cards if c.name in old and c.name not in new]
    if lost:
        return f"Names are lost: {', '.join(lost)}."
    numbers = Counter(_DIGITS.findall(old))
    missing = sorted((numbers - Counter(_DIGITS.findall(new))).keys())
    if missing:
        return f"Numbers are lost: {', '.join(missing)}."
    if mode == "anti-detect":
        language = canon.config.language
        was, now = ai_score(old, language), ai_score(new, language)
        if now >= was and now > 0:
            return f"The AI-typical score didn't fall: {was:.1f} before, {now:.1f} after."
    return ""
