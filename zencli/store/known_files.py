"""``records/files.json``: the author's files as the program last wrote or accepted them.

It holds a digest for each, so that an edit by hand is noticed. Without it nothing counts as edited
until the next commit writes it anew.
"""

import json
from collections.abc import Iterable, Mapping

from zencli.errors import DamagedError, ZencliError
from zencli.store.history import content
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.record import bytes_digest, text_digest

KNOWN = "records/files.json"
VIEWS = ("state.md", "hooks.md")
DOCUMENTS = (
    "outline.md",
    "story_bible.md",
    "timeline.md",
    "secrets.md",
    "rules.md",
    "style.md",
)


def known_digests(book: BookDir) -> dict[str, str]:
    """Path to digest; empty when the file is missing or can't be read."""
    try:
        data = json.loads(book.read(KNOWN) or "{}")
    except (ValueError, ZencliError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {path: digest for path, digest in data.items() if isinstance(digest, str)}


def present_digests(book: BookDir) -> dict[str, str]:
    """The digest of every file that is watched and exists."""
    return _digests(book, (*VIEWS, *_without_views(book)))


def _without_views(book: BookDir) -> list[str]:
    return [*DOCUMENTS, *(f"characters/{slug}.md" for slug in book.card_slugs())]


def _digests(book: BookDir, paths: Iterable[str]) -> dict[str, str]:
    digests = {path: _digest(book, path) for path in paths}
    return {path: digest for path, digest in digests.items() if digest is not None}


def _digest(book: BookDir, path: str) -> str | None:
    """None without the file; "", which is no digest, for one that can't be read."""
    try:
        return book.digest(path)
    except DamagedError:
        return ""


def known_text(book: BookDir, digest: str) -> str | None:
    """What a file held when it had this digest, None when the history can't tell."""
    try:
        return content(book, digest).decode()
    except (ZencliError, UnicodeDecodeError):
        return None


def accept(transaction: Transaction, book: BookDir, *, views: bool = True) -> None:
    """Add to a transaction that every watched file is known as it will be then.

    A card that the author edited is kept in the history, so that its old name is known when it is
    edited again. A view that the transaction doesn't write stays known as it was, because an edit
    of it is still to be taken over; without ``views`` that holds for every view.
    """
    known = known_digests(book)
    digests = _digests(book, _without_views(book))
    for path, data in transaction.staged.items():
        if path in (*VIEWS, *DOCUMENTS) or _is_card(path):
            digests.pop(path, None)
            if data is not None:
                digests[path] = bytes_digest(data)
    for path in VIEWS:
        if not views or path not in transaction.staged:
            digests.pop(path, None)
            if path in known:
                digests[path] = known[path]
    for path, digest in digests.items():
        if _is_card(path) and known.get(path) != digest and path not in transaction.staged:
            transaction.keep(book.read(path) or "")
    if digests != known:
        transaction.write(KNOWN, known_json(digests))


def known_json(digests: Mapping[str, str]) -> str:
    """The content of ``records/files.json``."""
    return json.dumps(dict(sorted(digests.items())), ensure_ascii=False, indent=1) + "\n"


def known_of(files: Mapping[str, str | bytes]) -> str:
    """``records/files.json`` of a new book that is made of these files."""
    texts = {
        path: data.decode() if isinstance(data, bytes) else data
        for path, data in files.items()
        if path in (*VIEWS, *DOCUMENTS) or _is_card(path)
    }
    return known_json({path: text_digest(text) for path, text in texts.items()})


def _is_card(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return folder == "characters" and name.endswith(".md") and not name.startswith(".")
