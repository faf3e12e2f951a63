"""The story of the simulated novel: who goes where, who has what, which promises are open.

It is told chapter by chapter, always the same way, and holds no more than a real serial does: a
dozen people on stage, some twenty open hooks, of which one in twelve waits for 700 chapters.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.simulator_words import WORDS, people
from zencli.story.book import Language

MAIN = 6
"""People who stay to the end."""

MINOR = 8
"""Others on stage at once; every ``CHANGE`` chapters one comes and the longest there dies."""

CHANGE = 12
CARDS = 24
"""People of whom the book has a card from the start."""

LIVES = (4, 9, 15, 40, 6, 11, 25, 120, 8, 14, 30, 700)
"""How many chapters a hook stays open, one after the other."""

PLANTED_EVERY = 3
OPENING_HOOKS = 2


@dataclass
class Turn:
    """What happens in one chapter: sentences of the text, and the delta that rests on them."""

    number: int
    cast: list[str]
    places: list[str]
    newcomer: str
    steps: list[dict[str, Any]]
    sentences: list[str] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)
    delta: dict[str, Any] = field(default_factory=dict)


@dataclass
class OpenHook:
    """A promise: its id, what it is about, the chapter that pays it."""

    id: str
    matter: str
    due: int


class Story:
    """Tells turns in the order of the chapters, from 1."""

    def __init__(self, language: Language, seed: int = 20261130) -> None:
        self._words = WORDS[language]
        self._random = random.Random(seed)
        names = people(language)
        self.carded = names[:CARDS]
        self._main = names[:MAIN]
        self._minor = names[MAIN : MAIN + MINOR]
        self._coming = iter(names[MAIN + MINOR :])
        self._left: list[str] = []
        self._items: list[tuple[str, str]] = []
        self._hooks = [
            OpenHook(f"H{n}", self._words.matters[n], 30 * n) for n in range(1, OPENING_HOOKS + 1)
        ]
        self._last_hook = OPENING_HOOKS
        self._number = 0

    def next(self) -> Turn:
        """The next chapter's."""
        self._number += 1
        number, rng = self._number, self._random
        newcomer = self._change() if number % CHANGE == 0 else ""
        present = rng.sample(self._main, 3) + rng.sample(self._minor, 2)
        cast = [*present, newcomer] if newcomer and newcomer not in present else present
        turn = Turn(number, cast, rng.sample(self._words.places, 3), newcomer, [])
        delta = turn.delta
        delta["characters"] = [self._person(turn, who) for who in cast[:4]]
        if newcomer:
            delta["characters"].append(self._death(turn))
        delta["items"] = [self._gain(turn), *self._loss(turn)]
        delta["relations"] = [self._tie(turn)]
        delta["facts"] = [self._fact(turn) for _ in range(4)]
        delta["hooks"] = self._hook_steps(turn)
        turn.steps = [
            {"id": step["id"], "do": step["do"], "how": step["clue"]} for step in delta["hooks"]
        ]
        return turn

    def absent(self) -> str:
        """Somebody who left the story long ago, for a plan that names him; "" when nobody did."""
        return self._left[0] if self._left else ""

    def _say(self, turn: Turn, forms: Sequence[str], **fields: object) -> str:
        """A sentence of the text; what it tells rests on it. A form is used again only when all
        of its kind were."""
        count = min(turn.used[form] for form in forms)
        form = self._random.choice([form for form in forms if turn.used[form] == count])
        turn.used[form] += 1
        said = form.format(**fields)
        said = said[0].upper() + said[1:]
        turn.sentences.append(said)
        return said

    def _number_of(self, turn: Turn) -> int:
        return turn.number * 7 + self._random.randrange(2, 7)

    def _change(self) -> str:
        """One comes, the one who was there longest will die in this chapter."""
        newcomer = next(self._coming)
        self._left.append(self._minor.pop(0))
        self._minor.append(newcomer)
        return newcomer

    def _person(self, turn: Turn, who: str) -> dict[str, Any]:
        where = self._random.choice(turn.places)
        self._say(turn, self._words.move, who=who, where=where)
        matter = self._random.choice(self._words.matters)
        quote = self._say(turn, self._words.learn, who=who, matter=matter)
        goal = self._random.choice(self._words.matters)
        return {"name": who, "place": where, "goal": goal, "learned": [quote], "quote": quote}

    def _death(self, turn: Turn) -> dict[str, Any]:
        who, where = self._left[-1], turn.places[0]
        quote = self._say(turn, self._words.leave, who=who, where=where)
        return {"name": who, "status": "死" if "死" in quote or "断" in quote else "dead",
                "place": where, "quote": quote}  # fmt: skip

    def _gain(self, turn: Turn) -> dict[str, Any]:
        who, where = self._random.choice(turn.cast), self._random.choice(turn.places)
        what = self._random.choice(self._words.things)
        quote = self._say(turn, self._words.gain, who=who, what=what)
        self._items.append((who, what))
        return {"owner": who, "item": what, "change": "gains", "quantity": "1", "where": where,
                "quote": quote}  # fmt: skip

    def _loss(self, turn: Turn) -> list[dict[str, Any]]:
        if turn.number % 2:
            return []
        who, what = self._items.pop(self._random.randrange(len(self._items)))
        quote = self._say(turn, self._words.lose, who=who, what=what)
        return [{"owner": who, "item": what, "change": "loses", "quote": quote}]

    def _tie(self, turn: Turn) -> dict[str, Any]:
        who, other = self._random.sample(turn.cast, 2)
        quote = self._say(turn, self._words.tie, who=who, other=other)
        return {"a": who, "b": other, "now": quote, "quote": quote}

    def _fact(self, turn: Turn) -> dict[str, Any]:
        where = self._random.choice(self._words.places)
        n = self._number_of(turn)
        quote = self._say(turn, self._words.fact, where=where, n=n)
        return {"about": where, "says": quote, "quote": quote}

    def _hook_steps(self, turn: Turn) -> list[dict[str, Any]]:
        steps = []
        for hook in [h for h in self._hooks if h.due <= turn.number]:
            steps.append(self._touched(turn, hook, "pay", self._words.pay))
            self._hooks.remove(hook)
        for hook in self._random.sample(self._hooks, min(2, len(self._hooks))):
            steps.append(self._touched(turn, hook, "advance", self._words.advance))
        if turn.number % PLANTED_EVERY == 1:
            steps.append(self._planted(turn))
        return steps

    def _touched(
        self, turn: Turn, hook: OpenHook, move: str, forms: Sequence[str]
    ) -> dict[str, Any]:
        who, where = turn.cast[0], self._random.choice(turn.places)
        quote = self._say(turn, forms, who=who, where=where, matter=hook.matter)
        return {"id": hook.id, "do": move, "clue": quote, "quote": quote}

    def _planted(self, turn: Turn) -> dict[str, Any]:
        self._last_hook += 1
        life = LIVES[(turn.number // PLANTED_EVERY) % len(LIVES)]
        matter = self._random.choice(self._words.matters)
        quote = self._say(
            turn, self._words.plant, who=turn.cast[1], matter=matter, n=self._number_of(turn)
        )
        self._hooks.append(OpenHook(f"H{self._last_hook}", matter, turn.number + life))
        return {"id": "new", "do": "plant", "promise": quote, "due": turn.number + life,
                "clue": quote, "quote": quote}  # fmt: skip
