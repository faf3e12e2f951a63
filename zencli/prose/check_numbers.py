"""Do the numbers add up: sums that the text states, and things counted against the story?"""

import re
from collections.abc import Iterator

from zencli.prose.finding import CheckContext, report, sentences_at
from zencli.prose.number_forms import AFTER, BEFORE, CHANGES, GAUGE, SUMS, Form, compiled
from zencli.prose.quantities import number_of
from zencli.prose.segment import Span, paragraph_spans, sentence_spans
from zencli.prose.standing import Counted
from zencli.story.book import Language
from zencli.story.findings import Finding

_NEAR = 40
"""Characters before a thing in which its count is looked for."""


def sums(text: str, context: CheckContext) -> Iterator[Finding]:
    """A sum, difference, product or ``now of most`` that the text states wrongly: warning each."""
    language = context.language
    for form in SUMS[language]:
        for match in _matches(text, form):
            a, b, c = (number_of(match[name], language) for name in "abc")
            if a is None or b is None or c is None:
                continue
            if not _holds(form.op or match["op"], a, b, c):
                yield _wrong(text, context, match, "sum", sum=" ".join(match.group().split()))
    for match in _matches(text, GAUGE):
        if int(match["a"]) > int(match["c"]):
            yield _wrong(text, context, match, "gauge", gauge=match.group())


def _matches(text: str, form: Form) -> Iterator[re.Match[str]]:
    if any(sign in text for sign in form.signs):
        yield from compiled(form.pattern).finditer(text)


def _holds(op: str, a: int, b: int, c: int) -> bool:
    if op in "+＋":
        return a + b == c
    return a - b == c if op in "-−" else a * b == c


def _wrong(
    text: str, context: CheckContext, match: re.Match[str], message: str, **values: str
) -> Finding:
    quote = sentences_at(text, match.span(), context.language)
    return report(context, "quantities", "warning", message, quote=quote, **values)


def counts(text: str, context: CheckContext) -> Iterator[Finding]:
    """The first number that the chapter gives of a thing somebody has, unlike the story's: warning.

    Only where the paragraph names the owner and nothing has happened to the thing before it.
    """
    for known in context.standing.counted:
        stated = _first_count(text, known.item, context.language)
        if stated is None:
            continue
        number, span = stated
        value = number_of(number, context.language)
        if value is None or value == known.quantity.value:
            continue
        if _named(text, span[0], known) and not _changed(text, span[0], known, context):
            quote = sentences_at(text, span, context.language)
            yield report(
                context,
                "quantities",
                "warning",
                "count",
                quote=quote,
                item=known.item,
                told=known.told,
                now=number,
            )


def _first_count(text: str, item: str, language: Language) -> tuple[str, Span] | None:
    """The number with which a thing is first counted, and where."""
    thing = item if language == "zh" else item.removesuffix("s")
    at = text.find(thing)
    while at >= 0:
        end = at + len(thing)
        before = compiled(BEFORE[language]).search(text, max(0, at - _NEAR), at)
        if before is not None:
            return before["n"], (before.start(), end)
        after = compiled(AFTER[language]).match(text, end)
        if after is not None:
            return after["n"], (at, after.end())
        at = text.find(thing, end)
    return None


def _named(text: str, at: int, known: Counted) -> bool:
    start, end = _paragraph(text, at)
    return any(owner in text[start:end] for owner in known.owners)


def _changed(text: str, at: int, known: Counted, context: CheckContext) -> bool:
    """Whether the thing may have been won or lost: before it in its paragraph, or in an earlier
    sentence that names it."""
    verbs = compiled(CHANGES[context.language])
    start, _ = _paragraph(text, at)
    if verbs.search(text, start, at):
        return True
    before = (s for s in sentence_spans(text, context.language) if s[0] <= at)
    return any(known.item in text[a:b] and verbs.search(text, a, b) for a, b in before)


def _paragraph(text: str, at: int) -> Span:
    return next((s for s in paragraph_spans(text) if s[0] <= at < s[1]), (at, at))


def quantities(text: str, context: CheckContext) -> Iterator[Finding]:
    """Sums that are wrong, and numbers of things unlike the story's: warning each."""
    yield from sums(text, context)
    yield from counts(text, context)
