"""What the author said about length, found in his own words."""

import re
from collections.abc import Iterable

from zencli.prose.numerals import CHINESE

MOST = 8

_NUMBER = rf"(?:[0-9０-９][0-9０-９,，.]*|[{CHINESE}]+)"
_SPAN = rf"{_NUMBER}\s*(?:[-~～—至到]+\s*{_NUMBER}\s*)?"
_ZH = rf"{_SPAN}[多余来]?[万千kKwW]?\s*[多余来]?(?:个)?字(?!幕|节|段|母|数|体|样)"
_EN = (
    r"\d[\d,.]*\s*k?(?:\s*(?:-|–|to)\s*\d[\d,.]*k?)?[\s-]*words?\b"
    r"|\b(?:\w+ )?(?:hundred|thousand) words?\b"
)
_DEMAND = re.compile(f"{_ZH}|{_EN}", re.IGNORECASE)
_MARKS = "。！？；;!?，"
_LARGE = re.compile(r"[0-9０-９]{2}|[百千万kK]|hundred|thousand")


def length_demands(texts: Iterable[str]) -> list[str]:
    """The clauses in which a text asks for a length (``3000字``, ``2,000 words``), each once."""
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            for match in _DEMAND.finditer(line):
                clause = _clause_at(line, match.start(), match.end())
                if clause and _LARGE.search(match.group()):
                    found.setdefault(clause, None)
    return list(found)[:MOST]


def _clause_at(line: str, start: int, end: int) -> str:
    left = max((line.rfind(mark, 0, start) for mark in _MARKS), default=-1) + 1
    stops = [at for mark in _MARKS if (at := line.find(mark, end)) >= 0]
    full_stop = line.find(". ", end)
    right = min([*stops, *([full_stop] if full_stop >= 0 else []), len(line)])
    before = line.rfind(". ", 0, start)
    return line[max(left, before + 2 if before >= 0 else 0) : right].strip(" \t-*#>，,")
