"""The author of the simulated novel: the prose of each chapter, its plan, and all other replies."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.simulator_story import Story, Turn
from bench.simulator_words import WORDS, clauses
from zencli.prose.count import count_words
from zencli.story.book import Language

ARC = 25
"""Chapters of one arc."""

BATCH = 6
"""Chapters that zencli outlines in one call."""

NAMED_EVERY = 25
"""How often a plan names somebody who has been dead for long."""


@dataclass(frozen=True)
class Written:
    """A chapter as the roles return it."""

    number: int
    title: str
    prose: str
    plan: dict[str, Any]
    delta: dict[str, Any]


class Author:
    """Writes the chapters in their order; ``words`` is their length in the language's unit.

    ``material`` are clauses to put sentences together from, the language's novel when None.
    """

    def __init__(
        self,
        language: Language,
        words: int,
        target: int,
        seed: int = 20261130,
        material: Sequence[str] | None = None,
    ) -> None:
        self.language = language
        self.words = words
        self.target = target
        self.story = Story(language, seed)
        self._seed = seed
        self._clauses = clauses(language) if material is None else material
        self._comma, self._stop = ("，", "。") if language == "zh" else (", ", ".")

    def skip(self, chapters: int) -> None:
        """Go on as if the next ``chapters`` had been written."""
        for _ in range(chapters):
            self.story.next()

    def chapter(self) -> Written:
        """The next chapter."""
        turn = self.story.next()
        rng = random.Random(f"{self._seed}-{turn.number}")
        prose = self._prose(turn, rng)
        title = f"{self._piece(rng, 1)}"
        delta = {
            "summary": self._piece(rng, 8) + turn.sentences[0] + turn.sentences[-1],
            "reader_knows": self._piece(rng, 3),
            "ending_kind": self._piece(rng, 1),
            "time": self._day(turn.number),
            **turn.delta,
        }
        return Written(turn.number, title, prose, self._plan(turn, rng, title), delta)

    def concept(self) -> dict[str, Any]:
        """The reply of the planning call of that name."""
        rng = random.Random(f"{self._seed}-concept")
        words = WORDS[self.language]
        gap = "：" if self.language == "zh" else ": "
        return {
            "title": "长河" if self.language == "zh" else "The Long River",
            **{key: self._piece(rng, 8) for key in ("logline", "question", "stakes", "ending")},
            "pov": self._piece(rng, 3),
            "world": [self._piece(rng, 6) for _ in range(12)],
            "map": self._piece(rng, 8),
            "places": [f"{place}{gap}{self._piece(rng, 4)}" for place in words.places],
            "timeline": [
                {"when": self._day(n), "what": self._piece(rng, 4), "who": [self.story.carded[n]]}
                for n in range(12)
            ],
            "secrets": [
                {"truth": self._piece(rng, 4), "who_knows": self.story.carded[n],
                 "hinted_from": 10 * n, "proved_from": 100 * n}
                for n in range(1, 7)
            ],
            "voice": self._piece(rng, 6),
            "sample": self._piece(rng, 20),
            "forbidden": [],
        }  # fmt: skip

    def cast(self) -> dict[str, Any]:
        """The reply of the planning call of that name."""
        rng = random.Random(f"{self._seed}-cast")
        characters = [
            {"name": name, "role": self._piece(rng, 1), "card": self._piece(rng, 14),
             "start": self._piece(rng, 2)}
            for name in self.story.carded
        ]  # fmt: skip
        hooks = [{"promise": self._piece(rng, 3), "due": 30 * n} for n in (1, 2)]
        return {"characters": characters, "hooks": hooks}

    def structure(self, first: int, last: int) -> dict[str, Any]:
        """Arcs that cover these chapters, in one volume."""
        rng = random.Random(f"{self._seed}-structure-{first}")
        keys = ("promise", "pressure", "turn", "payoff")
        arcs = [
            {"title": self._piece(rng, 1), "first": at, "last": min(at + ARC - 1, last),
             **{key: self._piece(rng, 3) for key in keys}}
            for at in range(first, last + 1, ARC)
        ]  # fmt: skip
        return {"volumes": [{"title": self._piece(rng, 1), "arcs": arcs}]}

    def outline(self, number: int) -> dict[str, Any]:
        """The entry of one chapter."""
        rng = random.Random(f"{self._seed}-outline-{number}")
        return {
            "number": number,
            "when": self._day(number),
            "kind": self._piece(rng, 1),
            "event": self._piece(rng, 4),
            "cost": self._piece(rng, 3),
            "scenes": [self._piece(rng, 3) for _ in range(3)],
            "clues": [],
            "hooks": [{"id": "H1", "do": "advance"}],
            "ends_on": self._piece(rng, 2),
        }

    def batch(self, first: int) -> range:
        """The chapters that are outlined with ``first``: never beyond the end of its arc."""
        return range(first, min(first + BATCH - 1, self.arc_end(first)) + 1)

    def arc_end(self, number: int) -> int:
        """The last chapter of the arc that holds this one."""
        return min((number - 1) // ARC * ARC + ARC, self.target)

    def _plan(self, turn: Turn, rng: random.Random, title: str) -> dict[str, Any]:
        cast = list(turn.cast)
        absent = self.story.absent()
        if turn.number % NAMED_EVERY == 0 and absent:
            cast.append(absent)
        scenes = [
            {"where": where, "when": self._day(turn.number), "who": cast[at : at + 3],
             "want": self._piece(rng, 2), "turn": self._piece(rng, 2),
             "leaves": self._piece(rng, 2), "words": self.words // 3}
            for at, where in enumerate(turn.places)
        ]  # fmt: skip
        return {
            "title": title,
            "purpose": self._piece(rng, 4),
            "choice": self._piece(rng, 4),
            "stakes": self._piece(rng, 3),
            "scenes": scenes,
            "hooks": turn.steps,
            "keep": [self._piece(rng, 2) for _ in range(3)],
            "hold_back": [self._piece(rng, 2)],
            "leave": [self._piece(rng, 2)],
            "new": [turn.newcomer] if turn.newcomer else [],
            "details": [self._piece(rng, 2) for _ in range(4)],
            "ending": self._piece(rng, 2),
            "cast": cast,
        }

    def _prose(self, turn: Turn, rng: random.Random) -> str:
        told = sum(count_words(sentence, self.language) for sentence in turn.sentences)
        body: list[str] = []
        while told < self.words:
            body.append(self._sentence(rng))
            told += count_words(body[-1], self.language)
        for sentence in turn.sentences:
            body.insert(rng.randrange(1, len(body)), sentence)
        paragraphs: list[str] = []
        space = "" if self.language == "zh" else " "
        while body:
            size = rng.choice((1, 2, 3, 4, 5, 7))
            paragraphs.append(space.join(body[:size]))
            body = body[size:]
        return "\n\n".join(paragraphs)

    def _sentence(self, rng: random.Random) -> str:
        said = self._piece(rng, rng.choice((1, 1, 2, 2, 3, 4, 6)))
        return said[0].upper() + said[1:] + self._stop

    def _piece(self, rng: random.Random, clauses: int) -> str:
        return self._comma.join(rng.choice(self._clauses) for _ in range(clauses))

    def _day(self, number: int) -> str:
        return f"第 {number} 天" if self.language == "zh" else f"day {number}"
