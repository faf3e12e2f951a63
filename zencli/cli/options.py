"""Typer options made from the declared parameters, and the options that are common to verbs."""

import inspect
import math
import os
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from zencli.cli.sources import read_source
from zencli.errors import UsageError
from zencli.pipeline.params import Params, meta_of
from zencli.pipeline.settings import Overrides

P = TypeVar("P", bound=Params)


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

    def overrides(self) -> Overrides:
        """What these options say about models and limits."""
        return Overrides(self.model, self.base_url, self.timeout, self.max_cost, self.max_tokens)


def _option(name: str, annotation: Any, default: Any, option: Any) -> inspect.Parameter:
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
        _option("root", Path, Path(), root),
        _option("json", bool, False, typer.Option("--json", help="one JSON object on stdout")),
        _option("quiet", bool, False, typer.Option("--quiet", "-q", help="no progress")),
        _option("verbose", bool, False, typer.Option("--verbose", "-v", help="more detail")),
        _option("yes", bool, False, typer.Option("--yes", "-y", help="confirm in advance")),
    ]


def model_options(
    dry_run: str = "print the first call's exact messages and stop",
) -> list[inspect.Parameter]:
    """The options of verbs that use a model; ``dry_run`` says what a dry run shows."""
    return [
        _option("model", str | None, None, typer.Option("--model", help="model for all roles")),
        _option("base_url", str | None, None, typer.Option("--base-url", help="its endpoint")),
        _option(
            "dry_run",
            bool,
            False,
            typer.Option("--dry-run", help=dry_run),
        ),
        _option(
            "max_cost",
            float | None,
            None,
            typer.Option(
                "--max-cost", min=0, callback=_finite, help="stop before this run costs more"
            ),
        ),
        _option(
            "max_tokens",
            int | None,
            None,
            typer.Option("--max-tokens", min=0, help="stop before this run takes more tokens"),
        ),
        _option(
            "timeout",
            float | None,
            None,
            typer.Option("--timeout", min=0.1, callback=_finite, help="most seconds for one call"),
        ),
        _option(
            "fresh",
            bool,
            False,
            typer.Option("--fresh", help="use no reply of an interrupted run"),
        ),
        wait_option(),
    ]


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to count with.")
    return value


def wait_option() -> inspect.Parameter:
    """``--wait``, for every verb that writes."""
    return _option("wait", bool, False, typer.Option("--wait", help="wait for a busy book"))


def declared_options(model: type[Params]) -> list[inspect.Parameter]:
    """One Typer parameter for each declared one."""
    return [_declared(name, field) for name, field in model.model_fields.items()]


def _declared(name: str, field: FieldInfo) -> inspect.Parameter:
    meta = meta_of(field)
    annotation, default = field.annotation, field.default
    settings: dict[str, Any] = {"help": field.description}
    if meta.metavar:
        settings["metavar"] = meta.metavar
    if meta.source:
        settings["help"] = f"{field.description}; @FILE reads a file, - reads stdin"
    for limit in field.metadata:
        for bound, key in (("ge", "min"), ("le", "max")):
            if hasattr(limit, bound):
                settings[key] = getattr(limit, bound)
    if get_origin(annotation) is tuple:
        annotation, default = list[str], []
    if default in (None, ""):
        settings["show_default"] = False
    if default == "":
        annotation, default = _optional(annotation), None
    option = typer.Option(*meta.flags, **settings) if meta.flags else typer.Argument(**settings)
    return _option(name, annotation, default, option)


def _optional(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return annotation
    return annotation | None


def command(
    model: type[P], run: Callable[[Invocation, P], None], *extra: inspect.Parameter
) -> Callable[..., None]:
    """A Typer callback that parses into ``model`` and an ``Invocation``, then runs."""

    def callback(**values: Any) -> None:
        invocation = take_invocation(values)
        run(invocation, take_params(model, values, invocation.root))

    callback.__doc__ = model.__doc__
    parameters = [*declared_options(model), *extra, *common_options()]
    callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return callback


def take_invocation(values: dict[str, Any]) -> Invocation:
    """Take the common options out of a command's values."""
    names = Invocation.__dataclass_fields__
    return Invocation(**{name: values.pop(name) for name in names if name in values})


def placed(
    root: Path, book: str | None, chapter: int | str | None
) -> tuple[str | None, int | str | None]:
    """``BOOK`` may be left out when there is one book: a lone number is then the chapter."""
    if chapter is not None or book is None or not re.fullmatch(r"\d+(-\d*)?", book):
        return book, chapter
    is_book = (root / "books" / book / "book.toml").exists()
    return (book, None) if is_book else (None, book)


def _moved_up(model: type[Params], given: dict[str, Any], root: Path) -> dict[str, Any]:
    """``given``, the positional values moved up by one when ``BOOK`` was left out."""
    names = [name for name, field in model.model_fields.items() if not meta_of(field).flags]
    book = given.get("book_id")
    if len(names) < 2 or book is None or names[-1] in given:
        return given
    alone = meta_of(model.model_fields[names[1]]).alone
    if not re.fullmatch(alone, book) or os.path.exists(root / "books" / book / "book.toml"):
        return given
    rest = {name: value for name, value in given.items() if name not in names}
    return rest | dict(zip(names[1:], [given[n] for n in names if n in given], strict=False))


def take_params(model: type[P], values: dict[str, Any], root: Path) -> P:
    """The declared parameters of a command's values; sources are read here.

    Raises ``UsageError`` for a source that can't be read and a value that isn't allowed.
    """
    given: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        value = values[name]
        if value is None:
            continue
        meta = meta_of(field)
        if isinstance(value, str):
            _check_text(value, _shown(field))
        given[name] = read_source(value, meta.flags[0]) if meta.source else value
    try:
        return model.model_validate(_moved_up(model, given, root))
    except ValidationError as error:
        raise _refused(model, error) from error


def _refused(model: type[Params], error: ValidationError) -> UsageError:
    first = error.errors()[0]
    shown = _shown(model.model_fields[str(first["loc"][0])])
    return UsageError(
        "usage.options",
        f"Invalid value for '{shown}': {first['msg']}, not {first['input']!r}.",
        "Options and their values are listed by --help.",
    )


def _shown(field: FieldInfo) -> str:
    meta = meta_of(field)
    return meta.flags[0] if meta.flags else meta.metavar


def _check_text(value: str, shown: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:  # bytes of the command line that were no UTF-8
        raise UsageError(
            "usage.options", f"The value of '{shown}' isn't UTF-8 text.", "Give it in UTF-8."
        ) from error
