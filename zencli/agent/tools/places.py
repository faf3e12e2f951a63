"""Where agents may read and write in a book, and what a file is by its place."""

import re
import unicodedata
from typing import Literal, TypeAlias, get_args

from zencli.agent.tools.refusal import ToolRefused
from zencli.errors import UsageError
from zencli.store.layout import BookDir
from zencli.store.paths import inside

FileType: TypeAlias = Literal[
    "outline", "character", "lore", "draft", "script", "snippet", "document", "folder"
]
TYPES: tuple[str, ...] = get_args(FileType)

BIGGEST = 2_000_000
"""Bytes of the largest file that is read or written: some three hundred chapters."""

FOLDERS: dict[str, str] = {
    "outlines": "outline",
    "characters": "character",
    "lore": "lore",
    "chapters": "draft",
    "drafts": "snippet",
    "scripts": "script",
    "snippets": "snippet",
}
"""The type of what lies in a folder; all else is a document."""

BODIES = ("chapters/", "scripts/")
"""Where the text that readers get lies."""

DEEPEST = 7
"""Parts of the longest path."""

_LONGEST_PART = 200
"""Bytes; file systems take 255."""

_HIDDEN = ("records",)
_FIXED = {
    "book.toml": "its title, summary and phase are set with update_project",
    "exports": "the exporter makes what lies there",
    "revisions": "what lies there is kept for comparison",
}
_DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|com[0-9]|lpt[0-9])(?:\..*)?", re.I)
_UNFIT = re.compile(r'[<>:"|?*\\]')


def readable_path(book: BookDir, said: str) -> str:
    """The path of a file that agents may read, from what a model wrote.

    Raises ToolRefused ``path_refused`` for a path that leaves the book, for what belongs to the
    program, for a symlink and for a name that no file should have.
    """
    path = _normal(said)
    parts = path.split("/")
    if parts[0] in _HIDDEN:
        raise _refusal(said, "it belongs to the program")
    try:
        real = inside(book.path, path)
        straight = real.resolve() == (book.path.resolve() / path)
    except (UsageError, OSError, ValueError) as error:
        raise _refusal(said, "it isn't inside the book") from error
    if not straight:
        raise _refusal(said, "it is a symlink")
    return path


def writable_path(book: BookDir, said: str) -> str:
    """The same for a file that agents may write."""
    path = readable_path(book, said)
    reason = _FIXED.get(path.split("/", maxsplit=1)[0])
    if reason:
        raise _refusal(said, reason)
    if not path.endswith((".md", ".txt")):
        raise _refusal(said, "agents write .md and .txt files only")
    if (book.path / path).is_dir():
        raise _refusal(said, "it is a folder")
    return path


def type_of(path: str) -> str:
    """What a file is, by its place in the book."""
    folder, _, name = path.partition("/")
    if path == "outline.md":
        return "outline"
    return FOLDERS.get(folder, "document") if name else "document"


def is_body(path: str) -> bool:
    """Whether a file holds text that readers get."""
    return path.startswith(BODIES) and path.endswith(".md")


def slug_of(title: str) -> str:
    """A title as a file name without its ending; "" when nothing of it is left."""
    kept = unicodedata.normalize("NFC", title).strip().removesuffix(".md")
    kept = re.sub(r"[^\w\-·]+", "-", kept).strip("-_.·")[:60].strip("-_.·")
    return f"{kept}-1" if _DEVICE.fullmatch(kept) else kept


def _normal(said: str) -> str:
    path = unicodedata.normalize("NFC", said).strip().removeprefix("./")
    parts = path.split("/")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co") for letter in path):
        raise _refusal(said, "it has control characters")
    if not path or path.startswith("/") or ".." in parts or "" in parts or "." in parts:
        raise _refusal(said, "it isn't a path inside the book")
    if any(part.startswith((".", "~")) for part in parts):
        raise _refusal(said, "it belongs to the program or the system")
    if any(_DEVICE.fullmatch(part) or part.endswith((".", " ")) for part in parts):
        raise _refusal(said, "no file can have this name everywhere")
    if len(parts) > DEEPEST:
        raise _refusal(said, "it is too deep")
    if _UNFIT.search(path) or any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise _refusal(said, "no file can have this name everywhere")
    return path


def _refusal(said: str, reason: str) -> ToolRefused:
    shown = said if len(said) <= 80 else said[:80] + "…"
    return ToolRefused(
        "path_refused",
        f"{shown!r} can't be used: {reason}.",
        "Give a path relative to the book, such as chapters/0001.md.",
    )
