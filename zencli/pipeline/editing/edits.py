"""What the author did to a book's files by hand since the program last wrote them."""

from contextlib import suppress

from pydantic import BaseModel, ConfigDict

from zencli.context.canon import Canon
from zencli.errors import DamagedError, ZencliError
from zencli.pipeline.importing.chapter_texts import chapter_texts
from zencli.store.known_files import known_digests, present_digests
from zencli.store.layout import BookDir, chapter_file, record_file
from zencli.store.records import Records
from zencli.story.record import text_digest

TAKING_OVER = ("write-next", "revise", "sync", "import")
"""The verbs whose commit takes over what was edited."""

_NAMED = 6
"""Files that the line about edits names."""


class Moved(BaseModel):
    """A chapter that was given another number by renaming its file."""

    model_config = ConfigDict(frozen=True)

    before: int
    after: int


class Edits(BaseModel):
    """Paths in the book: edited, deleted and added files, and chapters whose file was renamed.

    Of added files only those that matter to the story are told: chapters and character cards.
    """

    model_config = ConfigDict(frozen=True)

    edited: list[str] = []
    deleted: list[str] = []
    added: list[str] = []
    renamed: list[Moved] = []

    @property
    def chapters(self) -> bool:
        """Whether a chapter file is among them, so that ``sync`` has something to do."""
        paths = [*self.edited, *self.deleted, *self.added]
        return bool(self.renamed) or any(path.startswith("chapters/") for path in paths)

    def line(self, book_id: str) -> str:
        """All of it in one line, "" when there is nothing."""
        moved = [f"{chapter_file(m.before)} -> {chapter_file(m.after)}" for m in self.renamed]
        groups = (
            ("edited", self.edited),
            ("renamed", moved),
            ("deleted", self.deleted),
            ("added", self.added),
        )
        told = [f"{what} since: {_some(paths)}" for what, paths in groups if paths]
        if not told:
            return ""
        hint = f" (sync {book_id} settles edited chapters)" if self.chapters else ""
        return "; ".join(told) + hint


def readable_records(book: BookDir) -> Records | None:
    """All records; None when one of them can't be read."""
    try:
        return Records.of(book)
    except ZencliError:
        return None


def edit_notes(book: BookDir, verb: str, records: Records | None = None) -> list[str]:
    """What a verb says of edits by hand before it begins, a sentence each.

    ``records`` when they have just been read. Raises DamagedError ``book.damaged`` when the verb
    would take over a view that can't be read.
    """
    line = noticed(book, records).line(book.id)
    if not line or verb == "repair":
        return []
    return [line, *(_taken_over(book) if verb in TAKING_OVER else [])]


def _taken_over(book: BookDir) -> list[str]:
    """What the next commit takes over from views and cards."""
    canon = Canon.load(book)
    new = canon.corrections[len(book.corrections()) :]
    told = [f"taken over from chapter {c.at} on: {c.words()}" for c in new[:_NAMED]]
    if len(new) > _NAMED:
        told.append(f"and {len(new) - _NAMED} more corrections")
    before = book.foundation().characters
    cards = {card.name for card in canon.cards}
    for person in canon.first.characters:
        if person not in before and person.name in cards:
            told.append(f"{person.name} is known by old names too: {', '.join(person.aliases)}")
        elif person not in before:
            told.append(f"{person.name} has no card any more and stays in the story")
    return told


def noticed(book: BookDir, records: Records | None = None) -> Edits:
    """What was edited, renamed, deleted or added by hand. Reads, writes nothing, takes no lock.

    A chapter is compared with its record, another file with ``records/files.json``. Files and
    records that can't be read are passed over: ``doctor`` is for them.
    """
    return edits_among(book, *_digests(book, records))


def edits_among(book: BookDir, records: dict[int, str], texts: dict[int, str]) -> Edits:
    """The same for who has the digests by chapter: of what the records were made from, and of the
    texts."""
    moved = moves(records, texts)
    edited = [
        number
        for number, digest in texts.items()
        if number in records and records[number] != digest and number not in moved.values()
    ]
    known, present = known_digests(book), present_digests(book)
    left = [n for n in records if n not in texts and n not in moved]
    gone = [n for n in left if not _exists(book, chapter_file(n))]
    without_record = [n for n in texts if n not in records and not _exists(book, record_file(n))]
    new = [n for n in without_record if n not in moved.values()]
    return Edits(
        edited=[
            *map(chapter_file, edited),
            *(path for path, digest in present.items() if known.get(path, digest) != digest),
        ],
        deleted=[*map(chapter_file, gone), *(path for path in known if path not in present)],
        added=[
            *map(chapter_file, new),
            *(path for path in present if known and path not in known and "/" in path),
        ],
        renamed=[Moved(before=before, after=after) for before, after in moved.items()],
    )


def moves(records: dict[int, str], texts: dict[int, str]) -> dict[int, int]:
    """Which chapters were given another number: the old one to the new one.

    ``records`` and ``texts`` are digests by number. A text that isn't what its number's record was
    made from, but what another one was whose own text is no longer there, has moved.
    """
    homeless = {
        digest: number
        for number, digest in sorted(records.items(), reverse=True)
        if digest and texts.get(number) != digest
    }
    found = {}
    for number, digest in texts.items():
        if records.get(number) != digest and digest in homeless:
            found[homeless.pop(digest)] = number
    return found


def _some(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _exists(book: BookDir, path: str) -> bool:
    """Whether there is a file at all: one that can't be read is neither gone nor new."""
    return (book.path / path).is_file()


def _digests(book: BookDir, records: Records | None) -> tuple[dict[int, str], dict[int, str]]:
    """Of the texts that the records were made from, and of the chapters' texts."""
    try:
        records = records or Records.of(book)
        texts = chapter_texts(book, records, book.config().language)
    except ZencliError:
        return _readable_digests(book)
    return (
        {number: facts.digest for number, facts in records.facts.items()},
        {number: text.digest for number, text in texts.items()},
    )


def _readable_digests(book: BookDir) -> tuple[dict[int, str], dict[int, str]]:
    records, texts = {}, {}
    for number in book.record_numbers():
        with suppress(DamagedError):
            record = book.record(number)
            if record is not None:
                records[number] = record.digest
    for number in book.chapter_numbers():
        with suppress(DamagedError):
            texts[number] = text_digest(book.read(chapter_file(number)) or "")
    return records, texts
