"""The verb ``export``: a finished file from the chapters, and what was left out of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zencli.errors import UsageError
from zencli.pipeline.params import Export
from zencli.pipeline.ranges import chapters_in
from zencli.pipeline.results import ExportResult, Skipped
from zencli.prose.count import count_words
from zencli.store.layout import BookDir
from zencli.store.snapshot import snapshot
from zencli.story.book import BookConfig
from zencli.story.record import Record

if TYPE_CHECKING:
    from zencli.export.manuscript import CoverType, ManuscriptChapter

_COVERS: "dict[bytes, CoverType]" = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}


def export_book(book: BookDir, params: Export) -> ExportResult:
    """Write txt, md or epub. Needs no model and no lock: reading sees committed chapters.

    Raises ``UsageError``: ``export.empty`` when no chapter is left, ``usage.cover`` for an image
    that can't be used, ``usage.output`` for a path that can't be written.
    """
    from zencli.export.manuscript import Manuscript
    from zencli.export.write import export

    _check_options(params)
    text = snapshot(book, lambda seen: _collect(seen, params))
    if not text.chapters:
        raise UsageError(
            "export.empty",
            f"{book.id} has no chapter to export.",
            "Approve chapters, or leave out --approved-only." if params.approved_only
            else f"Write one: zencli write-next {book.id}",
        )  # fmt: skip
    cover, cover_type = _cover(params.cover)
    config = text.config
    manuscript = Manuscript(
        config, tuple(text.chapters), params.author, cover=cover, cover_type=cover_type
    )
    path = _target(book, params)
    export(manuscript, params.format, path)
    return ExportResult(
        book_id=book.id,
        path=str(path),
        format=params.format,
        chapters=len(text.chapters),
        words=sum(count_words(c.prose, config.language) for c in text.chapters),
        unit=config.unit,
        skipped=sorted(text.skipped, key=lambda s: s.number),
        messages=_epubcheck(path) if params.check else [],
    )


@dataclass(frozen=True)
class _Text:
    """What goes into the file, and what doesn't."""

    config: BookConfig
    chapters: "list[ManuscriptChapter]"
    skipped: list[Skipped]


def _collect(book: BookDir, params: Export) -> _Text:
    from zencli.export.manuscript import ManuscriptChapter

    existing = book.chapter_numbers()
    wanted = chapters_in(params.chapters, existing) if params.chapters else existing
    records = book.records()
    chapters: list[ManuscriptChapter] = []
    skipped = [] if params.chapters else [Skipped(number=n, reason="missing") for n in book.gaps()]
    for number in wanted:
        title, prose = book.chapter(number)
        reason = _left_out(params, records.get(number), prose)
        if reason:
            skipped.append(Skipped(number=number, reason=reason))
        else:
            chapters.append(ManuscriptChapter(number, title, prose))
    return _Text(book.config(), chapters, skipped)


def _check_options(params: Export) -> None:
    if params.output == "-":
        raise UsageError(
            "usage.output",
            "An export is a finished file; it can't be written to stdout.",
            "Give the path of a file, or leave out --output.",
        )
    for option, given in (("--cover", params.cover is not None), ("--check", params.check)):
        if given and params.format != "epub":
            raise UsageError(
                "usage.options", f"{option} is for --format epub only.", "Add --format epub."
            )


def _left_out(params: Export, record: Record | None, prose: str) -> str | None:
    if not prose.strip():
        return "empty"
    if params.approved_only and (record is None or record.status != "approved"):
        return "not approved"
    return None


def _cover(path: str | None) -> tuple[bytes | None, "CoverType"]:
    if path is None:
        return None, "png"
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(
            "usage.cover", f"The cover {path} can't be read: {error.strerror}.", "Check the path."
        ) from error
    for magic, kind in _COVERS.items():
        if data.startswith(magic):
            return data, kind
    raise UsageError(
        "usage.cover", f"The cover {path} is neither PNG nor JPEG.", "Give a PNG or JPEG image."
    )


def _target(book: BookDir, params: Export) -> Path:
    if params.output is None:
        return book.path / "exports" / f"{book.id}.{params.format}"
    path = Path(params.output)
    return path / f"{book.id}.{params.format}" if path.is_dir() else path


def _epubcheck(path: Path) -> list[str]:
    from zencli.export.epubcheck import check_epub

    return check_epub(path)
