"""The lines of a text at which chapters and volumes begin, and the table of contents that only
looks as if they did."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from zencli.prose.headings import Heading, Kind, level, read_heading, unmarked
from zencli.prose.numerals import MOST

_UNITS = ("章", "chapter", "回", "话", "折", "幕")
_PART = "节"
"""Counted only where nothing else is: under chapters these are their parts."""

_MAY_BEGIN = re.compile(
    r"[\s#*_【\[［]*(?:第|卷|正文|楔|序|引|前|自|尾|终|終|后|後|跋|番|chapter|volume|book|part|pro"
    r"|pre|fore|epi|after)",
    re.I,
)
"""What every heading begins with: most lines are passed over by this alone."""

_CONTENTS = re.compile(r"(?:目\s*录|目\s*錄|目\s*次|(?:table of )?contents)[.:：]?", re.I)
_FEWEST = 3
_FEWEST_HEADED = 2
"""Entries of the shortest table of contents, without and with the word above it."""

_FILE_NUMBER = re.compile(r"\D{0,12}?(\d{1,6})(?!\d)[\s._、·—–-]*(.*)")


@dataclass(frozen=True)
class Source:
    """One text with line ends LF. ``name`` is empty for the only one; ``marked``: its Markdown
    headings count; ``stem`` is its file name, which may say the number."""

    text: str
    name: str = ""
    stem: str = ""
    marked: bool = False

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def place(self, line: int) -> str:
        """Where a line (from 0) is, for messages."""
        return f"{self.name}, line {line + 1}" if self.name else f"line {line + 1}"


@dataclass(frozen=True)
class Mark:
    """A heading where it stands; ``line`` is -1 when the file's name is the heading, ``where``
    names the place for messages."""

    source: int
    line: int
    heading: Heading
    where: str


@dataclass(frozen=True)
class Contents:
    """A table of contents: its lines in a source, from 0, and how many entries it has."""

    source: int
    first: int
    last: int
    count: int


def find_marks(
    sources: Sequence[Source], split: "re.Pattern[str] | None"
) -> tuple[list[Mark], list[Mark]]:
    """Every heading in order, by ``split`` or by the forms that headings have.

    Then the lines that read as headings too, but count in another unit and stay text.
    """
    others: list[Mark] = []
    if split is not None:
        marks = [m for i, source in enumerate(sources) for m in _split(i, source, split)]
    else:
        marks = [m for i, source in enumerate(sources) for m in _numbered_lines(i, source)]
        marks, others = _of_one_unit(marks)
    counted = any(m.heading.kind == "chapter" for m in marks)
    if len(sources) == 1 and not counted and split is None and sources[0].marked:
        marks = _by_level(0, sources[0]) or marks
    with_marks = {mark.source for mark in marks}
    for index, source in enumerate(sources):
        if index not in with_marks:
            own = _whole(index, source, alone=len(sources) == 1)
            marks += [own] if own else []
    return sorted(marks, key=lambda mark: (mark.source, mark.line)), others


def drop_contents(
    marks: list[Mark], sources: Sequence[Source]
) -> tuple[list[Mark], list[Contents]]:
    """Without the headings at the front of a source that have no text of their own and come
    again later."""
    kept, dropped = list(marks), []
    for index, source in enumerate(sources):
        own = [mark for mark in kept if mark.source == index]
        entries = _entries(own, kept, source)
        if entries:
            first, last = entries[0].line, entries[-1].line
            count = sum(mark.heading.kind != "volume" for mark in entries)
            dropped.append(Contents(index, first, last, count))
            gone = {id(mark) for mark in entries}
            kept = [mark for mark in kept if id(mark) not in gone]
    return kept, dropped


def is_empty(source: Source, first: int, end: int | None) -> bool:
    """Whether the lines hold nothing to read."""
    return not any(line.strip() for line in source.lines[first:end])


def _split(index: int, source: Source, split: "re.Pattern[str]") -> list[Mark]:
    found = []
    for at, line in enumerate(source.lines):
        if line.strip() and split.search(line):
            known = _heading(line)
            kind: Kind = "prologue" if known.kind == "prologue" else "chapter"
            heading = Heading(kind, known.text, known.number)
            found.append(Mark(index, at, heading, source.place(at)))
    return found


def _heading(line: str) -> Heading:
    return read_heading(line) or Heading("chapter", unmarked(line))


def _numbered_lines(index: int, source: Source) -> list[Mark]:
    found: list[Mark] = []
    lines = source.lines
    for at, line in enumerate(lines):
        if not _MAY_BEGIN.match(line):
            continue
        heading = read_heading(line)
        if heading is None:
            continue
        # English prose is wrapped: a heading there stands after an empty line or another heading
        after_another = bool(found) and found[-1].line == at - 1
        apart = at == 0 or not lines[at - 1].strip() or after_another
        if apart or level(line) or not heading.text[0].isascii():
            found.append(Mark(index, at, heading, source.place(at)))
    return found


def _of_one_unit(marks: list[Mark]) -> tuple[list[Mark], list[Mark]]:
    """Chapters are counted in one unit; lines with another belong to the text."""
    counts = Counter(m.heading.unit for m in marks if m.heading.kind == "chapter")
    main = max(_UNITS, key=lambda unit: counts[unit])
    if not counts[main]:
        main = _PART
    sure = {m.heading.number for m in marks if m.heading.unit == main and m.heading.sure}
    kept = [
        mark
        for mark in marks
        if mark.heading.kind != "chapter"
        or (mark.heading.unit == main and (mark.heading.sure or mark.heading.number not in sure))
    ]
    others = [m for m in marks if m.heading.unit not in ("", main, _PART) and m.heading.sure]
    return kept, others


def _by_level(index: int, source: Source) -> list[Mark]:
    """Markdown without numbers: the highest level that has several headings."""
    levels = Counter(level(line) for line in source.lines)
    chosen = next((depth for depth in range(1, 7) if levels[depth] > 1), None)
    if chosen is None:
        return []
    return [
        Mark(index, at, _heading(line), source.place(at))
        for at, line in enumerate(source.lines)
        if level(line) == chosen
    ]


def _whole(index: int, source: Source, *, alone: bool) -> Mark | None:
    """A source that is one chapter: numbered by its name, titled by its first line if marked."""
    if is_empty(source, 0, None):
        return None
    named = read_heading(source.stem)
    number, title = (named.number, named.text) if named else (None, source.stem)
    found = _FILE_NUMBER.fullmatch(source.stem)
    if named is None and found and int(found[1]) <= MOST:
        number, title = int(found[1]), found[2]
    if alone and named is None and number is None:
        return None
    line = -1
    first = next((at for at, text in enumerate(source.lines) if text.strip()), 0)
    if level(source.lines[first]):
        line, title = first, unmarked(source.lines[first])
    kind: Kind = named.kind if named and named.kind != "volume" else "chapter"
    where = source.name or f"line {max(line, 0) + 1}"
    return Mark(index, line, Heading(kind, title, number), where)


def _entries(own: list[Mark], marks: list[Mark], source: Source) -> list[Mark]:
    """The headings at the front of a source that are its table of contents, or none."""
    run: list[Mark] = []
    last_is_empty = True
    for mark, following in zip_longest(own, own[1:]):
        run.append(mark)
        last_is_empty = is_empty(source, mark.line + 1, following.line if following else None)
        if not last_is_empty:
            break
    if run and not last_is_empty and _key(run[-1]) not in _keys(marks, run):
        run.pop()
    if not run:
        return []
    later = _keys(marks, run)
    titles = [mark for mark in run if mark.heading.kind != "volume"]
    again = sum(_key(mark) in later for mark in titles)
    headed = any(_CONTENTS.fullmatch(unmarked(text)) for text in source.lines[: run[0].line])
    enough = len(titles) >= (_FEWEST_HEADED if headed else _FEWEST)
    return run if enough and again * 2 >= len(titles) else []


def _keys(marks: list[Mark], besides: list[Mark]) -> set[tuple[str, int | None] | None]:
    """What the headings after a run say."""
    gone = {id(mark) for mark in besides}
    return {_key(mark) for mark in marks if id(mark) not in gone} - {None}


def _key(mark: Mark) -> tuple[str, int | None] | None:
    heading = mark.heading
    return None if heading.kind == "volume" else (heading.kind, heading.number)
