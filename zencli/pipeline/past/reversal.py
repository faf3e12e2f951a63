"""Taking one change back from a file that was changed again since, where the two don't meet."""

import tomllib
from typing import Any

from zencli.errors import NotFound, ZencliError
from zencli.pipeline.commit import record_json
from zencli.pipeline.past.rewind import Contents, record_in, record_number
from zencli.store.changes import Change
from zencli.store.config_file import updated_config
from zencli.store.history import content
from zencli.store.layout import BookDir


def merged(book: BookDir, change: Change) -> Contents | None:
    """What the file of a change should hold once the change is taken back.

    ``book.toml`` keeps what was set since in other keys; a record keeps a stale mark that a later
    run set. None when that can't be said.
    """
    try:
        if change.path == "book.toml":
            return _config(book, change)
        if record_number(change.path) is not None:
            return _record(book, change)
    except NotFound:
        return None
    return None


def _config(book: BookDir, change: Change) -> Contents | None:
    if change.before is None or change.after is None:
        return None
    try:
        before = tomllib.loads(content(book, change.before).decode())
        after = tomllib.loads(content(book, change.after).decode())
        present = book.settings()
    except (ValueError, ZencliError):
        return None
    if after.keys() - before.keys():
        return None
    back: dict[str, Any] = {
        key: value
        for key, value in before.items()
        if after.get(key) != value and present.get(key) == after.get(key)
    }
    text = book.read(change.path) or ""
    return {change.path: updated_config(text, back).encode()}


def _record(book: BookDir, change: Change) -> Contents | None:
    """A later run that only marked the chapter as stale doesn't stand in the way."""
    path = book.path / change.path
    if change.after is None or not path.is_file():
        return None
    present = record_in(path.read_bytes())
    after = record_in(content(book, change.after))
    if present is None or after is None:
        return None
    if present.model_copy(update={"stale": after.stale}) != after:
        return None
    if change.before is None:
        return {change.path: None}
    before = record_in(content(book, change.before))
    if before is None:
        return None
    stale = before.model_copy(update={"stale": present.stale})
    return {change.path: record_json(stale).encode()}
