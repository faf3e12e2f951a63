"""A manuscript into a file, whole or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from zencli.errors import UsageError
from zencli.export.epub import render_epub
from zencli.export.manuscript import Manuscript
from zencli.export.md import render_md
from zencli.export.txt import render_txt
from zencli.store.atomic import write_atomic

ExportFormat = Literal["txt", "md", "epub"]

EXPORT_FORMATS: tuple[str, ...] = get_args(ExportFormat)

_RENDERERS: dict[ExportFormat, Callable[[Manuscript], bytes]] = {
    "txt": render_txt,
    "md": render_md,
    "epub": render_epub,
}


def export(manuscript: Manuscript, format: ExportFormat, path: Path) -> None:
    """Write the manuscript to ``path``, making its parent folders.

    A file that is there is replaced only when the new one is complete. Raises UsageError:
    ``export.empty`` without chapters, ``usage.cover`` when the cover isn't the image it is said
    to be, ``usage.output`` when the path can't be written.
    """
    if not manuscript.chapters:
        raise UsageError(
            "export.empty",
            f"There is no chapter of {manuscript.book.id} to export.",
            "Write one with write-next, or choose other chapters.",
        )
    data = _RENDERERS[format](manuscript)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            "usage.output",
            f"Can't write {path}: {reason}.",
            "Give a file in a folder you may write to.",
        ) from error
