"""Ids for the hooks that a chapter plants, given once and kept when the chapter is settled anew."""

import re
from collections.abc import Collection

from zencli.story.delta import Delta, HookEvent

_ID = re.compile(r"H([0-9]{1,6})")


def with_ids(delta: Delta, taken: Collection[str], before: Delta | None = None) -> Delta:
    """``delta`` with an id for every hook that it plants under none of its own.

    ``taken`` are the ids of all hooks of the book, those of later chapters included. ``before`` is
    the chapter's earlier delta, with ids: a hook that is planted again, on the same sentence or
    with the same promise, keeps its id, so that later chapters still mean it. Others get the next
    number that nobody has.
    """
    old_hooks = before.hooks if before else []
    known = [step for step in old_hooks if step.promise and _ID.fullmatch(step.id)]
    last = max((int(found[1]) for found in map(_ID.fullmatch, taken) if found), default=0)
    given: set[str] = {step.id for step in delta.hooks if _ID.fullmatch(step.id)}
    hooks: list[HookEvent] = []
    for step in delta.hooks:
        if not step.promise or _ID.fullmatch(step.id):
            hooks.append(step)
            continue
        old = next((k for k in known if k.id not in given and _same(k, step)), None)
        last += old is None
        hooks.append(step.model_copy(update={"id": old.id if old else f"H{last}"}))
        given.add(hooks[-1].id)
    return delta.model_copy(update={"hooks": hooks})


def _same(one: HookEvent, other: HookEvent) -> bool:
    if one.promise == other.promise:
        return True
    a, b = one.quote, other.quote
    return bool(a and b) and (a in b or b in a)
