"""Does the prose have shape: uneven sentences, beginnings that differ, paragraphs?"""

import re
from collections.abc import Iterator

from zencli.prose.count import count_words
from zencli.prose.finding import CheckContext, clipped, percent, report
from zencli.prose.measures import sentence_variation
from zencli.prose.segment import (
    Span,
    narrative_spans,
    paragraph_spans,
    sentence_spans,
    sentences,
)
from zencli.story.book import Language
from zencli.story.findings import Finding

_SPEECH = re.compile(r"[“”「」『』\"«»‘]")
_SHORT_PARAGRAPH = {"zh": 40, "en": 25}


def even_sentences(text: str, context: CheckContext) -> Iterator[Finding]:
    """The standard deviation of the sentences' lengths over their mean is under
    ``sentence-variation.warn``: warning; from ``sentence-variation.least`` sentences on."""
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
    """``paragraph-shape.single`` of the narrative paragraphs, ``paragraph-shape.least`` at least,
    are one short sentence, or ``paragraph-shape.wall`` units stand in two paragraphs or one:
    warning."""
    language = context.language
    prose = paragraph_spans(text)
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
    narrative = [span for span in prose if not _SPEECH.search(text, *span)]
    alone = set(prose).intersection(sentence_spans(text, language))
    single = [span for span in narrative if span in alone and _is_short(text, span, language)]
    limit = context.limit("paragraph-shape.single")
    if len(single) < max(context.limit("paragraph-shape.least"), 1):
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


def _is_short(text: str, span: Span, language: Language) -> bool:
    start, end = span
    size = end - start if language == "zh" else len(text[start:end].split())
    return size <= _SHORT_PARAGRAPH[language]


def same_starts(text: str, context: CheckContext) -> Iterator[Finding]:
    """``sentence-start.run`` narrative sentences in a row that begin with the same word (en), the
    same two characters (zh), or the same pronoun: warning for the longest such run."""
    language = context.language
    runs = _runs(text, language)
    longest = max(runs, key=len, default=[])
    if len(longest) < max(context.limit("sentence-start.run"), 2):  # one alone begins like none
        return
    quote = clipped(text, (longest[0][0], longest[:3][-1][1]), language)
    yield report(
        context,
        "sentence-start",
        "warning",
        quote=quote,
        count=len(longest),
        start=_start(text[slice(*longest[0])], language),
    )


def _runs(text: str, language: Language) -> list[list[Span]]:
    """Sentences outside of speech in a row that begin alike."""
    told = frozenset(narrative_spans(text, language))
    runs: list[list[Span]] = []
    before = ""
    for start, end in sentence_spans(text, language):
        beginning = _start(text[start:end], language) if (start, end) in told else ""
        if beginning and beginning == before:
            runs[-1].append((start, end))
        else:
            runs.append([(start, end)])
        before = beginning
    return runs


def _start(sentence: str, language: Language) -> str:
    if language == "en":
        found = re.match(r"\W*([^\W\d_]+)", sentence)
        return found[1].lower() if found else ""
    bare = sentence.lstrip("—…　 ")
    return bare[:1] if bare[:1] in "他她它我你" else bare[:2]
