"""A plan that was asked for and stands only in the chat (B21)."""

import re
from collections.abc import Iterable

from zencli.prose.numerals import CHINESE, chinese_number, english_number

LEAST = 5
"""Numbered chapters from which a text counts as a plan."""

_ASKED = re.compile(
    r"大纲|提纲|细纲|分章|分集|章纲|规划|\boutline\b|\bplan\b|\bchapter[- ]by[- ]chapter\b",
    re.IGNORECASE,
)
_ONLY_TALK = re.compile(
    r"只(?:是)?(?:聊|讨论|说说|谈)|聊聊|先不(?:要)?(?:写|存)|别(?:写|存)进|不用存"
    r"|just (?:talk|discuss|chat)|don't (?:save|write)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    rf"第\s*([{CHINESE}]+)\s*[章集回]|\b(?:chapter|episode|ch\.)\s*([0-9]+|[a-z-]+)\b",
    re.IGNORECASE,
)


def asks_for_a_plan(message: str) -> bool:
    """Whether the author wants a plan, and not only a talk about one."""
    return bool(_ASKED.search(message)) and not _ONLY_TALK.search(message)


def planned_units(text: str) -> set[int]:
    """The numbers of the chapters (or episodes) that lines of a text are about."""
    found = set()
    for line in text.splitlines():
        match = _UNIT.search(line[:40])
        if match is None:
            continue
        number = chinese_number(match[1]) if match[1] else english_number(match[2])
        if number is not None:
            found.add(number)
    return found


def only_in_chat(message: str, chat: str, outlines: Iterable[str]) -> bool:
    """Whether five or more chapters were planned in the chat and in no outline of this request."""
    units = planned_units(chat)
    if len(units) < LEAST or not asks_for_a_plan(message):
        return False
    return not any(len(units & planned_units(text)) >= len(units) - 1 for text in outlines)
