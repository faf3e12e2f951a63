"""The difference of two versions of a chapter, sentence by sentence."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from zencli.prose.segment import paragraph_spans, sentences
from zencli.story.book import Language

Change = Literal["same", "gone", "come", "changed"]

_SIGNS: dict[Change, str] = {"same": " ", "gone": "-", "come": "+", "changed": "~"}
_PLACE = {"zh": "@@ 第 {} 段 @@", "en": "@@ paragraph {} @@"}
_BREAK = "¶"
_CONTEXT = 1
_ALIKE = 0.5
"""From this likeness on two sentences are one that was changed."""

_SHORT = 6
"""Characters under which a sentence reads better as gone and come."""

_MOST_PAIRED = 60
"""Sentences of one changed passage beyond which none is paired: it was written anew."""

_TOKENS = {"zh": re.compile(r"[A-Za-z0-9]+|\s+|."), "en": re.compile(r"\s+|[\w’'-]+|.")}
_ISLAND = {"zh": 2, "en": 3}
"""Unchanged tokens between two changes that are too few to read as unchanged."""


class Line(NamedTuple):
    """A sentence, or ``¶`` for a paragraph's end. A changed one shows both versions in one:
    ``[-gone-]`` and ``{+come+}`` in place, characters in Chinese, words in English."""

    change: Change
    text: str


class Hunk(NamedTuple):
    """Changed sentences with one unchanged around; ``paragraph`` of the old text, from 1."""

    paragraph: int
    lines: tuple[Line, ...]


class _Sentence(NamedTuple):
    """``paragraph`` counts from 1 and isn't compared."""

    text: str
    paragraph: int


def sentence_changes(old: str, new: str, language: Language) -> list[Hunk]:
    """What changed from ``old`` to ``new``; empty when no sentence differs."""
    a, b = (list(_sentences(text, language)) for text in (old, new))
    matcher = SequenceMatcher(None, [x.text for x in a], [x.text for x in b], autojunk=False)
    hunks: list[Hunk] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        start = group[0][1]
        lines: list[Line] = []
        for tag, a0, a1, b0, b1 in group:
            gone, come = [x.text for x in a[a0:a1]], [x.text for x in b[b0:b1]]
            if tag == "equal":
                lines += [Line("same", text) for text in gone]
            else:
                lines += _paired(gone, come, language)
        hunks.append(Hunk(a[min(start, len(a) - 1)].paragraph if a else 1, tuple(lines)))
    return hunks


def sentence_diff(old: str, new: str, language: Language) -> str:
    """``sentence_changes`` as text: one sentence a line, ``-`` gone, ``+`` come, ``~`` changed,
    the paragraph above. Empty when no sentence differs."""
    return render_changes(sentence_changes(old, new, language), language)


def render_changes(hunks: Sequence[Hunk], language: Language) -> str:
    """Hunks as text."""
    out: list[str] = []
    for hunk in hunks:
        out.append(_PLACE[language].format(hunk.paragraph))
        out += [f"{_SIGNS[line.change]} {line.text}" for line in hunk.lines]
    return "".join(f"{line}\n" for line in out)


def _paired(gone: list[str], come: list[str], language: Language) -> Iterator[Line]:
    """Sentences that are alike become one line; the order of both texts stays."""
    at = 0
    for text in gone:
        twin = None
        if len(gone) + len(come) <= _MOST_PAIRED and text != _BREAK:
            twin = next((i for i in range(at, len(come)) if _alike(text, come[i])), None)
        if twin is None:
            yield Line("gone", text)
            continue
        yield from (Line("come", between) for between in come[at:twin])
        yield Line("changed", _marked(text, come[twin], language))
        at = twin + 1
    yield from (Line("come", rest) for rest in come[at:])


def _alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORT:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _marked(old: str, new: str, language: Language) -> str:
    a, b = (_TOKENS[language].findall(text) for text in (old, new))
    out: list[str] = []
    gone, come = "", ""
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for index, (tag, a0, a1, b0, b1) in enumerate(codes):
        inside = 0 < index < len(codes) - 1
        if tag == "equal" and not (inside and a1 - a0 < _ISLAND[language]):
            out += [_mark(gone, come), "".join(a[a0:a1])]
            gone, come = "", ""
        else:
            gone += "".join(a[a0:a1])
            come += "".join(b[b0:b1])
    return "".join([*out, _mark(gone, come)])


def _mark(gone: str, come: str) -> str:
    return (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else "")


def _sentences(text: str, language: Language) -> Iterator[_Sentence]:
    for number, block in enumerate(_blocks(text), start=1):
        for sentence in sentences(block, language) or [block]:
            yield _Sentence(" ".join(sentence.split()), number)
        yield _Sentence(_BREAK, number)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, and the headings and scene breaks between them, in order."""
    at = 0
    for start, end in (*paragraph_spans(text), (len(text), len(text))):
        yield from (line.strip() for line in text[at:start].split("\n") if line.strip())
        if start < end:
            yield text[start:end]
        at = end
