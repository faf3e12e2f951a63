"""What a check is given, and how it reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from zencli.prose.fingerprint import Fingerprint
from zencli.prose.messages import MESSAGES, STRUCTURAL
from zencli.prose.segment import Span, sentence_spans
from zencli.prose.standing import Standing
from zencli.prose.thresholds import threshold
from zencli.prose.wordlists import Words
from zencli.story.book import Language
from zencli.story.findings import Finding, Severity, finding_id

_LONGEST_QUOTE = {"zh": 120, "en": 300}


@dataclass(frozen=True)
class CheckContext:
    """What the checks need to know besides the text.

    ``target_words`` 0: no length was asked. ``previous``: the prose of recent chapters, the newest
    last; ``older``: of chapters before them that may have passages or edges in common with this
    one. ``seen``: in how many chapters before this one a sentence stands, by its print.
    ``banned`` are phrases of the book's rules, ``point_of_view`` is what they say of it.
    ``standing``: the story as this chapter begins; ``background``: more of the book's own text in
    which known names may stand. ``fingerprint``: of the text that the book's
    style was learnt from. ``words``: the author's own words, added and taken out.
    ``disabled``: ids of checks that are turned off. ``thresholds``: the author's own values by the
    names in ``thresholds.py``.
    """

    language: Language
    number: int
    target_words: int
    previous: Sequence[str] = ()
    older: Sequence[str] = ()
    seen: Mapping[int, int] = field(default_factory=dict)
    banned: Sequence[str] = ()
    point_of_view: str = ""
    genre: str = "general"
    standing: Standing = field(default_factory=Standing)
    background: str = ""
    fingerprint: Fingerprint | None = None
    words: Words = field(default_factory=Words)
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
    about: str = "",
    **values: object,
) -> Finding:
    """A finding in the language of the book. ``message`` names the wording, by default the check's
    own. The id rests on the quote, or without one on what it is ``about``, by default the wording's
    name, so numbers in it don't change it."""
    message = message or check
    description, suggestion = MESSAGES[message][context.language]
    return Finding(
        id=finding_id("check", check, quote, about or message),
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
