"""Prompt templates and genre and platform notes: where they are found, and how they are rendered.

A file of the author's wins: the book's ``prompts/``, then the workspace's, then those shipped.
Genres and platforms are found the same way, in ``genres/`` and ``platforms/`` as well.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zencli.errors import UsageError
from zencli.story import markdown
from zencli.story.book import Language

if TYPE_CHECKING:
    import jinja2

_SECTIONS: dict[Language, dict[str, str]] = {
    "zh": {"concept": "构思", "plan": "策划", "write": "写作", "audit": "审稿"},
    "en": {"concept": "Concept", "plan": "Planning", "write": "Writing", "audit": "Editing"},
}


def shipped_prompts() -> Path:
    """The prompts inside the installed package, or those of the checkout."""
    inside = Path(__file__).parent.parent / "prompts"
    return inside if inside.is_dir() else Path(__file__).parents[2] / "prompts"


class Prompts:
    """Templates of one language. ``folders`` are searched first, in order."""

    def __init__(self, language: Language, folders: Sequence[Path] = ()) -> None:
        self.language = language
        self._own = tuple(folders)
        self._roots = [folder / "prompts" for folder in folders] + [shipped_prompts()]

    def render(self, name: str, **values: Any) -> str:
        """The rendered template ``<language>/<name>.md.j2`` without blank edges.

        Raises ``UsageError`` when the template is missing, broken, or names a variable that it
        isn't given.
        """
        import jinja2

        try:
            return self._environment.get_template(f"{name}.md.j2").render(**values).strip()
        except jinja2.TemplateNotFound as error:
            raise UsageError(
                "usage.prompt",
                f"There is no prompt {self.language}/{name}.md.j2.",
                "Reinstall zencli, or put the file into prompts/.",
            ) from error
        except jinja2.TemplateError as error:
            raise _wrong(*_place(error, f"{self.language}/{name}.md.j2"), error.message) from error

    def check_own(self) -> None:
        """Look at the author's templates before any call is paid for.

        Raises ``UsageError`` for one that is broken, or that names a variable which the shipped
        template of its name doesn't.
        """
        folders = [folder / "prompts" / self.language for folder in self._own]
        for folder in folders:
            for path in sorted(folder.rglob("*.md.j2")):
                self._check_template(path, path.relative_to(folder).as_posix())

    def _check_template(self, path: Path, template: str) -> None:
        import jinja2
        from jinja2 import meta, nodes

        known = self._known_variables(template)
        if known is None:
            return
        try:
            tree = self._environment.parse(_text(path), path.name, str(path))
        except jinja2.TemplateSyntaxError as error:
            raise _wrong(*_place(error, str(path)), error.message) from error
        for name in sorted(meta.find_undeclared_variables(tree) - known):
            line = next(node.lineno for node in tree.find_all(nodes.Name) if node.name == name)
            raise _wrong(str(path), line, f"there is no variable {name!r} here", known)

    def _known_variables(self, template: str) -> set[str] | None:
        """The variables of the shipped templates of this name, None when there is none."""
        from jinja2 import meta

        shipped = [path for path in shipped_prompts().glob(f"*/{template}") if path.is_file()]
        trees = [self._environment.parse(_text(path)) for path in shipped]
        return set[str]().union(*map(meta.find_undeclared_variables, trees)) if trees else None

    @cached_property
    def _environment(self) -> "jinja2.Environment":
        import jinja2

        from zencli.context.compiled import Compiled

        return jinja2.Environment(
            loader=jinja2.FileSystemLoader([root / self.language for root in self._roots]),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            bytecode_cache=Compiled(shipped_prompts()),
        )

    def genre(self, genre: str, part: str) -> str:
        """What a genre's profile says to one part of the work (``concept``, ``plan``, ...)."""
        found = self._note("genres", genre) or self._note("genres", "general")
        return _section(found, _SECTIONS[self.language][part])

    def platform(self, platform: str, part: str) -> str:
        """What a platform's notes say to one part of the work."""
        return _section(self._note("platforms", platform), _SECTIONS[self.language][part])

    def display_name(self, kind: str, name: str) -> str:
        """The heading of a profile (``genres``, ``platforms``), or the name itself."""
        return markdown.first_heading(self._note(kind, name)) or name

    def genres(self) -> dict[str, str]:
        """Every genre with a profile: id to display name, sorted by id."""
        ids = {
            path.stem
            for folder in self._note_folders("genres")
            if folder.is_dir()
            for path in folder.glob("*.md")
        }
        return {name: self.display_name("genres", name) for name in sorted(ids)}

    def _note_folders(self, kind: str) -> list[Path]:
        own = [
            place
            for folder in self._own
            for place in (
                folder / kind / self.language,
                folder / kind,
                folder / "prompts" / self.language / kind,
            )
        ]
        return [*own, shipped_prompts() / self.language / kind]

    def _note(self, kind: str, name: str) -> str:
        if not name or "/" in name or "\\" in name or name.startswith("."):
            return ""
        for folder in self._note_folders(kind):
            path = folder / f"{name}.md"
            if path.is_file():
                return _text(path)
        return ""


def _section(text: str, heading: str) -> str:
    return next((body for title, body in markdown.sections(text) if title == heading), "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            "usage.prompt", f"{path} isn't UTF-8 text.", "Save it as UTF-8."
        ) from error
    except OSError as error:
        raise UsageError(
            "usage.prompt", f"{path} can't be read: {error.strerror}.", "Check the file."
        ) from error


def _wrong(
    where: str, line: int | None, what: str | None, known: set[str] | None = None
) -> UsageError:
    place = f"{where}, line {line}" if line else where
    names = f"It may use {', '.join(sorted(known))}." if known else "Correct the template."
    return UsageError("usage.prompt", f"{place}: {what}.", names)


def _place(error: "jinja2.TemplateError", template: str) -> tuple[str, int | None]:
    """File and line of a template's error, of where it was used for an undefined variable."""
    where, line = getattr(error, "filename", None) or template, getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(".j2"):
            where, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return where, line
