"""Reading the small part of Markdown that the book's own files use: headings, lists, fields."""

import re
from collections.abc import Iterable

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$")
_BULLET = re.compile(r"^[-*+][ \t]+(.*)$")
_FIELD = re.compile(r"^[-*+][ \t]+([^：:\n]{1,24})[：:][ \t]*(.*)$")


def first_heading(text: str) -> str:
    """The text of the first ``#`` heading, or an empty string."""
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match and len(match[1]) == 1:
            return match[2]
    return ""


def body(text: str) -> str:
    """The text without its first ``#`` heading."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = _HEADING.match(line)
        if match and len(match[1]) == 1:
            return "\n".join(lines[:index] + lines[index + 1 :]).strip()
    return text.strip()


def sections(text: str, level: int = 2) -> list[tuple[str, str]]:
    """``(heading, content)`` of every section at ``level``; deeper headings stay in the content."""
    found: list[tuple[str, list[str]]] = []
    current: list[str] | None = None
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match and len(match[1]) <= level:
            current = None
            if len(match[1]) == level:
                current = []
                found.append((match[2], current))
        elif current is not None:
            current.append(line)
    return [(heading, "\n".join(lines).strip()) for heading, lines in found]


def without_empty_sections(text: str) -> str:
    """Drop headings that have nothing under them, so that no prompt shows an unfilled one."""
    kept: list[str] = []
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match:
            _drop_trailing_empty(kept, len(match[1]))
        kept.append(line)
    _drop_trailing_empty(kept, 1)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _drop_trailing_empty(lines: list[str], level: int) -> None:
    while True:
        while lines and not lines[-1].strip():
            lines.pop()
        match = _HEADING.match(lines[-1]) if lines else None
        if match is None or len(match[1]) < level:
            if lines:
                lines.append("")
            return
        lines.pop()


def without_sections(text: str, headings: Iterable[str]) -> str:
    """The text without the level-2 sections of these headings."""
    unwanted = set(headings)
    kept: list[str] = []
    skipping = False
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match and len(match[1]) <= 2:
            skipping = len(match[1]) == 2 and match[2] in unwanted
        if not skipping:
            kept.append(line)
    return "\n".join(kept).strip()


def bullets(text: str) -> list[str]:
    """The top-level list items of a section, continuation lines joined."""
    items: list[str] = []
    for line in text.splitlines():
        match = _BULLET.match(line)
        if match:
            items.append(match[1].strip())
        elif line.strip() and items and line[:1].isspace():
            items[-1] += " " + line.strip()
    return [item for item in items if item]


def fields(text: str, known: Iterable[str]) -> tuple[dict[str, str], str]:
    """Split a block into its ``- label: value`` lines with a known label, and the rest.

    An indented list under a field belongs to it, one item a line.
    """
    labels = set(known)
    values: dict[str, str] = {}
    rest: list[str] = []
    open_label: str | None = None
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match and match[1].strip() in labels:
            open_label = match[1].strip()
            values[open_label] = match[2].strip()
        elif open_label and line[:1].isspace() and line.strip():
            item = line.strip().removeprefix("- ")
            values[open_label] = f"{values[open_label]}\n{item}".strip()
        else:
            if line.strip():
                open_label = None
            rest.append(line)
    return values, "\n".join(rest).strip()


def bare_title(text: str) -> str:
    """A title as models write it, in one line, without marks and quotes around the whole."""
    title = one_line(text).lstrip("#").strip("* ")
    for left, right in ("《》", "“”", "「」", '""'):
        inside = title[1:-1]
        if title[:1] == left and title[-1:] == right and not {left, right} & set(inside):
            return inside.strip()
    return title


def one_line(text: str) -> str:
    """White space collapsed, for a value that must stay in one line."""
    return " ".join(text.split())
