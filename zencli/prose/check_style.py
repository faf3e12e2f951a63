"""Does the prose read machine-made: stock turns, even sentences, shapeless paragraphs?"""

import re
from collections.abc import Iterator

from zencli.prose.count import count_words
from zencli.prose.finding import CheckContext, percent, report, sentences_at
from zencli.prose.measures import sentence_variation
from zencli.prose.segment import paragraphs, sentences
from zencli.prose.wordlists import ai_score, hits
from zencli.story.book import Language
from zencli.story.findings import Finding

_MOST = 6
_SPEECH = re.compile(r"[“”「」『』\"«»‘]")
_SHORT_PARAGRAPH = {"zh": 40, "en": 25}


def stock_turns(text: str, context: CheckContext) -> Iterator[Finding]:
    """Over the limit of weight per thousand: a warning for each of the heaviest turns."""
    language = context.language
    found = hits(text, language)
    if sum(hit.weight for hit in found) < context.limit("ai-typical.least"):
        return
    score = ai_score(text, language)
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


def even_sentences(text: str, context: CheckContext) -> Iterator[Finding]:
    """The standard deviation of the sentences' lengths over their mean is too small: warning."""
    language = context.language
    if len(sentences(text, language)) < context.limit("sentence-variation.least"):
        return
    value = sentence_variation(text, language)
    limit = context.limit("sentence-variation.warn")
    if value < limit:
        yield report(
            context,
            "sentence-variation",
            "warning",
            value=f"{value:.2f}",
            limit=f"{limit:g}",
        )


def paragraph_shape(text: str, context: CheckContext) -> Iterator[Finding]:
    """Nearly all narrative in paragraphs of one short sentence, or no paragraphs: warning."""
    language = context.language
    prose = paragraphs(text)
    units = count_words(text, language)
    if len(prose) <= 2 and units >= context.limit("paragraph-shape.wall"):
        yield report(
            context,
            "paragraph-shape",
            "warning",
            "wall",
            units=units,
            count=len(prose),
        )
    narrative = [p for p in prose if not _SPEECH.search(p)]
    single = [p for p in narrative if _one_short_sentence(p, language)]
    limit = context.limit("paragraph-shape.single")
    if len(single) < context.limit("paragraph-shape.least"):
        return
    share = len(single) / len(narrative)
    if share >= limit:
        yield report(
            context,
            "paragraph-shape",
            "warning",
            "single",
            share=percent(share),
            limit=percent(limit),
        )


def _one_short_sentence(paragraph: str, language: Language) -> bool:
    size = len(paragraph if language == "zh" else paragraph.split())
    return size <= _SHORT_PARAGRAPH[language] and len(sentences(paragraph, language)) == 1
