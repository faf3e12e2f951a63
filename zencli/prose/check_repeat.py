"""Does the chapter repeat itself, or the chapters before it?"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from zencli.prose.finding import CheckContext, clipped, percent, report
from zencli.prose.repeat import (
    LONG,
    overlap,
    overlapping_spans,
    repeated_spans,
    repetition,
    reused_sentences,
    run_count,
)
from zencli.prose.segment import ending, opening, sentences
from zencli.story.book import Language
from zencli.story.findings import Finding, Severity

_MOST = 5


def repeats_itself(text: str, context: CheckContext) -> Iterator[Finding]:
    """The share of runs said before (warning, critical), else each long passage said twice."""
    language = context.language
    share = repetition(text, language)
    severity = _judged(text, context, "repetition", share)
    if severity:
        spans = repeated_spans(text, language, least=2)
        yield report(
            context,
            "repetition",
            severity,
            quote=clipped(text, spans[0], language),
            share=percent(share),
            limit=percent(context.limit("repetition.warn")),
        )
        return
    least = int(context.limit("repetition.passage"))
    for span in repeated_spans(text, language, least)[:_MOST]:
        quote = clipped(text, span, language)
        yield report(context, "repetition", "warning", "passage", quote=quote)


def copies_earlier(text: str, context: CheckContext) -> Iterator[Finding]:
    """The share of long runs that stand in recent chapters (warning, critical)."""
    language = context.language
    share = overlap(text, context.previous, language)
    severity = _judged(text, context, "overlap", share)
    if severity:
        span = overlapping_spans(text, context.previous, language)[0]
        yield report(
            context,
            "overlap",
            severity,
            quote=clipped(text, span, language),
            share=percent(share),
            limit=percent(context.limit("overlap.warn")),
        )


def _judged(text: str, context: CheckContext, check: str, share: float) -> Severity | None:
    repeated = share * run_count(text, context.language, within=check == "repetition")
    if repeated < context.limit(f"{check}.least") or share < context.limit(f"{check}.warn"):
        return None
    return "critical" if share >= context.limit(f"{check}.fail") else "warning"


def reuses_sentences(text: str, context: CheckContext) -> Iterator[Finding]:
    """Long sentences that several recent chapters have: info each."""
    chapters = int(context.limit("reused-sentence.chapters"))
    spans = reused_sentences(text, context.previous, context.language, chapters)
    for span in spans[:_MOST]:
        quote = clipped(text, span, context.language)
        yield report(context, "reused-sentence", "info", quote=quote, chapters=chapters)


def opens_alike(text: str, context: CheckContext) -> Iterator[Finding]:
    """The opening shares most of its pairs of words with a recent one, or its first sentence."""
    yield from _edge(text, context, "opening-repeat", opening, first=0)


def ends_alike(text: str, context: CheckContext) -> Iterator[Finding]:
    """The ending shares most of its pairs of words with a recent one, or its last sentence."""
    yield from _edge(text, context, "ending-repeat", ending, first=-1)


def _edge(
    text: str, context: CheckContext, check: str, edge: Callable[[str], str], first: int
) -> Iterator[Finding]:
    language = context.language
    mine = edge(text)
    if not mine:
        return
    sentence = sentences(mine, language)[first]
    telling = len(_units(sentence, language)) >= LONG[language] * 2 // 3
    for other in filter(None, map(edge, reversed(context.previous))):
        if telling and sentence == sentences(other, language)[first]:
            yield report(context, check, "warning", quote=sentence, other=sentence)
            return
        if _alike(mine, other, language) >= context.limit(f"{check}.alike"):
            yield report(context, check, "warning", quote=mine, other=other)
            return


def _alike(mine: str, other: str, language: Language) -> float:
    """Dice's coefficient of the pairs of neighbouring characters (zh) or words (en)."""
    a, b = (_pairs(_units(t, language)) for t in (mine, other))
    total = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / total if total else 0.0


def _units(text: str, language: Language) -> list[str]:
    return [c for c in text if c.isalnum()] if language == "zh" else text.lower().split()


def _pairs(units: list[str]) -> Counter[tuple[str, str]]:
    return Counter(pairwise(units))
