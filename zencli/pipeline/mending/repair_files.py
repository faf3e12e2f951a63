"""The files of a damaged book put right: from the history, or as far as they can be read."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from zencli.errors import UsageError
from zencli.pipeline.mending.empty_book import empty_documents
from zencli.pipeline.mending.examine import (
    CONFIG,
    DOCUMENTS,
    FOUNDATION,
    OWN_RECORDS,
    Examined,
    own_record,
)
from zencli.pipeline.mending.readable import other_encoding, what_is_left
from zencli.pipeline.mending.repair_config import mended_config
from zencli.pipeline.past.rewind import Contents
from zencli.pipeline.results import RepairAction, RepairedFile
from zencli.store.chapter_text import split_chapter
from zencli.store.known_files import KNOWN, VIEWS
from zencli.store.layout import CORRECTIONS
from zencli.store.paths import writable
from zencli.story import markdown
from zencli.story.book import BookConfig
from zencli.story.foundation import Foundation
from zencli.story.record import text_digest

Good = Callable[[str], bool]
"""Whether a text of the history will do."""


@dataclass
class RepairPlan:
    """What a repair will write, and what it tells of each file.

    ``texts`` are the chapters as they will be.
    """

    config: BookConfig
    texts: dict[int, str]
    contents: Contents = field(default_factory=dict)
    files: list[RepairedFile] = field(default_factory=list)

    def put(self, path: str, text: str | None, action: RepairAction, note: str = "") -> None:
        self.contents[path] = None if text is None else text.encode()
        self.files.append(RepairedFile(path=path, action=action, note=note))


def plan_files(seen: Examined, renamed: set[int], now: datetime, *, confirmed: bool) -> RepairPlan:
    """How every file but records and views is mended. ``renamed`` chapters are for ``sync``.

    Raises NeedsAuthor when ``book.toml`` would have to be guessed.
    """
    if seen.config is None:
        text, config, told = mended_config(seen, now, confirmed=confirmed)
        plan = RepairPlan(config, dict(seen.texts), {CONFIG: text.encode()}, [told])
    else:
        plan = RepairPlan(seen.config, dict(seen.texts))
    _own_records(seen, plan)
    for path in _documents(seen):
        _document(seen, plan, path)
    for path in seen.gone:
        _bring_back(seen, plan, path)
    for number in _bad_chapters(seen, renamed):
        _chapter(seen, plan, number)
    return plan


def in_history(seen: Examined, path: str, good: Good = bool) -> Iterator[str]:
    """The texts that a file had and that will do, the newest first."""
    for data in seen.kept.contents(path):
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        if good(text):
            yield text


def can_be_written(seen: Examined, path: str) -> bool:
    """Whether a path is a plain readable file, or free; all else is the author's to mend."""
    try:
        place = writable(seen.book.path, path)
    except UsageError:
        return False
    return not place.exists() or os.access(place, os.R_OK)


def has_prose(text: str) -> bool:
    """Whether a chapter file has more than a heading."""
    return bool(split_chapter(text)[1].strip())


def chapter_history(seen: Examined, number: int) -> list[str]:
    """The texts that a chapter had and no other chapter has, the best to restore first.

    That is the one its record was made from, then the newest.
    """
    elsewhere = {text_digest(text) for n, text in seen.texts.items() if n != number}
    kept = [
        text
        for text in in_history(seen, seen.book.chapter_file(number), has_prose)
        if text_digest(text) not in elsewhere
    ]
    record = seen.records.get(number)
    return sorted(kept, key=lambda text: record is None or text_digest(text) != record.digest)


def _own_records(seen: Examined, plan: RepairPlan) -> None:
    bad = [p for p in OWN_RECORDS if p in seen.broken or p in seen.missing]
    for path in filter(lambda p: can_be_written(seen, p), bad):
        kept = next(in_history(seen, path, partial(own_record, path)), None)
        if kept is not None:
            plan.put(path, kept, "restored")
        elif path == FOUNDATION:
            note = "the hooks that the book opens with are lost, where no chapter plants them"
            plan.put(path, Foundation().model_dump_json(indent=1) + "\n", "emptied", note)
        elif path == CORRECTIONS:
            plan.put(path, "[]\n", "emptied", "your corrections of the state are lost")
        else:
            plan.put(KNOWN, "{}\n", "emptied", "edits by hand since the last run go unnoticed")


def _documents(seen: Examined) -> list[str]:
    """Documents, cards and plans that are missing or can't be read."""
    missing = [path for path in seen.missing if path in DOCUMENTS]
    broken = [p for p in seen.broken if p.endswith(".md") and not p.startswith("chapters/")]
    return [p for p in [*missing, *broken] if p not in VIEWS and can_be_written(seen, p)]


def _document(seen: Examined, plan: RepairPlan, path: str) -> None:
    kept = next(in_history(seen, path), None)
    if path in seen.broken and _decoded(seen, plan, path, kept) is not None:
        return
    if kept is not None:
        note = "what you changed in it since is in the history" if path in seen.broken else ""
        plan.put(path, kept, "restored", note)
    elif path in seen.broken:
        plan.put(path, what_is_left(_bytes(seen, path)), "rebuilt", "what could be read of it")
    else:
        title = plan.config.title
        empty = empty_documents(title, plan.config.language).get(path, f"{title}\n")
        plan.put(path, empty, "emptied", "the history doesn't have it")


def _decoded(seen: Examined, plan: RepairPlan, path: str, kept: str | None) -> str | None:
    found = other_encoding(_bytes(seen, path), kept)
    if found is None:
        return None
    text, encoding = found
    plan.put(path, text, "decoded", f"it was {encoding}")
    return text


def _bytes(seen: Examined, path: str) -> bytes:
    try:
        return (seen.book.path / path).read_bytes()
    except OSError:
        return b""


def _bring_back(seen: Examined, plan: RepairPlan, path: str) -> None:
    """A file that the author took away; a card stays away when another has its name."""
    kept = next(in_history(seen, path), None)
    if kept is None or not can_be_written(seen, path):
        return
    if path.startswith("characters/"):
        names = [markdown.first_heading(text) for text in _cards(seen)]
        if markdown.first_heading(kept) in names:
            return
    plan.put(path, kept, "restored")


def _cards(seen: Examined) -> list[str]:
    paths = [f"characters/{slug}.md" for slug in seen.book.card_slugs()]
    return [seen.book.read(p) or "" for p in paths if p not in seen.broken]


def _bad_chapters(seen: Examined, renamed: set[int]) -> list[int]:
    book = seen.book
    present, recorded = book.chapter_numbers(), book.record_numbers()
    missing = {*recorded, *book.gaps()} - {*present} - renamed
    unreadable = [n for n in present if book.chapter_file(n) in seen.broken]
    empty = [n for n, text in seen.texts.items() if not has_prose(text)]
    bad = sorted({*missing, *unreadable, *empty})
    return [n for n in bad if can_be_written(seen, book.chapter_file(n))]


def _chapter(seen: Examined, plan: RepairPlan, number: int) -> None:
    path = seen.book.chapter_file(number)
    best = next(iter(chapter_history(seen, number)), None)
    text = None
    if path in seen.broken:
        text = _decoded(seen, plan, path, best)
    if text is None and best is not None:
        text = best
        plan.put(path, text, "restored")
    if text is None and path in seen.broken:
        text = what_is_left(_bytes(seen, path))
        plan.put(path, text, "rebuilt", "what could be read of it; look it over")
    if text is not None:
        plan.texts[number] = text
