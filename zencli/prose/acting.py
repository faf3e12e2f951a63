"""Who speaks and who acts in the narration: a name at the beginning of a clause, and its verb."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from zencli.prose.segment import Span, quoted_spans
from zencli.story.book import Language

_SAY = {
    "zh": "(?:说|道|曰|问|答|喊|叫|喝|骂|嚷|吼|劝|叹|应)(?:道|说|曰|了一?[声句])?",
    "en": "(?:said|says|asked|asks|replied|replies|answered|cried|shouted|whispered|muttered"
    "|called|added|agreed|snapped|murmured|growled|told)",
}
_ACT = {
    "zh": r"(?:[^，。！？；：“”「」\n的]{0,3})(?:走|跑|冲|跳|转身|转过|点了?点?头|摇了?摇头|伸手"
    r"|伸出|抬手|抬起?头|起身|站起|拔出|拔剑|拔刀|递|推开|拉开|笑了|笑着|皱眉|皱了|开口|接过|拿起|端起|举起"
    r"|坐下|挥|拍了|打开)",
    "en": r"(?:\w+ly )?(?:walked|ran|turned|nodded|shook|reached|stood up|stepped|smiled|laughed"
    r"|grinned|shrugged|frowned|leaned|pointed|grabbed|drew|pushed|pulled|opened|sat down|climbed"
    r"|picked up|looked up|raised|rose|crossed|hurried|followed|sighed|spoke|waved)",
}
_GAP = "[^，。！？；：“”「」\\n的之]{0,8}?"
_CLAUSE = {"zh": r"(?:^|(?<=[，。！？；：”」』…—\s]))", "en": r"(?:^|(?<=[\n\"”’.!?;,—] )|(?<=\n))"}


class Act(NamedTuple):
    """``name`` as it is called in the text; ``speaks``: words of theirs stand beside it."""

    start: int
    end: int
    name: str
    speaks: bool


def acts(text: str, names: Iterable[str], language: Language) -> list[Act]:
    """Where the bearers of these names speak or act outside of quotations, in order.

    The longest name wins: 王明远 isn't 王明. A name inside a phrase (王明的儿子) doesn't act.
    """
    present = tuple(sorted({n for n in names if n and n in text}, key=lambda n: (-len(n), n)))
    if not present:
        return []
    quoted = quoted_spans(text)
    found: dict[int, Act] = {}
    for match, speaks in _matches(text, present, language):
        start = match.start("name")
        if not any(a < start < b for a, b in quoted):
            found.setdefault(start, Act(start, match.end(), match["name"], speaks))
    return [found[start] for start in sorted(found)]


def _matches(
    text: str, names: tuple[str, ...], language: Language
) -> Iterator[tuple[re.Match[str], bool]]:
    for pattern, speaks in _patterns(names, language):
        for match in pattern.finditer(text):
            yield match, speaks


@lru_cache(maxsize=64)
def _patterns(
    names: tuple[str, ...], language: Language
) -> tuple[tuple[re.Pattern[str], bool], ...]:
    name = "(?P<name>" + "|".join(map(re.escape, names)) + ")"
    say, act, clause = _SAY[language], _ACT[language], _CLAUSE[language]
    shapes: tuple[tuple[str, bool], ...]
    if language == "zh":
        speech = rf"{clause}{name}{_GAP}{say}[^。！？“「『\n]{{0,8}}?[：:，,]?\s*[“「『\"]"
        after = rf"(?<=[”」』\"]){name}{_GAP}{say}(?=[。，；！？：:\n]|$)"
        moves = rf"{clause}{name}{act}"
        shapes = ((speech, True), (after, True), (moves, False))
    else:
        name = rf"\b{name}\b"
        after = rf"[”\"’]\s+{name} (?:\w+ly )?{say}\b"
        said_by = rf"[”\"’]\s+{say} {name}"
        speech = rf"{clause}{name} (?:\w+ly )?{say}\b[^.!?\n“\"]{{0,40}}[,:]\s*[“\"‘]"
        moves = rf"{clause}{name} {act}\b"
        shapes = ((said_by, True), (after, True), (speech, True), (moves, False))
    return tuple((re.compile(shape, re.MULTILINE), speaks) for shape, speaks in shapes)


def outside(spans: Iterable[Span], place: int) -> bool:
    """Whether a place lies in none of the spans."""
    return not any(start <= place < end for start, end in spans)
