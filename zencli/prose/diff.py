"""The difference of two versions of a chapter, sentence by sentence."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from zencli.prose.segment import paragraph_spans, sentences
from zencli.story.book import Language

_PLACE = {"zh": "@@ 第 {} 段 @@", "en": "@@ paragraph {} @@"}
_BREAK = "¶"
_CONTEXT = 1


class _Line(NamedTuple):
    """A sentence, or a paragraph's end; ``paragraph`` counts from 1 and isn't compared."""

    text: str
    paragraph: int


def sentence_diff(old: str, new: str, language: Language) -> str:
    """What changed from ``old`` to ``new``: one sentence a line, ``-`` gone, ``+`` come, with one
    unchanged sentence around and the paragraph in the old text above. ``¶`` is a paragraph's end.
    Empty when no sentence differs."""
    a, b = (list(_lines(text, language)) for text in (old, new))
    matcher = SequenceMatcher(None, [x.text for x in a], [x.text for x in b], autojunk=False)
    out: list[str] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        start = group[0][1]
        out.append(_PLACE[language].format(a[min(start, len(a) - 1)].paragraph if a else 1))
        for tag, a0, a1, b0, b1 in group:
            if tag == "equal":
                out.extend(f"  {x.text}" for x in a[a0:a1])
                continue
            out.extend(f"- {x.text}" for x in a[a0:a1])
            out.extend(f"+ {x.text}" for x in b[b0:b1])
    return "".join(f"{line}\n" for line in out)


def _lines(text: str, language: Language) -> Iterator[_Line]:
    for number, block in enumerate(_blocks(text), start=1):
        for sentence in sentences(block, language) or [block]:
            yield _Line(" ".join(sentence.split()), number)
        yield _Line(_BREAK, number)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, and the headings and scene breaks between them, in order."""
    at = 0
    for start, end in (*paragraph_spans(text), (len(text), len(text))):
        yield from (line.strip() for line in text[at:start].split("\n") if line.strip())
        if start < end:
            yield text[start:end]
        at = end
