"""Reading ``state.md`` and ``hooks.md`` as the author edited them: the differences as corrections.

Only lines that aren't as they were are read at all, so an unchanged view has no difference,
whatever its values look like. A line that can't be read raises ``Unreadable`` with its number.
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.corrections import SEPARATOR, AuthorCorrection, Kind
from zencli.story.documents.hook_lines import hook_entries
from zencli.story.documents.view_entry import Entry, Unreadable
from zencli.story.documents.view_lines import Line, read_line, state_view
from zencli.story.documents.views import state_lines
from zencli.story.state import (
    CharacterState,
    FactState,
    ItemState,
    RelationState,
    State,
    Summary,
)

_MANY: dict[Kind, str] = {"character": "knows", "hook": "clues"}
"""The field of a kind that has several values."""


@dataclass(frozen=True)
class _Change:
    """A field of an entry that isn't as it was."""

    kind: Kind
    key: str
    field: str = ""
    was: str | None = None
    value: str | None = None


@dataclass
class _Sides:
    """The entries that are only in the old view, and those that are only in the new one."""

    old: list[Entry] = field(default_factory=list)
    new: list[Entry] = field(default_factory=list)


def state_corrections(
    old: str, new: str, known: State, at: int, language: Language
) -> list[AuthorCorrection]:
    """What the author changed in ``state.md`` from ``old`` to ``new``.

    ``known`` is the state that the program believes, for the names in it; ``at`` the chapter from
    which the corrections hold. Raises ``Unreadable``.
    """
    before, after = state_view(old, strict=False), state_view(new, strict=True)
    kept = Counter(line.same for line in before) & Counter(line.same for line in after)
    shown = _shown(known, language)
    sides = _Sides()
    for line in _without(before, kept):
        with suppress(Unreadable):  # the program's own line: nothing is known of it
            fact = shown.get(line.same)
            sides.old.append(read_line(line, known, fact if isinstance(fact, FactState) else None))
    sides.new = [read_line(line, known) for line in _without(after, kept)]
    _check_once(sides.new, {_identity(shown[same]) for same in kept if same in shown})
    return _corrections(sides, at)


def hook_corrections(old: str, new: str, at: int) -> list[AuthorCorrection]:
    """What the author changed in ``hooks.md`` from ``old`` to ``new``. Raises ``Unreadable``."""
    before, after = hook_entries(old, strict=False), hook_entries(new, strict=True)
    _check_once(after, set())
    kept = [entry for entry in before if entry in after]
    sides = _Sides(
        [entry for entry in before if entry not in kept],
        [entry for entry in after if entry not in kept],
    )
    return _corrections(sides, at)


_Value = CharacterState | ItemState | RelationState | FactState | Summary


def _shown(known: State, language: Language) -> dict[tuple[str, str], _Value]:
    """Which entry of the state a line shows, by heading and text."""
    values: dict[str, Iterable[_Value]] = {
        "characters": known.characters.values(),
        "items": known.items.values(),
        "relations": known.relations.values(),
        "facts": known.facts,
        "summaries": known.summaries,
    }
    return {
        (section, line): value
        for section, lines in state_lines(known, language).items()
        for line, value in zip(lines, values[section], strict=True)
    }


def _identity(value: _Value) -> tuple[Kind, str]:
    match value:
        case CharacterState():
            return "character", value.name
        case ItemState():
            return "item", f"{value.owner}{SEPARATOR}{value.item}"
        case RelationState():
            return "relation", f"{value.a}{SEPARATOR}{value.b}"
        case FactState():
            return "fact", value.about
        case Summary():
            return "summary", str(value.number)


def _without(lines: Iterable[Line], kept: Counter[tuple[str, str]]) -> list[Line]:
    left = Counter(kept)
    rest = []
    for line in lines:
        if left[line.same]:
            left[line.same] -= 1
        else:
            rest.append(line)
    return rest


def _check_once(entries: Iterable[Entry], taken: set[tuple[Kind, str]]) -> None:
    seen = set(taken)
    for entry in entries:
        if entry.kind in ("fact", "story"):
            continue
        if (entry.kind, entry.key) in seen:
            name = entry.key.replace(SEPARATOR, " / ").strip(" /")
            raise Unreadable(entry.number, f"{name} stands here twice")
        seen.add((entry.kind, entry.key))


def _corrections(sides: _Sides, at: int) -> list[AuthorCorrection]:
    changes = [*_fact_changes(sides), *_entry_changes(sides)]
    return [
        AuthorCorrection(
            at=at,
            kind=c.kind,
            key="" if c.kind == "story" else c.key,
            field=c.field,
            was=c.was,
            value=c.value,
        )
        for c in changes
    ]


def _fact_changes(sides: _Sides) -> list[_Change]:
    """A fact about the same thing that stands there instead of another is that one, corrected."""
    gone = [entry for entry in sides.old if entry.kind == "fact"]
    come = [entry for entry in sides.new if entry.kind == "fact"]
    changes = []
    for entry in come:
        old = next((other for other in gone if other.key == entry.key), None)
        if old is not None:
            gone.remove(old)
        was, value = old.fields["says"] if old else None, entry.fields["says"]
        if was is None or markdown.one_line(was) != value:
            changes.append(_Change("fact", entry.key, "says", was, value))
    lost = [_Change("fact", entry.key, "says", entry.fields["says"], None) for entry in gone]
    return lost + changes


def _entry_changes(sides: _Sides) -> list[_Change]:
    old = {(e.kind, e.key): e for e in sides.old if e.kind != "fact"}
    new = {(e.kind, e.key): e for e in sides.new if e.kind != "fact"}
    changes: list[_Change] = []
    for identity, entry in old.items():
        if identity in new:
            continue
        if entry.kind == "story":
            changes += _fields(entry, Entry("story", entry.key, {}, entry.number))
        else:
            was = entry.fields.get("text") if entry.kind == "summary" else None
            changes.append(_Change(entry.kind, entry.key, "", was))
    for identity, entry in new.items():
        nothing = Entry(entry.kind, entry.key, {}, entry.number)
        changes += _fields(old.get(identity, nothing), entry)
    return changes


def _fields(old: Entry, new: Entry) -> list[_Change]:
    changes = []
    for name in [*new.fields, *(name for name in old.fields if name not in new.fields)]:
        was, value = old.fields.get(name, ""), new.fields.get(name, "")
        if markdown.one_line(was) != value:
            changes.append(_Change(new.kind, new.key, name, was or None, value or None))
    many = _MANY.get(new.kind, "")
    told = {markdown.one_line(text) for text in old.many}
    for text in old.many:
        if markdown.one_line(text) not in new.many:
            changes.append(_Change(new.kind, new.key, many, text, None))
    for text in new.many:
        if text not in told:
            changes.append(_Change(new.kind, new.key, many, None, text))
    return changes
