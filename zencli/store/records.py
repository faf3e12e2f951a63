"""The records of a book, each read when it is asked for; what all verbs need of them is at hand."""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import zencli
from zencli.store.cache import many_objects
from zencli.store.file_facts import Value, facts_of
from zencli.store.layout import BookDir
from zencli.story.findings import Verdict
from zencli.story.record import ChapterStatus, Record


class RecordFacts(NamedTuple):
    """What status and fold need of a record.

    ``digest`` is of the text it was made from; ``told`` of all that the fold takes from it.
    """

    title: str
    words: int
    status: ChapterStatus
    verdict: Verdict | None
    stale: str | None
    settled: bool
    planned: bool
    critical: int
    warnings: int
    digest: str
    told: str
    target_words: int


def facts_in(record: Record) -> RecordFacts:
    """The facts of one record."""
    severities = [finding.severity for finding in record.findings if finding.standing]
    told = record.delta.model_dump_json() if record.delta else ""
    return RecordFacts(
        title=record.title,
        words=record.words,
        status=record.status,
        verdict=record.verdict,
        stale=record.stale,
        settled=record.delta is not None,
        planned=record.plan is not None,
        critical=severities.count("critical"),
        warnings=severities.count("warning"),
        digest=record.digest,
        told=hashlib.sha256(f"{record.title}\n{told}".encode()).hexdigest()[:32],
        target_words=record.target_words,
    )


class Records(Mapping[int, Record]):
    """Records by chapter number, ascending; ``facts`` has the same keys and reads no file."""

    def __init__(
        self, book: BookDir, facts: dict[int, RecordFacts], read: dict[int, Record]
    ) -> None:
        self.book = book
        self.facts = facts
        self._read = read

    @classmethod
    def of(cls, book: BookDir) -> "Records":
        """All records of a book. Raises DamagedError ``book.damaged`` for an unreadable one."""
        read: dict[int, Record] = {}
        reader = book.reader("records")

        def find(number: int) -> Value:
            record = book.record(number, reader)
            if record is None:
                return []
            read[number] = record
            return list(facts_in(record))

        with many_objects():
            found = facts_of(book, "records", ".json", find, code_digest())
        return cls(book, {n: RecordFacts(*value) for n, value in found.items() if value}, read)

    def read_all(self) -> "Records":
        """Read those that aren't yet, which takes less time than one by one; returns itself."""
        reader = self.book.reader("records")
        for number in self.facts:
            record = self._read.get(number) or self.book.record(number, reader)
            if record is not None:
                self._read[number] = record
        return self

    def up_to(self, latest: int) -> "Records":
        """Only those of chapters up to ``latest``."""
        facts = {number: kept for number, kept in self.facts.items() if number <= latest}
        return Records(self.book, facts, self._read)

    def changed(self, changes: Mapping[int, Record]) -> "Records":
        """These records with some put in place of theirs."""
        facts = self.facts | {number: facts_in(record) for number, record in changes.items()}
        return Records(self.book, dict(sorted(facts.items())), {**self._read, **changes})

    def only(self, records: Mapping[int, Record]) -> "Records":
        """Exactly these records instead."""
        facts = {
            number: self.facts[number]
            if number in self.facts and self._read.get(number) is record
            else facts_in(record)
            for number, record in sorted(records.items())
        }
        return Records(self.book, facts, dict(records))

    def __getitem__(self, number: int) -> Record:
        if number not in self.facts:
            raise KeyError(number)
        record = self._read.get(number) or self.book.record(number)
        if record is None:  # taken away since
            raise KeyError(number)
        self._read[number] = record
        return record

    def at_hand(self, number: int) -> Record | None:
        """The record if it was read already."""
        return self._read.get(number)

    def __iter__(self) -> Iterator[int]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)


@cache
def code_digest() -> str:
    """Of the code that reads records and folds them: what it made is of no use to other code."""
    package = Path(zencli.__file__).parent
    digest = hashlib.sha256(zencli.__version__.encode())
    for folder in ("story", "store"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
