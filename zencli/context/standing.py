"""Where the story stands before a chapter, worked out from the nearest point that is known.

A point is known by the digest of everything that went into it, so it can't be out of date.
"""

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from zencli.store import cache
from zencli.store.records import Records, code_digest
from zencli.story.corrections import AuthorCorrection
from zencli.story.fold import before_chapter, canonical_names, fold_on, opening_state
from zencli.story.foundation import Foundation
from zencli.story.state import State

_STATE = "state.json"
_HOOKS = "hooks"


@dataclass(frozen=True)
class _Point:
    """The state after chapter ``last``; ``key`` is the digest of what it was made from."""

    last: int
    key: str
    state: State


_recent: deque[_Point] = deque(maxlen=2)
"""The latest points of this process: the chapter at work, and the one it leads to."""


def state_before(
    foundation: Foundation,
    records: Records,
    number: int,
    corrections: Sequence[AuthorCorrection] = (),
) -> State:
    """The story as it stands when chapter ``number`` begins; later chapters don't count.

    The author's corrections that hold from it on, or from earlier, do.
    """
    state = _after_told(foundation, records, number, corrections)
    return before_chapter(state, number, canonical_names(foundation), corrections)


def _after_told(
    foundation: Foundation,
    records: Records,
    number: int,
    corrections: Sequence[AuthorCorrection],
) -> State:
    """The state after the last chapter before ``number``."""
    told = [n for n in records.facts if n < number]
    with cache.many_objects():
        point = _known(foundation, records, told[-1] if told else -1, corrections)
        rest = [n for n in told if point is None or n > point.last]
        if point is not None and not rest:
            return point.state
        state = fold_on(
            point.state if point else opening_state(foundation),
            ((n, records[n].title, records[n].delta) for n in rest),
            canonical_names(foundation),
            corrections,
        )
    if told:
        reached = _Point(told[-1], _key(foundation, records, told[-1], corrections), state)
        _recent.append(reached)
        if len(told) == len(records) and cache.worth_storing(len(rest), len(told)):
            _store(records, reached)
    return state


def open_hooks(
    foundation: Foundation, records: Records, corrections: Sequence[AuthorCorrection] = ()
) -> int:
    """How many hooks are still unpaid after the latest chapter."""
    latest = max(records.facts, default=0)
    key = _key(foundation, records, latest + 1, corrections).encode()
    kept = cache.load(records.book, _HOOKS)
    if kept is not None and kept.startswith(key):
        return int(kept[len(key) :])
    hooks = state_before(foundation, records, latest + 1, corrections).hooks
    count = sum(hook.unpaid for hook in hooks.values())
    if len(records) >= cache.LEAST:
        cache.store(records.book, _HOOKS, key + b"%d" % count)
    return count


def _key(
    foundation: Foundation,
    records: Records,
    last: int,
    corrections: Sequence[AuthorCorrection],
) -> str:
    digest = hashlib.sha256(f"{code_digest()}\n{foundation.model_dump_json()}\n".encode())
    told = [f"{n} {facts.told}\n" for n, facts in records.facts.items() if n <= last]
    told += [c.model_dump_json() for c in corrections if c.at <= last]
    digest.update("".join(told).encode())
    return digest.hexdigest()


def _known(
    foundation: Foundation,
    records: Records,
    last: int,
    corrections: Sequence[AuthorCorrection],
) -> _Point | None:
    """The latest known point that leads to the state after chapter ``last``."""
    near = sorted((p for p in _recent if p.last <= last), key=lambda p: -p.last)
    for point in near:
        if point.key == _key(foundation, records, point.last, corrections):
            return point
    return _stored(foundation, records, last, corrections)


def _stored(
    foundation: Foundation,
    records: Records,
    last: int,
    corrections: Sequence[AuthorCorrection],
) -> _Point | None:
    content = cache.load(records.book, _STATE)
    head, _, body = (content or b"").partition(b"\n")
    if not body:
        return None
    number, key = head.decode().split(" ")
    if int(number) > last or key != _key(foundation, records, int(number), corrections):
        return None
    point = _Point(int(number), key, State.model_validate_json(body))
    _recent.append(point)
    return point


def _store(records: Records, point: _Point) -> None:
    head = f"{point.last} {point.key}\n".encode()
    cache.store(records.book, _STATE, head + point.state.model_dump_json().encode())
