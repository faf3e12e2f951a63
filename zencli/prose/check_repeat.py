"""Does the chapter repeat itself, or the chapters before it?"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from zencli.prose.finding import CheckContext, clipped, percent, report
from zencli.prose.prints import print_of
from zencli.prose.repeat import (
    LONG,
    long_sentences,
    overlap,
    overlapping_spans,
    repeated_spans,
    repetition,
    run_count,
)
from zencli.prose.segment import ending, opening, sentences
from zencli.story.book import Language
from zencli.story.findings import Finding, Severity

_MOST = 5


def repeats_itself(text: str, context: CheckContext) -> Iterator[Finding]:
    """The share of runs of 6 characters (zh), 4 words (en) that have stood earlier in the chapter:
    warning from ``repetition.warn`` on, critical from ``repetition.fail`` on, at least
    ``repetition.least`` runs. Else each passage of ``repetition.passage`` words said twice:
    warning."""
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
    """The share of runs of 12 characters (zh), 8 words (en) that stand in an earlier chapter:
    warning from ``overlap.warn`` on, critical from ``overlap.fail`` on, at least
    ``overlap.least`` runs."""
    language = context.language
    earlier = [*context.older, *context.previous]
    share = overlap(text, earlier, language)
    severity = _judged(text, context, "overlap", share)
    if severity:
        span = overlapping_spans(text, earlier, language)[0]
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
    """Long sentences that ``reused-sentence.chapters`` chapters of the book have, this one counted:
    info each, the most used first."""
    least = context.limit("reused-sentence.chapters")
    mine = long_sentences(text, context.language)
    used = [(1 + context.seen.get(print_of(key), 0), span) for key, span in mine.items()]
    often = sorted((u for u in used if u[0] >= least), key=lambda u: (-u[0], u[1]))
    for chapters, span in often[:_MOST]:
        quote = clipped(text, span, context.language)
        yield report(context, "reused-sentence", "info", quote=quote, chapters=chapters)


def opens_alike(text: str, context: CheckContext) -> Iterator[Finding]:
    """The opening shares ``opening-repeat.alike`` of its pairs of words with that of a recent
    chapter (Dice's coefficient), or the first sentence: warning; the first sentence alone with
    that of an older chapter: info."""
    yield from _edge(text, context, "opening-repeat", opening, first=0)


def ends_alike(text: str, context: CheckContext) -> Iterator[Finding]:
    """The ending shares ``ending-repeat.alike`` of its pairs of words with that of a recent
    chapter (Dice's coefficient), or the last sentence: warning; the last sentence alone with that
    of an older chapter: info."""
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
    old = (sentences(other, language)[first] for other in map(edge, context.older) if other)
    if telling and sentence in old:
        yield report(context, check, "info", quote=sentence, other=sentence)


def _alike(mine: str, other: str, language: Language) -> float:
    """Dice's coefficient of the pairs of neighbouring characters (zh) or words (en)."""
    a, b = _pairs(mine, language), _pairs(other, language)
    total = a.total() + b.total()
    return 2 * sum(min(a[pair], b[pair]) for pair in a.keys() & b) / total if total else 0.0


def _units(text: str, language: Language) -> list[str]:
    return [c for c in text if c.isalnum()] if language == "zh" else text.lower().split()


@lru_cache(maxsize=64)
def _pairs(text: str, language: Language) -> Counter[tuple[str, str]]:
    return Counter(pairwise(_units(text, language)))
