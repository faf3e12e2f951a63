"""``notes.md``: what is kept in mind for a book, in three parts by who said it.

Notes without a label, notes that the author confirmed in his own words, and what an agent proposes,
which is no canon. The author may edit the file as he likes; either language is understood.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zencli.errors import UsageError
from zencli.story.book import Language

NOTES = "notes.md"
BUDGET = 4000
"""Characters of all three parts together."""

_LEAST = 2
"""Characters of an entry that a quotation can prove."""

_TITLE = {"zh": "备注", "en": "Notes"}
_CONFIRMED = {"zh": "作者确认", "en": "Confirmed by the author"}
_PROPOSED = {
    "zh": "AI 提议（作者还没确认，不是设定）",
    "en": "Proposed by AI (not confirmed by the author, not canon)",
}
_PART = re.compile(
    r"#{1,6}\s*(?:(?P<confirmed>作者确认|confirmed by the author)"
    r"|(?P<proposed>AI ?提议|proposed by AI)).*",
    re.I,
)
_HEADING = re.compile(r"#{1,6}\s+\S.*")
_BULLET = re.compile(r"[-*+]\s+(.*)")


@dataclass(frozen=True)
class Notes:
    """The three parts: the free text of the first, and entries, one line each."""

    plain: str = ""
    confirmed: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Characters of what is said, marks and headings aside."""
        entries = (*self.confirmed, *self.proposals)
        return len("".join(self.plain.split())) + sum(len("".join(e.split())) for e in entries)

    @property
    def entries(self) -> tuple[str, ...]:
        """Every entry of any part."""
        return (*_entries(self.plain), *self.confirmed, *self.proposals)


@dataclass(frozen=True)
class Recorded:
    """Notes with new entries; ``as_proposals`` are those that nothing the author said proves."""

    notes: Notes
    as_proposals: tuple[str, ...] = ()


class OverBudget(UsageError):
    """The notes would be longer than they may be."""


def parse_notes(text: str) -> Notes:
    """The parts of ``notes.md``; what the author wrote outside of them is free text."""
    parts: dict[str, list[str]] = {"plain": [], "confirmed": [], "proposed": []}
    current = "plain"
    for line in text.splitlines():
        part = _PART.fullmatch(line.strip())
        if part:
            current = "confirmed" if part["confirmed"] else "proposed"
        elif _HEADING.fullmatch(line.strip()):
            current = "plain"
            if line.strip().lstrip("# ") not in _TITLE.values():
                parts[current].append(line)
        else:
            parts[current].append(line)
    return Notes(
        "\n".join(parts["plain"]).strip(),
        _entries("\n".join(parts["confirmed"])),
        _entries("\n".join(parts["proposed"])),
    )


def render_notes(notes: Notes, language: Language) -> str:
    """The file. A part without an entry has no heading."""
    blocks = [f"# {_TITLE[language]}", notes.plain]
    for heading, entries in ((_CONFIRMED, notes.confirmed), (_PROPOSED, notes.proposals)):
        if entries:
            lines = "\n".join(f"- {entry}" for entry in entries)
            blocks.append(f"## {heading[language]}\n\n{lines}")
    return "\n\n".join(block for block in blocks if block) + "\n"


def record(
    notes: Notes,
    new: Sequence[str],
    quotes: Sequence[str],
    message: str,
    proposals: Sequence[str] | None = None,
) -> Recorded:
    """The notes with ``new`` entries, and with ``proposals`` in place of the old ones when given.

    An entry counts as confirmed when it is, or is a contiguous part of, one of the author's
    ``quotes`` that stands word for word in his ``message``; a quote vouches for one entry. Others
    become proposals. Raises OverBudget ``notes_over_budget`` unless the notes got shorter.
    """
    kept = notes.proposals if proposals is None else tuple(_clean_all(proposals))
    confirmed, unproven = list(notes.confirmed), list[str]()
    vouchers = [_flat(q) for q in dict.fromkeys(quotes) if _flat(q) and _flat(q) in _flat(message)]
    known = {*_entries(notes.plain), *notes.confirmed}
    for entry in _clean_all(new):
        if entry in known:
            continue
        voucher = next((quote for quote in vouchers if _proves(quote, entry)), None)
        if voucher is None:
            unproven.append(entry)
            continue
        vouchers.remove(voucher)
        confirmed.append(entry)
        kept = tuple(one for one in kept if one != entry)
    added = tuple(dict.fromkeys((*kept, *unproven)))
    result = replace(notes, confirmed=tuple(dict.fromkeys(confirmed)), proposals=added)
    if result.size > BUDGET and result.size >= notes.size:
        raise OverBudget(
            "notes_over_budget",
            f"Notes and proposals would have {result.size} characters; {BUDGET} is the most.",
            "Nothing was written. Give fewer proposals, or delete old notes with edit_file.",
        )
    return Recorded(result, tuple(unproven))


def _proves(quote: str, entry: str) -> bool:
    flat = _flat(entry)
    return len(flat) >= _LEAST and flat in quote


def _flat(text: str) -> str:
    """The text with its white space made single: line ends aren't words."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _clean_all(entries: Sequence[str]) -> list[str]:
    """One line each, without a list mark or heading that would end its part."""
    lines = (re.sub(r"^(?:[-*+#]+\s+)+", "", " ".join(entry.split())) for entry in entries)
    return list(dict.fromkeys(line for line in lines if line))


def _entries(text: str) -> tuple[str, ...]:
    """The list items of a part, continuation lines joined; other lines are entries too."""
    found: list[str] = []
    for line in text.splitlines():
        bullet = _BULLET.match(line.strip())
        if bullet and not line[:1].isspace():
            found.append(bullet[1].strip())
        elif line.strip() and line[:1].isspace() and found:
            found[-1] += " " + line.strip()
        elif line.strip():
            found.append(line.strip())
    return tuple(entry for entry in found if entry)
