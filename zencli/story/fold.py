"""``state(N) = fold(foundation, delta(1..N))``: pure, and the same at once or step by step."""

import re
from collections.abc import Iterable

from zencli.story.delta import CharacterChange, Delta, HookEvent
from zencli.story.foundation import Foundation
from zencli.story.plan import HookMove
from zencli.story.state import (
    CharacterState,
    FactState,
    Hook,
    HookStatus,
    ItemState,
    Known,
    RelationState,
    State,
    Summary,
)

_STATUS: dict[HookMove, HookStatus] = {
    "plant": "open",
    "advance": "advanced",
    "pay": "paid",
    "defer": "deferred",
    "drop": "dropped",
}


def opening_state(foundation: Foundation) -> State:
    """The state before the first chapter."""
    people = {
        c.name: CharacterState(name=c.name, start=c.start) for c in foundation.characters if c.name
    }
    hooks = {
        h.id: Hook(id=h.id, promise=h.promise, kind=h.kind, due=h.due, status="planned")
        for h in foundation.hooks
        if h.id
    }
    return State(characters=people, hooks=hooks)


def fold(foundation: Foundation, deltas: Iterable[tuple[int, str, Delta | None]]) -> State:
    """Apply the deltas of chapters in ascending order: ``(number, title, delta)`` each.

    A chapter without a delta (unsettled) changes nothing but the number.
    """
    state = opening_state(foundation)
    names = canonical_names(foundation)
    for number, title, delta in deltas:
        state = apply(state, number, title, delta or Delta(), names)
    return state


def canonical_names(foundation: Foundation) -> dict[str, str]:
    """Every alias and name, mapped to the name on the character's card."""
    names: dict[str, str] = {}
    for character in foundation.characters:
        for alias in character.aliases:
            names.setdefault(alias, character.name)
    for character in foundation.characters:
        names[character.name] = character.name
    return names


def apply(state: State, number: int, title: str, delta: Delta, names: dict[str, str]) -> State:
    """The state after one more chapter. ``state`` isn't changed."""
    return State(
        number=number,
        time=delta.time or state.time,
        reader_knows=delta.reader_knows or state.reader_knows,
        characters=_characters(state, number, delta, names),
        items=_items(state, number, delta, names),
        relations=_relations(state, number, delta, names),
        facts=_facts(state, number, delta),
        hooks=_hooks(state, number, delta),
        summaries=_summaries(state, number, title, delta),
    )


def _characters(
    state: State, number: int, delta: Delta, names: dict[str, str]
) -> dict[str, CharacterState]:
    people = dict(state.characters)
    for change in delta.characters:
        if change.name:
            name = names.get(change.name, change.name)
            people[name] = _moved(people.get(name) or CharacterState(name=name), number, change)
    return people


def _moved(person: CharacterState, number: int, change: CharacterChange) -> CharacterState:
    told = {known.what for known in person.knows}
    learned = tuple(Known(chapter=number, what=w) for w in change.learned if w and w not in told)
    return CharacterState(
        name=person.name,
        as_of=number,
        status=change.status or person.status,
        place=change.place or person.place,
        condition=change.condition or person.condition,
        goal=change.goal or person.goal,
        start=person.start,
        knows=person.knows + learned,
    )


def _items(state: State, number: int, delta: Delta, names: dict[str, str]) -> dict[str, ItemState]:
    items = dict(state.items)
    for event in delta.items:
        if not event.item:
            continue
        owner = names.get(event.owner, event.owner)
        key = f"{owner}\x1f{event.item}"
        before = items.get(key)
        items[key] = ItemState(
            owner=owner,
            item=event.item,
            as_of=number,
            change=event.change,
            quantity=event.quantity or (before.quantity if before else ""),
            where=event.where or (before.where if before else ""),
            quote=event.quote,
        )
    return items


def _relations(
    state: State, number: int, delta: Delta, names: dict[str, str]
) -> dict[str, RelationState]:
    relations = dict(state.relations)
    for change in delta.relations:
        if change.a and change.b and change.now:
            a, b = sorted((names.get(change.a, change.a), names.get(change.b, change.b)))
            relations[f"{a}\x1f{b}"] = RelationState(
                a=a, b=b, as_of=number, now=change.now, quote=change.quote
            )
    return relations


def _facts(state: State, number: int, delta: Delta) -> tuple[FactState, ...]:
    known = {(f.about, f.says) for f in state.facts}
    new = tuple(
        FactState(about=f.about, says=f.says, chapter=number, quote=f.quote)
        for f in delta.facts
        if f.says and (f.about, f.says) not in known
    )
    return state.facts + new


def _hooks(state: State, number: int, delta: Delta) -> dict[str, Hook]:
    hooks = dict(state.hooks)
    for event in delta.hooks:
        known = hooks.get(event.id)
        if known is not None:
            hooks[event.id] = _stepped(known, number, event)
        elif event.promise:
            hook_id = event.id if _is_id(event.id) else next_hook_id(hooks)
            hooks[hook_id] = _stepped(Hook(id=hook_id, promise=event.promise), number, event)
    return hooks


def _is_id(text: str) -> bool:
    return re.fullmatch(r"H[0-9]{1,6}", text) is not None


def next_hook_id(hooks: Iterable[str]) -> str:
    """The first free id after the highest one in use."""
    used = [int(hook[1:]) for hook in hooks if _is_id(hook)]
    return f"H{max(used, default=0) + 1}"


def _stepped(hook: Hook, number: int, event: HookEvent) -> Hook:
    first = hook.planted == 0
    status = _STATUS[event.do]
    if first and event.do == "advance":
        status = "open"
    return Hook(
        id=hook.id,
        promise=hook.promise,
        kind=event.kind or hook.kind,
        status=status,
        planted=number if first else hook.planted,
        quote=event.quote if first else hook.quote,
        due=event.due or hook.due,
        last=number,
        clues=hook.clues + ((event.clue,) if event.clue and event.clue not in hook.clues else ()),
    )


def _summaries(state: State, number: int, title: str, delta: Delta) -> tuple[Summary, ...]:
    if not delta.summary:
        return state.summaries
    summary = Summary(number=number, title=title, text=delta.summary, ending=delta.ending_kind)
    return (*state.summaries, summary)
