"""The views of a damaged book: those that can't be read or aren't what the records say."""

from collections.abc import Iterator
from contextlib import contextmanager

from zencli.context.canon import Canon
from zencli.errors import DamagedError, ZencliError
from zencli.pipeline.commit import view_texts, write_views
from zencli.pipeline.results import RepairedFile
from zencli.store.known_files import VIEWS, known_digests
from zencli.store.layout import BookDir
from zencli.store.overlay import overlaid
from zencli.store.transaction import Transaction
from zencli.story.record import text_digest


@contextmanager
def without_bad_views(book: BookDir) -> Iterator[tuple[BookDir, dict[str, str]]]:
    """The book as if the views that can't be read weren't there, and why each can't.

    Raises DamagedError when something else of the story can't be read.
    """
    bad: dict[str, str] = {}
    while True:
        with overlaid(book, dict.fromkeys(bad)) as seen:
            try:
                Canon.load(seen)
            except DamagedError as error:
                path = next((v for v in VIEWS if error.message.startswith(v)), None)
                if path is None or path in bad:
                    raise
                bad[path] = error.message
                continue
            yield seen, bad
            return


def view_faults(book: BookDir) -> tuple[dict[str, str], list[str]]:
    """Views that can't be read, with the reason, and views that aren't what the records say.

    One that the author edited counts as right. None are found when the story can't be read.
    """
    try:
        with without_bad_views(book) as (seen, bad):
            wanted = view_texts(Canon.load(seen))
            known = known_digests(seen)
            return dict(bad), [path for path in VIEWS if _outdated(seen, path, wanted, known)]
    except ZencliError:
        return {}, []


def mend_views(transaction: Transaction, book: BookDir) -> list[RepairedFile]:
    """Add the views to a transaction that has something else to write, or when one needs it.

    ``book`` is as it will be. What the author edited in them is taken over, where it can be read.
    """
    told: list[RepairedFile] = []
    try:
        with without_bad_views(book) as (seen, bad):
            canon = Canon.load(seen)
            wanted, known = view_texts(canon), known_digests(seen)
            for path in VIEWS:
                note = "what can't be read of it is in the history" if path in bad else ""
                missing = seen.read(path) is None
                if missing or _outdated(seen, path, wanted, known):
                    told.append(RepairedFile(path=path, action="rebuilt", note=note))
            if told or transaction.staged:
                write_views(transaction, canon)
    except DamagedError:
        return []
    return told


def _outdated(book: BookDir, path: str, wanted: dict[str, str], known: dict[str, str]) -> bool:
    text = book.read(path)
    if text is None or text == wanted[path]:
        return False
    digest = text_digest(text)
    return known.get(path, digest) == digest
