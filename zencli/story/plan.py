"""The plan of one chapter."""

import re
from typing import Literal

from zencli.story.lenient import Lenient

HookMove = Literal["plant", "advance", "pay", "defer", "drop"]


class Scene(Lenient):
    """One scene: a place and an hour, who wants what, how it turns, its share of the words."""

    where: str = ""
    when: str = ""
    who: list[str] = []
    want: str = ""
    turn: str = ""
    leaves: str = ""
    words: int = 0


class Clue(Lenient):
    """Something the reader sees without knowing that it matters."""

    id: str = ""
    what: str = ""
    inside: str = ""


class HookStep(Lenient):
    """What the chapter does with a hook: an existing id, or ``new``."""

    id: str = ""
    do: HookMove = "advance"
    how: str = ""


class Amendment(Lenient):
    """A change to the outline of a later chapter that this plan makes necessary."""

    chapter: int = 0
    change: str = ""


class Plan(Lenient):
    """What the writer of a chapter needs to know, and nothing of its sentences."""

    title: str = ""
    purpose: str = ""
    choice: str = ""
    stakes: str = ""
    scenes: list[Scene] = []
    clues: list[Clue] = []
    hooks: list[HookStep] = []
    keep: list[str] = []
    hold_back: list[str] = []
    leave: list[str] = []
    amend: list[Amendment] = []
    new: list[str] = []
    new_terms: list[str] = []
    details: list[str] = []
    ending: str = ""
    cast: list[str] = []

    def names(self) -> list[str]:
        """Everyone on stage, in order of mention, without repeats.

        Models write several people into one string, and notes in brackets behind a name.
        """
        written = [*self.cast, *(name for scene in self.scenes for name in scene.who)]
        bare = [re.sub(r"（[^）]*）|\([^)]*\)", "", text) for text in written]
        parts = [part.strip() for text in bare for part in re.split(r"[、,，;；]", text)]
        return [name for name in dict.fromkeys(parts) if name]
