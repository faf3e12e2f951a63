"""Ids for the hooks that a chapter plants: settling it anew moves nobody else's."""

from zencli.context.canon import Canon
from zencli.story.delta import Delta
from zencli.story.hook_ids import with_ids


def pinned(canon: Canon, number: int, delta: Delta) -> Delta:
    """The new delta of a chapter with an id for every hook it plants.

    Those that its record told before keep theirs; others get a number that no chapter uses, a later
    one neither.
    """
    latest = max([number, *canon.records])
    taken = canon.state_before(latest + 1).hooks
    return with_ids(delta, taken, told_before(canon, number))


def told_before(canon: Canon, number: int) -> Delta | None:
    """What the chapter's record tells, its new hooks under the ids that the fold gives them."""
    record = canon.records.get(number)
    if record is None or record.delta is None:
        return None
    return with_ids(record.delta, canon.state_before(number).hooks)
