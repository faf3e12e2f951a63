"""The author's edits that change the story's state and aren't taken over yet.

Edited views become corrections from the next chapter on; a card with another heading leaves the
old name as an alias; a person of the story whose card is gone stays in it. The next commit that
renders the views stores what is found here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from zencli.errors import DamagedError
from zencli.store.known_files import known_digests, known_text
from zencli.store.layout import BookDir
from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.corrections import AuthorCorrection
from zencli.story.documents.cards import parse_card
from zencli.story.documents.view_entry import Unreadable
from zencli.story.documents.view_parse import hook_corrections, state_corrections
from zencli.story.documents.views import render_hooks, render_state
from zencli.story.foundation import Character, StartingCharacter
from zencli.story.record import text_digest
from zencli.story.state import State


@dataclass(frozen=True)
class Edited:
    """The cards that were edited or are gone: their text as the program last knew it.

    ``added`` are those that it doesn't know, ``views`` the views that were edited, with the text
    that the author had before.
    """

    cards: Mapping[str, str]
    added: Mapping[str, str]
    views: Mapping[str, tuple[str | None, str]]


def edited(book: BookDir) -> Edited:
    """What differs from ``records/files.json`` and bears on the state."""
    known = known_digests(book)
    present = {f"characters/{slug}.md": text for slug, text in book.cards().items()}
    cards = {}
    for path, digest in known.items():
        if path.startswith("characters/") and _differs(present.get(path), digest):
            text = known_text(book, digest)
            if text is not None:
                cards[path] = text
    views = {}
    for path in ("state.md", "hooks.md"):
        if path not in known or book.digest(path) in (None, known[path]):
            continue
        now = book.read(path) or ""
        if now.strip():
            views[path] = known_text(book, known[path]), now
    added = {path: text for path, text in present.items() if known and path not in known}
    return Edited(cards, added, views)


def people_kept(
    found: Edited,
    cards: Mapping[str, str],
    kept: list[StartingCharacter],
    in_story: Callable[[str], bool],
) -> list[StartingCharacter]:
    """Who the fold must know besides the cards: old names of people, and people without a card.

    ``cards`` are the present ones by path, ``kept`` those known so far; ``in_story`` says whether
    a name means somebody in the state.
    """
    names = {parse_card(text).name for text in cards.values()}
    people = {person.name: person for person in kept}
    for path, text in found.cards.items():
        old = parse_card(text)
        if not old.name or old.name in names:
            continue
        new = _new_name(path, text, cards, found.added)
        if new:
            before = people.pop(old.name, None)
            there = people.get(new)
            aliases = [*(there.aliases if there else []), *(before.aliases if before else [])]
            aliases = list(dict.fromkeys([*aliases, old.name]))
            people[new] = StartingCharacter(name=new, aliases=[a for a in aliases if a != new])
        elif any(map(in_story, [old.name, *old.aliases])):
            people[old.name] = _person(old, people.get(old.name))
    return list(people.values())


def view_corrections(
    found: Edited, state: State, at: int, language: Language, book_id: str
) -> list[AuthorCorrection]:
    """The corrections of the edited views, from chapter ``at`` on.

    ``state`` is what the program believes. Raises DamagedError ``book.damaged`` with the line that
    can't be read.
    """
    corrections: list[AuthorCorrection] = []
    for path, (before, now) in found.views.items():
        if path == "state.md":
            old = before or render_state(state, language)
        else:
            old = before or render_hooks(state.hooks, language)
        if not now.endswith("\n") and old.startswith(now) and now != old.rstrip("\n"):
            raise _damaged(book_id, path, now.count("\n") + 1, "the file is cut off here")
        try:
            if path == "state.md":
                corrections += state_corrections(old, now, state, at, language)
            else:
                corrections += hook_corrections(old, now, at)
        except Unreadable as error:
            raise _damaged(book_id, path, error.number, error.reason) from error
    return corrections


def _damaged(book_id: str, path: str, line: int, reason: str) -> DamagedError:
    return DamagedError(
        "book.damaged",
        f"{path}, line {line}: {reason}.",
        f"Correct the line; the file is left as it is. Older ones: zencli history {book_id} {path}",
    )


def _differs(text: str | None, digest: str) -> bool:
    return text is None or text_digest(text) != digest


def _new_name(path: str, text: str, cards: Mapping[str, str], added: Mapping[str, str]) -> str:
    """The name that the card of ``path`` has now, "" when the card is gone."""
    if path in cards:
        return parse_card(cards[path]).name
    same = [new for new in added.values() if markdown.body(new) == markdown.body(text)]
    return parse_card(same[0]).name if len(same) == 1 else ""


def _person(card: Character, kept: StartingCharacter | None) -> StartingCharacter:
    aliases = [*card.aliases, *(kept.aliases if kept else [])]
    return StartingCharacter(name=card.name, aliases=list(dict.fromkeys(aliases)), start=card.start)
