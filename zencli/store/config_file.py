"""Writing ``book.toml``: new with comments, or changed with the author's own lines kept."""

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import BaseModel

from zencli.errors import DamagedError
from zencli.story.book import BookConfig

_COMMENTS: dict[str, str] = {
    "id": "name of the folder",
    "genre": "a profile of `zencli genres`, or any word",
    "platform": "tomato, qidian, feilu, other",
    "language": "zh, en",
    "chapter_words": "length of a chapter: characters in zh, words in en",
    "revise_on": "critical, or warning: mend local warnings of a new chapter too, one call more",
    "status": "outlining, writing, finished",
}


def render_config(config: BookConfig) -> str:
    """A new ``book.toml`` with a comment where the values aren't obvious."""
    import tomlkit

    document = tomlkit.document()
    document.add(tomlkit.comment("What this book is. Your own keys and comments stay."))
    document.add(tomlkit.nl())
    for key in type(config).model_fields:
        value = getattr(config, key)
        if isinstance(value, BaseModel) or (key == "series" and not value):
            continue  # the author's to add
        item = tomlkit.item(value)
        if key in _COMMENTS:
            item.comment(_COMMENTS[key])
        document.add(key, item)
    return tomlkit.dumps(document)


def updated_config(text: str, changes: Mapping[str, str | int | bool | datetime]) -> str:
    """``text`` with top-level keys set to new values; everything else stays as it was written.

    Raises DamagedError ``book.damaged`` when ``text`` isn't TOML.
    """
    replaced = _lines_replaced(text, changes)
    if replaced is not None:
        return replaced
    import tomlkit
    from tomlkit.exceptions import ParseError

    try:
        document = tomlkit.parse(text)
    except ParseError as error:
        raise DamagedError(
            "book.damaged",
            f"book.toml, line {error.line}: {error}.",
            "Correct the line; nothing was changed.",
        ) from error
    for key, value in changes.items():
        document[key] = value
    return tomlkit.dumps(document)


def _lines_replaced(text: str, changes: Mapping[str, object]) -> str | None:
    """``text`` with the lines of these keys changed: loading ``tomlkit`` for the date of each
    chapter takes longer than that. None where it isn't as simple as that."""
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    for key, value in changes.items():
        told = _told(value)
        line = re.compile(rf"^({key} = )(?:\"[^\"\\\n]*\"|[0-9T:Z-]+)(?=[ \t]*(?:#.*)?$)", re.M)
        if told is None or len(line.findall(text)) != 1:
            return None
        text = line.sub(rf"\g<1>{told}", text)
    return text if tomllib.loads(text) == {**before, **changes} else None


def _told(value: object) -> str | None:
    """A plain word or a time in UTC as TOML writes it."""
    if isinstance(value, str) and re.fullmatch(r"[\w -]*", value):
        return f'"{value}"'
    if isinstance(value, datetime) and value.tzinfo is UTC and not value.microsecond:
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    return None
