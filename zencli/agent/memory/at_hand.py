"""What stands before the author's words: the book at hand, chosen by rank."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from zencli.agent.author_edits import authorship
from zencli.agent.memory.budgets import WORKING_CHARS, budgets
from zencli.agent.memory.candidates import given, of_book, passages
from zencli.agent.memory.ranked import Item, choose
from zencli.agent.memory.working_set import WorkingSet, working_set
from zencli.agent.session import PastTurn
from zencli.agent.tools.scanning import paths_of
from zencli.agent.turn import Turn
from zencli.context.prompts import Prompts
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.store.snapshot import as_committed

MOST_LISTED = 120
SCRIPT_CHARS = 2
"""Characters of a working file that a token of a small window is taken for."""


@dataclass(frozen=True)
class AtHand:
    """The rendered context, and the files that stand in it in full, by path."""

    text: str
    full: dict[str, str] = field(default_factory=dict)


def at_hand(
    turn: Turn,
    prompts: Prompts,
    profile: Profile,
    past: Sequence[PastTurn],
    aside: Sequence[str] = (),
) -> AtHand:
    """The book, the files at work, what the author gave, the rest by rank, the list of files.

    ``aside`` are files whose text the agent gets elsewhere.
    """
    budget = budgets(profile).context
    book = as_committed(turn.book) if turn.book else None

    def estimate(text: str) -> int:
        return estimate_tokens(text, profile)

    own = choose(given(turn), budget, estimate)
    at_work = WorkingSet()
    if book is not None:
        at_work = working_set(book, past, min(WORKING_CHARS, budget * SCRIPT_CHARS))
        shown = {*aside, *(item.name for item in own if item.kind == "file")}
        at_work = replace(at_work, items=tuple(i for i in at_work.items if i.name not in shown))
    left = budget - sum(estimate(item.text) for item in own)
    found = _of_book(book, turn, at_work, own, left, profile, aside) if book else []
    ranked = [*own, *found]
    items = [_with_edits(book, item) for item in ranked] if book else ranked
    config = book.config() if book else None
    text = prompts.render(
        "agent/context",
        book=config,
        genre=prompts.display_name("genres", config.genre) if config else "",
        latest=_latest(book) if book else None,
        chapters=len(book.chapter_numbers()) if book else 0,
        items=items,
        opened=turn.asked.files,
        working=at_work.items,
        working_named=at_work.named,
        files=_listed(book) if book else [],
    )
    whole = [i for i in (*at_work.items, *items) if i.kind == "file" and i.full]
    return AtHand(text, {item.name: item.text for item in whole})


def _of_book(
    book: BookDir,
    turn: Turn,
    at_work: WorkingSet,
    own: Sequence[Item],
    budget: int,
    profile: Profile,
    aside: Sequence[str],
) -> list[Item]:
    """The files by rank, then the passages that the author's words find outside of them."""
    message = turn.asked.message
    shown = [item.name for item in (*own, *at_work.items) if item.kind == "file"]

    def estimate(text: str) -> int:
        return estimate_tokens(text, profile)

    subject = [*turn.asked.files, *turn.files.words]
    files = list(of_book(book, message, [*shown, *aside], turn.agent, subject))
    first = choose(files, budget, estimate)
    found = passages(book, message, [*own, *at_work.items, *first], turn.agent, aside)
    chosen = choose([*files, *found], budget, estimate)
    known = {item.name: item.text for item in chosen if item.kind == "file"}
    return [
        item
        for item in chosen
        if item.kind != "passage" or item.text not in known.get(item.name, "")
    ]


def _with_edits(book: BookDir, item: Item) -> Item:
    """An item that the author edited, with his edits."""
    if item.kind != "file" or not item.full:
        return item
    return replace(item, edits=tuple(authorship(book, item.name, item.text).shown()))


def _latest(book: BookDir) -> dict[str, object] | None:
    numbers = book.chapter_numbers()
    if not numbers:
        return None
    title, prose = book.chapter(numbers[-1])
    words = count_words(prose, book.config().language)
    return {"number": numbers[-1], "title": title, "words": words}


def _listed(book: BookDir) -> list[str]:
    """The files by folder; of a folder with many only the first and the last are named."""
    folders: dict[str, list[str]] = {}
    for path in paths_of(book):
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    lines = []
    for folder, paths in sorted(folders.items()):
        if len(paths) <= MOST_LISTED // 10 or not folder:
            lines += paths[:MOST_LISTED]
        else:
            lines.append(f"{paths[0]} … {paths[-1]} ({len(paths)})")
    return lines[:MOST_LISTED]
