"""One skill: a folder with a SKILL.md, and texts beside it that can be read in parts.

``SKILL.md`` begins with front matter (``name``, ``description``); ``SKILL.zh.md`` or
``SKILL.en.md`` stands in for it in a book of that language.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

from zencli.errors import UsageError
from zencli.story.book import Language

Origin: TypeAlias = Literal["book", "workspace", "shipped"]

MAIN = "SKILL.md"
FOLDERS = ("references", "assets")
NAME = re.compile("[a-z0-9\u4e00-\u9fff][a-z0-9_\u4e00-\u9fff-]{0,63}")
LONGEST_DESCRIPTION = 1024
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)(.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Skill:
    """A skill as an agent may use it. ``resources`` are paths inside ``folder``."""

    name: str
    description: str
    body: str
    folder: Path
    origin: Origin
    resources: tuple[str, ...] = ()


def main_file(language: Language) -> str:
    """The name of the main file that is meant for a language."""
    return f"SKILL.{language}.md"


def read_skill(folder: Path, origin: Origin, language: Language) -> Skill:
    """The skill in a folder. Raises UsageError ``usage.skill`` that says what is wrong with it."""
    own = folder / main_file(language)
    path = own if own.is_file() else folder / MAIN
    description, body = parse_skill(_text(path), str(path))
    return Skill(folder.name, description, body, folder, origin, tuple(_resources(folder)))


def parse_skill(text: str, where: str) -> tuple[str, str]:
    """``(description, body)`` of a SKILL.md. Raises UsageError ``usage.skill``."""
    found = _FRONT.match(text.lstrip("\ufeff"))
    if found is None:
        raise _wrong(where, "has no front matter between two lines of ---")
    try:
        front = yaml.safe_load(found[1])
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 2
        raise _wrong(where, f"has front matter that isn't YAML (line {line})") from None
    if not isinstance(front, dict):
        raise _wrong(where, "has front matter without name and description")
    for key in ("name", "description"):
        if not isinstance(front.get(key), str) or not front[key].strip():
            raise _wrong(where, f"has no {key} in its front matter")
    description = " ".join(front["description"].split())[:LONGEST_DESCRIPTION]
    body = found[2].strip()
    if not body:
        raise _wrong(where, "has no instructions after its front matter")
    return description, body


def skill_name(text: str, where: str) -> str:
    """The name in the front matter. Raises UsageError ``usage.skill`` for one that can't be."""
    parse_skill(text, where)
    front = yaml.safe_load(_FRONT.match(text.lstrip("\ufeff"))[1])  # type: ignore[index]
    name = str(front["name"]).strip()
    if not NAME.fullmatch(name):
        raise _wrong(where, f"names itself {name!r}; a name has a-z, 0-9, - and Chinese characters")
    return name


def _resources(folder: Path) -> list[str]:
    found = []
    for part in FOLDERS:
        base = folder / part
        if base.is_symlink() or not base.is_dir():
            continue
        paths = (p for p in base.rglob("*") if p.is_file() and not p.is_symlink())
        found += [path.relative_to(folder).as_posix() for path in paths]
    return sorted(found)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise _wrong(str(path.parent), f"has no {MAIN}") from None
    except (OSError, UnicodeDecodeError):
        raise _wrong(str(path), "can't be read as UTF-8 text") from None


def _wrong(where: str, what: str) -> UsageError:
    return UsageError("usage.skill", f"The skill {where} {what}.", "Mend it, or remove the folder.")
