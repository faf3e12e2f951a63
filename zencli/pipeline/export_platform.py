"""What the editors of platforms expect of a chapter that is pasted into them."""

from dataclasses import dataclass

from zencli.export.txt import TxtForm
from zencli.pipeline.export_params import Encoding, LineEnd
from zencli.story.book import Platform

_CODECS = {"utf-8": "utf-8", "utf-8-bom": "utf-8-sig", "gb18030": "gb18030"}
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n"}
_SHOWN = 10


@dataclass(frozen=True)
class Habits:
    """``indent``, ``gap``, ``chinese_numbers`` are those of ``TxtForm``; ``least`` and ``most`` the
    characters of a usual chapter."""

    indent: bool
    gap: bool
    chinese_numbers: bool
    least: int
    most: int


HABITS: dict[Platform, Habits] = {
    # read on phones: the editor indents by itself, an empty line parts the paragraphs
    "tomato": Habits(indent=False, gap=True, chinese_numbers=False, least=2000, most=2500),
    # read as books are: two spaces, no empty line, numbers written out
    "qidian": Habits(indent=True, gap=False, chinese_numbers=True, least=3000, most=4000),
    # short paragraphs, set apart and indented both
    "feilu": Habits(indent=True, gap=True, chinese_numbers=False, least=2000, most=3000),
}


def txt_form(platform: Platform | None, encoding: Encoding, line_end: LineEnd) -> TxtForm:
    """The form of a txt for a platform; the plain one without."""
    habits = HABITS.get(platform or "other")
    return TxtForm(
        indent=habits.indent if habits else True,
        gap=habits.gap if habits else False,
        chinese_numbers=habits.chinese_numbers if habits else False,
        encoding=_CODECS[encoding],  # type: ignore[arg-type]
        line_end=_LINE_ENDS[line_end],  # type: ignore[arg-type]
    )


def lengths_told(platform: Platform | None, words: dict[int, int]) -> list[str]:
    """A sentence for the chapters that are shorter than is usual there, and one for the longer."""
    habits = HABITS.get(platform or "other")
    if habits is None:
        return []
    usual = f"{platform} chapters have {habits.least:,} to {habits.most:,} characters"
    short = [f"{n} ({w:,})" for n, w in words.items() if w < habits.least]
    long = [f"{n} ({w:,})" for n, w in words.items() if w > habits.most]
    return [
        f"{usual}; {which}: chapter {', '.join(chapters[:_SHOWN])}"
        + (f" and {len(chapters) - _SHOWN} more" if len(chapters) > _SHOWN else "")
        for which, chapters in (("shorter", short), ("longer", long))
        if chapters
    ]
