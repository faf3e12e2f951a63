"""Reading Markdown that an export made: what was escaped for other readers is as it was written.

Other people's Markdown keeps its meaning: only an escape that the export would have made is undone.
"""

import json
import re
from dataclasses import dataclass

from zencli.export.blocks import NOTE_MARK
from zencli.export.md import harmless_line

_FRONT = re.compile(r"---\n((?:\w+: [^\n]*\n){1,40})---\n+")
_ESCAPED = re.compile(r"(\d{1,9})?\\(.*)", re.DOTALL)
_TAG = re.compile("&lt;(?=[A-Za-z/!?])")
_NUMBERED = re.compile(r"\d{1,6}-")


@dataclass(frozen=True)
class MdText:
    """The text without front matter; ``title`` is what that said, or empty."""

    title: str
    text: str


def read_md(text: str) -> MdText:
    """Undo what ``render_md`` does to prose. Line ends are LF."""
    title = ""
    front = _FRONT.match(text)
    if front:
        title = _said(front[1], "book") or _said(front[1], "title")
        text = text[front.end() :]
    if NOTE_MARK.search(text):
        text = _without_numbers(text)
    return MdText(title, "\n".join(map(_line, text.split("\n"))))


def _said(front: str, key: str) -> str:
    for line in front.splitlines():
        name, _, value = line.partition(": ")
        if name == key:
            try:
                found = json.loads(value)
            except ValueError:
                return value
            return found if isinstance(found, str) else ""
    return ""


def _without_numbers(text: str) -> str:
    """Labels of footnotes without their chapter's number, when all have one."""
    if not all(_NUMBERED.match(label) for label in NOTE_MARK.findall(text)):
        return text
    return NOTE_MARK.sub(lambda mark: f"[^{_NUMBERED.sub('', mark[1], count=1)}]", text)


def _line(line: str) -> str:
    line = _TAG.sub("<", line)
    if "\\" not in line:
        return line
    before = re.match(r"(?:> )?(?: {4})?", line)
    start = before.end() if before else 0
    escaped = _ESCAPED.fullmatch(line, start)
    if escaped is None:
        return line
    plain = f"{escaped[1] or ''}{escaped[2]}"
    return line[:start] + plain if harmless_line(plain) == line[start:] else line
