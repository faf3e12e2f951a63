"""What one chapter changes in the story, each change with the sentence it rests on."""

from collections.abc import Callable
from typing import ClassVar, Literal, TypeVar

from pydantic import ConfigDict

from zencli.story.lenient import Lenient
from zencli.story.plan import HookMove

ItemChange = Literal["gains", "loses", "uses up", "breaks", "puts down"]


class CharacterChange(Lenient):
    """Empty fields are unchanged; ``learned`` adds to what the character knows."""

    name: str = ""
    status: str = ""
    place: str = ""
    condition: str = ""
    goal: str = ""
    learned: list[str] = []
    quote: str = ""


class ItemEvent(Lenient):
    """A thing or a quantity that changes hands, place or condition."""

    synonyms: ClassVar[dict[str, str]] = {
        "得到": "gains",
        "失去": "loses",
        "用掉": "uses up",
        "损坏": "breaks",
        "放下": "puts down",
    }

    owner: str = ""
    item: str = ""
    change: ItemChange = "gains"
    quantity: str = ""
    where: str = ""
    quote: str = ""


class RelationChange(Lenient):
    """How two characters stand to each other from here on."""

    a: str = ""
    b: str = ""
    now: str = ""
    quote: str = ""


class Fact(Lenient):
    """Something later chapters must agree with."""

    about: str = ""
    says: str = ""
    quote: str = ""


class HookEvent(Lenient):
    """A promise to the reader: planted, advanced, paid, deferred or dropped.

    ``due`` is the last chapter in which it may still be unpaid, 0 when none was set.
    """

    id: str = ""
    do: HookMove = "advance"
    kind: str = ""
    promise: str = ""
    due: int = 0
    clue: str = ""
    quote: str = ""


class Delta(Lenient):
    """All changes of one chapter. Absent means unchanged."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    summary: str = ""
    reader_knows: str = ""
    ending_kind: str = ""
    time: str = ""
    characters: list[CharacterChange] = []
    items: list[ItemEvent] = []
    relations: list[RelationChange] = []
    facts: list[Fact] = []
    hooks: list[HookEvent] = []


Operation = TypeVar("Operation", CharacterChange, ItemEvent, RelationChange, Fact, HookEvent)


def proven(delta: Delta, locate: Callable[[str], str | None]) -> tuple[Delta, list[str]]:
    """Keep only operations whose quote is in the text.

    ``locate`` maps a quote to the exact words of the chapter, or None when they aren't there.
    Returns the delta with exact quotes, and one sentence for each dropped operation.
    """
    dropped: list[str] = []

    def keep(kind: str, operations: list[Operation]) -> list[Operation]:
        kept = []
        for operation in operations:
            exact = locate(operation.quote) if operation.quote else None
            if exact is None:
                dropped.append(f"{kind}: quote not in the text: {operation.quote[:40]!r}")
            else:
                kept.append(operation.model_copy(update={"quote": exact}))
        return kept

    return (
        delta.model_copy(
            update={
                "characters": keep("character", delta.characters),
                "items": keep("item", delta.items),
                "relations": keep("relation", delta.relations),
                "facts": keep("fact", delta.facts),
                "hooks": keep("hook", delta.hooks),
            }
        ),
        dropped,
    )
