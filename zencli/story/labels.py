"""The words that the book's own files use for headings and fields, by language."""

from zencli.story.book import Language

LABELS: dict[Language, dict[str, str]] = {
    "zh": {
        "logline": "一句话",
        "question": "全书追问",
        "stakes": "赌注",
        "world": "世界与规则",
        "map": "方位",
        "places": "场所",
        "timeline": "时间线",
        "secrets": "底牌",
        "ending": "结局",
        "truth": "真相",
        "who_knows": "知情",
        "hinted_from": "线索起于",
        "proved_from": "坐实起于",
        "rules": "规则",
        "pov": "视角与时态",
        "forbidden": "不许",
        "banned": "禁用词句",
        "pinned": "钉住",
        "keep_out": "不放进来",
        "style": "文风",
        "sample": "样子",
        "aliases": "别名",
        "role": "身份",
        "start": "开篇",
        "outline": "大纲",
        "promise": "期待",
        "pressure": "压力",
        "turn": "翻转",
        "payoff": "兑现",
        "when": "时间",
        "kind": "类型",
        "event": "事件",
        "cost": "代价",
        "scenes": "场景",
        "clues": "线索",
        "hooks": "悬念",
        "ends_on": "收在",
        "amended": "改动",
        "status": "状态",
        "planted": "埋下",
        "due": "最迟",
        "quote": "原文",
        "state": "故事现状",
        "now": "此刻",
        "reader_knows": "读者相信",
        "characters": "人物",
        "items": "物件与数目",
        "relations": "关系",
        "facts": "已定的事实",
        "summaries": "各章提要",
        "place": "所在",
        "condition": "身体与衣物",
        "goal": "目标",
        "knows": "知道",
        "plan": "计划",
        "purpose": "要做成的事",
        "choice": "选择",
        "fear": "读者的担心",
        "where": "地点",
        "who": "在场",
        "want": "想要",
        "leaves": "留下",
        "words": "字数",
        "keep": "接上",
        "hold_back": "不说破",
        "leave": "不碰",
        "new": "新出现",
        "new_terms": "新词",
        "details": "细节",
        "stops": "停在",
        "cast": "出场",
        "scene": "场景",
    },
    "en": {
        "logline": "In one line",
        "question": "The question",
        "stakes": "At stake",
        "world": "World and rules",
        "map": "Map",
        "places": "Places",
        "timeline": "Timeline",
        "secrets": "Secrets",
        "ending": "The ending",
        "truth": "Truth",
        "who_knows": "Known to",
        "hinted_from": "Hinted from",
        "proved_from": "Settled from",
        "rules": "Rules",
        "pov": "Point of view and tense",
        "forbidden": "Never",
        "banned": "Banned phrases",
        "pinned": "Pinned",
        "keep_out": "Keep out",
        "style": "Voice",
        "sample": "The sound of it",
        "aliases": "Also called",
        "role": "Role",
        "start": "On page one",
        "outline": "Outline",
        "promise": "Promise",
        "pressure": "Pressure",
        "turn": "Turn",
        "payoff": "Payoff",
        "when": "When",
        "kind": "Kind",
        "event": "Event",
        "cost": "Cost",
        "scenes": "Scenes",
        "clues": "Clues",
        "hooks": "Hooks",
        "ends_on": "Ends on",
        "amended": "Amended",
        "status": "Status",
        "planted": "Planted",
        "due": "Due by",
        "quote": "Quote",
        "state": "Where the story stands",
        "now": "Now",
        "reader_knows": "The reader believes",
        "characters": "People",
        "items": "Things and numbers",
        "relations": "Relations",
        "facts": "Established facts",
        "summaries": "Chapters so far",
        "place": "Place",
        "condition": "Condition",
        "goal": "Goal",
        "knows": "Knows",
        "plan": "Plan",
        "purpose": "What gets done",
        "choice": "Choice",
        "fear": "The reader's fear",
        "where": "Where",
        "who": "Present",
        "want": "Want",
        "leaves": "Leaves",
        "words": "Words",
        "keep": "Picks up",
        "hold_back": "Not said",
        "leave": "Left alone",
        "new": "New",
        "new_terms": "New terms",
        "details": "Details",
        "stops": "Stops on",
        "cast": "Cast",
        "scene": "Scene",
    },
}


def label(key: str, language: Language) -> str:
    """The heading or field word for a key."""
    return LABELS[language][key]


def key_of(word: str, keys: tuple[str, ...]) -> str | None:
    """Which of ``keys`` a word of either language stands for."""
    for table in LABELS.values():
        for key in keys:
            if table[key] == word:
                return key
    return None


def words_of(keys: tuple[str, ...]) -> list[str]:
    """The words for these keys in both languages."""
    return [table[key] for table in LABELS.values() for key in keys]


def chapter_word(number: int, language: Language) -> str:
    """``第 3 章`` or ``Chapter 3``."""
    return f"第 {number} 章" if language == "zh" else f"Chapter {number}"


def chapter_range(first: int, last: int, language: Language) -> str:
    """``第 1-12 章`` or ``chapters 1-12``."""
    return f"第 {first}-{last} 章" if language == "zh" else f"chapters {first}-{last}"


def separator(language: Language) -> str:
    """Between items of a list in running text."""
    return "；" if language == "zh" else "; "


def colon(language: Language) -> str:
    """After a field's label."""
    return "：" if language == "zh" else ": "
