"""``skills list``, ``show``, ``import`` and ``export``."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from zencli.cli.invocation import Invocation
from zencli.cli.output import Outcome, run_command
from zencli.pipeline.declaration import Params, param
from zencli.story.book import Language

if TYPE_CHECKING:
    from zencli.agent.skills.shelf import Shelf


class SkillsList(Params):
    """List the skills that agents may read."""

    book_id: str | None = param(None, "with those of this book", "--book", metavar="ID")
    language: Language = param("zh", "language of their descriptions", "--language")


class SkillsShow(Params):
    """Print a skill and the texts beside it."""

    name: str = param(..., "name of the skill", metavar="NAME")
    book_id: str | None = param(None, "look in this book first", "--book", metavar="ID")
    language: Language = param("zh", "language of the skill", "--language")


class SkillsImport(Params):
    """Take in a skill from a ZIP file; scripts in it are left out."""

    archive: str = param(..., "the ZIP file", metavar="ZIP")
    book_id: str | None = param(None, "for this book only", "--book", metavar="ID")


class SkillsExport(Params):
    """Make a ZIP file of a skill."""

    name: str = param(..., "name of the skill", metavar="NAME")
    book_id: str | None = param(None, "look in this book first", "--book", metavar="ID")
    output: str | None = param(None, "where to write the file", "--output", "-o", metavar="PATH")


class SkillLine(BaseModel):
    """A skill in the list. ``error`` says why it can't be used, else None."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    origin: str
    resources: list[str]
    uses: int
    error: str | None = None


class SkillList(BaseModel):
    """All skills."""

    skills: list[SkillLine]


class SkillText(SkillLine):
    """A skill with its instructions."""

    text: str


class SkillFile(BaseModel):
    """A skill that went into or came out of a file. ``dropped`` was left out."""

    name: str
    path: str
    dropped: list[str] = []


def skills_list(invocation: Invocation, params: SkillsList) -> None:
    """List the skills that agents may read."""

    def body(outcome: Outcome) -> None:
        from zencli.agent.skills.uses import uses

        shelf, counts = _shelf(invocation, params.book_id, params.language), uses(invocation.root)
        lines = [
            SkillLine(
                name=s.name, description=s.description, origin=s.origin,
                resources=list(s.resources), uses=counts[s.name],
            )
            for s in shelf.skills.values()
        ]  # fmt: skip
        lines += [
            SkillLine(name=n, description="", origin="", resources=[], uses=counts[n], error=why)
            for n, why in shelf.broken.items()
        ]
        outcome.data = SkillList(skills=lines)
        outcome.text = "\n".join(
            f"{line.name}  ({line.origin}, used {line.uses} times)\n    {line.description}"
            if line.error is None
            else f"{line.name}  can't be used: {line.error}"
            for line in lines
        )

    run_command("skills list", invocation, body)


def skills_show(invocation: Invocation, params: SkillsShow) -> None:
    """Print a skill and the texts beside it."""

    def body(outcome: Outcome) -> None:
        from zencli.agent.skills.uses import uses

        skill = _shelf(invocation, params.book_id, params.language).get(params.name)
        outcome.data = SkillText(
            name=skill.name,
            description=skill.description,
            origin=skill.origin,
            resources=list(skill.resources),
            uses=uses(invocation.root)[skill.name],
            text=skill.body,
        )
        beside = "".join(f"\n- {path}" for path in skill.resources)
        outcome.text = f"{skill.name}: {skill.description}\n\n{skill.body}\n{beside}"

    run_command("skills show", invocation, body)


def skills_import(invocation: Invocation, params: SkillsImport) -> None:
    """Take in a skill from a ZIP file; scripts in it are left out."""

    def body(outcome: Outcome) -> None:
        from zencli.agent.skills.archive import import_skill
        from zencli.store.workspace import Workspace

        home = invocation.root
        if params.book_id is not None:
            home = Workspace(home).open(params.book_id).path
        done = import_skill(Path(params.archive), home / "skills", replace=invocation.yes)
        outcome.data = SkillFile(
            name=done.skill.name, path=str(done.skill.folder), dropped=list(done.dropped)
        )
        outcome.text = f"{done.skill.name}: {done.skill.folder}"
        if done.dropped:
            outcome.warnings.append(f"Left out, not needed by a skill: {', '.join(done.dropped)}.")
            outcome.text += f"\nleft out: {', '.join(done.dropped)}"

    run_command("skills import", invocation, body)


def skills_export(invocation: Invocation, params: SkillsExport) -> None:
    """Make a ZIP file of a skill."""

    def body(outcome: Outcome) -> None:
        from zencli.agent.skills.archive import export_skill
        from zencli.export.write import write_file

        skill = _shelf(invocation, params.book_id, "en").get(params.name)
        path = Path(params.output or f"{skill.name}.zip")
        path = path / f"{skill.name}.zip" if path.is_dir() else path
        write_file(path, export_skill(skill))
        outcome.data = SkillFile(name=skill.name, path=str(path))
        outcome.text = str(path)

    run_command("skills export", invocation, body)


def _shelf(invocation: Invocation, book_id: str | None, language: Language) -> "Shelf":
    from zencli.agent.skills.shelf import find_skills
    from zencli.store.workspace import Workspace

    book = Workspace(invocation.root).open(book_id) if book_id is not None else None
    return find_skills(invocation.root, book, language)
