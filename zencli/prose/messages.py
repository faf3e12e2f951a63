"""What a finding of a check says, in the language of the book: description and suggestion."""

from collections.abc import Mapping

from zencli.story.book import Language

STRUCTURAL = frozenset(
    {"empty", "length", "cut", "repetition", "overlap", "sentence-variation", "single", "wall"}
    | {"hook-overdue", "style-distance", "head-hopping"}
)
"""The wordings of faults that no local patch mends."""

MESSAGES: Mapping[str, Mapping[Language, tuple[str, str]]] = {
    "empty": {
        "zh": ("本章没有正文。", "重新写这一章。"),
        "en": ("The chapter has no prose.", "Write it again."),
    },
    "length": {
        "zh": (
            "全章 {got} 字，要求 {asked} 字，应在 {low} 到 {high} 之间。",
            "{direction}到范围之内。",
        ),
        "en": (
            "{got} words where {asked} were asked, {low} to {high} allowed.",
            "{direction} it into that range.",
        ),
    },
    "cut": {
        "zh": ("正文在句子中间断了。", "从断处接着写，写完这一句和这一场。"),
        "en": ("The text stops in mid-sentence.", "Go on from there and finish the scene."),
    },
    "cut?": {
        "zh": ("最后一段没有句末标点，也许没有写完。", "若是写断了就补完，否则加上句末标点。"),
        "en": (
            "The last paragraph has no final stop; it may be unfinished.",
            "Finish it, or add the stop.",
        ),
    },
    "open quotation": {
        "zh": ("最后一段的引号没有合上，话也许没有说完。", "补完这句话，合上引号。"),
        "en": ("The last quotation is never closed.", "Finish the speech and close the marks."),
    },
    "repetition": {
        "zh": ("本章有 {share} 的文字在前文已经出现过（限 {limit}）。", "删去或改写重复的段落。"),
        "en": (
            "{share} of the chapter repeats words that stand earlier in it (limit {limit}).",
            "Cut or rewrite the repeated passages.",
        ),
    },
    "passage": {
        "zh": ("这一段在本章里原样出现了两次。", "留下一处，另一处删去。"),
        "en": ("This passage stands in the chapter twice.", "Keep one; cut or rewrite the other."),
    },
    "overlap": {
        "zh": (
            "本章有 {share} 的文字照抄前面的章节（限 {limit}）。",
            "把照抄的地方改写成新的内容。",
        ),
        "en": (
            "{share} of the chapter copies earlier chapters (limit {limit}).",
            "Write something new where it copies.",
        ),
    },
    "reused-sentence": {
        "zh": ("这句话已经在 {chapters} 章里出现过。", "换一种说法，或者删去。"),
        "en": (
            "This sentence stands in {chapters} chapters by now.",
            "Say it otherwise or cut it.",
        ),
    },
    "ai-typical": {
        "zh": (
            "“{turn}”一类的套话太密：每千字 {score}，限 {limit}。",
            "改成只属于这一刻的动作、物件或感觉，或者删去。",
        ),
        "en": (
            "Too many stock turns like “{turn}”: {score} per thousand words, limit {limit}.",
            "Replace it by something that only this moment has, or cut it.",
        ),
    },
    "sentence-variation": {
        "zh": (
            "句子长短太匀：变化只有均值的 {value}，应高于 {limit}。",
            "有的句子并成长句，有的截短。",
        ),
        "en": (
            "Sentences are too even: length varies by {value} of its mean, should be over {limit}.",
            "Join some sentences and cut others short.",
        ),
    },
    "single": {
        "zh": ("叙述段落有 {share} 是一句一段（限 {limit}）。", "把讲同一件事的短段并起来。"),
        "en": (
            "{share} of the narrative paragraphs are one short sentence (limit {limit}).",
            "Join the short paragraphs that tell one thing.",
        ),
    },
    "wall": {
        "zh": ("全章 {units} 字，只分了 {count} 段。", "按场景、动作和说话的人分段。"),
        "en": (
            "{units} words in {count} paragraph(s).",
            "Divide by scene, action and speaker.",
        ),
    },
    "opening-repeat": {
        "zh": ("开头和前面一章的开头太像：“{other}”。", "换一种方式开头。"),
        "en": ("It opens like an earlier chapter: “{other}”.", "Open in another way."),
    },
    "ending-repeat": {
        "zh": ("结尾和前面一章的结尾太像：“{other}”。", "换一种方式收尾。"),
        "en": ("It ends like an earlier chapter: “{other}”.", "End in another way."),
    },
    "assistant": {
        "zh": ("正文里混进了写作助手的话。", "删去，只留故事。"),
        "en": ("A writing assistant speaks in the prose.", "Cut it; only the story stays."),
    },
    "meta-text": {
        "zh": ("正文里出现了书外的话（章节、连载、草稿标记之类）。", "删去，或改成故事里的说法。"),
        "en": (
            "The prose mentions the book or the draft it is part of.",
            "Cut it, or say it from within the story.",
        ),
    },
    "banned": {
        "zh": ("用了本书禁用的词“{phrase}”（{count} 处）。", "换掉每一处。"),
        "en": ("“{phrase}” is banned in this book ({count} in this chapter).", "Replace each one."),
    },
    "heading": {
        "zh": ("正文里有小标题。", "删去小标题，用空行或过渡句分场。"),
        "en": ("A heading stands in the prose.", "Remove it; divide scenes by a break."),
    },
    "list": {
        "zh": ("正文里有列点。", "改写成段落。"),
        "en": ("A list stands in the prose.", "Write it as a paragraph."),
    },
    "bold": {
        "zh": ("正文里有加粗（{count} 处）。", "去掉加粗的记号。"),
        "en": ("Bold type in the prose ({count}).", "Remove the marks."),
    },
    "block": {
        "zh": ("正文里有代码块或表格。", "改写成段落。"),
        "en": ("A code block or table stands in the prose.", "Write it as prose."),
    },
    "language": {
        "zh": ("中文书里有大段外文（{count} 个词）。", "译成中文，只留必要的名称。"),
        "en": (
            "Chinese text in an English book ({count} characters).",
            "Put it into English.",
        ),
    },
    "fatigue-words": {
        "zh": (
            "“{word}”用得太多：本章 {count} 次，每千字 {density} 次。",
            "留下最要紧的一两处，其余换成具体的动作或删去。",
        ),
        "en": (
            "“{word}” is overused: {count} times, {density} per thousand words.",
            "Keep the one or two that matter; make the others concrete or cut them.",
        ),
    },
    "sentence-start": {
        "zh": ("连续 {count} 句都以“{start}”开头。", "并句、换主语，或从动作和物件写起。"),
        "en": (
            "{count} sentences in a row begin with “{start}”.",
            "Join some, or begin with an action or a thing.",
        ),
    },
    "pov third": {
        "zh": (
            "本书用第三人称，这里的叙述却自称“我”（{count} 句）。",
            "改回第三人称；若是心里话，写明是谁想的。",
        ),
        "en": (
            "The book is told in the third person, but the narration says “I” ({count} sentences).",
            "Tell it in the third person; a thought needs its thinker.",
        ),
    },
    "pov first": {
        "zh": (
            "本书用第一人称，这一章的叙述几乎没有“我”（{share}）。",
            "从“我”看得到、听得到的地方重写。",
        ),
        "en": (
            "The book is told in the first person; the narrator hardly shows here ({share}).",
            "Tell it from what the narrator sees and hears.",
        ),
    },
    "head-hopping": {
        "zh": (
            "一场戏里进了 {count} 个人的内心，规则只许一个。",
            "别人的心思改写成看得见的神情和动作，或者分场。",
        ),
        "en": (
            "One scene tells the inner life of {count} people; the rules allow one.",
            "Turn the others' thoughts into what can be seen, or divide the scene.",
        ),
    },
    "dead-acting": {
        "zh": ("{name}按前文已经死了，这里却在说话或行动。", "换人，或写明这是回忆、梦境、书信。"),
        "en": (
            "{name} is dead by what the story has told, but speaks or acts here.",
            "Give it to somebody else, or make plain that it is a memory, a dream or a letter.",
        ),
    },
    "absent-acting": {
        "zh": (
            "{name}按前文不在场（失踪、昏迷、被囚或远行），这里却在说话。",
            "写明怎么到场的，或换人。",
        ),
        "en": (
            "{name} is away by what the story has told, but speaks here.",
            "Tell how they came to be here, or give it to somebody else.",
        ),
    },
    "unknown-name": {
        "zh": (
            "“{name}”说了 {count} 次话，人物卡、现状和计划里都没有这个人。",
            "改成已有的人，或补一张人物卡。",
        ),
        "en": (
            "“{name}” speaks {count} times, but has no card and isn't in the state or the plan.",
            "Use somebody the story has, or write a card.",
        ),
    },
    "sum": {
        "zh": ("这笔账不对：{sum}。", "算一遍，改对数目。"),
        "en": ("This doesn't add up: {sum}.", "Work it out and correct the number."),
    },
    "gauge": {
        "zh": ("现值超过了上限：{gauge}。", "改对数目，或写明上限为什么变了。"),
        "en": (
            "The value is over its maximum: {gauge}.",
            "Correct it, or tell why the maximum changed.",
        ),
    },
    "count": {
        "zh": (
            "{item}的数目和前文对不上：前文 {told}，这里 {now}。",
            "改成前文的数目，或写明多出、少掉的去处。",
        ),
        "en": (
            "The number of {item} is {now} here; the story had {told}.",
            "Use the story's number, or tell where the difference went.",
        ),
    },
    "hook-overdue": {
        "zh": (
            "悬念 {hook} 应在第 {due} 章前兑现，已经过了 {past} 章：{promise}",
            "兑现、推进，或说明缘由后延期。",
        ),
        "en": (
            "Hook {hook} was due by chapter {due}, {past} ago: {promise}",
            "Pay it, advance it, or defer it with a reason.",
        ),
    },
    "style-distance": {
        "zh": (
            "文风离样文有 {value}（限 {limit}）；差得最多的是：{features}。",
            "照样文的句长、分段和对话多少调整。",
        ),
        "en": (
            "The style is {value} from the sample (limit {limit}); farthest: {features}.",
            "Move sentence length, paragraphs and dialogue towards the sample.",
        ),
    },
}
