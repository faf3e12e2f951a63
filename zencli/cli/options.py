"""Typer options made from the declared parameters, and the options that are common to verbs."""

import inspect
import math
import os
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, Union, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from zencli.cli.invocation import Invocation, common_options, option, take_invocation
from zencli.cli.output import plainly
from zencli.cli.sources import read_source
from zencli.errors import UsageError
from zencli.pipeline.declaration import Params, meta_of

P = TypeVar("P", bound=Params)


def model_options(
    dry_run: str = "print the first call's exact messages and stop",
) -> list[inspect.Parameter]:
    """The options of verbs that use a model; ``dry_run`` says what a dry run shows."""
    return [
        option("model", str | None, None, typer.Option("--model", help="model for all roles")),
        option("base_url", str | None, None, typer.Option("--base-url", help="its endpoint")),
        option(
            "dry_run",
            bool,
            False,
            typer.Option("--dry-run", help=dry_run),
        ),
        option(
            "max_cost",
            float | None,
            None,
            typer.Option(
                "--max-cost", min=0, callback=_finite, help="stop before this run costs more"
            ),
        ),
        option(
            "max_tokens",
            int | None,
            None,
            typer.Option("--max-tokens", min=0, help="stop before this run takes more tokens"),
        ),
        option(
            "timeout",
            float | None,
            None,
            typer.Option("--timeout", min=0.1, callback=_finite, help="most seconds for one call"),
        ),
        option(
            "fresh",
            bool,
            False,
            typer.Option("--fresh", help="use no reply of an interrupted run"),
        ),
        option(
            "record",
            Path | None,
            None,
            typer.Option("--record", metavar="FILE", help="keep what is exchanged with the model"),
        ),
        option(
            "replay",
            Path | None,
            None,
            typer.Option("--replay", metavar="FILE", help="answer from such a file, offline"),
        ),
        wait_option(),
    ]


def endpoint_options() -> list[inspect.Parameter]:
    """The options of verbs that look at an endpoint and write nothing with it."""
    return [o for o in model_options() if o.name in ("model", "base_url", "timeout")]


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to count with.")
    return value


def wait_option() -> inspect.Parameter:
    """``--wait``, for every verb that writes."""
    return option("wait", bool, False, typer.Option("--wait", help="wait for a busy book"))


def declared_options(model: type[Params]) -> list[inspect.Parameter]:
    """One Typer parameter for each declared one."""
    return [_declared(name, field) for name, field in model.model_fields.items()]


def _declared(name: str, field: FieldInfo) -> inspect.Parameter:
    meta = meta_of(field)
    annotation = field.annotation
    default = inspect.Parameter.empty if field.is_required() else field.default
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
    shown = typer.Option(*meta.flags, **settings) if meta.flags else typer.Argument(**settings)
    return option(name, annotation, default, shown)


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
        f"Invalid value for '{shown}': {plainly(first['msg'])}, not {first['input']!r}.",
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
