"""A state by what may be asked of it: a long book has thousands of facts and things."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from heapq import nlargest

from zencli.context.names import Named
from zencli.story.state import FactState, ItemState, State

LATEST = 200
"""How many of the latest facts and things are ranked when nothing near asks for them."""


class Lookup:
    """Facts by their subject, things by owner and by name; each is read once."""

    def __init__(self, state: State) -> None:
        self.state = state

    @cached_property
    def _subjects(self) -> dict[str, list[FactState]]:
        found: dict[str, list[FactState]] = defaultdict(list)
        for fact in self.state.facts:
            found[fact.about.casefold()].append(fact)
        found.pop("", None)
        return found

    @cached_property
    def _owners(self) -> dict[str, list[ItemState]]:
        found: dict[str, list[ItemState]] = defaultdict(list)
        for item in self.state.items.values():
            found[item.owner].append(item)
        return found

    @cached_property
    def _things(self) -> dict[str, list[ItemState]]:
        found: dict[str, list[ItemState]] = defaultdict(list)
        for item in self.state.items.values():
            found[item.item.casefold()].append(item)
        return found

    def facts_near(self, named: Named) -> list[FactState]:
        """The facts whose subject a text names, the latest first."""
        near = [f for key in self._subjects.keys() & named.grams for f in self._subjects[key]]
        return sorted(near, key=lambda f: (-f.chapter, f.about, f.says))

    def latest_facts(self) -> list[FactState]:
        """The latest facts, the newest first."""
        return list(reversed(self.state.facts[-LATEST:]))

    def items_near(self, owners: Iterable[str], named: Named) -> list[ItemState]:
        """The things of these people, and those that a text names, the latest change first."""
        near = {
            (item.owner, item.item): item
            for owner in owners
            for item in self._owners.get(owner, ())
        }
        for key in self._things.keys() & named.grams:
            near |= {(item.owner, item.item): item for item in self._things[key]}
        return sorted(near.values(), key=lambda i: (-i.as_of, i.owner, i.item))

    def latest_items(self) -> list[ItemState]:
        """The things that changed last, the latest first."""
        every = self.state.items.values()
        return nlargest(LATEST, every, key=lambda i: i.as_of)

    def named_in(self, named: Named) -> list[str]:
        """The things and the subjects of facts that a text names, in the order of the alphabet."""
        things = {self._things[key][0].item for key in self._things.keys() & named.grams}
        subjects = {self._subjects[key][0].about for key in self._subjects.keys() & named.grams}
        return sorted(thing for thing in things | subjects if len(thing) > 1)
