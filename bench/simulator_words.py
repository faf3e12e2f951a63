"""What the simulated novel is made of: people, places, things, and sentences for what happens.

The body of its chapters is put together from clauses of public-domain prose (三国演义, Moby Dick);
the sentences here carry what its deltas tell, and stand in the text word for word.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bench.import_bench import moby_dick, sanguo
from zencli.story.book import Language


@dataclass(frozen=True)
class Words:
    """The material of one language. A template's fields are filled by name."""

    first: Sequence[str]
    last: Sequence[str]
    name: str
    places: Sequence[str]
    things: Sequence[str]
    matters: Sequence[str]
    move: Sequence[str]
    gain: Sequence[str]
    lose: Sequence[str]
    learn: Sequence[str]
    tie: Sequence[str]
    fact: Sequence[str]
    plant: Sequence[str]
    advance: Sequence[str]
    pay: Sequence[str]
    leave: Sequence[str]


ZH = Words(
    first=(
        "赵钱孙李周吴郑冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华"
        "金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方"
    ),
    last=(
        "阿晚", "长庚", "望之", "子成", "小满", "伯年", "问渠", "春生", "九思", "铁柱", "若水",
        "怀远", "青禾", "守拙", "大有", "白石", "听雨", "知秋", "半山", "归舟", "夜来", "三省",
        "无咎", "采薇",
    ),
    name="{first}{last}",
    places=(
        "渡口", "盐仓", "北城门", "旧祠堂", "水闸", "染坊", "码头", "茶棚", "县衙", "藏书楼",
        "石桥", "马厩", "灯塔", "药铺", "后山", "船坞", "当铺", "井台", "粮库", "驿站", "书院",
        "铁匠铺", "瓦窑", "义庄",
    ),
    things=(
        "铜钥匙", "半张地图", "旧账册", "银镯子", "竹筒", "家书", "火折子", "断剑", "玉佩", "药方",
        "令牌", "油布包", "算盘", "羊皮卷", "红绳", "小铁匣", "砚台", "船票", "木符", "蜡丸",
        "绣帕", "铁尺",
    ),
    matters=(
        "那夜的火", "丢了的税银", "换过的名册", "井底的铁链", "三更的钟", "没寄出的信",
        "改过的河道", "少了一页的族谱", "空棺", "假官印", "第二个证人", "北边来的船", "停摆的水钟",
        "缺角的碑",
    ),
    move=(
        "{who}趁着天色未明动身，到{where}落了脚。", "雨一停，{who}就往{where}去了。",
        "{who}绕开大路，午后才走到{where}。", "{who}在{where}等了整整一个时辰。",
        "有人看见{who}独自进了{where}。", "{who}把马拴在{where}外头，没有声张。",
    ),
    gain=(
        "{who}从墙缝里摸出了{what}。", "那{what}辗转几次，终究到了{who}手里。",
        "{who}接过{what}，掂了掂，收进怀里。", "临走时{who}把{what}带在了身上。",
    ),
    lose=(
        "{who}翻遍了行囊，{what}不见了。", "{what}从{who}袖中滑落，沉进了水里。",
        "{who}把{what}押给了掌柜，再没赎回来。",
    ),
    learn=(
        "{who}这才明白，{matter}另有隐情。", "听完这番话，{who}知道{matter}瞒不住了。",
        "{who}想起{matter}，背上一阵发凉。", "灯下细看，{who}认出{matter}是有人做的手脚。",
    ),
    tie=(
        "{who}与{other}从此不再说话。", "{who}欠了{other}一条命，两人都没提。",
        "{other}信了{who}，把后背交给了他。", "{who}看{other}的眼神，已不是从前那样。",
    ),
    fact=(
        "{where}的门只从里头上闩，钥匙有{n}把。", "从{where}到城里，要走{n}里水路。",
        "{where}是{n}年前重修的，梁上刻着字。", "守{where}的人每夜换{n}班。",
    ),
    plant=(
        "没人说得清，{matter}为什么偏偏牵到第{n}号石头上。",
        "{who}记下了一个数：{n}，那是{matter}的来历。",
        "谁动过{matter}，{who}问了{n}遍，没有人答。",
    ),
    advance=(
        "{who}又提起{matter}，对面的人变了脸色。", "关于{matter}，{who}在{where}多了一条线索。",
        "{matter}的事，{who}查到了一半，断在{where}。",
    ),
    pay=(
        "{who}当众把{matter}说破，四下里一片静。",
        "到了{where}，{matter}终于有了着落，{who}长出一口气。",
    ),
    leave=("{who}没有等到天亮，死在了{where}。", "{who}在{where}断了气，手里还攥着泥。"),
)  # fmt: skip

EN = Words(
    first=(
        "Ada", "Bram", "Cora", "Dov", "Edith", "Finn", "Greta", "Hale", "Ivy", "Jonas", "Kit",
        "Lena", "Milo", "Nora", "Owen", "Pell", "Quill", "Rhys", "Sadie", "Tobin", "Una", "Vern",
        "Willa", "Yates",
    ),
    last=(
        "Marsh", "Calder", "Thorne", "Pike", "Hollis", "Renn", "Sloane", "Barrow", "Fenwick",
        "Gage", "Harker", "Lowell", "Mercer", "Oakes", "Prior", "Quarles", "Rudd", "Stroud", "Tull",
        "Varley",
    ),
    name="{first} {last}",
    places=(
        "the salt house", "the north gate", "the old chapel", "the sluice", "the dye works",
        "the pier", "the map room", "the stone bridge", "the stables", "the lamp tower",
        "the boat shed", "the well yard", "the granary", "the post inn", "the forge",
        "the brick kiln", "the weir",
    ),
    things=(
        "brass key", "half of a chart", "ledger", "silver bangle", "letter", "broken blade",
        "jade seal", "recipe", "warrant", "oilskin parcel", "parchment", "red cord", "iron box",
        "ticket", "tally stick",
    ),
    matters=(
        "the fire that night", "the missing tax silver", "the altered roll",
        "the chain in the well", "the bell at three", "the letter never sent",
        "the river's new bed", "the torn page", "the empty coffin", "the false seal",
        "the second witness", "the ship from the north",
    ),
    move=(
        "{who} set out before light and stopped at {where}.",
        "When the rain let up {who} went to {where}.",
        "{who} kept off the road and came to {where} after noon.",
        "{who} waited a full hour at {where}.", "Somebody saw {who} go alone into {where}.",
    ),
    gain=(
        "{who} drew the {what} out of a crack in the wall.",
        "By many hands the {what} came to {who}.", "{who} weighed the {what} and put it away.",
        "Leaving, {who} carried the {what}.",
    ),
    lose=(
        "{who} turned out every bag; the {what} was gone.",
        "The {what} slid from {who}'s sleeve and sank.",
        "{who} pawned the {what} and never got it back.",
    ),
    learn=(
        "Only then did {who} see what lay behind {matter}.",
        "{who} knew that {matter} couldn't be hidden.", "{who} thought of {matter} and went cold.",
        "By the lamp {who} saw a hand in {matter}.",
    ),
    tie=(
        "{who} and {other} didn't speak after that.", "{who} owed {other} a life; neither said so.",
        "{other} trusted {who} and turned his back.",
        "{who} no longer looked at {other} as before.",
    ),
    fact=(
        "Only from inside was {where} bolted, with {n} keys.",
        "From {where} to town was {n} miles by water.",
        "They had rebuilt {where} {n} years before.", "From {where} down went {n} steps.",
    ),
    plant=(
        "Why {matter} led to stone {n}, nobody knew.",
        "{who} wrote down a number, {n}, for {matter}.",
        "Who had touched {matter}, {who} asked {n} times.",
    ),
    advance=(
        "{who} spoke of {matter} again, and a face changed.",
        "At {where} {who} found a thread of {matter}.",
        "{who} had half of {matter} when it broke off at {where}.",
    ),
    pay=(
        "{who} told {matter} aloud, and nobody stirred.",
        "At {where} {matter} was settled, and {who} breathed.",
    ),
    leave=("{who} died at {where} before it was light.", "{who} stopped breathing at {where}."),
)  # fmt: skip

WORDS: dict[Language, Words] = {"zh": ZH, "en": EN}

_BREAKS: dict[Language, str] = {
    "zh": r"[，。！？；：、\s]+",
    "en": r"[,;:.!?()\"“”—]+|--|\b and \b",
}
_CLAUSE: dict[Language, str] = {
    "zh": r"[\u4e00-\u9fff]{4,11}",
    "en": r"(?:[a-z]+ ){2,5}[a-z]+",
}
_ODD: dict[Language, str] = {
    "zh": r"第.+回|毕竟|下文|正是|却说|且说|诗曰|[我吾汝你曰道云令]",
    "en": r"chapter|\b(?:i|me|my|we|us|our|you|your|thou|thee|thy|ye)\b",
}


@cache
def clauses(language: Language) -> tuple[str, ...]:
    """Plain clauses of the novel, each once, in a fixed order. Raises ``NotThere``.

    They are shorter than what counts as copied, so that sentences put together from them are new.
    """
    text = sanguo() if language == "zh" else " ".join(moby_dick().lower().split())
    form, odd = re.compile(_CLAUSE[language]), re.compile(_ODD[language])
    parts = (part.strip() for part in re.split(_BREAKS[language], text))
    return tuple(dict.fromkeys(p for p in parts if form.fullmatch(p) and not odd.search(p)))


def people(language: Language) -> list[str]:
    """Names enough for the longest book, the same ones at each call."""
    words = WORDS[language]
    names = [words.name.format(first=a, last=b) for a in words.first for b in words.last]
    random.Random(7).shuffle(names)
    return names
