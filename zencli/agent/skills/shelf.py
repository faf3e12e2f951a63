"""Where skills are found: the book's ``skills/``, then the workspace's, then the shipped ones."""

from dataclasses import dataclass, field
from pathlib import Path

from zencli.agent.skills.skill import NAME, Origin, Skill, read_skill
from zencli.errors import NotFound, UsageError
from zencli.store.layout import BookDir
from zencli.story.book import Language


def shipped_skills() -> Path:
    """The skills inside the installed package, or those of the checkout."""
    inside = Path(__file__).parents[2] / "skills"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "skills"


@dataclass(frozen=True)
class Shelf:
    """The skills that are there, by name, each from the first place that has it.

    ``broken`` says of those that can't be used why.
    """

    skills: dict[str, Skill] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> Skill:
        """A skill by name. Raises UsageError for a broken one, NotFound ``skill.not_found``."""
        if name in self.skills:
            return self.skills[name]
        if name in self.broken:
            raise UsageError("usage.skill", self.broken[name], "Mend it, or remove the folder.")
        names = ", ".join(self.skills) or "none"
        raise NotFound("skill.not_found", f"There is no skill {name!r}.", f"There are: {names}.")

    def catalogue(self) -> str:
        """Names and purposes, one line each: all that an agent sees before it loads one."""
        return "\n".join(f"- {skill.name}: {skill.description}" for skill in self.skills.values())


def find_skills(root: Path, book: BookDir | None, language: Language) -> Shelf:
    """All skills for work in ``book``, sorted by name."""
    places: list[tuple[Path, Origin]] = [
        (root / "skills", "workspace"),
        (shipped_skills(), "shipped"),
    ]
    if book is not None:
        places.insert(0, (book.path / "skills", "book"))
    skills: dict[str, Skill] = {}
    broken: dict[str, str] = {}
    for place, origin in places:
        for folder in _folders(place):
            if folder.name in skills or folder.name in broken:
                continue
            try:
                skills[folder.name] = read_skill(folder, origin, language)
            except UsageError as error:
                broken[folder.name] = error.message
    return Shelf(dict(sorted(skills.items())), dict(sorted(broken.items())))


def _folders(place: Path) -> list[Path]:
    try:
        found = sorted(place.iterdir())
    except OSError:
        return []
    return [
        path for path in found
        if path.is_dir() and not path.is_symlink() and NAME.fullmatch(path.name)
    ]  # fmt: skip
