"""The numbers that a text states as facts: sums, distances, hours, heads."""

import re

from zencli.prose.quantities import NUMBER, number_of
from zencli.story.book import Language

_LEAST = 3
"""One and two are articles and idioms more often than counts."""

_MEASURES = (
    "个人名位口只头匹条张把块间座艘辆层级步丈尺寸里米斤两钱文贯吊石斗升亩年月日天岁更点刻秒次回遍枚件支根颗粒壶碗杯瓶箱包"
    "袋封卷册页户家村镇路门台架桩笔则道"
)
_ZH = re.compile(rf"(第?)({NUMBER['zh']})([{_MEASURES}]?)")
_EN = re.compile(rf"\b({NUMBER['en']})\b(?: ([a-z]+))?", re.IGNORECASE)
_LOOSE = re.compile("[一二三四五六七八九]{2,}")
"""三四 is three or four; 一二三 doesn't occur as a sum in prose either."""


def figures(text: str, language: Language) -> dict[int, str]:
    """Every exact number from three on that counts something, by its value, with the words that
    state it first (``三百文``, ``forty crowns``).

    Chinese: written in digits, after 第, or before a measure word; 三四 and 七八 are no exact
    numbers. English: digits and cardinal words.
    """
    found: dict[int, str] = {}
    for match in (_ZH if language == "zh" else _EN).finditer(text):
        written = match[2] if language == "zh" else match[1]
        if language == "zh" and not (
            match[1] or match[3] or written[0] in "0123456789０１２３４５６７８９"
        ):
            continue
        value = None if _LOOSE.fullmatch(written) else number_of(written, language)
        if value is not None and value >= _LEAST:
            found.setdefault(value, match[0].strip())
    return found


def numbers(text: str, language: Language) -> set[int]:
    """Every value that stands anywhere in the text, however it is written."""
    edge = r"\b" if language == "en" else ""
    pattern = re.compile(f"{edge}{NUMBER[language]}{edge}", re.IGNORECASE)
    values = (number_of(match[0], language) for match in pattern.finditer(text))
    return {value for value in values if value is not None}
