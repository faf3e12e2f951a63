"""The state of the story after some chapter."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

HookStatus = Literal["planned", "open", "advanced", "deferred", "paid", "dropped"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, cache_strings="keys", defer_build=True)


class Known(_Value):
    """Something a character learned, and in which chapter."""

    chapter: int
    what: str


class CharacterState(_Value):
    """A character as of chapter ``as_of`` (0: as the story begins)."""

    name: str
    as_of: int = 0
    status: str = ""
    place: str = ""
    condition: str = ""
    goal: str = ""
    start: str = ""
    knows: tuple[Known, ...] = ()


class ItemState(_Value):
    """A thing by owner; ``change`` is the last thing that happened to it."""

    owner: str
    item: str
    as_of: int
    change: str
    quantity: str = ""
    where: str = ""
    quote: str = ""


class RelationState(_Value):
    """How two characters stand to each other; ``a`` sorts before ``b``."""

    a: str
    b: str
    as_of: int
    now: str
    quote: str = ""


class FactState(_Value):
    """An established fact with the chapter and sentence that established it."""

    about: str
    says: str
    chapter: int
    quote: str


class Hook(_Value):
    """A promise to the reader. ``planted`` 0: not shown yet; ``due`` 0: no date."""

    id: str
    promise: str
    kind: str = ""
    status: HookStatus = "open"
    planted: int = 0
    quote: str = ""
    due: int = 0
    last: int = 0
    clues: tuple[str, ...] = ()

    @property
    def unpaid(self) -> bool:
        return self.status not in ("paid", "dropped")


class Summary(_Value):
    """What happened in a chapter and what kind of thing it stopped on."""

    number: int
    title: str
    text: str
    ending: str = ""


class State(_Value):
    """Everything later chapters must agree with, as of chapter ``number``."""

    number: int = -1
    time: str = ""
    reader_knows: str = ""
    characters: dict[str, CharacterState] = {}
    items: dict[str, ItemState] = {}
    relations: dict[str, RelationState] = {}
    facts: tuple[FactState, ...] = ()
    hooks: dict[str, Hook] = {}
    summaries: tuple[Summary, ...] = ()
