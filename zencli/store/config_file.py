"""Writing ``book.toml``: new with comments, or changed with the author's own lines kept."""

from collections.abc import Mapping
from datetime import datetime

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
