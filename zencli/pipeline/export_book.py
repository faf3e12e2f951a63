"""The verb ``export``: a finished file from the chapters, and what was left out of it."""

from pathlib import Path
from typing import TYPE_CHECKING

from zencli.errors import JudgedError, UsageError
from zencli.export.manuscript import Manuscript
from zencli.export.write import write_file, write_folder
from zencli.pipeline.export_imprint import imprint_of
from zencli.pipeline.export_params import Export
from zencli.pipeline.export_pictures import cover_of, pictures_of
from zencli.pipeline.export_platform import lengths_told, txt_form
from zencli.pipeline.export_results import ExportResult, Skipped
from zencli.pipeline.export_text import ExportText, collect
from zencli.store import cache
from zencli.store.layout import BookDir
from zencli.store.snapshot import snapshot
from zencli.story.book import BookConfig, Platform

if TYPE_CHECKING:
    from zencli.export.style import Look

_PAGES = "epub-pages"
_OF_ONE_FORMAT: dict[str, tuple[str, ...]] = {
    "cover": ("epub",),
    "check": ("epub",),
    "vertical": ("epub", "html"),
    "small_caps": ("epub", "html"),
    "split": ("txt", "md"),
    "encoding": ("txt",),
    "line_end": ("txt",),
    "platform": ("txt",),
    "front_matter": ("md",),
}
_SHOWN = 10


def export_book(book: BookDir, params: Export) -> ExportResult:
    """Write the file. Needs no model and no lock: reading sees committed chapters.

    Raises UsageError: ``export.empty`` when no chapter is left, ``usage.cover`` for an image that
    can't be used, ``usage.output`` for a path that can't be written; JudgedError
    ``export.incomplete`` with ``strict`` when a chapter is left out or isn't settled.
    """
    _check_options(params)
    text = snapshot(book, lambda seen: collect(seen, params))
    if not text.chapters:
        raise _empty(book.id, params, text.skipped)
    if params.strict and text.skipped:
        raise _incomplete(text.skipped)
    cover = cover_of(params.cover)
    platform = _platform(params, text.config)
    pictures, told = pictures_of(book, text.chapters)
    manuscript = Manuscript(
        text.config, text.chapters, imprint_of(book, params), text.parts, cover, pictures
    )
    path = _target(book, params)
    if params.split:
        write_folder(path, _files(manuscript, params, platform))
    else:
        write_file(path, _file(book, manuscript, params, platform))
    return _result(book, params, text, path, [*told, *lengths_told(platform, text.words)])


def _result(
    book: BookDir, params: Export, text: ExportText, path: Path, notes: list[str]
) -> ExportResult:
    return ExportResult(
        book_id=book.id,
        path=str(path),
        format=params.format,
        chapters=len(text.chapters),
        words=sum(text.words.values()),
        unit=text.config.unit,
        skipped=text.skipped,
        notes=notes,
        messages=_epubcheck(path) if params.check else [],
    )


def _check_options(params: Export) -> None:
    if params.output == "-":
        raise UsageError(
            "usage.output",
            "An export is a finished file; it can't be written to stdout.",
            "Give the path of a file, or leave out --output.",
        )
    for name, formats in _OF_ONE_FORMAT.items():
        given = getattr(params, name) != Export.model_fields[name].default
        if given and params.format not in formats:
            option = "--" + name.replace("_", "-")
            shown = " or ".join(f"--format {form}" for form in formats)
            raise UsageError("usage.options", f"{option} is for {shown} only.", f"Add {shown}.")


def _platform(params: Export, config: BookConfig) -> Platform | None:
    """Whose habits count; those that are known are of Chinese platforms."""
    if params.platform is not None and config.language != "zh":
        raise UsageError(
            "usage.options",
            f"--platform is for Chinese books, and {config.id} is in English.",
            "Leave it out.",
        )
    if params.format != "txt" or config.language != "zh":
        return None
    return params.platform or (config.platform if params.split else None)


def _empty(book_id: str, params: Export, skipped: list[Skipped]) -> UsageError:
    why = f": chapter {_told(skipped)}" if skipped else ""
    hint = f"Write one: zencli write-next {book_id}"
    if params.approved_only:
        hint = "Approve chapters, or leave out --approved-only."
    elif skipped:
        hint = "Write these chapters, or choose others."
    return UsageError("export.empty", f"{book_id} has no chapter to export{why}.", hint)


def _incomplete(skipped: list[Skipped]) -> JudgedError:
    return JudgedError(
        "export.incomplete",
        f"Nothing was written: chapter {_told(skipped)}.",
        "Mend these chapters, choose others, or leave out --strict.",
    )


def _told(skipped: list[Skipped]) -> str:
    """Chapters with their reasons, the first of them."""
    told = [f"{one.number} ({one.reason})" for one in skipped[:_SHOWN]]
    more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
    return f"{', '.join(told)}{more}"


def _file(
    book: BookDir, manuscript: Manuscript, params: Export, platform: Platform | None
) -> bytes:
    # each format is imported by the export that is of it alone
    if params.format == "txt":
        from zencli.export.txt import render_txt

        return render_txt(manuscript, txt_form(platform, params.encoding, params.line_end))
    if params.format == "md":
        from zencli.export.md import render_md

        return render_md(manuscript, front_matter=params.front_matter)
    if params.format == "docx":
        from zencli.export.docx import render_docx

        return render_docx(manuscript)
    from zencli.export.style import Look

    look = Look(params.vertical, params.small_caps)
    if params.format == "html":
        from zencli.export.html import render_html

        return render_html(manuscript, look)
    return _epub(book, manuscript, look)


def _files(manuscript: Manuscript, params: Export, platform: Platform | None) -> dict[str, bytes]:
    if params.format == "md":
        from zencli.export.md import split_md

        return split_md(manuscript, front_matter=params.front_matter)
    from zencli.export.txt import split_txt

    return split_txt(manuscript, txt_form(platform, params.encoding, params.line_end))


def _epub(book: BookDir, manuscript: Manuscript, look: "Look") -> bytes:
    from zencli.export.epub import render_epub
    from zencli.export.page_cache import PageCache

    pages = PageCache(cache.load(book, _PAGES))
    data = render_epub(manuscript, look, pages)
    if cache.worth_storing(pages.new, len(manuscript.chapters)):
        cache.store(book, _PAGES, pages.dump())
    return data


def _target(book: BookDir, params: Export) -> Path:
    ending = f"-{params.format}" if params.split else f".{params.format}"
    if params.output is None:
        return book.path / "exports" / f"{book.id}{ending}"
    path = Path(params.output)
    return path / f"{book.id}{ending}" if path.is_dir() and not params.split else path


def _epubcheck(path: Path) -> list[str]:
    from zencli.export.epubcheck import check_epub

    return check_epub(path)
