"""A bible that several books share: ``series/NAME/`` in the workspace, read before the book's own.

The book's word stands: a heading, a list entry (``name: ...``) or a card of the same name in the
book takes the place of the series'.
"""

import re
from pathlib import Path

from zencli.errors import DamagedError
from zencli.store.layout import BookDir
from zencli.story import markdown

SHARED = ("story_bible.md", "rules.md", "style.md", "timeline.md", "secrets.md")
"""The files that a series may have beside ``characters/``."""

_NAME = re.compile(r"[^\W.][\w-]{0,59}")
_ENTRY = re.compile(r"[-*+][ \t]+([^：:\n]{1,24})[：:]")
_BULLET = re.compile(r"[-*+][ \t]")


def series_folder(book: BookDir, name: str) -> BookDir:
    """The folder of the series that a book names.

    Raises DamagedError ``book.damaged`` for a name that has none.
    """
    folder = book.path.parent.parent / "series" / name
    if not _NAME.fullmatch(name) or not folder.is_dir():
        text = book.read("book.toml") or ""
        lines = text.splitlines()
        at = next((n for n, line in enumerate(lines, 1) if re.match(r"\s*series\s*=", line)), 0)
        raise DamagedError(
            "book.damaged",
            f"book.toml, line {at}: series: there is no folder series/{name}.",
            f"Make {Path('series') / name}/ in the workspace, or take the line out.",
        )
    return BookDir(folder)


def merged(shared: str, own: str) -> str:
    """One file of a series and a book: what the series says first, overridden by the book's."""
    if not shared.strip() or not own.strip():
        return own if own.strip() else shared
    mine = dict(markdown.sections(own))
    parts = [_lead(own) or _lead(shared)]
    for heading, content in markdown.sections(shared):
        both = _entries(content, mine.pop(heading)) if heading in mine else content
        parts.append(f"## {heading}\n\n{both}")
    parts += [f"## {heading}\n\n{content}" for heading, content in mine.items()]
    title = markdown.first_heading(own) or markdown.first_heading(shared)
    return "\n\n".join(part for part in [f"# {title}" if title else "", *parts] if part) + "\n"


def joined(shared: str, own: str) -> str:
    """Two dated lists, the series' first."""
    lines = [*markdown.bullets(markdown.body(shared)), *markdown.bullets(markdown.body(own))]
    title = markdown.first_heading(own) or markdown.first_heading(shared)
    return f"# {title}\n\n" + "".join(f"- {line}\n" for line in dict.fromkeys(lines))


def _lead(text: str) -> str:
    """What stands before the first section."""
    body = markdown.body(text)
    return re.split(r"^## ", body, maxsplit=1, flags=re.M)[0].strip()


def _entries(shared: str, own: str) -> str:
    """Two lists as one, entry by entry; anything but a list is the book's alone."""
    if not own.strip():
        return shared
    blocks = [_blocks(shared), _blocks(own)]
    if not all(blocks):
        return own
    named = {head for head, _ in blocks[1] if head}
    kept = [text for head, text in blocks[0] if head not in named]
    return "\n".join([*kept, *(text for _, text in blocks[1])])


def _blocks(text: str) -> list[tuple[str, str]]:
    """The entries of a list with what stands before their colon; empty when it is no list."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if _BULLET.match(line):
            head = _ENTRY.match(line)
            found.append((head[1].strip() if head else "", [line]))
        elif line.strip() and not found:
            return []
        elif line.strip():
            found[-1][1].append(line)
    return [(head, "\n".join(lines)) for head, lines in found]
