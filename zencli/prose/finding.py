"""What a check is given, and how it reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from zencli.prose.messages import MESSAGES, STRUCTURAL
from zencli.prose.segment import Span, sentence_spans
from zencli.prose.thresholds import threshold
from zencli.story.book import Language
from zencli.story.findings import Finding, Severity, finding_id

_LONGEST_QUOTE = {"zh": 120, "en": 300}


@dataclass(frozen=True)
class CheckContext:
    """What the checks need to know besides the text.

    ``target_words`` 0: no length was asked. ``previous``: the prose of recent chapters, the newest
    last. ``banned``: phrases of the book's rules. ``disabled``: ids of checks that are turned off.
    ``thresholds``: the author's own values by the names in ``thresholds.py``.
    """

    language: Language
    number: int
    target_words: int
    previous: Sequence[str] = ()
    banned: Sequence[str] = ()
    disabled: frozenset[str] = frozenset()
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def limit(self, name: str) -> float:
        return threshold(name, self.language, self.thresholds)


def report(
    context: CheckContext,
    check: str,
    severity: Severity,
    message: str = "",
    *,
    quote: str = "",
    **values: object,
) -> Finding:
    """A finding in the language of the book. ``message`` names the wording, by default the check's
    own. The id rests on the quote, or on the wording's name, so numbers in it don't change it."""
    message = message or check
    description, suggestion = MESSAGES[message][context.language]
    return Finding(
        id=finding_id("check", check, quote, message),
        source="check",
        dimension=check,
        severity=severity,
        description=description.format(**values),
        quote=quote,
        suggestion=suggestion.format(**values),
        scope="structural" if message in STRUCTURAL else "local",
    )


def clipped(text: str, span: Span, language: Language) -> str:
    """The passage, or its beginning when it is too long to be quoted."""
    start, end = span
    longest = _LONGEST_QUOTE[language]
    if end - start <= longest:
        return text[start:end]
    beginning = text[start : start + longest]
    return beginning.rsplit(None, 1)[0] if language == "en" else beginning


def sentences_at(text: str, span: Span, language: Language) -> str:
    """The sentences that this passage touches; its line when it touches none (a heading)."""
    start, end = span
    touched = [s for s in sentence_spans(text, language) if s[0] < end and start < s[1]]
    if touched:
        return clipped(text, (touched[0][0], touched[-1][1]), language)
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    return clipped(text, (line, len(text) if line_end < 0 else line_end), language).strip()


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
