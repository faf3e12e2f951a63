"""Where everything in a book's folder is, and reading it."""

import errno
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from zencli.errors import DamagedError, NotFound
from zencli.store.book_toml import damaged, toml_error, value_error
from zencli.store.chapter_text import split_chapter
from zencli.store.paths import inside
from zencli.story.book import BookConfig
from zencli.story.corrections import AuthorCorrection, corrections_from
from zencli.story.foundation import Foundation
from zencli.story.lenient import STORED
from zencli.story.record import Record, bytes_digest, text_digest

CORRECTIONS = "records/corrections.json"
FOUNDATION = "records/foundation.json"
ARCS = "records/arcs.json"

Data = TypeVar("Data", bound=BaseModel)


def chapter_file(number: int) -> str:
    """``chapters/0001.md``; numbers above 9999 have more digits."""
    return f"chapters/{number:04d}.md"


def record_file(number: int) -> str:
    """``records/0001.json``."""
    return f"records/{number:04d}.json"


def draft_file(number: int) -> str:
    """``drafts/0001.md``, what there is of a chapter whose writing was broken off."""
    return f"drafts/{number:04d}.md"


def plan_file(number: int) -> str:
    """``plans/0001.md``, the author's own plan of a chapter."""
    return f"plans/{number:04d}.md"


Reader = Callable[[str], str | None]
"""Gives the text of a file by its path in the book, None when there is none."""


@dataclass(frozen=True)
class Pending:
    """A commit whose files are being moved: where each is staged, None for one to be deleted."""

    stage: Path
    files: Mapping[str, Path | None]


@dataclass(frozen=True)
class BookDir:
    """The folder of one book. Reading it changes nothing and takes no lock.

    ``pending`` is what ``snapshot`` found under way: its files count as if they were in place.
    """

    path: Path
    pending: Pending | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """The name of the folder, which is the id of the book."""
        return self.path.name

    def chapter_file(self, number: int) -> str:
        return chapter_file(number)

    def record_file(self, number: int) -> str:
        return record_file(number)

    def plan_file(self, number: int) -> str:
        return plan_file(number)

    def read(self, relative: str) -> str | None:
        """The text of a file (UTF-8 without BOM, line ends LF), None when there is none.

        Raises DamagedError ``book.damaged`` for a file that can't be read or decoded, UsageError
        ``usage.path`` for a path that leaves the book.
        """
        data = self._readable(relative)
        return None if data is None else _decoded(relative, data)

    def digest(self, relative: str) -> str | None:
        """``text_digest`` of a file's text, None without the file. Raises as ``read`` does, but
        not for a file that is no UTF-8."""
        data = self._readable(relative)
        return None if data is None else bytes_digest(data)

    def _readable(self, relative: str) -> bytes | None:
        try:
            return self._bytes(relative)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None
            raise damaged(
                f"{relative} can't be read: {error.strerror}.", "Check its permissions."
            ) from error

    def chapter_numbers(self) -> list[int]:
        """The numbers of all chapters that exist, ascending; 0 is the prologue.

        Names of 4 digits, or of 5 or 6 without a leading zero; other files aren't chapters.
        """
        return self._numbers("chapters", ".md")

    def gaps(self) -> list[int]:
        """Chapters that are missing below the latest one. A missing prologue is no gap."""
        numbers = self.chapter_numbers()
        return sorted(set(range(1, max(numbers, default=0))) - set(numbers))

    def chapter(self, number: int) -> tuple[str, str]:
        """Title ("" without a heading) and prose of a chapter.

        Raises NotFound ``chapter.not_found`` that names the latest chapter.
        """
        text = self.read(chapter_file(number))
        if text is None:
            numbers = self.chapter_numbers()
            latest = f"the latest is {numbers[-1]}" if numbers else "there is none yet"
            raise NotFound(
                "chapter.not_found",
                f"{self.id} has no chapter {number}; {latest}.",
                f"`zencli status {self.id}` lists the chapters.",
            )
        return split_chapter(text)

    def chapter_texts(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Number and text of these chapters, as ``read`` gives it; one that is gone is left out."""
        read = self.reader("chapters")
        for number in numbers:
            if (text := read(chapter_file(number))) is not None:
                yield number, text

    def reader(self, folder: str) -> Reader:
        """``read`` for many files that stand in one folder, faster: it is looked at once."""
        inside(self.path, folder)
        entries = self._names(folder)

        def read(relative: str) -> str | None:
            entry = entries.get(relative.rpartition("/")[2])
            # what is neither staged nor a link needs none of the looks that `read` takes
            direct = entry is not None and not entry.is_symlink()
            return self._direct(relative) if direct else self.read(relative)

        return read

    def _direct(self, relative: str) -> str | None:
        try:
            with open(f"{self.path}/{relative}", "rb") as file:
                return _decoded(relative, file.read())
        except OSError:
            return self.read(relative)

    def record(self, number: int, read: Reader | None = None) -> Record | None:
        """What is known of a chapter, None when there is no record; ``read`` is a ``reader``'s.

        Raises DamagedError ``book.damaged`` for an unreadable one.
        """
        return self._json(record_file(number), Record, read)

    def record_numbers(self) -> list[int]:
        """The numbers of all record files, ascending, whether they can be read or not."""
        return self._numbers("records", ".json")

    def records(self) -> dict[int, Record]:
        """All records by chapter number, ascending."""
        read = self.reader("records")
        found = {n: self.record(n, read) for n in self.record_numbers()}
        return {n: record for n, record in found.items() if record is not None}

    def foundation(self) -> Foundation:
        """What the fold starts from; empty when the book has none."""
        return self._json(FOUNDATION, Foundation) or Foundation()

    def corrections(self) -> tuple[AuthorCorrection, ...]:
        """What the author corrected in the state. Raises DamagedError ``book.damaged``."""
        text = self.read(CORRECTIONS)
        if text is None:
            return ()
        try:
            return corrections_from(text)
        except ValidationError as error:
            raise _unusable(CORRECTIONS, error) from error

    def settings(self) -> dict[str, Any]:
        """``book.toml`` as it is, the author's own keys included.

        Raises NotFound ``book.not_found`` without the file, DamagedError ``book.damaged`` with the
        line when it isn't TOML.
        """
        text = self.read("book.toml")
        if text is None:
            raise NotFound("book.not_found", f"{self.id} is no book: it has no book.toml.")
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise toml_error(text, str(error)) from error

    def config(self) -> BookConfig:
        """The configuration. The id is the folder's name, whatever the file says.

        Raises as ``settings`` does, and DamagedError ``book.damaged`` that names a bad value's key.
        """
        table = self.settings()
        try:
            return BookConfig.model_validate({**table, "id": self.id})
        except ValidationError as error:
            raise value_error(self.read("book.toml") or "", error) from error

    def cards(self) -> dict[str, str]:
        """The text of every character card by slug, sorted."""
        cards = {}
        for slug in self.card_slugs():
            text = self.read(f"characters/{slug}.md")
            if text is not None:
                cards[slug] = text
        return cards

    def card_slugs(self) -> list[str]:
        """The slugs of the character cards that exist, sorted as their files are."""
        names = sorted(self._names("characters"))
        return [n.removesuffix(".md") for n in names if n.endswith(".md") and n[0] != "."]

    def edited(self, number: int) -> bool:
        """Whether the chapter's text is no longer the one its record was made from.

        False when either of them doesn't exist.
        """
        text, record = self.read(chapter_file(number)), self.record(number)
        return text is not None and record is not None and text_digest(text) != record.digest

    def chapter_digest(self, number: int) -> str:
        """The digest of a chapter's file as it stands."""
        return text_digest(self.read(chapter_file(number)) or "")

    def signatures(self, folder: str, suffix: str) -> dict[int, list[int]]:
        """For every numbered file, ascending, numbers that change when the file does."""
        found = {}
        names = self._names(folder)
        for number, name in self._numbered(names, suffix):
            with suppress(FileNotFoundError):
                seen = self._stat(f"{folder}/{name}", names[name])
                found[number] = [seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino]
        return found

    def _numbers(self, folder: str, suffix: str) -> list[int]:
        return [number for number, _ in self._numbered(self._names(folder), suffix)]

    def _numbered(self, names: Iterable[str], suffix: str) -> list[tuple[int, str]]:
        form = re.compile(rf"([0-9]{{4}}|[1-9][0-9]{{4,5}}){re.escape(suffix)}")
        return sorted((int(n.group(1)), name) for name in names if (n := form.fullmatch(name)))

    def _names(self, folder: str) -> dict[str, "os.DirEntry[str] | None"]:
        """The files of a folder; None for one that is only staged."""
        found: dict[str, os.DirEntry[str] | None] = {}
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(self.path / folder) as entries,
        ):
            found.update((entry.name, entry) for entry in entries if entry.is_file())
        if self.pending is not None:
            for relative, staged in self.pending.files.items():
                parent, _, name = relative.rpartition("/")
                if parent == folder and staged is not None:
                    found[name] = None
                elif parent == folder and self.pending.stage.is_dir():
                    found.pop(name, None)
        return found

    def _stat(self, relative: str, entry: "os.DirEntry[str] | None") -> os.stat_result:
        if entry is not None:
            return entry.stat()
        staged = self.pending.files[relative] if self.pending else None
        with suppress(FileNotFoundError):
            if staged is not None:
                return staged.stat()
        return (self.path / relative).stat()

    def _bytes(self, relative: str) -> bytes | None:
        """What a file holds, None when there is none; of a pending commit's, what it will hold."""
        path = inside(self.path, relative)
        if self.pending is not None and relative in self.pending.files:
            staged = self.pending.files[relative]
            if staged is None and self.pending.stage.is_dir():
                return None
            if staged is not None:
                with suppress(FileNotFoundError):  # in place already
                    return staged.read_bytes()
        return path.read_bytes() if path.is_file() else None

    def _json(self, relative: str, model: type[Data], read: Reader | None = None) -> Data | None:
        text = (read or self.read)(relative)
        if text is None:
            return None
        with suppress(ValidationError):
            return model.model_validate_json(text, context=STORED)
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            raise _unusable(relative, error) from error


def _decoded(relative: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
        return text.replace("\r\n", "\n") if b"\r" in data else text
    except UnicodeDecodeError as error:
        raise damaged(
            f"{relative} isn't UTF-8 text (byte {error.start + 1}).", "Save it as UTF-8."
        ) from error


def _unusable(relative: str, error: ValidationError) -> DamagedError:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return damaged(
        f"{relative} can't be used: {where + ': ' if where else ''}{first['msg']}.",
        "Correct it, or let `zencli repair` mend it; the chapter itself is untouched.",
    )
