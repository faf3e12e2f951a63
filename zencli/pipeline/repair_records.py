"""Records put right: from the history when one fits the text, else measured from the prose."""

import json
from collections.abc import Collection
from datetime import datetime

from pydantic import ValidationError

from zencli.context.canon import Canon
from zencli.pipeline.audit import carried
from zencli.pipeline.check import check_prose, earlier_prose
from zencli.pipeline.commit import record_json
from zencli.pipeline.examine import Examined
from zencli.pipeline.import_book import stale_after
from zencli.pipeline.repair_files import RepairPlan, can_be_written, in_history
from zencli.pipeline.view_repair import without_bad_views
from zencli.prose.count import count_words
from zencli.prose.locate import locate_part
from zencli.store.chapter_text import split_chapter
from zencli.store.overlay import overlaid
from zencli.story.delta import proven
from zencli.story.record import Record, text_digest

Measured = dict[int, Record | None]
"""Chapters whose record is measured from the text, with the record they had; None: it is lost."""


def plan_records(
    seen: Examined, plan: RepairPlan, chosen: Collection[int], now: datetime, *, no_llm: bool
) -> Measured:
    """Add to the plan what happens to the records; returns the chapters whose record is measured.

    ``chosen`` are measured anew too, but with a model only those whose text was edited: the others
    keep their record until the model has read them.
    """
    book = seen.book
    measured: Measured = {}
    for number, text in sorted(plan.texts.items()):
        path = book.record_file(number)
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
                measured[number] = kept[0] if kept else None
                _measure(seen, plan, number, measured[number], now)
        elif number in chosen and (no_llm or record.digest != digest):
            measured[number] = record
            _measure(seen, plan, number, record, now)
        elif record.number != number:
            renumbered = record.model_copy(update={"number": number})
            plan.put(path, record_json(renumbered), "renumbered")
    return measured


def judge_measured(
    seen: Examined, plan: RepairPlan, measured: Measured, now: datetime
) -> list[int]:
    """Add the checks to records that were measured; returns the later chapters now stale."""
    if not measured:
        return []
    with overlaid(seen.book, plan.contents) as after, without_bad_views(after) as (book, _):
        canon = Canon.load(book)
        changes: dict[int, Record] = {}
        for number in measured:
            record = canon.records[number]
            prose = split_chapter(plan.texts[number])[1]
            earlier = earlier_prose(book, number)
            checks = check_prose(canon, number, prose, record.target_words, earlier)
            findings = checks + carried(record.findings, prose)
            changes[number] = record.model_copy(update={"findings": findings})
        retold = [n for n, base in measured.items() if base and base.delta != changes[n].delta]
        stale = stale_after(canon.records, min(retold), now) if retold else {}
        for number, record in (stale | changes).items():
            plan.contents[book.record_file(number)] = record_json(record).encode()
    return sorted(set(stale) - set(changes))


def _kept_records(seen: Examined, number: int) -> list[Record]:
    found = []
    for text in in_history(seen, seen.book.record_file(number)):
        try:
            found.append(Record.model_validate(json.loads(text)))
        except (ValidationError, ValueError):
            continue
    return found


def _measure(
    seen: Examined, plan: RepairPlan, number: int, base: Record | None, now: datetime
) -> None:
    """A record of the text as it is; of ``base`` what still holds is kept."""
    text = plan.texts[number]
    title, prose = split_chapter(text)
    delta, dropped = None, list[str]()
    if base is not None and base.delta is not None:
        delta, dropped = proven(base.delta, lambda quote: locate_part(prose, quote))
    record = Record(
        number=number,
        title=title,
        words=count_words(prose, plan.config.language),
        target_words=plan.config.chapter_words,
        digest=text_digest(text),
        delta=delta,
        dropped=dropped,
        created=now,
        updated=now,
    )
    if base is not None:
        record = record.model_copy(
            update={
                "status": "approved" if base.status == "approved" else "drafted",
                "target_words": base.target_words or record.target_words,
                "plan": base.plan,
                "findings": base.findings,
                "revised": base.revised,
                "stale": base.stale,
                "usage": base.usage,
                "created": base.created,
            }
        )
    plan.put(seen.book.record_file(number), record_json(record), "measured", _note(base, dropped))


def _note(base: Record | None, dropped: list[str]) -> str:
    if base is None:
        return "unsettled: only a model can tell what the chapter changes in the story"
    if base.delta is None:
        return "unsettled still"
    gone = f"{len(dropped)} entries dropped, whose sentence isn't in the text; " if dropped else ""
    return f"{gone}what the old record says of the story is kept"
