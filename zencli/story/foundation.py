"""What a book starts from: the replies of the architect, and what the fold needs of them."""

from pydantic import BaseModel, ConfigDict, Field

from zencli.story.lenient import Lenient


class Happening(Lenient):
    """One entry of the true timeline, the hidden part included."""

    when: str = ""
    what: str = ""
    who: list[str] = []


class Secret(Lenient):
    """A truth the reader must not know yet.

    ``hinted_from`` is the first chapter in which a clue may show, ``proved_from`` the first that
    may settle it; 0 means from the start.
    """

    truth: str = ""
    who_knows: str = ""
    hinted_from: int = 0
    proved_from: int = 0


class Concept(Lenient):
    """The book as conceived: world, stakes, secrets, voice."""

    title: str = ""
    logline: str = ""
    question: str = ""
    stakes: str = ""
    ending: str = ""
    pov: str = ""
    world: list[str] = []
    map: str = ""
    places: list[str] = []
    timeline: list[Happening] = []
    secrets: list[Secret] = []
    voice: str = ""
    sample: str = ""
    forbidden: list[str] = []


class Character(Lenient):
    """A character card. ``secret`` is for the planner only; ``start`` is the state on page one."""

    name: str = ""
    aliases: list[str] = []
    role: str = ""
    card: str = ""
    secret: str = ""
    start: str = ""


class FirstHook(Lenient):
    """A question that the opening puts to the reader. ``answer`` is for the planner only."""

    id: str = ""
    kind: str = ""
    promise: str = ""
    due: int = 0
    answer: str = ""


class Cast(Lenient):
    """The people of the book and the questions it opens with."""

    characters: list[Character] = []
    hooks: list[FirstHook] = []


class Arc(Lenient):
    """A stretch of chapters with one promise: what is awaited, how it turns, how it is paid."""

    title: str = ""
    first: int = 0
    last: int = 0
    promise: str = ""
    pressure: str = ""
    turn: str = ""
    payoff: str = ""


class Volume(Lenient):
    """A volume and its arcs, in order."""

    title: str = ""
    arcs: list[Arc] = []


class Structure(Lenient):
    """The whole book by volume and arc; its arcs cover every chapter exactly once."""

    volumes: list[Volume] = []


class ClueStep(Lenient):
    """A clue's part in a chapter: shown, shown again, or used."""

    id: str = ""
    do: str = ""
    what: str = ""


class HookMark(Lenient):
    """A hook that a chapter advances or pays."""

    id: str = ""
    do: str = ""


class OutlineEntry(Lenient):
    """One chapter of the outline: what can't be undone, who pays, scenes, clues, hooks, ending."""

    number: int = 0
    when: str = ""
    kind: str = ""
    event: str = ""
    cost: str = ""
    scenes: list[str] = []
    clues: list[ClueStep] = []
    hooks: list[HookMark] = []
    ends_on: str = ""


class OutlineBatch(Lenient):
    """The entries of a run of chapters."""

    chapters: list[OutlineEntry] = []


class Correction(Lenient):
    """A contradiction found by the reconciling call, and the exact replacement that mends it."""

    what: str = ""
    document: str = ""
    old: str = ""
    new: str = ""


class Reconciliation(Lenient):
    """All contradictions among bible, cast, timeline, numbers and brief."""

    problems: list[Correction] = []


class StartingCharacter(BaseModel):
    """A character as the story begins, for the fold."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    name: str
    aliases: list[str] = []
    start: str = ""


class Foundation(BaseModel):
    """What the fold starts from (``records/foundation.json``)."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    characters: list[StartingCharacter] = Field(default_factory=list)
    hooks: list[FirstHook] = Field(default_factory=list)
