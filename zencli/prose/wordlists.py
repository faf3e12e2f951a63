"""Turns of phrase that machine prose overuses, by language, and how much of them a text has.

Each entry is a pattern and a weight: 0.5 for what a good writer uses too, 2 for what hardly
anybody writes twice. English ones match whole words in any case, Chinese ones as they stand.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from zencli.prose.count import count_words
from zencli.prose.segment import paragraph_spans
from zencli.story.book import Language

_ZH: dict[float, tuple[str, ...]] = {
    2.0: (
        r"不是[^。！？\n]{1,24}?[，、；—]{0,2}而是",
        r"没有[^。！？，\n]{1,12}[，。]没有[^。！？，\n]{1,12}[，。](?:只有|有的只是)",
        r"嘴角[^。！？，\n]{0,6}(?:勾|扬起|上扬|弧度|笑意)",
        r"眼(?:中|底|神中|里|眸中)[^。！？，\n]{0,4}闪过",
        r"倒吸(?:了)?一口(?:凉|冷)气",
        r"空气[^。！？，\n]{0,6}凝固",
        r"瞳孔[^。！？，\n]{0,4}(?:收缩|骤缩|一缩|紧缩)",
        r"这(?:一切)?(?:，)?(?:才|仅仅|不过|只)(?:是)?(?:刚刚)?(?:个)?开始",
        r"命运的?齿轮",
        r"(?:难以|无法|不可)(?:言喻|言说|名状|言表)",
        r"不易(?:察觉|觉察)",
        r"一丝(?:不易|难以|若有若无)",
        r"说不清(?:，)?道不明",
        r"死一般的?(?:寂静|沉默|沉寂)",
        r"针落可闻|落针可闻",
        r"心跳[^。！？，\n]{0,4}漏了",
        r"无声的?(?:宣告|诉说|对峙|叹息|嘲讽)",
        r"像是在?(?:诉说|宣告|回应)着?什么",
    ),
    1.5: (
        r"深吸(?:了)?一口气|深深地?吸了(?:一)?口气",
        r"指(?:节|尖)[^。！？，\n]{0,6}(?:发白|泛白)",
        r"喉结[^。！？，\n]{0,4}(?:滚动|动了)",
        r"若有所思|意味深长|不容置疑|不容置喙|毋庸置疑",
        r"(?:心中|心头|心底)[^。！？，\n]{0,4}(?:涌起|升起|泛起|涌上)",
        r"复杂的(?:情绪|神色|神情|光芒|目光|眼神)",
        r"(?:时间|世界)[^。！？，\n]{0,4}(?:静止|按下了?暂停)",
        r"前所未有的",
    ),
    1.0: (
        r"仿佛|宛如|宛若|犹如",
        r"一(?:丝|抹|股|缕)",
        r"不由得|不由自主|情不自禁|不禁",
        r"(?:沉声|淡淡地?|冷冷地?|缓缓地?)(?:说|开口)?道",
        r"(?:这|那)一(?:刻|瞬间)",
        r"眉头[^。！？，\n]{0,3}(?:皱|蹙|锁)",
        r"目光[^。！？，\n]{0,4}(?:深邃|坚定|锐利|复杂)",
        r"与此同时|毫无疑问|总而言之|由此可见|值得一提的是",
    ),
    0.5: (r"缓缓|微微|淡淡|轻轻|默默|静静|忍不住|低声道",),
}

_EN: dict[float, tuple[str, ...]] = {
    2.0: (
        r"not (?:just|merely|simply) [^.,;:!?—\n]{2,40}(?:,|—| -+)? ?but",
        r"(?:wasn|isn|weren)['’]t (?:just |only |about )?[^.!?;—\n]{2,50}[.;—,-]+ ?"
        r"(?:it|this|that|they|he|she) (?:was|is|were)",
        r"breath (?:s?he|they|i)(?: (?:didn|hadn)['’]t| did not| had not)",
        r"something (?:\w+ ){0,3}shifted",
        r"hung (?:heavy |thick )?in the air|heavy in the air|air (?:was |grew )?thick with",
        r"(?:could|can)(?:n['’]t| not|not) help but",
        r"(?:a |as )?testament to|tapestry of|symphony of|beacon of|dance of (?:light|shadow)s?",
        r"whispered promises|unspoken (?:promise|understanding|words?|truth|question)s?",
        r"(?:sen[dt]|sending) (?:a )?(?:shiver|chill)s?|(?:up|down) (?:my|his|her|their) spine",
        r"barely above a whisper|barely more than a whisper",
        r"ghost of a smile|smile (?:that )?didn['’]t (?:quite )?reach (?:his|her|their) eyes",
        r"little did (?:he|she|they|i) know",
        r"(?:couldn['’]t|could not) shake the (?:feeling|sense)",
        r"deafening silence|silence (?:stretched|settled|hung)|time (?:seemed to )?stood still",
        r"shadows? (?:danced|dancing)|dust motes",
        r"world (?:seemed to )?(?:fell|fall|faded?|melted) away",
        r"(?:only|just) the beginning",
        r"delve[sd]?|delving|kaleidoscope of|labyrinthine",
    ),
    1.5: (
        r"let out a (?:\w+ )?breath|(?:shaky|shuddering|ragged|steadying) breath",
        r"sharp (?:intake|inhale|exhale)",
        r"eyes widen(?:ed|ing)?|widen(?:ed|ing) eyes",
        r"jaw (?:was )?(?:clench|tighten|set)(?:ed|ing)?|clenched jaw",
        r"hearts? (?:hammer|pound|rac)(?:ed|ing)",
        r"knuckles (?:\w+ )?(?:white|whitened|whitening)",
        r"steel(?:ed|ing) (?:him|her|my|them)sel(?:f|ves)",
        r"a flicker of|a pang of|a surge of|a mix(?:ture)? of",
        r"palpable|ozone",
    ),
    1.0: (
        r"the weight of",
        r"in that moment|for the first time in (?:years|months|weeks|days|a long time)",
        r"a sense of|a wave of|wash(?:ed|ing) over",
        r"eyes (?:gleam|glint|sparkl|glitter|flash)(?:ed|ing)?",
        r"furrowed (?:his|her|their|my) brows?|brows? furrow(?:ed|ing)?",
        r"voice (?:was )?(?:low|steady|trembling|thick|laced)",
    ),
    0.5: (r"a hint of|somehow|seemed to|intricate",),
}


class Hit(NamedTuple):
    """A turn of phrase that was found: where, and how much it weighs."""

    start: int
    end: int
    weight: float


def _compiled(
    table: dict[float, tuple[str, ...]], whole: bool
) -> list[tuple[re.Pattern[str], float]]:
    frame = r"\b(?:{})\b" if whole else "(?:{})"
    return [
        (re.compile(frame.format("|".join(turns)), re.IGNORECASE), weight)
        for weight, turns in sorted(table.items(), reverse=True)
    ]


_TURNS = {"zh": _compiled(_ZH, whole=False), "en": _compiled(_EN, whole=True)}


def hits(text: str, language: Language) -> list[Hit]:
    """The machine-flavoured turns of the prose in order. Where two overlap the heavier counts."""
    found: list[Hit] = []
    for hit in _all_hits(text, language):
        if all(hit.end <= other.start or other.end <= hit.start for other in found):
            found.append(hit)
    return sorted(found)


def _all_hits(text: str, language: Language) -> Iterator[Hit]:
    spans = paragraph_spans(text)
    for pattern, weight in _TURNS[language]:
        for start, end in spans:
            for match in pattern.finditer(text, start, end):
                yield Hit(match.start(), match.end(), weight)


def ai_score(text: str, language: Language) -> float:
    """The weights of all turns found, per thousand units of the text (characters zh, words en)."""
    length = count_words(text, language)
    return 1000 * sum(hit.weight for hit in hits(text, language)) / length if length else 0.0
