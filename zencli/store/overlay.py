"""A book as it will be when some contents are in place, to be read before they are."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from zencli.store.layout import BookDir, Pending


@contextmanager
def overlaid(book: BookDir, contents: Mapping[str, bytes | None]) -> Iterator[BookDir]:
    """The book with these files in place of its own; None is a file that is deleted.

    What is pending in ``book`` already stays so.
    """
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder)
        files: dict[str, Path | None] = dict(book.pending.files) if book.pending else {}
        for index, (path, data) in enumerate(contents.items()):
            files[path] = None if data is None else stage / str(index)
            if data is not None:
                (stage / str(index)).write_bytes(data)
        yield replace(book, pending=Pending(stage, files))
