"""Old contents on their way back: what else must change so that records and views agree."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import ValidationError

from zencli.context.canon import Canon
from zencli.errors import DamagedError
from zencli.pipeline.commit import record_json, write_views
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.documents.cards import parse_card
from zencli.story.foundation import Character, Foundation
from zencli.story.record import Record

Contents = dict[str, bytes | None]
"""File contents by path; None where the file is deleted."""

VIEWS = ("state.md", "hooks.md")
_STORY = ("records/", "chapters/", "characters/")
_FOUNDATION = "records/foundation.json"
_RECORD = re.compile(r"records/(\d{4,6})\.json")
_CHAPTER = re.compile(r"chapters/(\d{4,6})\.md")


@dataclass
class Consequences:
    """The chapters that become stale, and the book as it will be when its views must follow."""

    stale: dict[int, Record] = field(default_factory=dict)
    canon: Canon | None = None
    problem: str = ""

    def write(self, transaction: Transaction, book: BookDir) -> None:
        """Add the stale marks and the views to what a transaction writes."""
        for number, record in self.stale.items():
            transaction.write(book.record_file(number), record_json(record))
        if self.canon is not None:
            write_views(transaction, self.canon)


def consequences(
    book: BookDir, contents: Contents, now: datetime, *, views: bool = False
) -> Consequences:
    """What follows for the story when these contents are put back.

    Later chapters become stale when the facts of an earlier one change, and the views are
    rendered anew; ``views`` asks for that whatever the contents are. Without readable records
    nothing follows, and ``problem`` says so.
    """
    if not views and not any(path.startswith(_STORY) for path in contents):
        return Consequences()
    latest = max(chapters_after(book, contents), default=-1)
    try:
        canon = Canon.load(book)
        known = dict(canon.records) | _records_beyond(book, canon, latest)
    except DamagedError as error:
        return Consequences(problem=f"state.md and hooks.md are left as they are: {error.message}")
    for path, data in contents.items():
        number = record_number(path)
        if number is not None:
            known.pop(number, None)
            record = record_in(data)
            if record is not None:
                known[number] = record
    known = {number: known[number] for number in sorted(known) if number <= latest}
    stale = _stale(canon.records, known, contents, book, now)
    after = replace(
        canon,
        records=canon.records.only(known | stale),
        cards=_cards(book, contents),
        first=_foundation(contents) or canon.first,
    )
    return Consequences(stale, after)


def record_number(path: str) -> int | None:
    """The chapter whose record a path is, else None."""
    match = _RECORD.fullmatch(path)
    return int(match[1]) if match else None


def chapter_number(path: str) -> int | None:
    """The chapter that a path is, else None."""
    match = _CHAPTER.fullmatch(path)
    return int(match[1]) if match else None


def record_in(data: bytes | None) -> Record | None:
    """The record that a content holds, None when it is none."""
    try:
        return Record.model_validate_json(data) if data is not None else None
    except ValidationError:
        return None


def chapters_after(book: BookDir, contents: Contents) -> set[int]:
    """The chapters that there will be."""
    numbers = set(book.chapter_numbers())
    for path, data in contents.items():
        number = chapter_number(path)
        if number is not None:
            (numbers.discard if data is None else numbers.add)(number)
    return numbers


def _records_beyond(book: BookDir, canon: Canon, latest: int) -> dict[int, Record]:
    """Records after the latest chapter that there is, of chapters that come back."""
    first = max(canon.records, default=-1) + 1
    found = {number: book.record(number) for number in range(first, latest + 1)}
    return {number: record for number, record in found.items() if record is not None}


def _stale(
    before: Mapping[int, Record],
    after: Mapping[int, Record],
    contents: Contents,
    book: BookDir,
    now: datetime,
) -> dict[int, Record]:
    changed = [
        number
        for number in before.keys() | after.keys()
        if _delta(before, number) != _delta(after, number)
    ]
    if not changed:
        return {}
    first = min(changed)
    reason = f"chapter {first} changed on {now:%Y-%m-%d}"
    return {
        number: record.model_copy(update={"stale": reason})
        for number, record in after.items()
        if number > first and book.record_file(number) not in contents
    }


def _delta(records: Mapping[int, Record], number: int) -> object:
    return records[number].delta if number in records else None


def _cards(book: BookDir, contents: Contents) -> tuple[Character, ...]:
    texts = book.cards()
    for path, data in contents.items():
        folder, _, name = path.rpartition("/")
        if folder == "characters" and name.endswith(".md"):
            texts.pop(name.removesuffix(".md"), None)
            if data is not None:
                texts[name.removesuffix(".md")] = data.decode("utf-8-sig", "replace")
    return tuple(parse_card(texts[slug]) for slug in sorted(texts))


def _foundation(contents: Contents) -> Foundation | None:
    data = contents.get(_FOUNDATION)
    try:
        return Foundation.model_validate_json(data) if data is not None else None
    except ValidationError:
        return None
