"""Is the chapter there, whole, and as long as it was asked to be?"""

import re
from collections.abc import Iterator

from zencli.prose.count import bands, count_words
from zencli.prose.finding import CheckContext, report
from zencli.prose.segment import paragraphs, sentences
from zencli.story.findings import Finding, Severity

_SHORTEN = {"zh": "压缩", "en": "Shorten"}
_LENGTHEN = {"zh": "扩写", "en": "Lengthen"}
_STOPPED = re.compile(r"[。！？!?.…”’」』）)】\]》»\"'—―～~♪][*_\s]*$")
_LONGEST_SIGNATURE = {"zh": 12, "en": 6}
_NO_SIGNATURE = re.compile(r"[，；：“「『…;:]|[,、]$")
_SOURCE = re.compile(r"[—―]+ ?\S[^\n]{0,40}")
"""Whose words stood before, as after a motto: ``—W. B. Yeats``."""


def empty(text: str, context: CheckContext) -> Iterator[Finding]:
    """No countable prose at all: critical."""
    if not count_words(text, context.language):
        yield report(context, "empty", "critical")


def length(text: str, context: CheckContext) -> Iterator[Finding]:
    """Outside 15 % of the asked length: info; outside 30 %: warning; under ``length.critical`` of
    it, a fragment: critical. Nothing when no length was asked."""
    if not context.target_words:
        return
    got = count_words(text, context.language)
    band = bands(context.target_words)
    if band.low <= got <= band.high:
        return
    severity: Severity = "info" if band.low_hard <= got <= band.high_hard else "warning"
    if got < context.limit("length.critical") * context.target_words:
        severity = "critical"
    direction = _LENGTHEN if got < band.low else _SHORTEN
    yield report(
        context,
        "length",
        severity,
        got=got,
        asked=context.target_words,
        low=band.low,
        high=band.high,
        direction=direction[context.language],
    )


def truncated(text: str, context: CheckContext) -> Iterator[Finding]:
    """The last paragraph doesn't end a sentence: critical; a warning when the whole paragraph is so
    short that it may be a signature or a sign, or when only a quotation mark is missing."""
    prose = paragraphs(text)
    if not prose:
        return
    last = prose[-1]
    quote = sentences(last, context.language)[-1][-80:]
    if not _STOPPED.search(last):
        one = len(sentences(last, context.language)) == 1 or _SOURCE.fullmatch(last)
        short = count_words(last, context.language) <= _LONGEST_SIGNATURE[context.language]
        if len(prose) > 1 and one and short and not _NO_SIGNATURE.search(last):
            yield report(context, "truncated", "warning", "cut?", quote=quote)
        else:
            yield report(context, "truncated", "critical", "cut", quote=quote)
    elif any(last.rfind(a) > last.rfind(b) for a, b in ("“”", "「」", "『』")):
        yield report(context, "truncated", "warning", "open quotation", quote=quote)
