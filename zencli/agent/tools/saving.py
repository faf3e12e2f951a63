"""Writing files of the book: under its lock, in one commit of the turn, told to whoever watches."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from zencli.agent.events import AgentEvent
from zencli.agent.tools.places import BIGGEST
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.turn import FileChange, Turn
from zencli.context.canon import Canon
from zencli.errors import DamagedError, ZencliError
from zencli.pipeline.past.rewind import know
from zencli.prose.count import count_words
from zencli.store.known_files import VIEWS
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.overlay import overlaid
from zencli.store.transaction import Transaction
from zencli.story.documents.cards import parse_card

VERB = "agent"
_WAIT = 30
"""Seconds until a book that another run holds is given up."""

_BOM = b"\xef\xbb\xbf"


def the_book(turn: Turn) -> BookDir:
    """The book of the turn. Raises ToolRefused ``no_book`` when there is none yet."""
    if turn.book is None:
        raise ToolRefused(
            "no_book",
            "There is no book yet.",
            "Make one first: sub_agent with agent=architect.",
        )
    return turn.book


@contextmanager
def held(turn: Turn) -> Iterator[BookDir]:
    """The turn's book under its lock, for one write."""
    book = the_book(turn)
    with book_lock(book, VERB, _WAIT):
        yield book


def text_of(book: BookDir, path: str) -> str | None:
    """What a file holds, None when there is none. Raises ToolRefused ``file_too_large``."""
    try:
        size = (book.path / path).stat().st_size
    except OSError:
        size = 0
    if size > BIGGEST:
        raise ToolRefused(
            "file_too_large",
            f"{path} has {size:,} bytes; files of up to {BIGGEST:,} can be used.",
            "Ask the author to divide it.",
        )
    return book.read(path)


def text_or_none(book: BookDir, path: str) -> str | None:
    """What a file holds; None for one that isn't there or can't be read."""
    try:
        return text_of(book, path)
    except ZencliError:
        return None


def commit(turn: Turn, book: BookDir, contents: Mapping[str, str | None]) -> None:
    """Write (or with None delete) files in one commit, and note what was done in the turn.

    The caller holds the lock. Encoding marks and line ends of a file stay as they were. Raises
    ToolRefused when a text is too large, or would leave ``state.md`` or ``hooks.md`` unreadable.
    """
    before = {path: text_of(book, path) for path in contents}
    transaction = Transaction(book, VERB, turn.run_id)
    for path, text in contents.items():
        if text is None:
            transaction.delete(path)
        else:
            transaction.write(path, _as_before(book, path, text))
    _check_views(book, transaction)
    _know(transaction, book, before)
    transaction.commit()
    for path, text in contents.items():
        if text != before[path]:
            _note(turn, book, path, before[path], text)


def _as_before(book: BookDir, path: str, text: str) -> bytes:
    """The bytes of a text, with the byte order mark and line ends that its file has."""
    if len(text.encode()) > BIGGEST:
        raise ToolRefused(
            "file_too_large",
            f"{path} would have more than {BIGGEST:,} bytes.",
            "Divide it into several files.",
        )
    place = book.path / path
    raw = place.read_bytes() if place.is_file() else b""
    if b"\r\n" in raw and b"\n" not in raw.replace(b"\r\n", b""):
        text = text.replace("\n", "\r\n")
    return (_BOM if raw.startswith(_BOM) else b"") + text.encode()


def _check_views(book: BookDir, transaction: Transaction) -> None:
    """A view that an agent edits is read as the author's correction, so it must be readable."""
    if not any(path in VIEWS for path in transaction.staged):
        return
    try:
        with overlaid(book, transaction.staged) as seen:
            Canon.load(seen)
    except DamagedError as error:
        raise ToolRefused(
            "view_unreadable",
            f"Nothing was written: {error.message}",
            "Keep the form of the lines around it.",
        ) from error


def _know(transaction: Transaction, book: BookDir, before: Mapping[str, str | None]) -> None:
    """Let what an agent writes count as written by the program.

    Not a card that gets another name or goes: the next verb then keeps the old name as known.
    """
    renamed = {path for path, text in before.items() if _renamed(transaction, path, text)}
    if not renamed:
        know(transaction, book, views=False)


def _renamed(transaction: Transaction, path: str, before: str | None) -> bool:
    if not path.startswith("characters/") or before is None:
        return False
    data = transaction.staged[path]
    return data is None or parse_card(data.decode("utf-8-sig")).name != parse_card(before).name


def _note(turn: Turn, book: BookDir, path: str, before: str | None, after: str | None) -> None:
    files = turn.files
    files.before.setdefault(path, before)
    kind: FileChange = "created" if before is None else "changed"
    kind = "deleted" if after is None else kind
    note_change(files.changes, path, kind)
    turn.read_now.pop(path, None)
    if after is None:
        turn.seen.pop(path, None)
        turn.emit(AgentEvent("file_updated", {"path": path, "change": "deleted"}))
        return
    turn.seen[path] = after
    words = count_words(after, book.config().language)
    event = {"path": path, "change": kind, "words": words}
    turn.emit(AgentEvent("file_created" if kind == "created" else "file_updated", event))


def note_change(changes: dict[str, FileChange], path: str, kind: FileChange) -> None:
    """What the turn as a whole did to a file: what it made and deleted again isn't told."""
    known = changes.get(path)
    if kind == "deleted":
        if known == "created":
            del changes[path]
        else:
            changes[path] = "deleted"
    elif known is None:
        changes[path] = kind
    elif known == "deleted":
        changes[path] = "changed"
