"""How many promises are open, and overdue, as each chapter of a book ends."""

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

from zencli.context.canon import starting_point
from zencli.store import cache
from zencli.store.layout import BookDir
from zencli.store.records import Records, code_digest
from zencli.story.corrections import AuthorCorrection
from zencli.story.delta import Delta, HookEvent
from zencli.story.documents.cards import parse_card
from zencli.story.fold import Walk, canonical_names, opening_state
from zencli.story.foundation import Foundation
from zencli.story.lenient import STORED
from zencli.story.state import State

_NAME = "hook_counts"


class HookCount(NamedTuple):
    """Promises that were shown and aren't paid or dropped; of those, whose date has passed."""

    open: int
    overdue: int


def hook_counts(book: BookDir, records: Records, chapters: Sequence[int]) -> dict[int, HookCount]:
    """The count as each of ``chapters`` (ascending) ends; one without a record changes nothing.

    Only the hooks of the story are folded, so it takes a fraction of the state's time; what came of
    it is kept in the cache of the book under a digest of all it was made from.
    """
    cards = [parse_card(text) for text in book.cards().values()]
    foundation = starting_point(book.foundation(), cards)
    corrections = [c for c in book.corrections() if c.kind == "hook"]
    key = _key(foundation, corrections, records, chapters)
    kept = cache.load(book, _NAME)
    if kept is not None and kept.startswith(key):
        known = json.loads(kept[len(key) :])
        return {n: HookCount(*counts) for n, counts in zip(chapters, known, strict=True)}
    names = canonical_names(foundation)
    start = State(hooks=opening_state(foundation).hooks)
    told = ((n, "", Delta(hooks=_hooks_of(records, n))) for n in chapters)
    story = Walk(start, told, names, corrections)
    counts = {}
    for number in chapters:
        hooks = story.after(number).hooks.values()
        shown = [hook for hook in hooks if hook.unpaid and hook.planted]
        overdue = sum(0 < hook.due <= number for hook in shown)
        counts[number] = HookCount(len(shown), overdue)
    cache.store(book, _NAME, key + json.dumps(list(counts.values())).encode())
    return counts


def _key(
    foundation: Foundation,
    corrections: Sequence[AuthorCorrection],
    records: Records,
    chapters: Sequence[int],
) -> bytes:
    told = {n: facts.told for n, facts in records.facts.items()}
    parts = [code_digest(), foundation.model_dump_json()]
    parts += [correction.model_dump_json() for correction in corrections]
    parts += [f"{n} {told.get(n)}" for n in chapters]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest().encode()


def _hooks_of(records: Records, number: int) -> list[HookEvent]:
    """What a record tells of hooks; unless it is at hand, read without building the rest of it."""
    if number not in records.facts:
        return []
    record = records.at_hand(number)
    if record is not None:
        return record.delta.hooks if record.delta else []
    book = records.book
    delta = json.loads(book.read(book.record_file(number)) or "{}").get("delta") or {}
    return [HookEvent.model_validate(step, context=STORED) for step in delta.get("hooks", [])]
