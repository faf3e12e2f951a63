"""``story_bible.md``, ``timeline.md``, ``secrets.md``, ``rules.md`` and ``style.md``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.foundation import Cast, Concept, Happening, Secret
from zencli.story.labels import LABELS, chapter_word, colon, key_of, label, words_of

_SECRET_FIELDS = ("who_knows", "hinted_from", "proved_from")
_BANNED_WORDS = [table["banned"] for table in LABELS.values()]
_POV_WORDS = [table["pov"] for table in LABELS.values()]
_PLACES_WORDS = [table["places"] for table in LABELS.values()]
_BIBLE_SECTIONS = ("logline", "question", "stakes", "world", "map", "places")


def _section(heading: str, content: str | Iterable[str]) -> str:
    if not isinstance(content, str):
        content = "\n".join(f"- {markdown.one_line(item)}" for item in content)
    return f"## {heading}\n\n{content.strip()}\n" if content.strip() else ""


def _document(title: str, parts: Iterable[str]) -> str:
    return "\n".join([f"# {title}\n", *(part for part in parts if part)])


def render_bible(title: str, concept: Concept, language: Language) -> str:
    """The open part of the concept: nothing in it is hidden from the writer."""
    return _document(
        markdown.one_line(title),
        (_section(label(key, language), getattr(concept, key)) for key in _BIBLE_SECTIONS),
    )


def bible_for_prompt(text: str) -> str:
    """The bible without its title and without the places, which are given where they are used."""
    return markdown.without_empty_sections(
        markdown.without_sections(markdown.body(text), _PLACES_WORDS)
    )


def places(text: str) -> list[str]:
    """The places of a bible, one line each."""
    for heading, content in markdown.sections(text):
        if heading in _PLACES_WORDS:
            return markdown.bullets(content)
    return []


def render_timeline(happenings: list[Happening], language: Language) -> str:
    """What really happens, dated, one line each."""
    lines = []
    for item in happenings:
        who = "、".join(item.who) if language == "zh" else ", ".join(item.who)
        people = f"（{who}）" if who and language == "zh" else f" ({who})" if who else ""
        when = f"{item.when}{colon(language)}" if item.when else ""
        lines.append(f"{when}{item.what}{people}")
    return f"# {label('timeline', language)}\n\n" + "".join(
        f"- {markdown.one_line(line)}\n" for line in lines if line.strip()
    )


def timeline_lines(text: str) -> list[str]:
    """The entries of a timeline file."""
    return markdown.bullets(markdown.body(text))


@dataclass(frozen=True)
class SecretEntry:
    """A block of ``secrets.md``; chapter 0 means no bound was set."""

    heading: str
    text: str
    who_knows: str = ""
    hinted_from: int = 0
    proved_from: int = 0


def render_secrets(concept: Concept, cast: Cast, language: Language) -> str:
    """What the reader must not know yet: truths, the ending, hidden sides, answers of hooks."""
    parts = [f"# {label('secrets', language)}\n"]
    parts += [
        _secret_block(f"S{index}", secret, language)
        for index, secret in enumerate(concept.secrets, 1)
        if secret.truth
    ]
    if concept.ending:
        parts.append(_section(label("ending", language), concept.ending))
    parts += [_section(c.name, c.secret) for c in cast.characters if c.secret and c.name]
    parts += [_section(h.id, h.answer) for h in cast.hooks if h.answer and h.id]
    return "\n".join(part for part in parts if part)


def _secret_block(heading: str, secret: Secret, language: Language) -> str:
    lines = [
        f"- {label(key, language)}{colon(language)}{value}"
        for key, value in (
            ("who_knows", markdown.one_line(secret.who_knows)),
            ("hinted_from", _from(secret.hinted_from, language)),
            ("proved_from", _from(secret.proved_from, language)),
        )
        if value
    ]
    return f"## {heading}\n\n" + "\n".join(lines) + f"\n\n{secret.truth}\n"


def _from(chapter: int, language: Language) -> str:
    return chapter_word(chapter, language) if chapter > 0 else ""


def parse_secrets(text: str) -> list[SecretEntry]:
    """Every block of ``secrets.md``, the author's own included."""
    entries = []
    for heading, content in markdown.sections(text):
        values, rest = markdown.fields(content, words_of(_SECRET_FIELDS))
        by_key = {key_of(word, _SECRET_FIELDS): value for word, value in values.items()}
        if rest:
            entries.append(
                SecretEntry(
                    heading,
                    rest,
                    by_key.get("who_knows", ""),
                    _number(by_key.get("hinted_from", "")),
                    _number(by_key.get("proved_from", "")),
                )
            )
    return entries


def _number(text: str) -> int:
    found = re.search(r"\d{1,6}", text)
    return int(found.group()) if found else 0


def secret_lines(entries: Iterable[SecretEntry], language: Language) -> list[str]:
    """One line a secret for the planner and the auditor, with the chapters that bound it."""
    lines = []
    for entry in entries:
        bounds = []
        if entry.who_knows:
            bounds.append(f"{label('who_knows', language)}{colon(language)}{entry.who_knows}")
        for key, chapter in (
            ("hinted_from", entry.hinted_from),
            ("proved_from", entry.proved_from),
        ):
            if chapter:
                word = chapter_word(chapter, language)
                bounds.append(f"{label(key, language)}{colon(language)}{word}")
        note = "；".join(bounds) if language == "zh" else "; ".join(bounds)
        tail = f"（{note}）" if note and language == "zh" else f" ({note})" if note else ""
        head = "" if re.fullmatch(r"S\d+", entry.heading) else f"{entry.heading}{colon(language)}"
        lines.append(f"{head}{markdown.one_line(entry.text)}{tail}")
    return lines


def render_rules(concept: Concept, language: Language) -> str:
    """Point of view, what never happens, and an empty list of banned phrases for the author."""
    return _document(
        label("rules", language),
        (
            _section(label("pov", language), concept.pov),
            _section(label("forbidden", language), concept.forbidden),
            f"## {label('banned', language)}\n",
        ),
    )


def banned_phrases(text: str) -> list[str]:
    """The phrases that ``rules.md`` bans, verbatim."""
    for heading, content in markdown.sections(text):
        if heading in _BANNED_WORDS:
            return markdown.bullets(content)
    return []


def point_of_view(text: str) -> str:
    """What ``rules.md`` says of point of view and tense."""
    for heading, content in markdown.sections(text):
        if heading in _POV_WORDS:
            return content
    return ""


def render_style(concept: Concept, language: Language) -> str:
    """The voice, and a short sample of the book's own prose."""
    quoted = "\n".join(f"> {line}" for line in concept.sample.splitlines())
    return _document(
        label("style", language),
        (
            f"{concept.voice}\n" if concept.voice else "",
            _section(label("sample", language), quoted),
        ),
    )


def for_prompt(text: str) -> str:
    """A file's body as a prompt shows it: without title and without headings that hold nothing."""
    return markdown.without_empty_sections(markdown.body(text))
