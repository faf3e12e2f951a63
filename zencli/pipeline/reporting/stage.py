"""Who is on stage when: told by plans and deltas, and by the names in the text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from zencli.context.canon import Canon
from zencli.store.layout import BookDir
from zencli.story.fold import canonical_names
from zencli.story.record import Record

if TYPE_CHECKING:
    from zencli.export.report.data import OnStage

MOST_SEARCHED = 80
"""How many characters are looked for in every text; those on stage most often come first."""


def on_stage(book: BookDir, canon: Canon, numbers: Sequence[int]) -> "tuple[OnStage, ...]":
    """Every known character that appears, with the chapters that have him on stage or name him.

    On stage: the chapter's delta changes him, or its plan casts him and its text names him. Of a
    chapter without a record only the names can be told.
    """
    from zencli.export.report.data import OnStage

    aliases = _aliases(canon)
    known = {alias: name for name, others in aliases.items() for alias in others}
    acts: dict[str, set[int]] = defaultdict(set)
    cast: dict[str, set[int]] = defaultdict(set)
    for number, record in canon.records.items():
        for name in _changed(record):
            acts[known.get(name, name)].add(number)
        for name in record.plan.names() if record.plan else ():
            if name in known:
                cast[known[name]].add(number)
    searched = sorted(
        {*aliases, *acts}, key=lambda name: -len(acts.get(name, ())) - len(cast.get(name, ()))
    )[:MOST_SEARCHED]
    named = _named(book, {name: aliases.get(name, (name,)) for name in searched}, numbers)
    for name in searched:
        acts[name] |= cast[name] & named[name]
    return tuple(
        OnStage(name, frozenset(acts[name]), frozenset(named[name] - acts[name]))
        for name in searched
        if acts[name] or named[name]
    )


def _aliases(canon: Canon) -> dict[str, tuple[str, ...]]:
    """Every character's names, his own first."""
    found: dict[str, list[str]] = defaultdict(list)
    for alias, name in canonical_names(canon.foundation).items():
        found[name].append(alias)
    people = {c.name for c in canon.foundation.characters if c.name}
    return {name: tuple(dict.fromkeys((name, *found[name]))) for name in people | set(found)}


def _changed(record: Record) -> Iterable[str]:
    return (change.name for change in record.delta.characters) if record.delta else ()


def _named(
    book: BookDir, names: Mapping[str, Sequence[str]], numbers: Sequence[int]
) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {name: set() for name in names}
    wanted = [(alias, found[name]) for name in names for alias in names[name] if alias]
    for number, text in book.chapter_texts(numbers):
        for alias, chapters in wanted:
            if alias in text and _as_word(text, alias):
                chapters.add(number)
    return found


def _as_word(text: str, alias: str) -> bool:
    """Whether a name in a text is a whole word, where the script parts words."""
    return not alias.isascii() or re.search(rf"\b{re.escape(alias)}\b", text) is not None
