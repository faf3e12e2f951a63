"""Old contents on their way back: what else must change so that records and views agree."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import ValidationError

from zencli.context.canon import Canon
from zencli.errors import DamagedError
from zencli.pipeline.commit import record_json, write_views
from zencli.store.known_files import DOCUMENTS, KNOWN, VIEWS, known_digests, known_json
from zencli.store.layout import BookDir
from zencli.store.overlay import overlaid
from zencli.store.records import Records
from zencli.store.transaction import Transaction
from zencli.story.record import Record, text_digest

Contents = dict[str, bytes | None]
"""File contents by path; None where the file is deleted."""

_CARDS = "characters/"
_STORY = ("records/", "chapters/", _CARDS)
_RECORD = re.compile(r"records/(\d{4,6})\.json")
_CHAPTER = re.compile(r"chapters/(\d{4,6})\.md")


@dataclass(frozen=True)
class Consequences:
    """What ``follow`` did: the chapters that became stale, and whether the views were rendered.

    ``problem`` says why they couldn't be, else it is "".
    """

    stale: list[int] = field(default_factory=list)
    views: bool = False
    problem: str = ""


def follow(
    transaction: Transaction, book: BookDir, now: datetime, *, views: bool = False
) -> Consequences:
    """Add to a transaction what follows for the story from the contents that it puts back.

    Later chapters become stale when the facts of an earlier one change, and the views are
    rendered anew; ``views`` asks for that whatever the contents are. With records that can't be
    read the views stay as they are.
    """
    # an old view beside the present digests would look like an edit by hand; it is rendered anew
    made = (*VIEWS, KNOWN)
    contents = {path: data for path, data in transaction.staged.items() if path not in made}
    if not views and not any(path.startswith(_STORY) for path in contents):
        return Consequences()
    try:
        with overlaid(book, contents) as seen:
            canon = Canon.load(seen)
            stale = _stale(_present_records(book), canon.records, contents, now)
            write_views(transaction, replace(canon, records=canon.records.changed(stale)))
    except DamagedError as error:
        return Consequences(problem=f"state.md and hooks.md are left as they are: {error.message}")
    for number, record in stale.items():
        transaction.write(book.record_file(number), record_json(record))
    return Consequences(sorted(stale), views=True)


def know(transaction: Transaction, book: BookDir, *, views: bool) -> None:
    """Let what a transaction puts back count as written by the program, not as edited by hand.

    ``views``: it rendered them anew. An edit by hand of another file is still one.
    """
    staged = {path: data for path, data in transaction.staged.items() if path == KNOWN}
    with overlaid(book, staged) as seen:
        known = known_digests(seen)
    told = dict(known)
    for path, data in transaction.staged.items():
        if path in DOCUMENTS or path.startswith(_CARDS) or (views and path in VIEWS):
            told.pop(path, None)
            if data is not None:
                told[path] = text_digest(data.decode("utf-8-sig", "replace"))
    if known and told != known:
        transaction.write(KNOWN, known_json(told))


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


def _present_records(book: BookDir) -> Mapping[int, Record]:
    """The records of the chapters as they are; none when one of them can't be read."""
    try:
        latest = max(book.chapter_numbers(), default=-1)
        return Records.of(book).up_to(latest)
    except DamagedError:
        return {}


def _stale(
    before: Mapping[int, Record],
    after: Records,
    contents: Mapping[str, bytes | None],
    now: datetime,
) -> dict[int, Record]:
    """The records of the chapters that stand on a changed one and aren't put back themselves."""
    touched = {number for path in contents if (number := record_number(path)) is not None}
    changed = [n for n in touched & before.keys() if _delta(before, n) != _delta(after, n)]
    if not changed:
        return {}
    first = min(changed)
    reason = f"chapter {first} changed on {now:%Y-%m-%d}"
    return {
        number: after[number].model_copy(update={"stale": reason})
        for number in after
        if number > first and number not in touched
    }


def _delta(records: Mapping[int, Record], number: int) -> object:
    return records[number].delta if number in records else None
