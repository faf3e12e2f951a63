"""How a text is written, in numbers: what is learnt from a sample and compared with a chapter."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from statistics import fmean, pstdev

from zencli.prose.count import HAN, count_words
from zencli.prose.names import SURNAMES
from zencli.prose.repeat import words_of
from zencli.prose.segment import (
    dialogue_share,
    narrative_spans,
    paragraph_spans,
    quoted_spans,
    sentence_spans,
)
from zencli.story.book import Language

PIECE = {"zh": 2500, "en": 1800}
"""Units of one piece of a sample; how far pieces differ is how far a chapter may."""
LEAST = {"zh": 5000, "en": 3600}
"""Units that a sample must have: two pieces."""
FAVOURITES = 12

FEATURES: tuple[str, ...] = (
    "sentence_mean",
    "sentence_variation",
    "short_sentences",
    "long_sentences",
    "paragraph_mean",
    "single_paragraphs",
    "dialogue",
    "commas",
    "stops",
    "questions",
    "exclamations",
    "dashes",
    "ellipses",
)
"""What is compared. Means are in units (characters zh, words en) and sentences; marks are per
thousand units; the rest are shares from 0 to 1."""

_FLOOR: Mapping[str, float] = {
    "sentence_mean": 2.0,
    "sentence_variation": 0.08,
    "short_sentences": 0.06,
    "long_sentences": 0.06,
    "paragraph_mean": 0.7,
    "single_paragraphs": 0.12,
    "dialogue": 0.12,
    "commas": 8.0,
    "stops": 6.0,
    "questions": 2.5,
    "exclamations": 2.5,
    "dashes": 2.0,
    "ellipses": 1.5,
}
"""The least spread: a sample whose pieces are all alike doesn't bind a chapter to the letter."""

_SHORT = {"zh": 10, "en": 7}
_LONG = {"zh": 40, "en": 30}
_MARKS: Mapping[str, re.Pattern[str]] = {
    "commas": re.compile("[,，、;；]"),
    "stops": re.compile("[.。]"),
    "questions": re.compile("[?？]"),
    "exclamations": re.compile("[!！]"),
    "dashes": re.compile("—+|–|--+"),
    "ellipses": re.compile("…+|[.]{3,}|。。。"),
}
_PLAIN_EN = """
the a an and or but of to in on at for with from by as is was were be been are am it its he she
they them his her their him i me my you your we our us that this these those there then than so not
no if when who what which had has have do did does would could should will can may might must all
any some one out up down into over about after before said very more only such now much how own
"""
_PLAIN = {
    "zh": frozenset(
        "的了着是在有和与也都就不没把被他她它我你们这那个一上下里来去说道到得地又还便却而之于"
        "为以其所人中时会要能可从向对"
    ),
    "en": frozenset(_PLAIN_EN.split()),
}
"""Characters and words that say nothing of a style."""
_SAID = "曰道说"
_COMMON_LEAST = 4


@dataclass(frozen=True)
class Fingerprint:
    """``means`` and ``spreads`` by feature; ``favourites`` the commonest words of the sample's own,
    ``openings`` and ``endings`` how its pieces begin and end, each a share from 0 to 1."""

    means: Mapping[str, float]
    spreads: Mapping[str, float]
    favourites: tuple[str, ...] = ()
    habits: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=16)
def features(text: str, language: Language) -> Mapping[str, float]:
    """The numbers of one text by ``FEATURES``; all 0 for one without sentences."""
    spans = sentence_spans(text, language)
    units = count_words(text, language)
    if not spans or not units:
        return dict.fromkeys(FEATURES, 0.0)
    sizes = [_size(text[a:b], language) for a, b in spans]
    mean = fmean(sizes)
    paragraphs = _sentences_in_paragraphs(text, spans)
    found = {
        "sentence_mean": mean,
        "sentence_variation": pstdev(sizes) / mean if mean else 0.0,
        "short_sentences": sum(n <= _SHORT[language] for n in sizes) / len(sizes),
        "long_sentences": sum(n >= _LONG[language] for n in sizes) / len(sizes),
        "paragraph_mean": fmean(paragraphs),
        "single_paragraphs": sum(n == 1 for n in paragraphs) / len(paragraphs),
        "dialogue": dialogue_share(text, language),
    }
    for name, pattern in _MARKS.items():
        found[name] = 1000 * len(pattern.findall(text)) / units
    return found


def _size(sentence: str, language: Language) -> int:
    return len(sentence if language == "zh" else sentence.split())


def _sentences_in_paragraphs(text: str, sentences: Sequence[tuple[int, int]]) -> list[int]:
    starts = [start for start, _ in sentences]
    counted, at = [], 0
    for _, end in paragraph_spans(text):
        before = at
        while at < len(starts) and starts[at] < end:
            at += 1
        counted.append(at - before)
    return [count for count in counted if count] or [0]


def fingerprint(text: str, language: Language) -> Fingerprint:
    """What a sample of at least ``LEAST`` units is like, and how far its pieces are apart.

    Raises ``ValueError`` for a shorter one.
    """
    if count_words(text, language) < LEAST[language]:
        raise ValueError(f"a sample needs at least {LEAST[language]} units")
    parts = pieces(text, language)
    each = [features(part, language) for part in parts]
    return Fingerprint(
        means={name: fmean(f[name] for f in each) for name in FEATURES},
        spreads={name: pstdev([f[name] for f in each]) for name in FEATURES},
        favourites=_favourites(text, language),
        habits=_habits(parts, language),
    )


def pieces(text: str, language: Language) -> list[str]:
    """The text in pieces of about ``PIECE`` units, cut between paragraphs; a short rest belongs to
    the last one."""
    found: list[list[str]] = [[]]
    size = 0
    for start, end in paragraph_spans(text):
        if size >= PIECE[language]:
            found.append([])
            size = 0
        found[-1].append(text[start:end])
        size += count_words(text[start:end], language)
    if len(found) > 1 and size < PIECE[language] // 2:
        rest = found.pop()
        found[-1].extend(rest)
    return ["\n\n".join(part) for part in found]


def distance(text: str, language: Language, reference: Fingerprint) -> tuple[float, list[str]]:
    """How far a text is from a sample, and its features with the farthest first.

    The mean over ``FEATURES`` of how many spreads of the sample lie between, at most 4 each; a
    spread is at least ``_FLOOR``. About 0.8 for another piece of the sample itself.
    """
    mine = features(text, language)
    apart = {
        name: min(4.0, abs(mine[name] - mean) / max(reference.spreads.get(name, 0), _FLOOR[name]))
        for name, mean in reference.means.items()
        if name in mine
    }
    ranked = sorted(apart, key=lambda name: (-apart[name], name))
    return (fmean(apart.values()) if apart else 0.0), ranked


def _favourites(text: str, language: Language) -> tuple[str, ...]:
    """The commonest words (en) or pairs of characters (zh) that aren't everybody's, names left out:
    what often speaks or begins with a surname (zh), what mostly has a capital (en)."""
    words = words_of(text, language)
    plain = _PLAIN[language]
    if language == "en":
        counted = Counter(w for w in words if w not in plain and len(w) > 2)
        capitals = Counter(w.lower() for w in re.findall(r"\b[A-Z][a-z]+", text))
        named = {w for w in counted if capitals[w] * 2 > counted[w]}
    else:
        counted = Counter(a + b for a, b in pairwise(words) if not {a, b} & plain)
        speaking = Counter(m[1] for m in re.finditer(rf"(?=([{HAN}]{{2}})[{_SAID}笑问])", text))
        named = {w for w in counted if speaking[w] * 40 > counted[w] or w[0] in SURNAMES}
        named |= {w for w in counted if set(w) & set(_SAID)}
    common = [w for w, n in counted.most_common() if n >= _COMMON_LEAST and w not in named]
    return tuple(common[:FAVOURITES])


def _habits(parts: Sequence[str], language: Language) -> Mapping[str, float]:
    """How often a paragraph begins and ends with speech, and a short sentence closes one."""
    begun = ended = short = all_ = 0
    for part in parts:
        quoted = quoted_spans(part)
        begins, ends = {a for a, _ in quoted}, {b for _, b in quoted}
        last = {b: a for a, b in narrative_spans(part, language)}
        for start, end in paragraph_spans(part):
            all_ += 1
            begun += start in begins
            ended += end in ends
            if end in last:
                short += _size(part[last[end] : end], language) <= _SHORT[language]
    count = max(1, all_)
    return {"begin_speech": begun / count, "end_speech": ended / count, "end_short": short / count}
