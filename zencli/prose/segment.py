"""Paragraphs and sentences, as slices of the text itself; headings and scene breaks are neither."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from zencli.prose.count import HAN
from zencli.story.book import Language

Span = tuple[int, int]

_WIDE = re.compile("[\u2e80-\uffef\U00020000-\U0003fffd]")
_HAN_RUN = re.compile(f"[{HAN}]+")
_LATIN_RUN = re.compile("[A-Za-z\u00c0-\u024f]+")
_HEADING = re.compile(r"#{1,6}(?:[\s\u3000]|$)")
_RULE = re.compile(r"(?:[-*_~=·•＊]\s*){3,}$|[*＊#◇◆※§⁂]$")

_CLOSERS = "”’」』）)】]》»*_"
_ZH_STOP = re.compile(r"[。！？!?][。！？!?…]*|…+(?=[”’」』\"])")
_ZH_TAG = re.compile(
    r"[^。！？!?…，“”「」\"\n]{0,12}?(?:说|道|问|答|喊|叫|嚷|吼|骂|念|叹)(?=[，。：:！、着了完\s]|道)"
)
_EN_STOP = re.compile(r"[.!?…]+")
_EN_TAG = re.compile(
    r"\s+(?:[A-Z][\w’'-]*\s+){1,3}"
    r"(?:said|says|asked|replied|cried|answered|whispered|muttered|called|shouted|added|agreed)\b"
)
_EN_ABBREVIATION = re.compile(
    r"(?:^|[\s(“‘\"'])(?:Mr|Mrs|Ms|Dr|St|Mt|Jr|Sr|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Maj|Cmdr|Gov|Sen"
    r"|Esq|Messrs|Mme|Mlle|vs|etc|e\.g|i\.e|cf|viz|[A-HJ-Z])$"
)
_EN_NUMBERED = re.compile(r"(?:^|[\s(])(?:No|Nos|Vol|Fig|Ch|pp?)$")

_QUOTED = re.compile(
    r"“[^”]*(?:”|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|\"[^\"]*(?:\"|$)|«[^»]*(?:»|$)"
)
_SINGLE_QUOTED = re.compile(r"(?<!\w)‘.+?’(?!\w)|(?<!\w)'(?=\S).+?'(?!\w)")


@lru_cache(maxsize=32)
def script(text: str) -> Language:
    """The language that the letters of the text suggest."""
    han, latin = (sum(map(len, run.findall(text))) for run in (_HAN_RUN, _LATIN_RUN))
    return "zh" if han * 3 > latin else "en"


@lru_cache(maxsize=32)
def paragraph_spans(text: str) -> tuple[Span, ...]:
    """Where the paragraphs of prose stand: ``text[start:end]``, without outer white space.

    A blank line divides paragraphs. So does a single line end next to a line of Chinese, which
    nobody wraps; a single line end within Latin text is a wrapped line, as in Markdown.
    """
    spans: list[Span] = []
    joined = latin = False
    for start, end in _line_spans(text):
        line = text[start:end]
        if not line or _HEADING.match(line) or _RULE.match(line):
            joined = False
            continue
        if joined and not _WIDE.search(line) and (latin or not _WIDE.search(text, *spans[-1])):
            latin = "\u3000" not in text[spans[-1][1] : start]
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
            latin = False
        joined = True
    return tuple(spans)


def _line_spans(text: str) -> Iterator[Span]:
    """Each line without the white space around it; a blank line is an empty span."""
    start = 0
    for line in text.split("\n"):
        body = line.strip()
        at = start + line.index(body)
        yield at, at + len(body)
        start += len(line) + 1


def paragraphs(text: str) -> list[str]:
    """The paragraphs of prose in order, verbatim."""
    return [text[start:end] for start, end in paragraph_spans(text)]


@lru_cache(maxsize=32)
def sentence_spans(text: str, language: Language) -> tuple[Span, ...]:
    """Where the sentences stand. A closing quotation mark belongs to the sentence before it, and so
    does a speech tag (``“走。”他说。`` is one sentence); a paragraph's end ends its sentence."""
    spans: list[Span] = []
    for start, end in paragraph_spans(text):
        paragraph = text[start:end]
        cuts = [0, *_sentence_ends(paragraph, language), len(paragraph)]
        for left, right in pairwise(cuts):
            body = paragraph[left:right].strip()
            if body:
                at = start + paragraph.index(body, left)
                spans.append((at, at + len(body)))
    return tuple(spans)


def sentences(text: str, language: Language) -> list[str]:
    """The sentences in order, verbatim."""
    return [text[start:end] for start, end in sentence_spans(text, language)]


def _sentence_ends(paragraph: str, language: Language) -> Iterator[int]:
    stop, tag = (_ZH_STOP, _ZH_TAG) if language == "zh" else (_EN_STOP, _EN_TAG)
    done = 0
    for match in stop.finditer(paragraph):
        end = _past_closers(paragraph, match.end())
        if end <= done or end >= len(paragraph):
            continue
        if language == "en" and not _english_end(paragraph, match, end):
            continue
        if end > match.end() and tag.match(paragraph, end):
            continue
        done = end
        yield end


def _past_closers(paragraph: str, end: int) -> int:
    while end < len(paragraph):
        mark = paragraph[end]
        straight = mark == '"' and paragraph.count('"', 0, end) % 2 == 1
        apostrophe = mark == "'" and not paragraph[end + 1 : end + 2].strip()
        if not (mark in _CLOSERS or straight or apostrophe):
            break
        end += 1
    return end


def _english_end(paragraph: str, stop: re.Match[str], end: int) -> bool:
    if not paragraph[end].isspace():
        return False
    following = paragraph[end:].lstrip()[:1]
    if following.islower():
        return False
    before = paragraph[max(0, stop.start() - 12) : stop.start()]
    if stop.group() != "." or end > stop.end():
        return True
    numbered = following.isdigit() and _EN_NUMBERED.search(before)
    return not (numbered or _EN_ABBREVIATION.search(before))


def tail(text: str, limit_chars: int) -> str:
    """The last whole sentences of the text, at most ``limit_chars`` characters, beginning outside a
    quotation where that is possible. A last sentence that is longer alone is cut at its front."""
    spans = sentence_spans(text, script(text))
    if not spans or limit_chars <= 0:
        return ""
    end = spans[-1][1]
    starts = [start for start, _ in spans if end - start <= limit_chars]
    if not starts:
        return text[end - limit_chars : end]
    inside = [span for span in quoted_spans(text) if span[1] > starts[0]]
    clean = [s for s in starts if not any(left < s < right for left, right in inside)]
    return text[(clean or starts)[0] : end]


@lru_cache(maxsize=64)
def opening(text: str) -> str:
    """The first sentences: at least one, and as many as fit 80 Chinese or 240 other characters."""
    language = script(text)
    spans = sentence_spans(text, language)
    if not spans:
        return ""
    start, end = spans[0]
    limit = start + _edge(language)
    return text[start : max([end, *(e for _, e in spans if e <= limit)])]


@lru_cache(maxsize=64)
def ending(text: str) -> str:
    """The last sentences, measured as in ``opening``."""
    return tail(text, _edge(script(text)))


def _edge(language: Language) -> int:
    return 80 if language == "zh" else 240


@lru_cache(maxsize=32)
def quoted_spans(text: str) -> tuple[Span, ...]:
    """Where somebody speaks, quotation marks included. An unclosed quotation ends with its
    paragraph. Single marks count only in a text that has no double ones."""
    marks = _QUOTED if _QUOTED.search(text) else _SINGLE_QUOTED
    return tuple(
        (start + match.start(), start + match.end())
        for start, end in paragraph_spans(text)
        for match in marks.finditer(text[start:end])
    )


@lru_cache(maxsize=32)
def narrative_spans(text: str, language: Language) -> tuple[Span, ...]:
    """The sentences that hold no speech, in order."""
    quoted = quoted_spans(text)
    found, at = [], 0
    for start, end in sentence_spans(text, language):
        while at < len(quoted) and quoted[at][1] <= start:
            at += 1
        if at == len(quoted) or quoted[at][0] >= end:
            found.append((start, end))
    return tuple(found)


def dialogue_share(text: str, language: Language) -> float:
    """The share of speech in the prose, 0 to 1, by characters (zh) or words (en)."""
    whole = sum(_mass(text[start:end], language) for start, end in paragraph_spans(text))
    spoken = sum(_mass(text[start:end], language) for start, end in quoted_spans(text))
    return spoken / whole if whole else 0.0


def _mass(text: str, language: Language) -> int:
    return len("".join(text.split())) if language == "zh" else len(text.split())
