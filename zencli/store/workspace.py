"""The folder that holds the books, and finding one of them by its id."""

import difflib
import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from zencli.errors import NotFound, UsageError
from zencli.store.ids import valid_book_id
from zencli.store.layout import BookDir

_SIGNS = ("book.toml", "chapters", "records", ".zencli")
"""A folder with one of these is a book, or was one."""

_SHOWN = 10
"""How many ids an error lists."""


@dataclass(frozen=True)
class Workspace:
    """A workspace. Raises UsageError ``usage.root`` when ``root`` isn't a folder."""

    root: Path

    def __post_init__(self) -> None:
        if not os.path.isdir(self.root):
            kind = "isn't a folder" if os.path.lexists(self.root) else "doesn't exist"
            raise UsageError(
                "usage.root",
                f"The workspace {str(self.root)!r} {kind}.",
                "Give an existing folder with --root or ZENCLI_ROOT.",
            )

    @property
    def books_dir(self) -> Path:
        return self.root / "books"

    def book_ids(self) -> list[str]:
        """The ids of all books, sorted."""
        found = (path.parent.name for path in self.books_dir.glob("*/book.toml"))
        return sorted(name for name in found if valid_book_id(name))

    def open(self, book_id: str | None) -> BookDir:
        """The book with this id, or the only one there is when ``book_id`` is None.

        Raises UsageError ``usage.book`` when None is ambiguous and ``usage.book_id`` for letters
        that no id has; NotFound ``book.not_found`` when there is no such book.
        """
        ids = self.book_ids()
        if book_id is None:
            return self._only(ids)
        name = unicodedata.normalize("NFC", book_id)
        check_book_id(name)
        if name not in ids:
            raise self._unknown(name, ids)
        return BookDir(self.books_dir / name)

    def folders(self) -> list[str]:
        """The ids of all books, those that lost their ``book.toml`` included, sorted."""
        found = {path.parent.name for path in self.books_dir.glob("*/*") if path.name in _SIGNS}
        return sorted(name for name in found if valid_book_id(name))

    def find(self, book_id: str | None) -> BookDir:
        """Like ``open``, but a book that lost its ``book.toml`` is found too."""
        found = self.folders()
        if book_id is None:
            return self._only(found)
        name = unicodedata.normalize("NFC", book_id)
        return BookDir(self.books_dir / name) if name in found else self.open(book_id)

    def _only(self, ids: list[str]) -> BookDir:
        if not ids:
            raise NotFound(
                "book.not_found",
                f"There is no book in {str(self.books_dir)!r}.",
                "Make one with `zencli init-book`, or name another workspace with --root.",
            )
        if len(ids) > 1:
            raise UsageError(
                "usage.book",
                f"There are {len(ids)} books here: {_listed(ids)}.",
                "Say which one.",
            )
        return BookDir(self.books_dir / ids[0])

    def _unknown(self, name: str, ids: list[str]) -> NotFound:
        folder = self.books_dir / name
        if folder.is_dir():
            return NotFound(
                "book.not_found",
                f"{name!r} is no book: {str(folder)!r} has no book.toml.",
                f"Mend it: zencli repair {name}"
                if name in self.folders()
                else "Put its book.toml back, or name another book.",
            )
        near = difflib.get_close_matches(name, ids, n=3, cutoff=0.5)
        if near:
            hint = f"Did you mean {' or '.join(near)}?"
        else:
            hint = f"There are: {_listed(ids)}." if ids else "Make one with `zencli init-book`."
        return NotFound("book.not_found", f"There is no book {name!r}.", hint)


def check_book_id(book_id: str) -> None:
    """Raise UsageError ``usage.book_id`` unless ``book_id`` may name a book."""
    if not valid_book_id(book_id):
        raise UsageError(
            "usage.book_id",
            f"{book_id!r} can't be the id of a book.",
            "Use a-z, 0-9, _, - (not in front) and CJK letters, 60 characters at most.",
        )


def _listed(ids: list[str]) -> str:
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
