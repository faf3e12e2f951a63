"""Reading an EPUB: its pages in reading order as Markdown, each under its heading."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zencli.errors import UsageError
from zencli.export.read_page import PageReader

if TYPE_CHECKING:
    from ebooklib import epub


@dataclass(frozen=True)
class EpubText:
    """``pages`` are Markdown; ``title`` and ``language`` are as the file says, or empty."""

    title: str
    language: str
    pages: tuple[str, ...]


def read_epub(path: Path) -> EpubText:
    """Read the text of an EPUB, pages of contents and covers left out.

    Raises UsageError ``import.epub`` for a file that isn't an EPUB.
    """
    from ebooklib import epub

    try:
        book = epub.read_epub(str(path), {"ignore_missing_css": True})
    except (epub.EpubException, zipfile.BadZipFile, OSError, KeyError, ValueError, SyntaxError,
            AttributeError, IndexError, TypeError) as error:  # fmt: skip
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise UsageError(
            "import.epub",
            f"{path} can't be read as an EPUB: {reason}.",
            "Check the file, or save its text as txt or md.",
        ) from error
    title = _said(book, "title")
    names = dict(_entries(book.toc))
    pages = (_page(item, title, names) for item in _reading_order(book))
    return EpubText(title, _said(book, "language"), tuple(page for page in pages if page))


def _said(book: "epub.EpubBook", name: str) -> str:
    values = book.get_metadata("DC", name)
    return " ".join(str(values[0][0] or "").split()) if values else ""


def _entries(toc: Any) -> "list[tuple[str, str]]":
    """``(file name, title)`` of the table of contents; the first entry of a file comes last."""
    found: list[tuple[str, str]] = []
    for entry in toc:
        head, children = entry if isinstance(entry, tuple) else (entry, [])
        href = getattr(head, "href", "") or ""
        found.append((href.partition("#")[0], " ".join((head.title or "").split())))
        found += reversed(_entries(children))
    return list(reversed(found))


def _reading_order(book: "epub.EpubBook") -> "list[epub.EpubItem]":
    items = (book.get_item_with_id(entry[0]) for entry in book.spine)
    return [item for item in items if item is not None and not _is_contents(item)]


def _is_contents(item: "epub.EpubItem") -> bool:
    from ebooklib import epub

    if isinstance(item, epub.EpubNav | epub.EpubCoverHtml):
        return True
    properties = getattr(item, "properties", None) or []
    return "nav" in properties


def _page(item: "epub.EpubItem", title: str, names: dict[str, str]) -> str:
    """The page's Markdown; one without a heading gets its name of the table of contents."""
    reader = PageReader()
    reader.feed(item.content.decode("utf-8", "replace"))
    reader.close()
    text = reader.text()
    if not text:
        return ""
    named = names.get(item.file_name, "")
    if named and not reader.headed and not text.startswith(named):
        text = f"# {named}\n\n{text}"
    first, _, rest = text.partition("\n")
    # the title page names the book, not a chapter
    return f"{title}\n{rest}".strip() if title and first == f"# {title}" else text
