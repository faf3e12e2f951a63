"""Reading every file of a damaged book: what can be used, and why the rest can't."""

import json
from dataclasses import dataclass, field

from zencli.errors import DamagedError, NotFound, ZencliError
from zencli.store.known_files import KNOWN, VIEWS
from zencli.store.layout import CORRECTIONS, BookDir
from zencli.store.salvage import Kept
from zencli.story.book import BookConfig
from zencli.story.corrections import corrections_from
from zencli.story.foundation import Foundation
from zencli.story.record import Record

CONFIG = "book.toml"
FOUNDATION = "records/foundation.json"
OWN_RECORDS = (FOUNDATION, CORRECTIONS, KNOWN)
"""What ``records/`` holds besides the records of chapters."""

DOCUMENTS = (
    "brief.md",
    "story_bible.md",
    "outline.md",
    "timeline.md",
    "secrets.md",
    "rules.md",
    "style.md",
)
OPTIONAL = ("focus.md",)
_FOLDERS = ("characters", "plans")


@dataclass
class Examined:
    """A book as far as it can be read.

    ``broken`` says by path why a file can't be used, ``missing`` which files that every book has
    aren't there, ``gone`` which others the last run left and the author took away. ``texts`` and
    ``records`` are by chapter.
    """

    book: BookDir
    kept: Kept
    config: BookConfig | None = None
    foundation: Foundation | None = None
    texts: dict[int, str] = field(default_factory=dict)
    records: dict[int, Record] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def examine(book: BookDir) -> Examined:
    """Read all files of a book. Writes nothing and raises for none of them."""
    found = Examined(book, Kept(book))
    _read_config(found)
    _read_own(found)
    for number in book.chapter_numbers():
        text = _text(found, book.chapter_file(number))
        if text is not None:
            found.texts[number] = text
    for number in book.record_numbers():
        try:
            record = book.record(number)
        except DamagedError as error:
            found.broken[book.record_file(number)] = error.message
        else:
            if record is not None:
                found.records[number] = record
    for path in (*DOCUMENTS, *VIEWS):
        if _text(found, path) is None and path not in found.broken:
            found.missing.append(path)
    for path in _others(found):
        _text(found, path)
    return found


def _read_config(found: Examined) -> None:
    try:
        found.config = found.book.config()
    except NotFound:
        found.missing.append(CONFIG)
    except DamagedError as error:
        found.broken[CONFIG] = error.message


def _read_own(found: Examined) -> None:
    """The files of ``records/`` that belong to no chapter."""
    book = found.book
    try:
        if book.read(FOUNDATION) is None:
            found.missing.append(FOUNDATION)
        else:
            found.foundation = book.foundation()
    except DamagedError as error:
        found.broken[FOUNDATION] = error.message
    try:
        book.corrections()
    except DamagedError as error:
        found.broken[CORRECTIONS] = error.message
    text = _text(found, KNOWN)
    if text is not None and not own_record(KNOWN, text):
        found.broken[KNOWN] = f"{KNOWN} can't be read."


def own_record(path: str, text: str) -> bool:
    """Whether a text is what one of ``OWN_RECORDS`` may hold."""
    try:
        if path == CORRECTIONS:
            corrections_from(text)
            return True
        data = json.loads(text)
        return (path == KNOWN and isinstance(data, dict)) or bool(Foundation.model_validate(data))
    except ValueError:
        return False


def _others(found: Examined) -> list[str]:
    """Cards, plans and the author's further documents: those there are."""
    book = found.book
    here = {p.name for p in book.path.glob("*.md")}
    for folder in _FOLDERS:
        here |= {f"{folder}/{p.name}" for p in (book.path / folder).glob("*.md")}
    here -= {path for path in here if path.rpartition("/")[2].startswith(".")}
    if book.pending is not None:
        here |= {path for path in book.pending.files if path.endswith(".md")}
    for path in found.kept.paths():
        folder, _, name = path.rpartition("/")
        wanted = (folder == "characters" or not folder) and name.endswith(".md")
        listed = path in (*DOCUMENTS, *VIEWS, *OPTIONAL)
        if wanted and not listed and not (book.path / path).exists():
            found.gone.append(path)
    return sorted(p for p in here if not p.startswith("chapters/"))


def _text(found: Examined, path: str) -> str | None:
    try:
        return found.book.read(path)
    except ZencliError as error:  # undecodable, unreadable, or a link that leads out of the book
        found.broken[path] = error.message
        return None
