"""Valid Markdown: the book is ``#``, then its parts, its chapters, and stray headings, each a level
below the other."""

import json
import re

from zencli.export.blocks import NOTE_MARK, Block, chapter_body
from zencli.export.manuscript import Manuscript, ManuscriptChapter, heading, one_line
from zencli.export.names import file_name
from zencli.export.pieces import PICTURE, RUBY
from zencli.export.xhtml import LANGUAGE_TAGS

_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_TAG_OR_PIECE = re.compile(rf"{RUBY.pattern}|{PICTURE}|{_TAG_START.pattern}")
_TITLE_MARKS = re.compile(r"[\\`*_\[\]#]")
_ENTITY_START = re.compile(r"&(?=#?\w+;)")
# At the start of a line: headings of either kind, fences, bullets, quotations that the prose
# doesn't have, and definitions of links, which a reader would swallow.
_LINE_MARK = re.compile(r"#|>|`{3}|~{3}|[-+*](?=\s|$)|(?:=+|-+)\s*$|\[[^\]]+\]:")
_RISKY = re.compile(r"^(?:[-#>`~+*=\[]|\d)", re.M)
"""What every line begins with that has to be looked at."""
_NUMBERED_LINE = re.compile(r"(\d{1,9})([.)])(?=\s|$)")


def render_md(manuscript: Manuscript, *, front_matter: bool = False) -> bytes:
    """The book as one file, UTF-8 and LF: the prose as it is, with what would be read as HTML or as
    structure of the book escaped.

    Labels of footnotes carry the number of their chapter, so that each occurs once.
    """
    language = manuscript.book.language
    level = 3 if any(part for part, _ in manuscript.sections) else 2
    parts = [_facts(manuscript)] if front_matter else []
    parts += [f"# {_title(manuscript.title)}", _title(manuscript.byline)]
    parts += [_harmless(_title(line)) for line in manuscript.blurb]
    for part, chapters in manuscript.sections:
        if part is not None:
            parts.append(f"## {_title(part.heading)}")
        for chapter in chapters:
            parts.append(f"{'#' * level} {_title(heading(chapter, language))}")
            parts += _prose(chapter, manuscript, level + 1, f"{chapter.number}-")
    return _joined(parts)


def split_md(manuscript: Manuscript, *, front_matter: bool = False) -> dict[str, bytes]:
    """A file for each chapter, its heading ``#``."""
    language = manuscript.book.language
    files = {}
    for chapter in manuscript.ordered:
        title = heading(chapter, language)
        parts = [_facts(manuscript, chapter)] if front_matter else []
        parts += [f"# {_title(title)}", *_prose(chapter, manuscript, 2, "")]
        files[file_name(chapter.number, title, "md", manuscript.ordered[-1].number)] = _joined(
            parts
        )
    return files


def _joined(parts: list[str]) -> bytes:
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _facts(manuscript: Manuscript, chapter: ManuscriptChapter | None = None) -> str:
    """Front matter: YAML whose every value is written as JSON, which YAML reads the same."""
    imprint, book = manuscript.imprint, manuscript.book
    facts: dict[str, object] = {
        "title": manuscript.title,
        "author": one_line(imprint.author),
        "lang": LANGUAGE_TAGS[book.language],
        "publisher": one_line(imprint.publisher),
        "description": "\n".join(manuscript.blurb),
        "subject": [one_line(subject) for subject in imprint.subjects],
        "series": one_line(imprint.series),
        "series_number": imprint.series_number,
        "rights": one_line(imprint.rights),
        "date": f"{book.updated:%Y-%m-%d}",
    }
    if chapter is not None:
        facts = {
            "title": one_line(chapter.title),
            "book": manuscript.title,
            "chapter": chapter.number,
            "lang": LANGUAGE_TAGS[book.language],
        }
    told = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in facts.items()
        if value not in ("", [], None)
    ]
    return "\n".join(["---", *told, "---"])


def _title(text: str) -> str:
    """Plain text of one line as Markdown that shows the same."""
    escaped = _ENTITY_START.sub("&amp;", _TITLE_MARKS.sub(r"\\\g<0>", text))
    return _TAG_START.sub("&lt;", escaped)


def _prose(
    chapter: ManuscriptChapter, manuscript: Manuscript, level: int, prefix: str
) -> list[str]:
    body = chapter_body(chapter, manuscript.book.language)
    labels = {note.label for note in body.notes}

    def labelled(text: str) -> str:
        if not prefix or "[^" not in text:
            return text
        return NOTE_MARK.sub(
            lambda mark: f"[^{prefix}{mark[1]}]" if mark[1] in labels else mark[0], text
        )

    blocks = [labelled(_block(block, level)) for block in body.blocks]
    notes = [f"[^{prefix}{note.label}]: {_note(note.text)}" for note in body.notes]
    return [*blocks, *notes]


def _note(text: str) -> str:
    """A footnote; lines after the first are indented so that they stay in it."""
    first, *others = _unmarked_up(text).rstrip().split("\n")
    return "\n".join([first, *(f"    {harmless_line(line)}" for line in others)])


def _block(block: Block, level: int) -> str:
    if block.kind == "break":
        return "* * *"
    text = _harmless(block.text)
    if block.kind == "heading":
        return f"{'#' * level} {text}"
    return "> " + text.replace("\n", "\n> ") if block.kind == "quote" else text


def _harmless(text: str) -> str:
    """Lines of a paragraph that stay a paragraph."""
    text = _unmarked_up(text).rstrip()
    if not _RISKY.search(text):
        return text
    lines = text.split("\n")
    return "\n".join(harmless_line(line) for line in lines)


def _unmarked_up(text: str) -> str:
    """Text whose only HTML are the readings of characters; pictures may stand in brackets too."""
    if "<" not in text:
        return text
    return _TAG_OR_PIECE.sub(lambda found: "&lt;" if found[0] == "<" else found[0], text)


def harmless_line(line: str) -> str:
    """A line of a paragraph that doesn't begin with what would be structure."""
    if _LINE_MARK.match(line):
        return "\\" + line
    numbered = _NUMBERED_LINE.match(line)
    return f"{numbered[1]}\\{line[numbered.end(1) :]}" if numbered else line
