"""``outline.md``: volumes, arcs, and the chapters that are planned in detail."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from zencli.story import foundation, markdown
from zencli.story.book import Language
from zencli.story.foundation import OutlineEntry, Structure
from zencli.story.labels import chapter_range, chapter_word, colon, label, separator
from zencli.story.tiers import Arc, Volume

_CHAPTER = re.compile(
    r"^#{2,6}[ \t]+(?:第[ \t]*(\d{1,6})[ \t]*章"
    r"|Chapter[ \t]+(\d{1,6})(?![ \t]*[-–—]?[ \t]*\d))",
    re.I,
)
_SPAN = r"(\d{1,6})[ \t]*[-–—][ \t]*(\d{1,6})(?!\d)"
_ARC = re.compile(
    rf"^###[ \t]+(?:.*第[ \t]*{_SPAN}[ \t]*章|.*\bchapters?[ \t]+{_SPAN}|.*(?<!\d){_SPAN})", re.I
)
_HEADING = re.compile(r"^#{1,6}[ \t]")


def render_outline(structure: Structure, entries: list[OutlineEntry], language: Language) -> str:
    """The whole outline; entries stand under the arc that holds them."""
    parts = [f"# {label('outline', language)}\n"]
    count = 0
    for index, volume in enumerate(structure.volumes, 1):
        parts.append(f"## {_volume_heading(index, volume, language)}\n")
        for arc in volume.arcs:
            count += 1
            parts.append(render_arc(arc, language, count))
            parts += [
                render_entry(entry, language)
                for entry in entries
                if arc.first <= entry.number <= arc.last
            ]
    return "\n".join(parts)


def _volume_heading(index: int, volume: foundation.Volume, language: Language) -> str:
    first, last = volume.arcs[0].first, volume.arcs[-1].last
    title = f" {markdown.one_line(volume.title)}" if volume.title else ""
    if language == "zh":
        return f"第 {index} 卷{title}（{chapter_range(first, last, language)}）"
    return f"Volume {index}{title and ':'}{title} ({chapter_range(first, last, language)})"


def render_arc(arc: foundation.Arc, language: Language, index: int = 0) -> str:
    """An arc's heading with its chapters, then what it promises and how it pays.

    An arc without a title is named by its ``index``.
    """
    title = markdown.one_line(arc.title) or (
        f"第 {index} 段" if language == "zh" else f"Arc {index}"
    )
    span = chapter_range(arc.first, arc.last, language)
    heading = f"{title}（{span}）" if language == "zh" else f"{title} ({span})"
    lines = [
        _field(key, getattr(arc, key), language)
        for key in ("promise", "pressure", "turn", "payoff")
        if getattr(arc, key)
    ]
    return "\n".join([f"### {heading}\n", *lines, ""] if lines else [f"### {heading}\n"])


def render_entry(entry: OutlineEntry, language: Language) -> str:
    """One chapter: when, what can't be undone, who pays, scenes, clues and hooks, where it ends."""
    gap = separator(language)
    mark = colon(language)
    clues = gap.join(f"{c.id} {c.do}{mark}{c.what}".strip() for c in entry.clues if c.id or c.what)
    hooks = gap.join(f"{h.id} {_move(h.do, language)}".strip() for h in entry.hooks if h.id)
    scenes = "".join(f"\n  - {markdown.one_line(s)}" for s in entry.scenes)
    lines = [_field(k, getattr(entry, k), language) for k in ("when", "kind", "event", "cost")]
    lines.append(f"- {label('scenes', language)}{mark.rstrip()}{scenes}" if scenes else "")
    lines.append(_field("clues", clues, language))
    lines.append(_field("hooks", hooks, language))
    lines.append(_field("ends_on", entry.ends_on, language))
    content = "\n".join(line for line in lines if line)
    return f"#### {chapter_word(entry.number, language)}\n\n{content}\n"


_MOVES_ZH = {"plant": "种下", "advance": "推进", "pay": "兑现", "defer": "推迟", "drop": "放下"}


def _move(word: str, language: Language) -> str:
    return _MOVES_ZH.get(word, word) if language == "zh" else word


def _field(key: str, value: str, language: Language) -> str:
    text = markdown.one_line(value)
    return f"- {label(key, language)}{colon(language)}{text}" if text else ""


@lru_cache(maxsize=4)
def _blocks(text: str) -> tuple[tuple[str, str], ...]:
    """Every heading with all that stands below it up to the next one."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("#") and _HEADING.match(line):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
    return tuple((heading, "\n".join(lines)) for heading, lines in found)


@lru_cache(maxsize=4)
def entries(text: str) -> Mapping[int, str]:
    """The block of every chapter that the outline details, heading included, by number."""
    found: dict[int, str] = {}
    for heading, content in _blocks(text):
        match = _CHAPTER.match(heading)
        if match:
            number = int(match[1] or match[2])
            found[number] = f"{found.get(number, '')}\n{heading}\n{content}".strip()
    return found


@lru_cache(maxsize=4)
def arcs(text: str) -> Sequence[tuple[int, int, str]]:
    """``(first, last, text)`` of every arc: its heading and fields, without its chapters."""
    spans = ((_span(heading), f"{heading}\n{content}") for heading, content in _blocks(text))
    return [(*span, whole.strip()) for span, whole in spans if span]


def _span(line: str) -> tuple[int, int] | None:
    """The chapters of an arc's heading; a title may hold a span of years too."""
    match = _ARC.match(line)
    if match is None:
        return None
    first, last = (int(number) for number in match.groups() if number)
    return first, last


def volumes(text: str) -> list[Volume]:
    """The volumes with their arcs, titles as their headings have them; one for arcs without any."""
    found: list[tuple[str, list[Arc]]] = []
    for line, _ in _blocks(text):
        span = _span(line)
        if re.match(r"##[ \t]", line):
            found.append((_title(line), []))
        elif span:
            if not found:
                found.append(("", []))
            found[-1][1].append(Arc(*span, _title(line)))
    return [Volume(title, tuple(arcs)) for title, arcs in found if arcs]


def _title(heading: str) -> str:
    """A heading without the chapters behind it."""
    return re.sub(r"\s*[（(][^（()）]*\d[^（()）]*[）)]\s*$", "", heading.strip("# \t")).strip()


def arc_of(text: str, number: int) -> tuple[int, int, str] | None:
    """The arc that holds a chapter."""
    return next((arc for arc in arcs(text) if arc[0] <= number <= arc[1]), None)


def around(text: str, number: int, before: int = 1, after: int = 3) -> str:
    """The arc of a chapter and the outlined chapters next to it, as one text."""
    arc = arc_of(text, number)
    known = entries(text)
    near = [known[n] for n in range(number - before, number + after + 1) if n in known]
    return "\n\n".join(([arc[2]] if arc else []) + near)


def insert_entries(text: str, new: list[OutlineEntry], language: Language) -> str:
    """Add chapters below their arc, in order; everything else stays as it is."""
    lines = text.rstrip().splitlines()
    for entry in sorted(new, key=lambda e: e.number):
        at = _insertion_point(lines, entry.number)
        block = ["", *render_entry(entry, language).rstrip().splitlines(), ""]
        lines[at:at] = block
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _insertion_point(lines: list[str], number: int) -> int:
    at = len(lines)
    inside = False
    for index, line in enumerate(lines):
        if not line.startswith("#"):
            continue
        span = _span(line)
        chapter = _CHAPTER.match(line)
        if span and span[0] <= number <= span[1]:
            inside = True
        elif (
            inside
            and _HEADING.match(line)
            and not (chapter and int(chapter[1] or chapter[2]) <= number)
        ):
            return index
    return at


def amend(text: str, chapter: int, change: str, language: Language) -> str:
    """Note a change under an outlined chapter; for any other chapter the text stays as it is."""
    block = entries(text).get(chapter)
    if block is None or not change.strip():
        return text
    line = f"- {label('amended', language)}{colon(language)}{markdown.one_line(change)}"
    return text if line in block else text.replace(block, f"{block}\n{line}", 1)
