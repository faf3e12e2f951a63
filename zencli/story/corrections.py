"""What the author corrected in the story's state, and how the fold takes it.

A correction holds from the beginning of chapter ``at`` on: the deltas before it are already told,
those of ``at`` and after may change the same thing again.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from zencli.story.delta import ItemChange
from zencli.story.markdown import one_line
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

Kind = Literal["character", "item", "relation", "fact", "hook", "summary", "story"]

FIELDS: dict[Kind, tuple[str, ...]] = {
    "character": ("status", "place", "condition", "goal", "start", "knows"),
    "item": ("change", "quantity", "where"),
    "relation": ("now",),
    "fact": ("says",),
    "hook": ("promise", "kind", "status", "planted", "quote", "due", "clues"),
    "summary": ("title", "text"),
    "story": ("time", "reader_knows"),
}
_CHOICES: dict[tuple[Kind, str], tuple[str, ...]] = {
    ("item", "change"): get_args(ItemChange),
    ("hook", "status"): get_args(HookStatus),
}
_NUMBERS = ("planted", "due")
_MANY = ("knows", "clues", "says")
"""Fields with several values: ``was`` is taken out, ``value`` is put in."""

SEPARATOR = "\x1f"


class AuthorCorrection(BaseModel):
    """One change of one field.

    ``key`` is the name of a person, the id of a hook, what a fact is about, the number of a
    chapter, or two names of the state's own key (owner and thing, both sides of a relation).
    Without a ``field`` the whole entry is taken out. ``was`` is what the field held before;
    ``value`` None empties it.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True, defer_build=True)

    at: int = Field(alias="from", ge=0)
    kind: Kind
    key: str = ""
    field: str = ""
    was: str | None = None
    value: str | None = None

    @model_validator(mode="after")
    def _usable(self) -> "AuthorCorrection":
        if not self.field:
            if self.value is not None or self.kind in ("fact", "story"):
                raise ValueError("a correction needs a field")
            return self
        if self.field not in FIELDS[self.kind]:
            raise ValueError(f"{self.kind} has no {self.field}")
        if self.value is None:
            return self
        choices = _CHOICES.get((self.kind, self.field))
        if choices is not None and self.value not in choices:
            raise ValueError(f"{self.field} can't be {self.value!r}")
        if self.field in _NUMBERS and not (self.value.isascii() and self.value.isdigit()):
            raise ValueError(f"{self.field} must be a chapter")
        return self

    def told(self) -> str:
        """What it is about, in words."""
        key = self.key.replace(SEPARATOR, " / ").strip(" /")
        return ", ".join(part for part in (key, self.field) if part)

    def words(self) -> str:
        """All of it in words."""
        if not self.field:
            return f"{self.told()} removed"
        if self.value is None:
            return f"{self.told()}: not {self.was!r}" if self.was else f"{self.told()}: nothing"
        return f"{self.told()}: {self.value!r}"


_LIST = TypeAdapter(list[AuthorCorrection])


def corrections_from(text: str) -> tuple[AuthorCorrection, ...]:
    """Corrections as they are stored. Raises pydantic's ``ValidationError``."""
    return tuple(_LIST.validate_json(text))


def corrections_json(corrections: Iterable[AuthorCorrection]) -> str:
    """Corrections as they are stored."""
    return _LIST.dump_json(list(corrections), by_alias=True, indent=1).decode() + "\n"


def corrected(
    state: State, corrections: Iterable[AuthorCorrection], names: Mapping[str, str]
) -> State:
    """The state with corrections, in their order. ``state`` isn't changed."""
    draft = _Draft(state)
    for correction in corrections:
        draft.take(_canonical(correction, names))
    return draft.state()


def overruled(
    before: State,
    after: State,
    corrections: Iterable[AuthorCorrection],
    names: Mapping[str, str],
) -> list[str]:
    """One sentence for each correction that holds in ``before`` and no longer in ``after``.

    ``after`` is the state after a chapter's delta, ``before`` the one it was applied to.
    """
    told: dict[str, None] = {}
    for correction in corrections:
        one = _canonical(correction, names)
        if _holds(before, one) and not _holds(after, one):
            said = repr(one.value) if one.value is not None else "nothing"
            gone = f", not {one.was!r}" if one.was is not None and one.field in _MANY else ""
            now = _now(after, one)
            told.setdefault(
                f"{one.told()}: the author said {said}{gone}; chapter {after.number} says {now}"
            )
    return list(told)


def _canonical(correction: AuthorCorrection, names: Mapping[str, str]) -> AuthorCorrection:
    """The same with the names of the cards."""
    parts = correction.key.split(SEPARATOR)
    if correction.kind == "character":
        parts = [names.get(parts[0], parts[0])]
    elif correction.kind == "item" and len(parts) == 2:
        parts[0] = names.get(parts[0], parts[0])
    elif correction.kind == "relation":
        parts = sorted(names.get(part, part) for part in parts)
    return correction.model_copy(update={"key": SEPARATOR.join(parts)})


def _entries(state: State, kind: Kind) -> Mapping[str, BaseModel]:
    if kind == "character":
        return state.characters
    if kind == "item":
        return state.items
    if kind == "relation":
        return state.relations
    if kind == "hook":
        return state.hooks
    return {str(summary.number): summary for summary in state.summaries}


def _holds(state: State, c: AuthorCorrection) -> bool:
    """Whether the state is as the correction wants it."""
    if c.field in _MANY:
        values = _many(state, c)
        has = c.value is None or one_line(c.value) in values
        return has and (c.was is None or one_line(c.was) not in values)
    if c.kind == "story":
        return str(getattr(state, c.field)) == (c.value or "")
    entry = _entries(state, c.kind).get(c.key)
    if not c.field or entry is None:
        return not c.field and entry is None
    return str(getattr(entry, c.field)) == (c.value or _empty(c.field))


def _now(state: State, c: AuthorCorrection) -> str:
    if c.field in _MANY:
        values = _many(state, c)
        return repr(c.was) if one_line(c.was or "") in values else "otherwise"
    if c.kind == "story":
        return repr(getattr(state, c.field))
    entry = _entries(state, c.kind).get(c.key)
    return repr(str(getattr(entry, c.field))) if entry is not None and c.field else "otherwise"


def _many(state: State, c: AuthorCorrection) -> list[str]:
    """The values of a field that has several, as the views show them."""
    if c.kind == "fact":
        return [one_line(f.says) for f in state.facts if one_line(f.about) == one_line(c.key)]
    if c.kind == "hook":
        hook = state.hooks.get(c.key)
        return [one_line(clue) for clue in hook.clues] if hook else []
    person = state.characters.get(c.key)
    return [one_line(known.what) for known in person.knows] if person else []


def _empty(field: str) -> str:
    return "0" if field in _NUMBERS else ""


class _Draft:
    """A copy of a state that corrections are put into."""

    def __init__(self, state: State) -> None:
        self._first = state
        self._story: dict[str, str] = {}
        self._characters = dict(state.characters)
        self._items = dict(state.items)
        self._relations = dict(state.relations)
        self._hooks = dict(state.hooks)
        self._facts = list(state.facts)
        self._summaries = {summary.number: summary for summary in state.summaries}

    def state(self) -> State:
        return self._first.model_copy(
            update={
                **self._story,
                "characters": self._characters,
                "items": self._items,
                "relations": self._relations,
                "hooks": self._hooks,
                "facts": tuple(self._facts),
                "summaries": tuple(self._summaries[n] for n in sorted(self._summaries)),
            }
        )

    def take(self, c: AuthorCorrection) -> None:
        if c.kind == "story":
            self._story[c.field] = c.value or ""
        elif c.kind == "fact":
            self._fact(c)
        elif c.kind == "summary":
            self._summary(c)
        elif c.kind == "hook":
            self._take(self._hooks, c, lambda: Hook(id=c.key, promise=""), {})
        elif c.kind == "character":
            touched = {} if c.field in ("start", "knows") else {"as_of": _as_of(c)}
            self._take(self._characters, c, lambda: CharacterState(name=c.key), touched)
        else:
            self._pair(c)

    def _pair(self, c: AuthorCorrection) -> None:
        first, _, second = c.key.partition(SEPARATOR)
        touched = {"as_of": _as_of(c)}
        if c.kind == "item":
            new = ItemState(owner=first, item=second, as_of=0, change="gains")
            self._take(self._items, c, lambda: new, touched)
        else:
            relation = RelationState(a=first, b=second, as_of=0, now="")
            self._take(self._relations, c, lambda: relation, touched)

    def _take(
        self, entries: dict[str, Any], c: AuthorCorrection, new: Any, touched: dict[str, int]
    ) -> None:
        if not c.field:
            entries.pop(c.key, None)
            return
        entry = entries.get(c.key)
        if entry is None:
            if c.value is None:
                return
            entry = new()
        update: dict[str, Any] = {c.field: c.value or "", **touched}
        if c.field in _NUMBERS:
            update[c.field] = int(c.value or 0)
        elif c.field == "knows":
            update["knows"] = _with(entry.knows, c, [known.what for known in entry.knows])
        elif c.field == "clues":
            update["clues"] = _with(entry.clues, c, entry.clues)
        entries[c.key] = entry.model_copy(update=update)

    def _fact(self, c: AuthorCorrection) -> None:
        """A fact that was worded anew stays in its place."""
        about = one_line(c.key)
        said = [one_line(f.says) if one_line(f.about) == about else None for f in self._facts]
        at = said.index(one_line(c.was)) if c.was and one_line(c.was) in said else None
        fact = FactState(about=c.key, says=c.value or "", chapter=_as_of(c), quote="")
        known = c.value is None or one_line(c.value) in said
        if at is not None:
            self._facts[at : at + 1] = [] if known else [fact]
        elif not known:
            self._facts.append(fact)

    def _summary(self, c: AuthorCorrection) -> None:
        """A summary that was made anew since isn't the one that the author corrected."""
        number = int(c.key) if c.key.isascii() and c.key.isdigit() else -1
        summary = self._summaries.get(number)
        if number < 0 or (summary is None and (not c.field or c.value is None)):
            return
        if not c.field:
            if summary is not None and _same(c.was, summary.text):
                del self._summaries[number]
            return
        summary = summary or Summary(number=number, title="", text="")
        if _same(c.was, getattr(summary, c.field)):
            self._summaries[number] = summary.model_copy(update={c.field: c.value or ""})


def _same(was: str | None, text: str) -> bool:
    return was is None or one_line(was) == one_line(text)


def _as_of(c: AuthorCorrection) -> int:
    return max(c.at - 1, 0)


def _with(entries: tuple[Any, ...], c: AuthorCorrection, texts: Iterable[str]) -> tuple[Any, ...]:
    """Things known or clues without ``was`` and with ``value``."""
    by_text = dict(zip(map(one_line, texts), entries, strict=True))
    if c.was is not None:
        by_text.pop(one_line(c.was), None)
    if c.value is not None and c.value not in by_text:
        known = Known(chapter=_as_of(c), what=c.value)
        by_text[c.value] = known if c.field == "knows" else c.value
    return tuple(by_text.values())
