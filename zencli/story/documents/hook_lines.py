"""The blocks of ``hooks.md``: what each says of its hook."""

import re

from zencli.story import markdown
from zencli.story.documents.view_entry import Entry, Unreadable
from zencli.story.documents.views import STATUSES_ZH
from zencli.story.labels import key_of

_HOOK = ("promise", "kind", "status", "planted", "quote", "due", "clues")


def hook_entries(text: str, *, strict: bool) -> list[Entry]:
    """The hooks of ``hooks.md``; ``strict`` refuses what isn't one."""
    entries: list[Entry] = []
    blocks = _blocks(text, strict=strict)
    for name, number, lines in blocks:
        try:
            entries.append(_hook(name, number, lines))
        except Unreadable:
            if strict:
                raise
    return entries


_Block = tuple[str, int, list[tuple[int, str]]]


def _blocks(text: str, *, strict: bool) -> list[_Block]:
    blocks: list[_Block] = []
    for number, raw in enumerate(text.splitlines(), 1):
        heading = re.match(r"(#{1,6})[ \t]+(.+?)[ \t]*$", raw)
        if heading and len(heading[1]) == 2:
            blocks.append((heading[2], number, []))
        elif heading and len(heading[1]) == 1 and not blocks:
            continue
        elif raw.strip() and blocks:
            blocks[-1][2].append((number, raw))
        elif raw.strip() and strict:
            raise Unreadable(number, "it belongs to no hook; begin one with `## H1`")
    return blocks


def _hook(name: str, number: int, lines: list[tuple[int, str]]) -> Entry:
    values: dict[str, str] = {}
    clues: list[str] = []
    last = ""
    for at, raw in lines:
        inner = re.match(r"\s+(?:[-*+][ \t]+)?(.*)$", raw)
        if inner and last == "clues":
            clues.append(markdown.one_line(inner[1]))
            continue
        if inner and last:
            values[last] = markdown.one_line(f"{values[last]} {inner[1]}")
            continue
        match = re.match(r"[-*+][ \t]+([^：:]+)[：:]\s*(.*)$", raw)
        last = (key_of(match[1].strip(), _HOOK) if match else None) or ""
        if match is None or not last:
            raise Unreadable(at, "this is no field of a hook")
        if last == "clues":
            clues += [markdown.one_line(match[2])] if match[2].strip() else []
        else:
            values[last] = _hook_value(at, last, markdown.one_line(match[2]))
    if not values.get("promise"):
        raise Unreadable(number, f"{name} has no promise")
    return Entry("hook", name, values, number, tuple(clue for clue in clues if clue))


def _hook_value(number: int, name: str, value: str) -> str:
    if name == "status":
        found = next((s for s, zh in STATUSES_ZH.items() if value.lower() in (s, zh)), None)
        if found is None:
            allowed = ", ".join([*STATUSES_ZH, *STATUSES_ZH.values()])
            raise Unreadable(number, f"{value!r} isn't one of: {allowed}")
        return found
    if name in ("planted", "due") and value:
        chapter = re.search(r"\d{1,6}", value)
        if chapter is None:
            raise Unreadable(number, f"{value!r} names no chapter")
        return str(int(chapter[0]))
    return value
