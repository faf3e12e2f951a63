"""A novel's text cut into its chapters. Nothing is guessed: what is unclear is told.

    front       what stands before the first chapter, a table of contents included
    chapters    by number; a prologue is 0, an epilogue follows the last one
    told        one sentence for everything that an author should look at

A heading whose number was there before is left in the text where it stands. Numbers that begin
again with each volume are replaced by running ones; without volume headings they are an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zencli.prose.chapter_marks import Contents, Mark, Source, drop_contents, find_marks
from zencli.prose.chapter_numbers import Unclear, numbered

__all__ = ["Found", "FoundChapter", "Source", "Unclear", "find_chapters"]


@dataclass(frozen=True)
class FoundChapter:
    """A chapter as it was found. ``heading`` is its line without Markdown marks, the volume that
    begins with it in front; ``where`` names the place for messages."""

    number: int
    heading: str
    prose: str
    where: str


@dataclass(frozen=True)
class Found:
    """Chapters in the order of the text, what stands before them, and what to look at."""

    chapters: tuple[FoundChapter, ...]
    front: str
    told: tuple[str, ...]


def find_chapters(sources: Sequence[Source], split: "re.Pattern[str] | None" = None) -> Found:
    """Cut texts, one after the other, at their headings; ``split`` says which lines those are.

    Among several sources one without any heading is a chapter of its own. Raises ``Unclear`` when
    there is no chapter at all, or when the numbers begin again and nothing says why.
    """
    every, others = find_marks(sources, split)
    marks, contents = drop_contents(every, sources)
    told = [_contents_told(entry, sources) for entry in contents]
    told += _others_told(others)
    found = numbered(marks, in_order=split is not None)
    told += found.told
    cutter = _Cutter(sources, found.kept)
    chapters = [
        cutter.chapter(mark, number) for mark, number in zip(found.kept, found.numbers, strict=True)
        if number is not None
    ]  # fmt: skip
    return Found(tuple(chapters), cutter.front(), (*told, *cutter.told))


def _contents_told(entry: Contents, sources: Sequence[Source]) -> str:
    where = sources[entry.source].place(entry.first)
    return (
        f"{where} to {entry.last + 1}: a table of contents with {entry.count} entries, not chapters"
    )


def _others_told(others: list[Mark]) -> list[str]:
    """One sentence for each unit that the chapters aren't counted in."""
    by_unit: dict[str, list[Mark]] = {}
    for mark in others:
        by_unit.setdefault(mark.heading.unit, []).append(mark)
    return [
        f"{marks[0].where}: {marks[0].heading.text!r} isn't counted as the chapters are and stays "
        f"a line of the text{f', as {len(marks) - 1} more do' if len(marks) > 1 else ''}; "
        "--split takes such lines too"
        for marks in by_unit.values()
    ]


class _Cutter:
    """Takes the text between marks; a mark without a number is a volume's."""

    def __init__(self, sources: Sequence[Source], kept: Sequence[Mark]) -> None:
        self._sources = sources
        self._kept = kept
        self._at = {(mark.source, mark.line): index for index, mark in enumerate(kept)}
        self.told: list[str] = []

    def chapter(self, mark: Mark, number: int) -> FoundChapter:
        heading = mark.heading.text
        before: list[str] = []
        index = self._at[mark.source, mark.line]
        while index and self._kept[index - 1].heading.kind == "volume":
            index -= 1
            volume = self._kept[index]
            heading = f"{volume.heading.text} {heading}"
            text = self._text_after(index)
            if text.strip():
                before.insert(0, text)
                self.told.append(
                    f"{volume.where}: the text under {volume.heading.text!r} stands at the "
                    f"beginning of chapter {number}"
                )
        parts = [*before, self._text_after(self._at[mark.source, mark.line])]
        prose = "\n\n".join(part.strip("\n") for part in parts if part.strip("\n"))
        return FoundChapter(number, heading.strip(), prose, mark.where)

    def front(self) -> str:
        """What is in no chapter: the text before the first one of every source."""
        parts = []
        for index, source in enumerate(self._sources):
            begins = [max(mark.line, 0) for mark in self._kept if mark.source == index]
            end = begins[0] if begins else len(source.lines)
            text = "\n".join(source.lines[:end]).strip("\n")
            if text.strip():
                parts.append(text)
                self.told.append(
                    f"{source.place(0)} to {end}: {len(text)} characters before the first chapter "
                    "are kept apart, in front_matter.md"
                )
        return "\n\n".join(parts)

    def _text_after(self, index: int) -> str:
        mark = self._kept[index]
        following = self._kept[index + 1] if index + 1 < len(self._kept) else None
        source = self._sources[mark.source]
        end = following.line if following and following.source == mark.source else None
        return "\n".join(source.lines[mark.line + 1 : end])
