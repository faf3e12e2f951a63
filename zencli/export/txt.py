"""Clean prose: no marks, UTF-8, LF."""

from zencli.export.blocks import Block, chapter_blocks
from zencli.export.inline import plain_paragraphs
from zencli.export.manuscript import Manuscript, ManuscriptChapter, heading
from zencli.story.book import Language

_INDENT = "\u3000\u3000"
_BREAK = "* * *"


def render_txt(manuscript: Manuscript) -> bytes:
    """The book as plain text: title, author, description, then the chapters in reading order.

    Chinese paragraphs are indented by two full-width spaces, one a line; English ones are parted
    by blank lines.
    """
    language = manuscript.book.language
    front = [manuscript.title, manuscript.byline, "\n".join(manuscript.blurb)]
    parts = ["\n\n".join(part for part in front if part)]
    for chapter in manuscript.ordered:
        parts.append(f"{heading(chapter, language)}\n\n{_prose(chapter, language)}".rstrip())
    return ("\n\n\n".join(parts) + "\n").encode()


def _prose(chapter: ManuscriptChapter, language: Language) -> str:
    blocks = chapter_blocks(chapter, language)
    if language == "zh":
        return _chinese(blocks)
    return "\n\n".join(text for block in blocks for text in _paragraphs(block, "en"))


def _paragraphs(block: Block, language: Language) -> list[str]:
    return [_BREAK] if block.kind == "break" else plain_paragraphs(block.text, language)


def _chinese(blocks: list[Block]) -> str:
    lines: list[str] = []
    for block in blocks:
        paragraphs = _paragraphs(block, "zh")
        if block.kind in ("break", "heading"):
            lines += ["", *paragraphs, ""]
        else:
            lines += [_INDENT + line for text in paragraphs for line in text.split("\n")]
    return "\n".join(lines).strip("\n")
