"""The files at work: those that the last two replies wrote or read, as they are on disk now."""

from collections.abc import Sequence
from dataclasses import dataclass

from zencli.agent.author_edits import authorship
from zencli.agent.memory.budgets import WORKING_CHARS, WORKING_FILES
from zencli.agent.memory.ranked import Item
from zencli.agent.session import PastTurn
from zencli.agent.tools.saving import text_or_none
from zencli.store.layout import BookDir

REPLIES = 2


@dataclass(frozen=True)
class WorkingSet:
    """The files shown in full, and those that are only named because there was no room."""

    items: tuple[Item, ...] = ()
    named: tuple[str, ...] = ()


def working_set(
    book: BookDir, past: Sequence[PastTurn], most_chars: int = WORKING_CHARS
) -> WorkingSet:
    """What the last replies worked on, the newest first; what was written before what was read.

    A file that is gone, or can't be read, isn't among them. Author-edited files tell the edits.
    """
    paths: dict[str, None] = {}
    for turn in reversed(past[-REPLIES:]):
        written = [path for path, change in turn.files.items() if change != "deleted"]
        paths.update(dict.fromkeys([*written, *turn.read]))
    items, named, left = list[Item](), list[str](), most_chars
    for path in paths:
        text = text_or_none(book, path)
        if text is None:
            continue
        if len(items) >= WORKING_FILES or len(text) > left:
            named.append(path)
            continue
        left -= len(text)
        edits = tuple(authorship(book, path, text).shown())
        items.append(Item("file", path, text, len(text), edits=edits))
    return WorkingSet(tuple(items), tuple(named))
