"""Words that tire a reader when a chapter leans on them, by language and genre.

An English entry holds the forms of one word; it is matched as a whole word in any case. A Chinese
one is matched as it stands, with what would make another word of it looked away from.
"""

from zencli.story.book import Language

FATIGUE: dict[Language, tuple[str, ...]] = {
    "zh": (
        "缓缓", "微微(?![型米妙])", "淡淡", "轻轻", "静静", "默默", "渐渐", "深深", "死死",
        "狠狠", "紧紧", "冷冷", "忍不住", "不由得|不由", "不禁(?![止令用])", "下意识", "仿佛",
        "似乎", "宛如|宛若|犹如", "竟然|竟是", "瞬间", "顿时", "骤然|陡然", "猛地|猛然",
        "与此同时", "一丝(?!不)", "一抹", "一股(?![脑东份])", "一道目光", "目光", "眼神",
        "眼眸|眸子|双眸", "嘴角", "眉头", "瞳孔", "喉结", "指尖|指节", "心中|心头|心底", "沉默",
        "空气", "气息", "复杂", "深邃", "冰冷", "莫名", "前所未有", "难以置信", "若有所思",
        "意味深长", "不容置疑",
    ),
    "en": (
        "suddenly", "somehow", "slightly", "softly", "quietly", "slowly", "gently", "seemingly",
        "seemed to", "began to", "managed to", "gaze|gazes|gazed", "glance|glances|glanced",
        "smirk|smirks|smirked", "chuckle|chuckles|chuckled", "shiver|shivers|shivered",
        "shadows", "whisper|whispers|whispered", "murmur|murmurs|murmured", "breath|breaths",
        "heartbeat|heartbeats", "jaw", "knuckles", "flicker|flickers|flickered|flickering",
        "shimmer|shimmers|shimmered|shimmering", "glimmer|glimmers|glimmered",
        "ancient", "intricate", "delicate", "ethereal", "palpable", "unspoken", "weight of",
        "sense of", "hint of", "mix of", "tapestry", "testament", "echo|echoes|echoed|echoing",
        "couldn['’]t help", "for a moment", "in that moment", "silence",
    ),
}  # fmt: skip

GENRE_FATIGUE: dict[Language, dict[str, tuple[str, ...]]] = {
    "zh": {
        "xuanhuan": ("恐怖", "强者", "气势", "蝼蚁", "震惊|震撼", "逆天", "狂暴", "不屑"),
        "xianxia": ("道心", "灵力", "大道", "法则", "神识", "威压", "仙风道骨", "天地"),
        "wuxia": ("内力", "剑气", "真气", "杀气", "江湖", "身形"),
        "urban": ("霸气", "不屑", "冷笑", "震惊", "大佬", "众人"),
        "mystery": ("诡异", "真相", "线索", "细思极恐", "凶手"),
        "romance": ("岁月", "时光", "命运", "释然", "温柔", "心跳", "宠溺"),
        "scifi": ("浩瀚", "机械音", "数据流", "文明", "系统", "屏幕"),
        "fantasy": ("古老", "神秘", "命运", "黑暗力量", "被选中", "魔力"),
        "horror": ("诡异", "阴森", "惨白", "死寂", "恐惧", "毛骨悚然"),
        "historical": ("龙颜", "苍生", "天下", "社稷", "微臣"),
        "litrpg": ("叮(?![嘱咛咚当])", "宿主", "系统", "检测到", "是否接受", "面板"),
    },
    "en": {
        "xuanhuan": ("cultivation", "aura", "heavenly", "ants"),
        "xianxia": ("dao", "aura", "immortal", "spiritual energy"),
        "wuxia": ("qi", "killing intent", "jianghu"),
        "urban": ("neon", "skyline", "smirk|smirked"),
        "mystery": ("clue|clues", "suspicious|suspiciously", "something off"),
        "romance": ("heart", "electric|electricity", "butterflies", "blush|blushed|blushing"),
        "scifi": ("hum|hummed|humming", "console", "void", "sterile"),
        "fantasy": ("ancient", "rune|runes", "prophecy", "realm|realms", "glow|glowed|glowing"),
        "horror": ("dread", "eerie|eerily", "wrong", "cold", "darkness"),
        "historical": ("your grace", "my lord", "candlelight"),
        "litrpg": (
            "level|levels|levelled|leveled",
            "notification|notifications",
            "system",
            "stats",
        ),
    },
}
"""What a genre adds to the words of its language."""
