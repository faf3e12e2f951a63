"""What the author pins, keeps out, or wants for a while: in ``rules.md``, cards, ``focus.md``.

A pinned fact and an entry that is kept out may name the chapters it holds for, in brackets at its
end; a note in ``focus.md`` may begin with them. ``docs/context.md`` shows the forms.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from zencli.errors import DamagedError
from zencli.prose.numerals import chinese_number, english_number
from zencli.story import markdown
from zencli.story.labels import words_of

PINNED = words_of(("pinned",))
KEEP_OUT = words_of(("keep_out",))

EVER = 1_000_000
"""A chapter after the last one."""

_N = r"([0-9０-９零〇一二两三四五六七八九十百千]+)"
_E = r"([0-9]+|[a-z]+(?:-[a-z]+)?)"
_DASH = r"\s*(?:-|–|—|~|～|到|至|to)\s*"
_SPANS = (
    re.compile(rf"(?:从|自)?\s*第\s*{_N}\s*章?{_DASH}(?:第\s*)?{_N}\s*章(?:为止)?"),
    re.compile(rf"(?:from\s+)?chapters?\s+{_E}{_DASH}(?:chapter\s+)?{_E}", re.I),
)
_FROM = (
    re.compile(rf"(?:从|自)?\s*第\s*{_N}\s*章\s*(?:起|开始|以后)"),
    re.compile(rf"from\s+chapter\s+{_E}(?:\s+on(?:wards?)?)?", re.I),
)
_UNTIL = (
    re.compile(rf"(?:到|至|直到)\s*第\s*{_N}\s*章(?:为止)?"),
    re.compile(rf"(?:until|up\s+to|through|to)\s+chapter\s+{_E}", re.I),
)
_ONE = (re.compile(rf"第\s*{_N}\s*章"), re.compile(rf"chapter\s+{_E}", re.I))
_BRACKET = re.compile(
    r"\s*[（(]((?:从|自|到|至|直到)?\s*第[^（()）]*章[^（()）]*"
    r"|(?:(?:from|until|up\s+to|through|to)\s+)?chapters?\s[^（()）]*)[）)]\s*$",
    re.I,
)
_NEXT = re.compile(
    rf"(?:接下来|往后|今后)(?:的)?\s*{_N}\s*章[里内]?\s*[：:，,]\s*"
    rf"|for\s+the\s+next\s+{_E}\s+chapters?\s*[:,]\s*",
    re.I,
)
_DATED = re.compile(
    r"((?:从|自|到|至|直到)?\s*第[^：:，,\n]{1,24}?章(?:起|开始|以后|为止)?|"
    r"(?:from\s+|until\s+|up\s+to\s+)?chapters?\s[^:,\n]{1,30}?)\s*[：:]\s*",
    re.I,
)


@dataclass(frozen=True)
class Span:
    """The chapters that something holds for."""

    first: int = 0
    last: int = EVER

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.first <= number <= self.last


@dataclass(frozen=True)
class Ranged:
    """An entry of the author's and the chapters it holds for."""

    text: str
    span: Span = Span()


@dataclass(frozen=True)
class TimedNote:
    """A note of ``focus.md``. With ``length`` it holds for so many chapters from the first that
    sees it, else for ``span``; an open one holds always."""

    text: str
    length: int = 0
    span: Span | None = None

    @property
    def open(self) -> bool:
        return not self.length and self.span is None


def pinned_facts(text: str, path: str) -> list[Ranged]:
    """The pinned facts of ``rules.md``: the list under the heading ``钉住`` or ``Pinned``.

    Raises DamagedError ``book.damaged`` with the line of chapters that can't be read.
    """
    return list(_listed(text, PINNED, path))


def kept_out(text: str, path: str) -> list[Ranged]:
    """What ``rules.md`` keeps out: the list under ``不放进来`` or ``Keep out``. Raises likewise."""
    return list(_listed(text, KEEP_OUT, path))


def without_lists(text: str) -> str:
    """``rules.md`` without these two lists, which aren't the same for all chapters."""
    return markdown.without_sections(text, [*PINNED, *KEEP_OUT])


def split_card(card: str, path: str) -> tuple[list[Ranged], str]:
    """The pinned facts of a card (``- 钉住：…``, ``- Pinned: …``), and the card without them."""
    values, rest = markdown.fields(card, PINNED)
    lines = [line for value in values.values() for line in value.splitlines() if line.strip()]
    return [_ranged(line, path, card) for line in lines], rest


def _listed(text: str, headings: Iterable[str], path: str) -> Iterator[Ranged]:
    wanted = set(headings)
    for heading, content in markdown.sections(text):
        if heading in wanted:
            yield from (_ranged(entry, path, text) for entry in markdown.bullets(content))


def _ranged(entry: str, path: str, whole: str) -> Ranged:
    bracket = _BRACKET.search(entry)
    if bracket is None:
        return Ranged(entry)
    span = chapters_named(bracket[1])
    if span is None:
        raise _unreadable(path, whole, bracket[1])
    return Ranged(entry[: bracket.start()].strip(), span)


def chapters_named(words: str) -> Span | None:
    """``第 10-40 章``, ``chapters 10-40``, ``第 10 章起``, ``until chapter 40``, ``chapter 7``.

    None for what is none of these, and for a span that ends before it begins.
    """
    text = words.strip()
    for patterns, make in ((_SPANS, Span), (_FROM, Span), (_UNTIL, _until), (_ONE, _one)):
        for pattern in patterns:
            match = pattern.fullmatch(text)
            if match is None:
                continue
            numbers = [_number(group) for group in match.groups()]
            if any(number is None for number in numbers):
                return None
            span = make(*(number or 0 for number in numbers))
            return span if span.first <= span.last else None
    return None


def _until(last: int) -> Span:
    return Span(0, last)


def _one(number: int) -> Span:
    return Span(number, number)


def _number(text: str) -> int | None:
    found = chinese_number(text)
    return english_number(text.lower()) if found is None else found


def timed_notes(text: str, path: str = "focus.md") -> list[TimedNote]:
    """The notes of ``focus.md``: timed ones by their first words, all else as one open note.

    A timed note goes on in the indented lines below it. Raises DamagedError ``book.damaged`` with
    the line of chapters that can't be read.
    """
    notes: list[TimedNote] = []
    free: list[str] = []
    timed = False
    for line in markdown.body(text).splitlines():
        bare = re.sub(r"^\s*[-*+][ \t]+", "", line)
        note = _timed(bare, path, text)
        if note is not None:
            notes.append(note)
        elif timed and line[:1].isspace() and line.strip():
            last = notes.pop()
            notes.append(TimedNote(f"{last.text}\n{line.strip()}", last.length, last.span))
            continue
        else:
            free.append(line)
        timed = note is not None
    rest = markdown.without_empty_sections("\n".join(free))
    return [*([TimedNote(rest)] if rest else []), *notes]


def _timed(line: str, path: str, whole: str) -> TimedNote | None:
    following = _NEXT.match(line)
    if following is not None:
        count = _number(following[1] or following[2])
        if not count:
            raise _unreadable(path, whole, following.group().strip(" ：:，,"))
        return TimedNote(line[following.end() :].strip(), length=count)
    dated = _DATED.match(line)
    if dated is None:
        return None
    span = chapters_named(dated[1])
    if span is None:
        if not re.search(r"\d", dated[1]):
            return None
        raise _unreadable(path, whole, dated[1])
    return TimedNote(line[dated.end() :].strip(), span=span)


def active_notes(
    notes: Iterable[TimedNote], number: int, seen: Mapping[str, int]
) -> tuple[list[str], dict[str, int]]:
    """The texts that hold for a chapter, and which chapter first saw each timed note.

    ``seen`` is what the chapters before know of that; a note that isn't in it is seen here first.
    """
    texts = []
    first: dict[str, int] = {}
    for note in notes:
        if note.length:
            first[note.text] = min(seen.get(note.text, number), number)
            holds = number < first[note.text] + note.length
        else:
            holds = note.span is None or number in note.span
        if holds and note.text:
            texts.append(note.text)
    return texts, first


def _unreadable(path: str, whole: str, words: str) -> DamagedError:
    lines = whole.splitlines()
    at = next((n for n, line in enumerate(lines, 1) if words in line), 0)
    where = f"{path}, line {at}" if at and path.endswith(".md") else path
    return DamagedError(
        "book.damaged",
        f"{where}: {words!r} names no chapters.",
        "Write it as 第 10-40 章, 第 10 章起, chapters 10-40, from chapter 10 or until chapter 40.",
    )
