"""Through whose eyes: does the narration keep to the point of view that the rules name?"""

import re
from collections.abc import Iterator
from typing import Literal

from zencli.prose.finding import CheckContext, clipped, percent, report
from zencli.prose.segment import (
    Span,
    narrative_spans,
    paragraph_spans,
    quoted_spans,
    sentence_spans,
)
from zencli.story.findings import Finding

Person = Literal["first", "third", ""]

_FIRST_RULE = re.compile(r"第一人称|\bfirst[ -]person\b", re.IGNORECASE)
_THIRD_RULE = re.compile(r"第三人称|\bthird[ -]person\b|\bclose third\b", re.IGNORECASE)
_LIMITED_RULE = re.compile(
    r"限知|限制|有限视角|单一视角|单视角|只跟着?|\blimited\b|\bclose third\b|\bsingle (?:point "
    r"of )?view",
    re.IGNORECASE,
)
_FIRST = {
    "zh": re.compile(r"(?<![自忘无唯物小大敌本])我(?!国|军|朝|方|辈|等|佛|执|行我素)|咱"),
    "en": re.compile(r"\b(?:I|I['’](?:m|d|ve|ll)|my|me|myself)\b"),
}
_THIRD = {
    "zh": re.compile(r"[他她]"),
    "en": re.compile(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE),
}
_THOUGHT = {
    "zh": re.compile(r"想|心道|暗道|[思忖]|念头|自问|觉得|写|歌|诗|[曰云：《？！]|——|也许|难道"),
    "en": re.compile(
        r"\b(?:thought|think|wonder\w*|wrote|read|sang|letter|note)\b|[*_?!:]|^\s*>", re.IGNORECASE
    ),
}
_INNER = {
    "zh": (
        "(?:心想|暗想|心道|暗道|寻思|心里(?:一|很|有|想|明白|清楚)|觉得|感到|想起|意识到"
        "|明白了?|知道自己|不知道)"
    ),
    "en": r"(?:knew|thought|felt|wondered|realised|realized|remembered|feared|hoped|understood)\b",
}
_SCENE = re.compile(r"^[ \t]*(?:(?:[-*_~=·•＊]\s*){3,}|[*＊#◇◆※§⁂])[ \t]*$", re.MULTILINE)


def person_of(rule: str) -> Person:
    """Which person a rule on point of view asks for; "" when it names none, or both."""
    first, third = bool(_FIRST_RULE.search(rule)), bool(_THIRD_RULE.search(rule))
    return "" if first == third else "first" if first else "third"


def point_of_view(text: str, context: CheckContext) -> Iterator[Finding]:
    """Narration in the other person than the rules ask for.

    Third asked: ``pov-drift.share`` of the narrative sentences, ``pov-drift.least`` at least, say
    "I" outside of speech, thought, letters and verse: warning. First asked: of
    ``pov-drift.narrative`` sentences or more less than ``pov-drift.narrator`` say "I", and most
    say "he" or "she": info.
    """
    person = person_of(context.point_of_view)
    if not person:
        return
    language = context.language
    told = narrative_spans(text, language)
    said = [s for s in told if _FIRST[language].search(text, *s)]
    if person == "third":
        plain = [s for s in said if not _THOUGHT[language].search(_around(text, s))]
        share = len(plain) / max(1, len(told))
        if len(plain) >= context.limit("pov-drift.least") and share >= context.limit(
            "pov-drift.share"
        ):
            quote = clipped(text, plain[0], language)
            yield report(
                context, "pov-drift", "warning", "pov third", quote=quote, count=len(plain)
            )
        return
    others = [s for s in told if _THIRD[language].search(text, *s)]
    share = len(said) / max(1, len(told))
    if (
        len(told) >= context.limit("pov-drift.narrative")
        and share < context.limit("pov-drift.narrator")
        and len(others) * 2 > len(told)
    ):
        quote = clipped(text, others[0], language)
        yield report(context, "pov-drift", "info", "pov first", quote=quote, share=percent(share))


def _around(text: str, sentence: Span) -> str:
    """The sentence with what leads up to it in its paragraph."""
    start = next((a for a, b in paragraph_spans(text) if a <= sentence[0] < b), sentence[0])
    return text[max(start, sentence[0] - 40) : sentence[1]]


def head_hopping(text: str, context: CheckContext) -> Iterator[Finding]:
    """Where the rules limit the view to one head: in one scene the inner life of
    ``head-hopping.people`` people or more is told, ``head-hopping.views`` times each: warning."""
    people = {n for n in context.standing.people if len(n) > 1 and n in text}
    if not _LIMITED_RULE.search(context.point_of_view) or len(people) < 2:
        return
    language = context.language
    named = "|".join(map(re.escape, sorted(people, key=lambda n: (-len(n), n))))
    gap = r"[^，。！？：“”「」\n的]{0,3}" if language == "zh" else r" (?:\w+ )?"
    edge = "" if language == "zh" else r"\b"
    pattern = re.compile(rf"{edge}({named}){edge}{gap}{_INNER[language]}")
    quoted = quoted_spans(text)
    for start, end in _scenes(text):
        views: dict[str, list[Span]] = {}
        for match in pattern.finditer(text, start, end):
            if not any(a <= match.start() < b for a, b in quoted):
                views.setdefault(match[1], []).append(match.span())
        often = [v for v in views.values() if len(v) >= context.limit("head-hopping.views")]
        if len(often) >= context.limit("head-hopping.people"):
            second = sorted(often)[1][0]
            names = [text[v[0][0] : v[0][1]] for v in sorted(often)]
            quote = next(
                clipped(text, s, language)
                for s in sentence_spans(text, language)
                if s[0] <= second[0] < s[1]
            )
            yield report(context, "head-hopping", "warning", quote=quote, count=len(names))


def _scenes(text: str) -> Iterator[Span]:
    start = 0
    for match in _SCENE.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)
