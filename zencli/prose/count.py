"""How long a text is: one way of counting for the whole program, and the bands around a target."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from zencli.story.book import Language

HAN = "\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""The inside of a character class with every Han character; planes 2 and 3 hold the extensions."""
HAN += "\U00020000-\U0003fffd"

_FULL_WIDTH_MARKS = (
    "\u00b7\u2014\u2015\u2018\u2019\u201c\u201d\u2025\u2026"
    "\u3001-\u3004\u3008-\u301f\u3030\u303d\u30fb\ufe10-\ufe19\ufe30-\ufe4f"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffe6"
)
_LATIN = "0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\u0300-\u036f"
_LATIN += "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"

_ZH_LATIN = f"[{_LATIN}]+(?:['’][{_LATIN}]+)*"
_ZH_UNIT = f"{_ZH_LATIN}|[{HAN}]|[{_FULL_WIDTH_MARKS}]"
_ZH_RUN = re.compile(f"{_ZH_LATIN}|[{HAN}{_FULL_WIDTH_MARKS}]+")
_HAN_OR_MARK = re.compile(f"[{HAN}{_FULL_WIDTH_MARKS}]")
_LETTERS = "[^\\W_]+(?:[\u0300-\u036f]+[^\\W_]*)*"
_JOINT = "(?:['’\\-\u2010\u2011]|(?<=\\d)[.,](?=\\d))"
_EN_WORD = re.compile(f"{_LETTERS}(?:{_JOINT}{_LETTERS})*")

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t\u3000][^\n]*)?$", re.M)
_NOT_PROSE = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>\n]*>|^ {0,3}(?:```|~~~)[^\n]*$|^[ \t]*\d{1,3}[.)][ \t]+",
    re.M | re.S,
)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")


class Bands(NamedTuple):
    """Lengths around a target, all inclusive: within ``low..high`` is good (15 %), outside
    ``low_hard..high_hard`` (30 %) the chapter has to be shortened or lengthened."""

    low_hard: int
    low: int
    high: int
    high_hard: int


def plain(text: str) -> str:
    """The text without headings and without the Markdown that would be counted as words."""
    text = _NOT_PROSE.sub("", _HEADING.sub("", _INVISIBLE.sub("", text)))
    return _LINK.sub(r"\1", text) if "](" in text else text


def words(text: str, language: Language) -> list[str]:
    """The counted units in order.

    zh: each Han character, each full-width punctuation mark, each run of Latin letters or digits.
    en: each word or number; apostrophes, hyphens and the marks inside a number don't divide it.
    """
    unit = _ZH_UNIT if language == "zh" else _EN_WORD
    return re.findall(unit, unicodedata.normalize("NFC", plain(text)))


@lru_cache(maxsize=32)
def count_words(text: str, language: Language) -> int:
    """The length of a text in the unit of its language: ``chars`` for zh, ``words`` for en."""
    counted = unicodedata.normalize("NFC", plain(text))
    if language == "en":
        return len(_EN_WORD.findall(counted))
    runs = _ZH_RUN.findall(counted)
    return sum(len(run) if _HAN_OR_MARK.match(run) else 1 for run in runs)


def bands(target: int) -> Bands:
    """The bands about a target, rounded inwards to whole units."""
    return Bands(
        low_hard=-(-target * 70 // 100),
        low=-(-target * 85 // 100),
        high=target * 115 // 100,
        high_hard=target * 130 // 100,
    )


def length_score(asked: int, got: int) -> float:
    """How near ``got`` is to ``asked``, 0 to 100 (S_l of the LongWriter paper).

    Twice the length still scores 67 and half of it 50; nothing at all scores 0.
    """
    if asked <= 0:
        raise ValueError("the asked length must be above 0")
    if got <= 0:
        return 0.0
    excess = (got / asked - 1) / 3 if got > asked else (asked / got - 1) / 2
    return 100.0 * max(0.0, 1.0 - excess)
