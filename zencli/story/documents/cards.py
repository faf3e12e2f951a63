"""``characters/<slug>.md``: one card per character."""

import re

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.foundation import Character
from zencli.story.labels import colon, key_of, label, words_of

_FIELDS = ("aliases", "role", "start")


def render_card(character: Character, language: Language) -> str:
    """The open card: what may be known by whoever writes this character."""
    comma = "、" if language == "zh" else ", "
    values = {
        "aliases": comma.join(character.aliases),
        "role": character.role,
        "start": character.start,
    }
    lines = [
        f"- {label(key, language)}{colon(language)}{markdown.one_line(value)}"
        for key, value in values.items()
        if value
    ]
    head = "\n".join(lines) + "\n\n" if lines else ""
    return f"# {markdown.one_line(character.name)}\n\n{head}{character.card.strip()}\n"


def parse_card(text: str) -> Character:
    """A card as the author may have edited it; ``secret`` stays empty."""
    values, rest = markdown.fields(markdown.body(text), words_of(_FIELDS))
    by_key = {key_of(word, _FIELDS): value for word, value in values.items()}
    aliases = [part.strip() for part in re.split(r"[、,，;；/]", by_key.get("aliases", ""))]
    return Character(
        name=markdown.first_heading(text),
        aliases=[alias for alias in aliases if alias],
        role=by_key.get("role", ""),
        card=rest,
        start=by_key.get("start", ""),
    )
