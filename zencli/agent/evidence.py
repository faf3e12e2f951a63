"""What a program can prove about a text before a reviewer reads it: repeats, marks, numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zencli.prose.count import HAN
from zencli.prose.segment import paragraphs, sentence_spans
from zencli.story.book import Language

LEAST = {"zh": 15, "en": 40}
"""Characters of a repeat that is reported: eight English words are about forty characters."""
MOST = 6
_SHOWN = 60

_GAP = re.compile(r"\s+")
_FAMILIES = (("“”", "“”"), ("「」", "「」"), ('""', '"'), ("＂＂", "＂"))
_ZH_FACT = re.compile(
    rf"([0-9０-９一二三四五六七八九十百千万两]+)([个名位条座把件只匹口岁年月天里丈尺两次章层块枚张艘辆])([{HAN}]{{0,2}})"
)
_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|hundred"
)
_EN_FACT = re.compile(rf"\b(\d[\d,]*|{_NUMBERS})(?:[ -])([a-z]{{3,}})\b", re.IGNORECASE)
_EMPTY_WORDS = {
    "and", "the", "more", "times", "time", "other", "others", "thing", "things", "way", "who",
    "that", "was", "were", "had", "has", "for", "but", "with", "from", "them", "they", "its",
    "step", "steps", "moment", "minute", "minutes", "second", "seconds", "words", "word",
}  # fmt: skip


class Place(NamedTuple):
    """A passage as it stands in a text: ``where`` names the text, "" for the one looked at."""

    passage: str
    where: str = ""


def repeats(text: str, earlier: Sequence[tuple[str, str]], language: Language) -> list[Place]:
    """Passages of 15 characters or more (en: 40) that stand twice, verbatim but for white space.

    ``earlier`` are named texts, the chapters before. The longest comes first, with the text that
    has it too.
    """
    least = LEAST[language]
    own = _dense(text, language)
    found = [("", _whole(passage, own, language)) for passage in _within(own, least)]
    for name, other in earlier:
        between = _between(own, _dense(other, language), least)
        found += [(name, _whole(passage, own, language)) for passage in between]
    found.sort(key=lambda item: -len(item[1]))
    places = dict.fromkeys(Place(_clip(passage), name) for name, passage in found)
    return list(places)[:MOST]


def repeated_paragraphs(
    text: str, earlier: Sequence[tuple[str, str]], language: Language
) -> list[Place]:
    """Whole paragraphs that stand twice in the text, or in an earlier one too."""
    least = LEAST[language]
    own = [_dense(p, language) for p in paragraphs(text)]
    counts = Counter(p for p in own if len(p) >= least)
    found = [Place(_clip(p)) for p, count in counts.items() if count > 1]
    for name, other in earlier:
        known = {_dense(p, language) for p in paragraphs(other)}
        found += [Place(_clip(p), name) for p in counts if p in known]
    return found[:MOST]


def mixed_marks(text: str) -> list[tuple[str, int, str]]:
    """The kinds of quotation marks when a text has more than one: name, how many, a first place."""
    used = []
    for name, marks in _FAMILIES:
        places = [i for i, letter in enumerate(text) if letter in marks]
        if places:
            start = max(0, places[0] - 6)
            used.append((name, len(places), _GAP.sub(" ", text[start : places[0] + 14]).strip()))
    return used if len(used) > 1 else []


def number_facts(
    text: str, earlier: Sequence[tuple[str, str]], language: Language
) -> list[tuple[Place, Place]]:
    """Things that are counted differently in two sentences of the text and those before it.

    Both may be right: it is for the reviewer to say.
    """
    seen: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for name, body in (*earlier, ("", text)):
        for number, thing, sentence in _facts(body, language):
            seen[thing].setdefault(number, (name, sentence))
    found = []
    for numbers in seen.values():
        own = [n for n, (name, _) in numbers.items() if not name]
        if len(numbers) < 2 or not own:
            continue
        one, other = list(numbers.values())[:2]
        found.append((Place(_clip(one[1]), one[0]), Place(_clip(other[1]), other[0])))
    return found[:MOST]


def _facts(text: str, language: Language) -> Iterator[tuple[str, str, str]]:
    pattern = _ZH_FACT if language == "zh" else _EN_FACT
    for start, end in sentence_spans(text, language):
        sentence = text[start:end]
        for match in pattern.finditer(sentence):
            if language == "zh":
                number, unit, noun = match.groups()
                if len(noun) == 2 and unit not in "年月天岁里丈尺次章":
                    yield number, unit + noun, sentence
            else:
                number, noun = match.group(1).lower(), match.group(2).lower()
                if noun not in _EMPTY_WORDS and noun.endswith("s"):
                    yield number, noun, sentence


def _dense(text: str, language: Language) -> str:
    return _GAP.sub("" if language == "zh" else " ", text).strip()


def _whole(passage: str, text: str, language: Language) -> str:
    """The passage without the halves of words at its ends."""
    start = text.find(passage)
    end = start + len(passage)
    if language == "zh" or start < 0:
        return passage
    if start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start = text.find(" ", start, end) + 1 or end
    if text[end - 1 : end + 1].isalnum() and len(text) > end:
        end = text.rfind(" ", start, end)
    return text[start:end].strip()


def _within(text: str, least: int) -> list[str]:
    """Each longest passage that stands again later in the text without overlapping itself."""
    first: dict[str, int] = {}
    found: list[str] = []
    at = 0
    while at + least <= len(text):
        gram = text[at : at + least]
        earlier = first.get(gram)
        if earlier is None or earlier + least > at:
            first.setdefault(gram, at)
            at += 1
            continue
        length = least
        while at + length < len(text) and text[earlier + length] == text[at + length]:
            if earlier + length >= at:
                break
            length += 1
        found.append(text[at : at + length])
        at += length
    return found


def _between(text: str, other: str, least: int) -> list[str]:
    places: dict[str, int] = {}
    for i in range(len(other) - least + 1):
        places.setdefault(other[i : i + least], i)
    found: list[str] = []
    at = 0
    while at + least <= len(text):
        start = places.get(text[at : at + least])
        if start is None:
            at += 1
            continue
        length = least
        while (
            at + length < len(text)
            and start + length < len(other)
            and text[at + length] == other[start + length]
        ):
            length += 1
        found.append(text[at : at + length])
        at += length
    return found


def _clip(text: str) -> str:
    plain = _GAP.sub(" ", text).strip()
    return plain if len(plain) <= _SHOWN else plain[: _SHOWN - 1] + "…"
