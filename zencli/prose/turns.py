"""Turns of phrase that machine prose overuses: patterns by weight, by language and by genre.

Weights are 0.5 for what a good writer uses too, up to 2 for what hardly anybody writes twice.
English patterns are matched as whole words in any case; Chinese ones as they stand, with what
would make another word of them (一股脑, 这一刻钟) looked away from.
"""

from zencli.story.book import Language

ZH: dict[float, tuple[str, ...]] = {
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
        r"一(?:丝(?!不[苟挂紊乱]|绸)|抹(?!黑)|股(?!脑|东|份|票)|缕)",
        r"不由得|不由自主|情不自禁|(?<![情])不禁(?!止|令|用)",
        r"(?:沉声|淡淡地?|冷冷地?|缓缓地?)(?:说|开口)?道",
        r"(?:这|那)一(?:刻(?!钟)|瞬间)",
        r"眉头[^。！？，\n]{0,3}(?:皱|蹙|锁)",
        r"目光[^。！？，\n]{0,4}(?:深邃|坚定|锐利|复杂)",
        r"与此同时|毫无疑问|总而言之|由此可见|值得一提的是",
    ),
    0.5: (r"缓缓|微微|淡淡|轻轻|默默|静静|忍不住|低声道",),
}

EN: dict[float, tuple[str, ...]] = {
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

BY_GENRE: dict[Language, dict[str, dict[float, tuple[str, ...]]]] = {
    "zh": {
        "xuanhuan": {
            2.0: (r"恐怖如斯|恐怖的气息|强悍如斯", r"气势[^。！？，\n]{0,4}节节攀升", r"蝼蚁|逆天")
        },
        "xianxia": {
            2.0: (r"大道无情|天地法则|仙风道骨", r"道心[^。！？，\n]{0,4}(?:坚定|稳固|破碎|动摇)")
        },
        "wuxia": {1.5: (r"杀气腾腾|一股(?:凌厉|强大)的?杀气", r"快如闪电|快若闪电")},
        "urban": {1.5: (r"全场(?:震惊|哗然|寂静)", r"霸气[^。！？，\n]{0,3}(?:侧漏|十足)|大佬")},
        "mystery": {
            1.5: (r"细思极恐|真相只有一个", r"事情[^。！？，\n]{0,4}没有?(?:那么|这么)简单")
        },
        "romance": {
            1.5: (
                r"小鹿乱撞|怦然心动|岁月静好",
                r"眼里[^。！？，\n]{0,3}(?:有星辰|都是(?:她|他))|满眼都是",
            )
        },
        "scifi": {
            1.5: (
                r"冰冷的机械音|浩瀚的(?:宇宙|星空|星海)",
                r"数据流[^。！？，\n]{0,4}(?:闪过|划过|倾泻)",
            )
        },
        "fantasy": {1.5: (r"古老而神秘|神秘而古老|黑暗力量", r"被(?:命运|神)?选中的")},
        "horror": {1.5: (r"毛骨悚然|不寒而栗|头皮发麻", r"死寂|诡异的(?:气氛|寂静|笑容|笑)")},
        "historical": {1.5: (r"历史的(?:车轮|长河)|天下苍生", r"龙颜大[怒悦]|跪倒一片")},
        "litrpg": {1.5: (r"恭喜宿主|叮(?:！|，|的一声)", r"检测到[^。！？，\n]{0,8}是否")},
    },
    "en": {
        "xuanhuan": {1.5: (r"like (?:mere )?ants|courting death|you dare", r"heaven-defying")},
        "xianxia": {
            1.5: (r"courting death|jade[- ]like skin", r"dao heart (?:was )?(?:steady|firm|shaken)")
        },
        "wuxia": {1.5: (r"killing intent|faster than the eye could (?:see|follow)",)},
        "urban": {1.5: (r"city (?:that )?never sle(?:eps|pt)|neon[- ](?:lit|soaked|drenched)",)},
        "mystery": {
            1.5: (
                r"(?:didn['’]t|did not|doesn['’]t) add up",
                r"pieces (?:\w+ ){0,3}fell into place",
            )
        },
        "romance": {
            1.5: (
                r"electricity (?:\w+ ){0,3}between (?:us|them)",
                r"(?:heart|breath) skipped a beat",
                r"butterflies in (?:my|her|his) stomach",
            )
        },
        "scifi": {
            1.5: (r"hum of (?:the )?(?:machinery|engines|servers)", r"vast(?:ness)? of space")
        },
        "fantasy": {
            1.5: (r"ancient (?:magic|power|evil)", r"(?:eyes|runes) (?:\w+ )?glow(?:ed|ing)")
        },
        "horror": {
            1.5: (
                r"blood ran cold|hair (?:\w+ ){0,4}stood on end",
                r"something was (?:very |terribly )?wrong",
            )
        },
        "historical": {1.5: (r"winds of change|tide of history|dawn of a new era",)},
        "litrpg": {
            1.5: (
                r"you have gained a(?: new)? level|a (?:blue )?(?:screen|window) (?:appeared"
                r"|popped up)",
            )
        },
    },
}
"""What a genre adds to the turns of its language."""
