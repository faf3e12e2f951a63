"""Each hook from planting to payoff."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from zencli.story.record import Record
from zencli.story.state import State

if TYPE_CHECKING:
    from zencli.export.report.data import Lifeline


def lifelines(state: State, records: Mapping[int, Record], latest: int) -> "tuple[Lifeline, ...]":
    """The hooks of the state after chapter ``latest``, in the order in which they came up.

    One is overdue when it was planted, is unpaid, and its date lies before the next chapter.
    """
    from zencli.export.report.data import Lifeline

    moves: dict[str, list[int]] = defaultdict(list)
    for number, record in records.items():
        for event in record.delta.hooks if record.delta else ():
            if event.do == "advance":
                moves[event.id].append(number)
    return tuple(
        Lifeline(
            id=hook.id,
            promise=hook.promise,
            kind=hook.kind,
            status=hook.status,
            planted=hook.planted,
            last=hook.last,
            due=hook.due,
            overdue=hook.unpaid and 0 < hook.due <= latest,
            moves=tuple(moves[hook.id]),
        )
        for hook in state.hooks.values()
    )
