"""``status --cost``: what a book took, in all and by verb, role, model and chapter."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, ConfigDict

from zencli.store.calls import ANSWERED, CALLS, Call, CallFile
from zencli.store.layout import BookDir

PRICES = (
    "Set price_input, price_cached and price_output, per million tokens, under [model.profile] (or"
    " [models.ROLE.profile]) in zencli.toml; they hold for calls made from then on."
)
"""How a price becomes known."""

_input, _cached, _output, _reasoning, _seconds = map(
    attrgetter, ("input", "cached", "output", "reasoning", "seconds")
)


class CostLine(BaseModel):
    """What some of a book's calls took.

    ``cached_share`` is of the input; ``cost`` the sum of the calls with a known price, None when
    there is none, and ``unpriced`` counts the others. ``failed`` calls gave no usable reply.
    ``recalled`` ones were read back and count nowhere else. ``seconds`` were spent waiting.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    calls: int
    input_tokens: int
    cached_tokens: int
    cached_share: float
    output_tokens: int
    reasoning_tokens: int
    seconds: float
    cost: float | None
    unpriced: int
    failed: int
    recalled: int


class Costs(BaseModel):
    """What a book took since it was begun, whatever was undone or pruned since.

    Calls outside of chapters, such as those that planned the book, are of no chapter.
    """

    model_config = ConfigDict(frozen=True)

    total: CostLine
    verbs: list[CostLine]
    roles: list[CostLine]
    models: list[CostLine]
    chapters: list[CostLine]


def book_costs(book: BookDir) -> Costs:
    """All calls of a book, added up; no lock, no model."""
    calls = CallFile(book.path / CALLS).read()
    of_chapters = [call for call in calls if call.chapter is not None]
    return Costs(
        total=cost_line("all", calls),
        verbs=_lines(calls, lambda call: call.verb),
        roles=_lines(calls, lambda call: call.role),
        models=_lines(calls, lambda call: call.model),
        chapters=_lines(of_chapters, lambda call: call.chapter),
    )


def _lines(calls: Iterable[Call], key: Callable[[Call], Any]) -> list[CostLine]:
    groups: dict[Any, list[Call]] = defaultdict(list)
    for call in calls:
        groups[key(call)].append(call)
    return [cost_line(str(name), groups[name]) for name in sorted(groups)]


def cost_line(name: str, calls: Iterable[Call]) -> CostLine:
    """Calls added up."""
    every = list(calls)
    paid = [call for call in every if not call.recalled]
    priced = [call.cost for call in paid if call.cost is not None]
    asked, cached = sum(map(_input, paid)), sum(map(_cached, paid))
    return CostLine(
        name=name,
        calls=len(paid),
        input_tokens=asked,
        cached_tokens=cached,
        cached_share=round(cached / asked, 3) if asked else 0.0,
        output_tokens=sum(map(_output, paid)),
        reasoning_tokens=sum(map(_reasoning, paid)),
        seconds=round(sum(map(_seconds, paid), 0.0), 1),
        cost=round(sum(priced, 0.0), 6) if priced else None,
        unpriced=len(paid) - len(priced),
        failed=sum(call.outcome not in (ANSWERED, "length") for call in paid),
        recalled=len(every) - len(paid),
    )
