"""Numbers of things as prose writes them: ``三十七枚``, ``1,200 crowns``, ``twenty-one coins``."""

import re
from typing import NamedTuple

from zencli.prose.numerals import chinese_number, english_number
from zencli.story.book import Language

_ZH_DIGITS = "零〇一二三四五六七八九十百千两"
_ONE = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
_ONE += "|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
_ONE += "|ninety|hundred)"
NUMBER = {
    "zh": rf"(?:[0-9０-９][0-9０-９,，]*|[{_ZH_DIGITS}]+万?[{_ZH_DIGITS}]*)",
    "en": rf"(?:\d[\d,]*|{_ONE}(?:[ -](?:and )?{_ONE})*)",
}
"""A pattern for a whole number, to be searched whatever the case."""

_VAGUE = {
    "zh": re.compile(r"[几数余多约来近]|上下|左右|不到|以上|以下|少许|若干|大半|半"),
    "en": re.compile(
        r"\b(?:about|around|some|over|under|nearly|almost|roughly|several|few|half|or)\b|[-–]\d",
        re.IGNORECASE,
    ),
}
_QUANTITY = {
    "zh": re.compile(rf"({NUMBER['zh']})\s*([^\W\d_]?)"),
    "en": re.compile(rf"\b({NUMBER['en']})\b\s*([^\W\d_]*)", re.IGNORECASE),
}


class Quantity(NamedTuple):
    """``unit``: the measure word (zh) or the noun (en), as it stands."""

    value: int
    unit: str


def number_of(text: str, language: Language) -> int | None:
    """The value of what ``NUMBER`` matches; None beyond 100,000 and for what is no number."""
    bare = text.replace(",", "").replace("，", "").strip()
    if language == "en":
        return english_number(bare)
    head, ten_thousand, tail = bare.partition("万")
    if not ten_thousand:
        return chinese_number(bare)
    high, low = chinese_number(head), chinese_number(tail or "零")
    return None if high is None or low is None else high * 10_000 + low


def quantity_in(text: str, language: Language) -> Quantity | None:
    """The one exact number that a note of a quantity gives, else None: ``约三十枚`` is none."""
    found = _QUANTITY[language].findall(text)
    if len(found) != 1 or _VAGUE[language].search(text):
        return None
    value = number_of(found[0][0], language)
    return None if value is None else Quantity(value, found[0][1])
