"""How prose states sums and counts, as patterns; compiled when a text first needs them.

Groups: ``a`` and ``b`` are the parts, ``c`` is the result, ``op`` the sign, ``n`` a count.
"""

import re
from functools import cache
from typing import NamedTuple

from zencli.prose.quantities import NUMBER
from zencli.story.book import Language

_ZH, _EN = NUMBER["zh"], NUMBER["en"]
_UNITS = r"[^\W\d_零〇一二三四五六七八九十百千万两加减乘共剩]{0,3}"
_UNIT = r"(?P<u>[^\W\d_]{1,2})"
_REST = r"[^，。！？\n]{0,6}[，,]"
_TOGETHER = "(?:一共|总共|合计|共计|共)(?:有|是|得)?"


class Form(NamedTuple):
    """``op`` is empty where the text itself has the sign; without one of ``signs`` in a text the
    pattern can't match."""

    pattern: str
    op: str
    signs: tuple[str, ...]


_WRITTEN = (
    Form(
        r"(?<![\d+＋×*/.\-−])(?P<a>\d{1,6})\s*(?P<op>[+＋×x*]|[-−](?=\s*\d+\s*[=＝]))"
        r"\s*(?P<b>\d{1,6})\s*[=＝]\s*(?P<c>\d{1,6})(?![\d.])",
        "",
        ("=", "＝"),
    ),
    Form(
        r"(?P<a>\d{1,6})\s*(?:→|->|=>|⟶|➔)\s*(?P<c>\d{1,6})"
        r"\s*[（(\[【]\s*(?P<op>[+＋\-−])\s*(?P<b>\d{1,6})",
        "",
        ("→", ">", "⟶", "➔"),
    ),
)
SUMS: dict[Language, tuple[Form, ...]] = {
    "zh": (
        *_WRITTEN,
        Form(
            rf"(?P<a>{_ZH}){_UNITS}(?:加上?|再加上?)(?P<b>{_ZH}){_UNITS}[，,]?"
            rf"(?:一共|总共|合计|共计|共|等于|就是|得)(?:有|是|得)?(?P<c>{_ZH})",
            "+",
            ("加",),
        ),
        Form(
            rf"(?P<a>{_ZH}){_UNIT}{_REST}(?:又|再)[^，。！？\n]{{0,4}}?(?P<b>{_ZH})(?P=u){_REST}"
            rf"{_TOGETHER}(?P<c>{_ZH})(?P=u)",
            "+",
            ("共", "合计"),
        ),
        Form(
            rf"(?P<a>{_ZH}){_UNIT}{_REST}(?:花|用|付|给|去|送|丢|吃)[掉去了出]{{0,2}}"
            rf"(?P<b>{_ZH})(?P=u){_REST}(?:还|只)?剩(?:下|了)?(?P<c>{_ZH})(?P=u)",
            "-",
            ("剩",),
        ),
    ),
    "en": (
        *_WRITTEN,
        Form(
            rf"\b(?P<a>{_EN})(?: \w+)? plus (?P<b>{_EN})(?: \w+)?,? "
            rf"(?:is|was|equals|equalled|made|makes|make|came to) (?P<c>{_EN})\b",
            "+",
            (" plus ",),
        ),
        Form(
            rf"\b(?P<a>{_EN}) (?:\w+ ){{0,2}}and (?P<b>{_EN}) (?:\w+ ){{0,2}}"
            rf"(?:made|makes|make|came to) (?P<c>{_EN})\b",
            "+",
            (" made ", " make", " came to "),
        ),
        Form(
            rf"\b(?:spent|used|paid|lost|sold|gave away) (?P<b>{_EN}) of "
            rf"(?:the|his|her|their|my|its) (?P<a>{_EN})(?: \w+)?,? "
            rf"(?:leaving|which left|and had)(?: (?:him|her|them|me))? (?P<c>{_EN})\b",
            "-",
            ("leaving", "which left", "and had"),
        ),
    ),
}
GAUGE = Form(
    r"(?:HP|MP|SP|XP|EXP|Health|Mana|Stamina|Experience|生命值?|血量|法力值?|魔力值?|体力值?"
    r"|内力值?|灵力值?|经验值?|耐力值?)\s*[:：]?\s*(?P<a>\d{1,6})\s*[/／]\s*(?P<c>\d{1,6})"
    r"(?![\d/／.])",
    "",
    ("/", "／"),
)
"""What there is of the most that there can be."""

CHANGES: dict[Language, str] = {
    "zh": r"[买卖给送丢花用拿取吃射捡得收添加偷抢换分掷扔递交付借赠失掉赢输摔碎撒倒喝赚耗]"
    r"|多出|少了|归还|还给|还了",
    "en": r"\b(?:bought|sold|gave|give|sent|lost|spent|used|took|ate|shot|found|got|received"
    r"|added|stole|traded|threw|handed|paid|borrowed|dropped|earned|won|fired|drank|burned"
    r"|broke)\b",
}
"""By which the number of a thing may have become another."""

_HAS = "(?:还有|还剩|剩下|只剩|只有|共有|有着|有|剩)(?:了|下)?"
BEFORE: dict[Language, str] = {
    "zh": rf"{_HAS}(?P<n>{_ZH})[^\W\d_零一二三四五六七八九十百千万两几多余来]?的?\Z",
    "en": r"\b(?:had|has|have|held|counted|only|just|still|remained|were|left with) "
    rf"(?:only |just |still |exactly )?(?P<n>{_EN}) (?:\w+ ){{0,2}}\Z",
}
"""A count just before the thing."""
AFTER: dict[Language, str] = {
    "zh": rf"(?:还|只|一共|总共|共)?{_HAS}(?P<n>{_ZH})(?![几多余来])",
    "en": r"(?!)",
}
"""A count just after it; in English there is none."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """One of these patterns, for any case."""
    return re.compile(pattern, re.IGNORECASE)
