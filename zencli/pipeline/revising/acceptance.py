"""Whether a revision is kept: it removes findings, adds no critical one, keeps what it must."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from zencli.context.canon import Canon
from zencli.pipeline.params import ReviseMode
from zencli.pipeline.revising.revise_kept import (
    lost_figures,
    lost_people,
    lost_speech,
    recorded_figures,
)
from zencli.prose.count import bands, count_words
from zencli.prose.measures import machine_score
from zencli.story.book import Language
from zencli.story.delta import Delta
from zencli.story.findings import Finding, Severity

SURFACE_MODES = ("polish", "anti-detect")

LEAST_FALL = 0.2
"""The share of its machine score that ``anti-detect`` must take off a chapter."""

CLEAN_SCORE = 1.0
"""A machine score of human prose: whoever gets there has fallen far enough, and mustn't rise."""

MOST_MOVED = 0.10
"""How much a mode that changes the surface alone may change the length."""

SLACK = 0.01
"""What a chapter that is short already may lose of its length to a single revision."""

_WEIGHTS: dict[Severity, int] = {"critical": 10, "warning": 3, "info": 1}
_FEW = 30


@dataclass(frozen=True)
class Decision:
    """``reason`` is one sentence for the author, ``told`` the same for the reviser who tries again,
    in the language of the book."""

    kept: bool
    reason: str
    told: str = ""


_WHY: dict[str, tuple[str, str]] = {
    "same": ("The reviser left the text as it was.", "交回的正文和原来一样。"),
    "unread": (
        "The auditor's reply on the revision couldn't be read.",
        "审稿的回答读不出来。",
    ),
    "critical": ("The revision adds a critical finding: {what}.", "多出了致命的毛病：{what}。"),
    "moved": (
        "The length moved from {was} to {now} {unit}, more than 10 %.",
        "字数从 {was} 变成 {now}，增减超过一成。",
    ),
    "shrinks": (
        "It shrinks from {was} to {now} {unit}, under the {low} that this target wants.",
        "字数从 {was} 减到 {now}，不到这一章至少该有的 {low}。",
    ),
    "further": (
        "{now} {unit} is further from the target of {target} than the {was} before.",
        "{now} 字比原来的 {was} 字离目标 {target} 更远。",
    ),
    "names": ("Names are lost: {what}.", "少了名字：{what}。"),
    "numbers": ("Numbers are lost: {what}.", "少了数目：{what}。"),
    "speech": (
        "What was said aloud is lost: {what}.",
        "对白里少了：{what}（dialogue 是对白少了三成以上）。",
    ),
    "score": (
        "The AI-typical score is {now:.1f} after {was:.1f}; it must fall to {wanted:.1f} or less.",
        "机器味的分数原来 {was:.1f}，改后 {now:.1f}，须降到 {wanted:.1f} 以下。",
    ),
    "none": ("The revision removes none of the findings.", "毛病一处也没治好。"),
    "trade": (
        "The revision removes {removed} findings and adds {added} that weigh as much.",
        "治好 {removed} 处，新添 {added} 处，一样重。",
    ),
    "events": (
        "The chapter no longer does what the story rests on: {what}.",
        "后面的章要靠的事没有了：{what}。",
    ),
}


def refusal(key: str, language: Language, **values: object) -> Decision:
    """A decision against a revision, in English for the author, and for the reviser."""
    english, chinese = (text.format(**values) for text in _WHY[key])
    return Decision(False, english, english if language == "en" else chinese)


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
    delta: Delta | None = None,
    instruction: str = "",
) -> Decision:
    """Compare two versions, each a text with its findings.

    ``answering`` are the findings that the reviser was given, at least one of which must be gone.
    ``asked``: the author gave an instruction or chose a mode that needs no finding, so a revision
    that removes none may still be kept. ``judged`` is False when the auditor's reply on the new
    version couldn't be read. ``delta`` is what the old version told. A name or number that a
    finding or the author's ``instruction`` speaks of may go.
    """
    old, new, language = before[0], after[0], canon.config.language
    if old == new:
        return refusal("same", language)
    if not judged:
        return refusal("unread", language)
    spoken_of = "\n".join([instruction, *(f"{f.quote}\n{f.description}" for f in answering)])
    problem = (
        _critical(before[1], after[1], language)
        or _length(canon, mode, old, new, target_words)
        or _kept(canon, mode, (old, new), delta, spoken_of)
        or _score(mode, old, new, language)
    )
    if problem:
        return problem
    was, now = _standing(before[1]), _standing(after[1])
    removed = len({f.id for f in answering} - now.keys())
    added = len(now.keys() - was.keys())
    if not asked and answering and not removed:
        return refusal("none", language)
    if not asked and added and _weight(now.values()) >= _weight(was.values()):
        return refusal("trade", language, removed=removed, added=added)
    if removed:
        fresh = added or "none"
        return Decision(True, f"{removed} of {len(answering)} findings are gone, {fresh} new.")
    return Decision(True, "The text was revised as asked; no critical finding is new.")


def new_critical(before: list[Finding], after: list[Finding]) -> list[str]:
    """The dimensions of which more critical findings stand in ``after``."""
    was = Counter(f.dimension for f in before if f.standing and f.severity == "critical")
    now = Counter(f.dimension for f in after if f.standing and f.severity == "critical")
    return sorted(dimension for dimension in now if now[dimension] > was[dimension])


def score_goal(was: float) -> float:
    """The machine score that ``anti-detect`` must reach from ``was``."""
    return max(was * (1 - LEAST_FALL), CLEAN_SCORE) if was > CLEAN_SCORE else was


def _critical(before: list[Finding], after: list[Finding], language: Language) -> Decision | None:
    worse = new_critical(before, after)
    return refusal("critical", language, what=", ".join(worse)) if worse else None


def _standing(findings: list[Finding]) -> dict[str, Severity]:
    return {f.id: f.severity for f in findings if f.standing}


def _weight(severities: Iterable[Severity]) -> int:
    return sum(_WEIGHTS[severity] for severity in severities)


def _length(canon: Canon, mode: ReviseMode, old: str, new: str, target: int) -> Decision | None:
    config, band = canon.config, bands(target)
    was, now = count_words(old, config.language), count_words(new, config.language)
    slack = max(was * SLACK, _FEW if mode == "spot-fix" else 0)
    inside = band.low_hard <= now <= band.high_hard
    if mode in (*SURFACE_MODES, "spot-fix") and abs(now - was) > max(was * MOST_MOVED, _FEW):
        key = "moved"
    elif now < band.low and was - now > slack:
        key = "shrinks"
    elif not inside and abs(now - target) > abs(was - target) + slack:
        key = "further"
    else:
        return None
    return refusal(
        key, config.language, was=was, now=now, unit=config.unit, low=band.low, target=target
    )


def _kept(
    canon: Canon, mode: ReviseMode, texts: tuple[str, str], delta: Delta | None, spoken_of: str
) -> Decision | None:
    """People and numbers: all of them under a surface mode, else those that the story rests on."""
    (old, new), language, surface = texts, canon.config.language, mode in SURFACE_MODES
    stated = old if surface else recorded_figures(delta) if mode == "rewrite" else ""
    for key, lost in (
        ("names", lost_people(canon, old, new) if surface or mode == "rewrite" else []),
        ("numbers", lost_figures(stated, new, language)),
        ("speech", lost_speech(old, new, language) if surface else []),
    ):
        left = [what for what in lost if what not in spoken_of]
        if left:
            return refusal(key, language, what=", ".join(left))
    return None


def _score(mode: ReviseMode, old: str, new: str, language: Language) -> Decision | None:
    if mode != "anti-detect":
        return None
    was, now = machine_score(old, language), machine_score(new, language)
    wanted = score_goal(was)
    return None if now <= wanted else refusal("score", language, was=was, now=now, wanted=wanted)
