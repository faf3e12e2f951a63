"""What one request may read of skills: three of them, and so many tokens in all."""

from dataclasses import dataclass, field

from zencli.agent.skills.shelf import Shelf
from zencli.agent.skills.skill import Skill
from zencli.errors import NotFound, UsageError
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.store.paths import inside

MOST_SKILLS = 3
MOST_TOKENS = 12_000
PAGE = 6_000
"""Characters of a resource in one answer."""
LARGEST = 1_000_000
"""Bytes of a resource that is read at all."""

_MEASURE = Profile()


@dataclass(frozen=True)
class Page:
    """A part of a text: ``start`` to ``end`` of ``total`` characters."""

    text: str
    start: int
    end: int
    total: int


@dataclass
class SkillReader:
    """The skills of one request: ``used`` by name in order, ``tokens`` read so far."""

    shelf: Shelf = field(default_factory=Shelf)
    used: dict[str, Skill] = field(default_factory=dict)
    tokens: int = 0

    def load(self, name: str) -> Skill:
        """A skill's instructions, counted. Raises NotFound, UsageError ``skill_limit``,
        ``skill_budget``."""
        skill = self.shelf.get(name)
        if name in self.used:
            return skill
        if len(self.used) >= MOST_SKILLS:
            names = ", ".join(self.used)
            raise UsageError(
                "skill_limit",
                f"{MOST_SKILLS} skills were read for this request: {names}.",
                "Work with these.",
            )
        self._take(skill.body)
        self.used[name] = skill
        return skill

    def resource(self, name: str, path: str, offset: int = 0) -> Page:
        """A page of a text beside a loaded skill, counted.

        Raises UsageError ``skill_not_loaded``, ``skill_budget``, ``resource_not_text``; NotFound
        ``resource_not_found`` for everything outside its references/ and assets/.
        """
        skill = self.used.get(name)
        if skill is None:
            self.shelf.get(name)
            raise UsageError("skill_not_loaded", f"{name} isn't loaded.", "Load the skill first.")
        if path not in skill.resources:
            known = ", ".join(skill.resources) or "none"
            raise NotFound(
                "resource_not_found", f"{name} has no text {path!r}.", f"There are: {known}."
            )
        text = _text(skill, path)
        start = min(max(offset, 0), len(text))
        page = Page(text[start : start + PAGE], start, min(start + PAGE, len(text)), len(text))
        self._take(page.text)
        return page

    def _take(self, text: str) -> None:
        size = estimate_tokens(text, _MEASURE)
        left = MOST_TOKENS - self.tokens
        if size > left:
            raise UsageError(
                "skill_budget",
                f"This text has about {size} tokens; {left} of {MOST_TOKENS} are left for skills.",
                "Work with what you have read.",
            )
        self.tokens += size


def _text(skill: Skill, path: str) -> str:
    data = b""
    file = inside(skill.folder, path)
    if file.stat().st_size <= LARGEST:
        data = file.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text or "\0" in text:
        raise UsageError(
            "resource_not_text", f"{path} isn't a text that can be read.", "Do without it."
        )
    return text
