"""A chapter file: one ``#`` heading with the title, a blank line, the prose."""

import re

_HEADING = re.compile(r"#(?:[ \t]+(.*))?")


def join_chapter(title: str, prose: str) -> str:
    """The text of a chapter file.

    White space in ``title`` is collapsed to single spaces, empty lines around ``prose`` are taken
    off; nothing else changes. Without a title there is no heading, unless the prose would be
    mistaken for one: then an empty heading stands before it.
    """
    title = " ".join(title.split())
    prose = prose.replace("\r\n", "\n").strip("\n")
    heading = f"# {title}"
    if not title:
        heading = "#" if _HEADING.fullmatch(prose.split("\n", 1)[0]) else ""
    text = "\n\n".join(part for part in (heading, prose) if part)
    return f"{text}\n" if text else ""


def split_chapter(text: str) -> tuple[str, str]:
    """Title and prose of a chapter file; the title is "" when the file has no heading.

    ``split_chapter(join_chapter(title, prose)) == (title, prose)`` for a title without stray
    white space and a prose without empty lines around it.
    """
    body = (text.replace("\r\n", "\n") if "\r" in text else text).strip("\n")
    first, _, rest = body.partition("\n")
    heading = _HEADING.fullmatch(first)
    if heading is None:
        return "", body
    return " ".join((heading.group(1) or "").split()), rest.strip("\n")
