"""The numbers that a text states as facts: sums, distances, hours, heads."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from zencli.prose.quantities import NUMBER, number_of
from zencli.story.book import Language

_LEAST = 3
"""One and two are articles and idioms more often than counts."""

_STEM = 3
"""Letters of an English unit that tell it apart: ``inch`` and ``inches`` are one."""

_MEASURES = (
    "个人名位口只头匹条张把块间座艘辆层级步丈尺寸里米斤两钱文贯吊石斗升亩年月日天岁更点刻秒次回遍枚件支根颗粒壶碗杯瓶箱包"
    "袋封卷册页户家村镇路门台架桩笔则道"
)
_ZH = re.compile(rf"(第?)({NUMBER['zh']})([{_MEASURES}]?)")
_EN = re.compile(rf"\b({NUMBER['en']})\b(?: ([a-z]+))?", re.IGNORECASE)
_NO_UNIT = re.compile(
    ".|about|after|all|and|are|as|at|before|but|by|for|from|ha[ds]|have|if|into|is|it|more|nor|not"
    "|off?|on|or|out|over|than|that|the|then|they|too?|under|up|was|were|when|which|who|with|yet",
    re.IGNORECASE,
)
"""What comes after a number and says nothing of what it counts (``7.30 p.m.``, ``seven on``)."""

_LOOSE = re.compile("[一二三四五六七八九]{2,}")
"""三四 is three or four; 一二三 doesn't occur as a sum in prose either."""


def figures(text: str, language: Language) -> dict[int, str]:
    """Every exact number from three on that counts something, by its value, with the words that
    state it first (``三百文``, ``forty crowns``).

    Chinese: written in digits, after 第, or before a measure word; 三四 and 七八 are no exact
    numbers. English: digits and cardinal words.
    """
    found: dict[int, str] = {}
    for figure in _stated(text, language):
        found.setdefault(figure.value, figure.written)
    return found


def motifs(text: str, language: Language) -> dict[tuple[int, str], str]:
    """The numbers that a text states of one unit twice or oftener (``八寸``), by value and unit."""
    told = [(f.value, f.unit[:_STEM].lower(), f.written) for f in _stated(text, language) if f.unit]
    often = Counter((value, unit) for value, unit, _ in told)
    return {(value, unit): w for value, unit, w in reversed(told) if often[value, unit] > 1}


def with_units(text: str, language: Language) -> set[tuple[int, str]]:
    """Every value that a text states of a unit, as ``motifs`` names them."""
    return {(f.value, f.unit[:_STEM].lower()) for f in _stated(text, language)}


class _Figure(NamedTuple):
    value: int
    unit: str
    written: str


def _stated(text: str, language: Language) -> Iterator[_Figure]:
    for match in (_ZH if language == "zh" else _EN).finditer(text):
        written = match[2] if language == "zh" else match[1]
        if language == "zh" and not (
            match[1] or match[3] or written[0] in "0123456789０１２３４５６７８９"
        ):
            continue
        value = None if _LOOSE.fullmatch(written) else number_of(written, language)
        if value is None or value < _LEAST:
            continue
        unit = (match[3] if language == "zh" else match[2]) or ""
        bare = language == "en" and _NO_UNIT.fullmatch(unit)
        yield _Figure(value, "" if bare else unit, written if bare else match[0].strip())


def numbers(text: str, language: Language) -> set[int]:
    """Every value that stands anywhere in the text, however it is written; of numbers in a row that
    make no number together (``eight two``) each."""
    edge = r"\b" if language == "en" else ""
    pattern = re.compile(f"{edge}{NUMBER[language]}{edge}", re.IGNORECASE)
    values: set[int | None] = set()
    for match in pattern.finditer(text):
        value = number_of(match[0], language)
        parts = re.split("[ -]", match[0]) if value is None and language == "en" else ()
        values |= {value, *(number_of(part, language) for part in parts)}
    return {value for value in values if value is not None}
