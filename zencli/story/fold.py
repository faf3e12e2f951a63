"""``state(N) = fold(foundation, delta(1..N))``: pure, and the same at once or step by step."""

import re
from collections import deque
from collections.abc import Iterable, Sequence

from zencli.story.corrections import AuthorCorrection, corrected
from zencli.story.delta import CharacterChange, Delta, Fact, HookEvent, ItemEvent, RelationChange
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

Told = tuple[int, str, Delta | None]
"""A chapter as the fold takes it: number, title, delta (None when it is unsettled)."""


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


def fold(
    foundation: Foundation,
    deltas: Iterable[Told],
    corrections: Sequence[AuthorCorrection] = (),
) -> State:
    """Apply the deltas of chapters in ascending order: ``(number, title, delta)`` each.

    Each correction of the author comes before the first chapter that it holds from; those that
    hold from a later one than the last are left out: see ``before_chapter``.

    A chapter without a delta (unsettled) changes nothing but the number. The time taken grows with
    the number of changes, not with the size of the state at each of them.
    """
    names = canonical_names(foundation)
    return fold_on(opening_state(foundation), deltas, names, corrections)


def fold_on(
    state: State,
    deltas: Iterable[Told],
    names: dict[str, str],
    corrections: Sequence[AuthorCorrection] = (),
) -> State:
    """The state after more chapters. ``state`` isn't changed.

    Corrections that hold from its chapter or an earlier one are in it already.
    """
    waiting = deque(_later(corrections, state.number))
    work = _Work(state, names)
    for number, title, delta in deltas:
        due = []
        while waiting and waiting[0].at <= number:
            due.append(waiting.popleft())
        if due:
            work = _Work(corrected(work.state(), due, names), names)
        work.tell(number, title, delta or Delta())
    return work.state()


def before_chapter(
    state: State, number: int, names: dict[str, str], corrections: Sequence[AuthorCorrection]
) -> State:
    """The state as chapter ``number`` begins, from the one after the last chapter before it."""
    due = [c for c in _later(corrections, state.number) if c.at <= number]
    return corrected(state, due, names) if due else state


class Walk:
    """The story looked at before one chapter after another, faster than folding for each.

    ``deltas`` ascending, from the one after ``state`` on.
    """

    def __init__(
        self,
        state: State,
        deltas: Iterable[Told],
        names: dict[str, str],
        corrections: Sequence[AuthorCorrection] = (),
    ) -> None:
        self._names = names
        self._work = _Work(state, names)
        self._deltas = iter(deltas)
        self._next = next(self._deltas, None)
        self._waiting = deque(_later(corrections, state.number))

    def before(self, number: int) -> State:
        """The people, things, relations and hooks as chapter ``number`` begins; ascending.

        What they know, facts, clues and summaries are left out. It holds until the next call.
        """
        self._tell(number - 1)
        self._correct(number)
        return self._work.glimpse()

    def after(self, number: int) -> State:
        """The same as chapter ``number`` ends."""
        self._tell(number)
        return self._work.glimpse()

    def _tell(self, number: int) -> None:
        while self._next is not None and self._next[0] <= number:
            told, title, delta = self._next
            self._correct(told)
            self._work.tell(told, title, delta or Delta())
            self._next = next(self._deltas, None)

    def _correct(self, number: int) -> None:
        due = []
        while self._waiting and self._waiting[0].at <= number:
            due.append(self._waiting.popleft())
        if due:
            self._work = _Work(corrected(self._work.state(), due, self._names), self._names)


def _later(corrections: Iterable[AuthorCorrection], number: int) -> list[AuthorCorrection]:
    """Those that hold from a chapter after ``number``, in the order in which they are taken."""
    return sorted((c for c in corrections if c.at > number), key=lambda c: c.at)


def apply(state: State, number: int, title: str, delta: Delta, names: dict[str, str]) -> State:
    """The state after one more chapter. ``state`` isn't changed."""
    return fold_on(state, [(number, title, delta)], names)


def canonical_names(foundation: Foundation) -> dict[str, str]:
    """Every alias and name, mapped to the name on the character's card."""
    names: dict[str, str] = {}
    for character in foundation.characters:
        for alias in character.aliases:
            names.setdefault(alias, character.name)
    for character in foundation.characters:
        names[character.name] = character.name
    return names


class _Work:
    """A state that is being changed in place: its own copy, so that nobody sees it halfway.

    What grows with the book (facts, summaries, what a person or a hook has gathered) is looked up
    in sets and frozen once, in ``state``.
    """

    def __init__(self, state: State, names: dict[str, str]) -> None:
        self._names = names
        self._number = state.number
        self._time = state.time
        self._reader_knows = state.reader_knows
        self._characters = dict(state.characters)
        self._items = dict(state.items)
        self._relations = dict(state.relations)
        self._facts = list(state.facts)
        self._said = {fact.says: fact.about for fact in state.facts}
        self._pairs: set[tuple[str, str]] | None = None
        self._hooks = dict(state.hooks)
        self._summaries = list(state.summaries)
        self._learned: dict[str, dict[str, Known]] = {}
        self._clues: dict[str, dict[str, None]] = {}
        self._last_hook = max((_hook_number(hook) for hook in state.hooks), default=0)

    def state(self) -> State:
        """The state as it stands now."""
        people, hooks = dict(self._characters), dict(self._hooks)
        for name, learned in self._learned.items():
            people[name] = people[name].model_copy(update={"knows": tuple(learned.values())})
        for hook, clues in self._clues.items():
            hooks[hook] = hooks[hook].model_copy(update={"clues": tuple(clues)})
        return State(
            number=self._number,
            time=self._time,
            reader_knows=self._reader_knows,
            characters=people,
            items=self._items,
            relations=self._relations,
            facts=tuple(self._facts),
            hooks=hooks,
            summaries=tuple(self._summaries),
        )

    def glimpse(self) -> State:
        """The state without what grows with the book; it changes with this work."""
        return State.model_construct(
            number=self._number,
            time=self._time,
            characters=self._characters,
            items=self._items,
            relations=self._relations,
            hooks=self._hooks,
        )

    def tell(self, number: int, title: str, delta: Delta) -> None:
        """Go on to chapter ``number``."""
        self._number = number
        self._time = delta.time or self._time
        self._reader_knows = delta.reader_knows or self._reader_knows
        for change in delta.characters:
            self._move(number, change)
        for event in delta.items:
            self._handle(number, event)
        for relation in delta.relations:
            self._relate(number, relation)
        for fact in delta.facts:
            self._establish(number, fact)
        for step in delta.hooks:
            self._step(number, step)
        if delta.summary:
            self._summaries.append(
                Summary(number=number, title=title, text=delta.summary, ending=delta.ending_kind)
            )

    def _move(self, number: int, change: CharacterChange) -> None:
        if not change.name:
            return
        name = self._name(change.name)
        person = self._characters.get(name) or CharacterState(name=name)
        self._characters[name] = CharacterState(
            name=name,
            as_of=number,
            status=change.status or person.status,
            place=change.place or person.place,
            condition=change.condition or person.condition,
            goal=change.goal or person.goal,
            start=person.start,
        )
        learned = self._learned.get(name)
        if learned is None:
            learned = self._learned[name] = {known.what: known for known in person.knows}
        for what in change.learned:
            if what and what not in learned:
                learned[what] = Known(chapter=number, what=what)

    def _handle(self, number: int, event: ItemEvent) -> None:
        if not event.item:
            return
        owner = self._name(event.owner)
        key = f"{owner}\x1f{event.item}"
        before = self._items.get(key)
        self._items[key] = ItemState(
            owner=owner,
            item=event.item,
            as_of=number,
            change=event.change,
            quantity=event.quantity or (before.quantity if before else ""),
            where=event.where or (before.where if before else ""),
            quote=event.quote,
        )

    def _relate(self, number: int, change: RelationChange) -> None:
        if change.a and change.b and change.now:
            a, b = sorted((self._name(change.a), self._name(change.b)))
            self._relations[f"{a}\x1f{b}"] = RelationState(
                a=a, b=b, as_of=number, now=change.now, quote=change.quote
            )

    def _establish(self, number: int, fact: Fact) -> None:
        if not fact.says or self._established(fact):
            return
        if self._pairs is not None:
            self._pairs.add((fact.about, fact.says))
        self._said.setdefault(fact.says, fact.about)
        self._facts.append(
            FactState(about=fact.about, says=fact.says, chapter=number, quote=fact.quote)
        )

    def _established(self, fact: Fact) -> bool:
        about = self._said.get(fact.says)
        if about is None or about == fact.about:
            return about is not None
        if self._pairs is None:  # rare: the same is said of two, and pairs are slow to make
            self._pairs = {(known.about, known.says) for known in self._facts}
        return (fact.about, fact.says) in self._pairs

    def _step(self, number: int, event: HookEvent) -> None:
        hook = self._hooks.get(event.id)
        if hook is None:
            if not event.promise:
                return
            hook_id = event.id if _is_id(event.id) else f"H{self._last_hook + 1}"
            hook = Hook(id=hook_id, promise=event.promise)
            self._last_hook = max(self._last_hook, _hook_number(hook_id))
        clues = self._clues.get(hook.id)
        if clues is None:
            clues = self._clues[hook.id] = dict.fromkeys(hook.clues)
        if event.clue:
            clues.setdefault(event.clue)
        self._hooks[hook.id] = _stepped(hook, number, event)

    def _name(self, called: str) -> str:
        return self._names.get(called, called)


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
    )


def _is_id(text: str) -> bool:
    return re.fullmatch(r"H[0-9]{1,6}", text) is not None


def _hook_number(hook: str) -> int:
    return int(hook[1:]) if _is_id(hook) else 0
