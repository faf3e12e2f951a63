"""Records put right: from the history when one fits the text, else measured from the prose."""

import json
from collections.abc import Collection
from datetime import datetime

from pydantic import ValidationError

from zencli.context.canon import Canon
from zencli.pipeline.commit import record_json
from zencli.pipeline.editing.measure import measured_alone
from zencli.pipeline.importing.import_book import stale_after
from zencli.pipeline.mending.examine import Examined
from zencli.pipeline.mending.repair_files import RepairPlan, can_be_written, in_history
from zencli.pipeline.mending.view_repair import without_bad_views
from zencli.store.overlay import overlaid
from zencli.story.record import Record, text_digest

Lost = dict[int, Record | None]
"""Chapters whose record has to be measured, with the record they had; None: there is none left."""


def plan_records(
    seen: Examined, plan: RepairPlan, chosen: Collection[int], *, no_llm: bool
) -> Lost:
    """Add to the plan what the history has; returns the chapters whose record must be measured.

    Of the ``chosen`` ones those are measured whose text was edited, without a model all: with one
    the others keep their record until it has read them.
    """
    lost: Lost = {}
    for number, text in sorted(plan.texts.items()):
        path = seen.book.record_file(number)
        record = seen.records.get(number)
        digest = text_digest(text)
        if not can_be_written(seen, path):
            continue
        if record is None:
            kept = _kept_records(seen, number)
            fitting = next((r for r in kept if r.digest == digest), None)
            if fitting is not None:
                plan.put(path, record_json(fitting), "restored")
            else:
                lost[number] = kept[0] if kept else None
        elif number in chosen and (no_llm or record.digest != digest):
            lost[number] = record
        elif record.number != number:
            renumbered = record.model_copy(update={"number": number})
            plan.put(path, record_json(renumbered), "renumbered")
    return lost


def measure_lost(seen: Examined, plan: RepairPlan, lost: Lost, now: datetime) -> list[int]:
    """Add the measured records to the plan; returns the later chapters that become stale."""
    if not lost:
        return []
    first = {
        seen.book.record_file(number): record_json(base or _blank(plan, number, now)).encode()
        for number, base in lost.items()
    }
    with (
        overlaid(seen.book, {**plan.contents, **first}) as after,
        without_bad_views(after) as (book, _),
    ):
        canon = Canon.load(book)
        changed = []
        for number, base in lost.items():
            record = measured_alone(book, canon, number, base, now)
            if base is not None and base.delta != record.delta:
                changed.append(number)
            plan.put(book.record_file(number), record_json(record), "measured", _note(base, record))
        stale = stale_after(canon.records, min(changed), now) if changed else {}
        later = {number: record for number, record in stale.items() if number not in lost}
        for number, record in later.items():
            plan.contents[book.record_file(number)] = record_json(record).encode()
    return sorted(later)


def _kept_records(seen: Examined, number: int) -> list[Record]:
    found = []
    for text in in_history(seen, seen.book.record_file(number)):
        try:
            found.append(Record.model_validate(json.loads(text)))
        except (ValidationError, ValueError):
            continue
    return found


def _blank(plan: RepairPlan, number: int, now: datetime) -> Record:
    words = plan.config.chapter_words
    return Record(number=number, title="", target_words=words, created=now, updated=now)


def _note(base: Record | None, record: Record) -> str:
    if base is None:
        return "unsettled: only a model can tell what the chapter changes in the story"
    if base.delta is None:
        return "unsettled still"
    count = len(record.dropped)
    gone = f"{count} entries dropped, whose sentence isn't in the text; " if count else ""
    return f"{gone}what the old record says of the story is kept"
