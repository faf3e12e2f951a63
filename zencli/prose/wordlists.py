"""How much of a text is stock: turns of phrase, and single words used to exhaustion."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from zencli.prose.count import count_words
from zencli.prose.fatigue import FATIGUE, GENRE_FATIGUE
from zencli.prose.segment import paragraph_spans
from zencli.prose.turns import BY_GENRE, EN, ZH
from zencli.story.book import Language

_ADDED = 1.0
"""What a turn that the author adds weighs."""

GENRES = {
    "玄幻": "xuanhuan",
    "仙侠": "xianxia",
    "修仙": "xianxia",
    "武侠": "wuxia",
    "都市": "urban",
    "悬疑": "mystery",
    "推理": "mystery",
    "言情": "romance",
    "爱情": "romance",
    "科幻": "scifi",
    "奇幻": "fantasy",
    "恐怖": "horror",
    "历史": "historical",
    "游戏系统": "litrpg",
    "游戏": "litrpg",
    "science fiction": "scifi",
}
"""Other names of the genres that have word lists."""


@dataclass(frozen=True)
class Words:
    """The author's own: words to count as stock, and words that don't count."""

    added: tuple[str, ...] = ()
    removed: frozenset[str] = frozenset()


class Hit(NamedTuple):
    """A turn of phrase that was found: where, and how much it weighs."""

    start: int
    end: int
    weight: float


def _genre(genre: str) -> str:
    name = genre.strip().lower()
    return GENRES.get(name, name)


class _Turns(NamedTuple):
    """A pattern for each weight, the heaviest first, and one that finds what any of them finds."""

    weighed: tuple[tuple[re.Pattern[str], float], ...]
    any: re.Pattern[str]


_ODD_CASE = re.compile("[\u0130\u0131\u017f\u212a]")
"""Letters that match one of ASCII in another case and aren't lowered to it, or to more than it."""


def _searched(text: str, language: Language, added: tuple[str, ...]) -> tuple[str, int]:
    """The text that patterns of lower case are searched in, and their flags.

    Ignoring case takes ``re`` three times as long as lowering the text first.
    """
    if language == "zh" and not added:
        return text, 0
    plain = all(word.isascii() or word.lower() == word.upper() for word in added)
    if not plain or _ODD_CASE.search(text):
        return text, re.IGNORECASE
    return text.lower(), 0


@lru_cache(maxsize=16)
def _turns(language: Language, genre: str, added: tuple[str, ...], flags: int) -> _Turns:
    by_weight: dict[float, list[str]] = {}
    for table in (ZH if language == "zh" else EN, BY_GENRE[language].get(_genre(genre), {})):
        for weight, turns in table.items():
            by_weight.setdefault(weight, []).extend(turns)
    by_weight.setdefault(_ADDED, []).extend(re.escape(word.lower()) for word in added)
    frame = r"\b(?:{})\b" if language == "en" else "(?:{})"
    heaviest = sorted(by_weight.items(), reverse=True)
    return _Turns(
        tuple((re.compile(frame.format("|".join(ts)), flags), weight) for weight, ts in heaviest),
        re.compile(frame.format("|".join(t for _, ts in heaviest for t in ts)), flags),
    )


def hits(
    text: str, language: Language, genre: str = "general", words: Words | None = None
) -> list[Hit]:
    """The machine-flavoured turns of the prose in order. Where two overlap the heavier counts."""
    words = words or Words()
    found: list[Hit] = []
    for hit in _all_hits(text, language, genre, words.added):
        if text[hit.start : hit.end].lower() in words.removed:
            continue
        if all(hit.end <= other.start or other.end <= hit.start for other in found):
            found.append(hit)
    return sorted(found)


def _all_hits(text: str, language: Language, genre: str, added: tuple[str, ...]) -> Iterator[Hit]:
    searched, flags = _searched(text, language, added)
    turns = _turns(language, genre, added, flags)
    spans = [span for span in paragraph_spans(text) if turns.any.search(searched, *span)]
    for pattern, weight in turns.weighed:
        for start, end in spans:
            for match in pattern.finditer(searched, start, end):
                yield Hit(match.start(), match.end(), weight)


def ai_score(
    text: str, language: Language, genre: str = "general", words: Words | None = None
) -> float:
    """The weights of all turns found, per thousand units of the text (characters zh, words en)."""
    length = count_words(text, language)
    return hit_score(hits(text, language, genre, words), length)


def hit_score(found: Iterable[Hit], length: int) -> float:
    """The weights of these turns per thousand units of a text of ``length``."""
    return 1000 * sum(hit.weight for hit in found) / length if length else 0.0


@lru_cache(maxsize=16)
def _tired(
    language: Language, genre: str, added: tuple[str, ...], flags: int
) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for all words, and the family of each form."""
    listed = [*FATIGUE[language], *GENRE_FATIGUE[language].get(_genre(genre), ())]
    forms = {form: family.split("|")[0] for family in listed for form in family.split("|")}
    forms |= {re.escape(word.lower()): word for word in added}
    longest = sorted(forms, key=lambda form: (-len(_bare(form)), form))
    frame = r"\b(?:{})\b" if language == "en" else "(?:{})"
    pattern = re.compile(frame.format("|".join(longest)), flags)
    return pattern, {_bare(form): _bare(family) for form, family in forms.items()}


def _bare(form: str) -> str:
    """The word that a pattern of the lists stands for."""
    plain = re.sub(r"\(\?!.*?\)", "", form).replace("['’]", "'")
    return re.sub(r"\\(.)", r"\1", plain).lower()


def tired_words(
    text: str, language: Language, genre: str = "general", words: Words | None = None
) -> dict[str, list[tuple[int, int]]]:
    """Where each word of the fatigue lists stands in the text, those that don't left out.

    The forms of a word are one; a form that the author took out isn't looked at.
    """
    words = words or Words()
    searched, flags = _searched(text, language, words.added)
    pattern, families = _tired(language, genre, words.added, flags)
    found: dict[str, list[tuple[int, int]]] = {}
    for match in pattern.finditer(searched):
        form = match.group().lower().replace("’", "'")
        if form in families and form not in words.removed:
            found.setdefault(families[form], []).append(match.span())
    return found
