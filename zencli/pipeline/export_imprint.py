"""What is said of a book besides its title: from the options, else from ``[export]``."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zencli.errors import DamagedError
from zencli.export.manuscript import Imprint
from zencli.pipeline.export_params import Export
from zencli.store.layout import BookDir


class ExportTable(BaseModel):
    """``[export]`` of ``book.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    author: str = ""
    publisher: str = ""
    description: str = ""
    subjects: list[str] = []
    series: str = ""
    series_number: int | None = Field(None, ge=0, le=100_000)
    rights: str = ""


def imprint_of(book: BookDir, params: Export) -> Imprint:
    """Every option that was given, the book's own where it wasn't.

    Raises DamagedError ``book.damaged`` that names a key which can't be used.
    """
    own = _table(book)
    return Imprint(
        author=params.author or own.author,
        publisher=params.publisher or own.publisher,
        description=params.description or own.description,
        subjects=params.subject or tuple(own.subjects),
        series=params.series or own.series,
        series_number=own.series_number if params.series_number is None else params.series_number,
        rights=params.rights or own.rights,
    )


def _table(book: BookDir) -> ExportTable:
    try:
        return ExportTable.model_validate(book.settings().get("export", {}))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("export", *first["loc"]))
        known = ", ".join(ExportTable.model_fields)
        raise DamagedError(
            "book.damaged", f"book.toml: {key}: {first['msg']}.", f"[export] may hold: {known}."
        ) from error
