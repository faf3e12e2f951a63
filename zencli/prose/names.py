"""Names of speakers, found by their form alone: a surname or a title, and a verb of speech."""

import re
from functools import lru_cache

from zencli.prose.segment import Span, quoted_spans
from zencli.story.book import Language

_DOUBLE = (
    "欧阳|上官|司马|诸葛|慕容|皇甫|令狐|独孤|南宫|东方|西门|公孙|轩辕|端木|百里|夏侯|尉迟"
    "|长孙|宇文|司徒|司空"
)
SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋"
    "蔡贾丁魏薛叶阎余潘杜戴夏"
    "钟汪田任姜范方姚谭廖邹熊金陆郝孔崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎武乔贺赖龚"
)
"""Surnames of one character that are seldom anything else."""
_TITLE = (
    "将军|长老|掌柜|堂主|师父|师傅|大人|夫人|公子|小姐|先生|老爷|太医|知府|总管|队长|校长|医生"
    "|教授|警官|局长|老板|护法|真人"
    "|道长|宗主|掌门|帮主|盟主|侯爷|王爷|主任|经理|护士|律师|婆婆|大娘|大爷|嬷嬷"
)
_NOT_GIVEN = (
    "[说道问答喊叫喝骂笑声得地着了的是在有又也便就才却并再都还不没把被对向跟和与之其"
    "此那这哪么们家口头手眼心来去上下前后中外里间时]"
)
_COMMON_TEXT = """
马上 方才 万万 万一 许久 许多 何必 何况 何故 何人 何不 任谁 任何 任意 金色 黄昏 黄色 白色 高声 高高
夏天 秦川 江湖 江面 江水 史官 龙王 雷声 钟声 武功 武器 武士 段落 余光 余下 余人 范围 方向 方法 严肃
关心 谢谢 谢过 谢恩 程度 毛病 钱财 田地 路人 马车 马匹 张口 张嘴 张开 张望 张罗 叶子 林中 林间 林子
周围 周身 康复 曾经 曾几 唐突 孔武 孟浪 贺喜 贺寿 顾不得 顾自 顾不上 余众 万分 万般 杜绝 董事 任务
陆续 陈述 汤药 侯门 黎明 乔装 熊熊 罗列
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_FORENAME = rf"(?!{_NOT_GIVEN})[一-鿿](?:(?!{_NOT_GIVEN})[一-鿿])?"
_ZH = (
    r"(?:^|(?<=[，。！？；：”」』…\s]))(?P<name>"
    rf"(?:{_DOUBLE})(?:{_TITLE}|{_FORENAME})|[{SURNAMES}](?:{_TITLE}|{_FORENAME}))"
    r"(?:[笑冷怒低沉忙急高大厉轻]声?|连忙|点头|摇头|开口|回|接口|忽然)?"
    r"(?:说|道|曰|问|答|喊|喝|骂|嚷|吼|叹)[道曰]?(?=[：:，,。！？]|[“「])"
)
_WORD = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_HONOURS = (
    "Mr", "Mrs", "Ms", "Miss", "Dr", "Sir", "Lord", "Lady", "Captain", "Colonel", "Sergeant",
    "Master", "Father", "Mother", "Sister", "Brother", "Professor", "Inspector", "Doctor",
)  # fmt: skip
_HONOUR = "|".join(_HONOURS)
_EN_NAME = rf"(?P<name>(?:(?:{_HONOUR})\.? )?{_WORD}(?: {_WORD})?)"
_EN_SAY = "(?:said|asked|replied|answered|cried|shouted|whispered|muttered|murmured|snapped|added)"
_EN = (
    rf"[”\"’]\s+{_EN_SAY} {_EN_NAME}\b",
    rf"[”\"’]\s+{_EN_NAME} (?:\w+ly )?{_EN_SAY}\b",
)
_EN_COMMON_TEXT = """
He She It They We You I The A An Then But And So That This One Another Someone Somebody Everyone
Nobody Father Mother Mum Mom Dad Papa Mama Grandma Grandpa Doctor Captain Sergeant His Her Their My
Our Your Now When As If There Here
"""
_EN_COMMON = frozenset(_EN_COMMON_TEXT.split())


@lru_cache(maxsize=8)
def speakers(text: str, language: Language) -> dict[str, list[Span]]:
    """Every name that a verb of speech stands beside, outside of quotations, and where."""
    quoted = quoted_spans(text)
    found: dict[str, list[Span]] = {}
    for pattern in (_ZH,) if language == "zh" else _EN:
        for match in re.finditer(pattern, text, re.MULTILINE):
            name, start = match["name"], match.start("name")
            if not any(a < start < b for a, b in quoted) and _is_name(name, language):
                found.setdefault(name, []).append((start, match.end()))
    return found


def _is_name(name: str, language: Language) -> bool:
    if language == "zh":
        return name not in _COMMON and name[:2] not in _COMMON
    first, _, more = name.partition(" ")
    return bool(more and first.rstrip(".") in _HONOURS) or first not in _EN_COMMON
