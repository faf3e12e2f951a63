"""Does the chapter lean on stock: turns of phrase, and words used until they tire?"""

from collections.abc import Iterator

from zencli.prose.count import count_words
from zencli.prose.finding import CheckContext, report, sentences_at
from zencli.prose.wordlists import hits, tired_words
from zencli.story.findings import Finding

_MOST = 6


def stock_turns(text: str, context: CheckContext) -> Iterator[Finding]:
    """Over ``ai-typical.warn`` of weight per thousand units: a warning for each of the heaviest
    turns; nothing under ``ai-typical.least`` of weight in all."""
    language = context.language
    found = hits(text, language, context.genre, context.words)
    weight = sum(hit.weight for hit in found)
    if weight < context.limit("ai-typical.least"):
        return
    score = 1000 * weight / count_words(text, language)
    limit = context.limit("ai-typical.warn")
    if score <= limit:
        return
    heaviest = sorted(found, key=lambda hit: (-hit.weight, hit.start))[:_MOST]
    for hit in sorted(heaviest):
        yield report(
            context,
            "ai-typical",
            "warning",
            quote=sentences_at(text, (hit.start, hit.end), language),
            turn=text[hit.start : hit.end],
            score=f"{score:.1f}",
            limit=f"{limit:g}",
        )


def fatigue_words(text: str, context: CheckContext) -> Iterator[Finding]:
    """A word of the lists ``fatigue-words.least`` times or more, and over ``fatigue-words.info`` of
    them per thousand units: info, over ``fatigue-words.warn``: warning; the commonest first."""
    language = context.language
    thousands = count_words(text, language) / 1000
    found = tired_words(text, language, context.genre, context.words)
    for places in sorted(found.values(), key=lambda places: (-len(places), places[0]))[:_MOST]:
        density = len(places) / thousands
        if len(places) < context.limit("fatigue-words.least"):
            return
        if density <= context.limit("fatigue-words.info"):
            return
        warn = density > context.limit("fatigue-words.warn")
        start, end = places[0]
        yield report(
            context,
            "fatigue-words",
            "warning" if warn else "info",
            quote=sentences_at(text, (start, end), language),
            word=text[start:end],
            count=len(places),
            density=f"{density:.1f}",
        )
