"""The options that every command has, and the invocation that they make."""

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zencli.errors import UsageError

if TYPE_CHECKING:
    from zencli.llm.tape import Tape
    from zencli.pipeline.configuration.settings import Overrides
    from zencli.pipeline.session import RunOptions


@dataclass(frozen=True)
class Invocation:
    """The common options of one command."""

    root: Path
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    yes: bool = False
    model: str | None = None
    base_url: str | None = None
    dry_run: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    fresh: bool = False
    wait: bool = False
    record: Path | None = None
    replay: Path | None = None

    def overrides(self) -> "Overrides":
        """What these options say about models and limits."""
        from zencli.pipeline.configuration.settings import Overrides

        return Overrides(self.model, self.base_url, self.timeout, self.max_cost, self.max_tokens)

    def run_options(self) -> "RunOptions":
        """What these options say about runs. Raises ``UsageError`` for a file that won't do."""
        from zencli.pipeline.session import RunOptions

        taped = self.record is not None or self.replay is not None
        return RunOptions(
            dry_run=self.dry_run,
            fresh=self.fresh or taped,
            wait=None if self.wait else 0,
            confirmed=self.yes,
            overrides=self.overrides(),
            tape=self._tape() if taped and not self.dry_run else None,
        )

    def _tape(self) -> "Tape":
        from zencli.llm.tape import Recording, Replaying

        if self.record is not None and self.replay is not None:
            raise UsageError("usage.options", "--record and --replay exclude each other.")
        if self.replay is not None:
            return Replaying(self.replay)
        assert self.record is not None
        return Recording(self.record)


def option(name: str, annotation: Any, default: Any, option: Any) -> inspect.Parameter:
    """A keyword-only parameter that Typer reads as an option or argument."""
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[annotation, option],
    )


def common_options() -> list[inspect.Parameter]:
    """``--root``, ``--json``, ``--quiet``, ``--verbose``, ``--yes``."""
    root = typer.Option(
        "--root", envvar="ZENCLI_ROOT", metavar="DIR", help="workspace that holds books/"
    )
    return [
        option("root", Path, Path(), root),
        option("json", bool, False, typer.Option("--json", help="one JSON object on stdout")),
        option("quiet", bool, False, typer.Option("--quiet", "-q", help="no progress")),
        option("verbose", bool, False, typer.Option("--verbose", "-v", help="more detail")),
        option("yes", bool, False, typer.Option("--yes", "-y", help="confirm in advance")),
    ]


def take_invocation(values: dict[str, Any]) -> Invocation:
    """Take the common options out of a command's values."""
    names = Invocation.__dataclass_fields__
    return Invocation(**{name: values.pop(name) for name in names if name in values})


def placed(root: Path, book: str | None, chapter: int | None) -> tuple[str | None, int | None]:
    """``BOOK`` may be left out when there is one book: a lone number is then the chapter."""
    if chapter is not None or book is None or not re.fullmatch(r"[0-9]{1,6}", book):
        return book, chapter
    is_book = (root / "books" / book / "book.toml").exists()
    return (book, None) if is_book else (None, int(book))
