"""``records/arcs.json``: summaries of closed arcs by a model, each with what it was made of.

One whose chapters changed since is of no use, and the fold takes its place.
"""

import hashlib

from pydantic import BaseModel, ConfigDict, ValidationError

from zencli.store.layout import ARCS, BookDir
from zencli.store.records import Records


class ArcText(BaseModel):
    """The summary of chapters ``first`` to ``last``; ``digest`` is of what they told."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    first: int
    last: int
    digest: str
    text: str


class _Arcs(BaseModel):
    arcs: list[ArcText] = []


def arc_digest(records: Records, first: int, last: int) -> str:
    """SHA-256 of what the chapters of an arc told."""
    told = [f"{n} {facts.told}\n" for n, facts in records.facts.items() if first <= n <= last]
    return hashlib.sha256("".join(told).encode()).hexdigest()


def current_arcs(book: BookDir, records: Records) -> list[ArcText]:
    """The summaries whose chapters are as they were; none when the file can't be used."""
    try:
        kept = _Arcs.model_validate_json(book.read(ARCS) or "{}").arcs
    except ValidationError:
        return []
    return [arc for arc in kept if arc.digest == arc_digest(records, arc.first, arc.last)]


def arcs_json(arcs: list[ArcText]) -> str:
    """The file as it holds these summaries."""
    kept = sorted(arcs, key=lambda arc: arc.first)
    return _Arcs(arcs=kept).model_dump_json(indent=1) + "\n"
