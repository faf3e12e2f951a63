"""What a line says as a heading: which chapter or volume begins, a prologue, an epilogue."""

import re
from dataclasses import dataclass
from typing import Literal

from zencli.prose.numerals import CHINESE, ENGLISH, chinese_number, english_number

Kind = Literal["chapter", "prologue", "epilogue", "volume"]

LONGEST = 160
"""Characters of the longest line that can be a heading."""

LONGEST_ZH = 60

_MARKED = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(.+)\1")
_BRACKETED = re.compile(r"[【\[［](.+?)[】\]］](.*)")

_GAP = r"[\s：:、.．·,，—–-]"
_ZH_VOLUME = rf"(?:第\s*[{CHINESE}]+\s*[卷部集篇]|卷\s*[{CHINESE}]+)"
_COMPOUND = "(?<=回)[合忆头]|(?<=[话話])[剧劇题題]|(?<=[节節])[目课課]|(?<=折)扣|(?<=幕)后"
"""After a unit: the two make another word, as in 第三回合."""

_ZH_CHAPTER = re.compile(
    rf"(?P<before>正文{_GAP}*|{_ZH_VOLUME}(?:{_GAP}.{{0,24}}?)?{_GAP}+)?"
    rf"第\s*(?P<number>[{CHINESE}]+)\s*(?P<unit>[章回节節话話折幕])(?!{_COMPOUND})"
    r"(?P<rest>.*)"
)
_ZH_VOLUME_LINE = re.compile(
    rf"(?:{_ZH_VOLUME}(?P<rest>$|{_GAP}.*)|第\s*[{CHINESE}]+\s*卷(?P<close>[^\s].{{0,20}}))"
)
_ZH_PROLOGUE = re.compile(rf"(?:楔子|序章|序幕|序曲|序言|引子|前言|自序|序)(?P<rest>$|{_GAP}.*)")
_ZH_EPILOGUE = re.compile(
    rf"(?:尾声|尾聲|终章|終章|后记|後記|跋|番外篇?\s*[{CHINESE}]*)(?P<rest>$|{_GAP}.*)"
)

_EN_NUMBER = f"(?P<number>{ENGLISH})"
_EN_CHAPTER = re.compile(
    rf"(?P<before>(?:volume|book|part)\s+(?:the\s+)?(?P<volume>[\w-]+)"
    rf"(?:{_GAP}.{{0,60}}?)?{_GAP}+)?"
    rf"chapter\s+{_EN_NUMBER}"
    r"(?P<rest>$|\s*[.:—–-].*|\s+.*)",
    re.I,
)
_EN_VOLUME = re.compile(
    rf"(?:volume|book|part)\s+(?:the\s+)?{_EN_NUMBER}(?P<rest>$|\s*[.:—–-].*)", re.I
)
_EN_PROLOGUE = re.compile(r"(?:prologue|preface|foreword)(?P<rest>\.?$|\s*[.:—–-].*)", re.I)
_EN_EPILOGUE = re.compile(r"(?:epilogue|afterword)(?P<rest>\.?$|\s*[.:—–-].*)", re.I)

_UNITS = {"節": "节", "話": "话"}
_SENTENCE = re.compile("[。，；！？“”「」,;]")


@dataclass(frozen=True)
class Heading:
    """A line that may be a heading.

    ``text`` is the line without marks; ``unit`` what is counted (章, 回, chapter ...); ``sure`` is
    False when the title follows the number without a gap, as the words of a sentence would.
    ``volume`` is the volume that stands in front of a chapter in the same line.
    """

    kind: Kind
    text: str
    number: int | None = None
    unit: str = ""
    sure: bool = True
    volume: str = ""


def read_heading(line: str) -> Heading | None:
    """What ``line`` says when it is a heading, else None. Sense is made of one line alone."""
    text = unmarked(line)
    if not text or len(text) > LONGEST:
        return None
    return _chinese(text) or _english(text)


def unmarked(line: str) -> str:
    """A line without the marks of Markdown and without white space around it."""
    text = line.strip()
    found = _MARKED.fullmatch(text)
    text = found[2] if found else text
    found = _EMPHASIS.fullmatch(text)
    return found[2].strip() if found else text


def level(line: str) -> int:
    """How deep a Markdown heading is, 1 to 6; 0 when the line is none."""
    found = _MARKED.fullmatch(line.strip())
    return len(found[1]) if found and found[2] else 0


def without_label(text: str) -> str:
    """A heading's title without the number in front of it; the whole text when it has none."""
    for pattern in (_ZH_CHAPTER, _EN_CHAPTER):
        found = pattern.fullmatch(text)
        if found:
            return re.sub(rf"^{_GAP}+", "", found["rest"])
    return text


def _chinese(text: str) -> Heading | None:
    if len(text) > LONGEST_ZH:
        return None
    inside = _BRACKETED.fullmatch(text)
    plain = f"{inside[1]} {inside[2]}".strip() if inside else text
    found = _ZH_CHAPTER.fullmatch(plain)
    if found:
        return _chinese_chapter(text, found)
    found = _ZH_VOLUME_LINE.fullmatch(plain)
    if found and not _SENTENCE.search(found["close"] or "") and not _runs_on(plain):
        return Heading("volume", text, sure=not found["close"])
    if _ZH_PROLOGUE.fullmatch(plain) and not _runs_on(plain):
        return Heading("prologue", text)
    if _ZH_EPILOGUE.fullmatch(plain) and not _runs_on(plain):
        return Heading("epilogue", text)
    return None


def _chinese_chapter(text: str, found: re.Match[str]) -> Heading | None:
    number = chinese_number(found["number"])
    rest = found["rest"]
    sure = _apart(rest)
    if number is None or (_SENTENCE.search(rest) if not sure else _runs_on(rest)):
        return None
    unit = _UNITS.get(found["unit"], found["unit"])
    before = (found["before"] or "").strip()
    volume = "" if before.startswith("正文") else before
    return Heading("chapter", text, number, unit, sure, volume)


def _apart(rest: str) -> bool:
    return not rest or re.match(_GAP, rest) is not None


def _runs_on(text: str) -> bool:
    """Whether a line goes on as sentences do: more than one, or one that ends with a comma."""
    return (
        text.endswith(("，", "、", "；")) or len(re.findall("[。！？]", text.rstrip("。！？"))) > 0
    )


def _english(text: str) -> Heading | None:
    found = _EN_CHAPTER.fullmatch(text)
    if found:
        return _english_chapter(text, found)
    found = _EN_VOLUME.fullmatch(text)
    if found and english_number(found["number"]) is not None:
        return Heading("volume", text)
    if _EN_PROLOGUE.fullmatch(text):
        return Heading("prologue", text)
    return Heading("epilogue", text) if _EN_EPILOGUE.fullmatch(text) else None


def _english_chapter(text: str, found: re.Match[str]) -> Heading | None:
    number = english_number(found["number"])
    if number is None or (found["volume"] and english_number(found["volume"]) is None):
        return None
    rest = found["rest"]
    sure = not rest or re.match(r"\s*[.:—–-]|\s{2,}", rest) is not None
    if not sure and (not rest.strip()[:1].isupper() or rest.endswith((".", ",", ";"))):
        return None
    return Heading("chapter", text, number, "chapter", sure, (found["before"] or "").strip())
