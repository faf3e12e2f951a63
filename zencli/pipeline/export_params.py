"""The parameters of ``export``."""

from typing import Literal

from zencli.pipeline.declaration import Params, param
from zencli.story.book import Platform

ExportFormat = Literal["txt", "md", "epub", "html", "docx"]
Encoding = Literal["utf-8", "utf-8-bom", "gb18030"]
LineEnd = Literal["lf", "crlf"]

_OWN = "; [export] in book.toml when absent"


class Export(Params):
    """Make a finished txt, md, epub, html or docx."""

    book_id: str | None = param(None, "id of the book", agents=("exporter",), metavar="BOOK")
    format: ExportFormat = param("txt", "form of the file", "--format", agents=("exporter",))
    approved_only: bool = param(
        False, "leave out chapters that aren't approved", "--approved-only", agents=("exporter",)
    )
    output: str | None = param(
        None,
        "path of the file, or of the folder with --split; exports/ in the book when absent",
        "--output",
        "-o",
        metavar="PATH",
    )
    chapters: str | None = param(
        None, "only these chapters: 1-20, 7 or 3-", "--chapters", metavar="RANGE"
    )
    volumes: str | None = param(
        None, "only the chapters of these volumes: 1-2, 3 or 2-", "--volumes", metavar="RANGE"
    )
    strict: bool = param(
        False,
        "write nothing when a chapter is missing, empty, stale, unsettled or left out",
        "--strict",
    )
    split: bool = param(False, "a folder with one file a chapter (txt, md)", "--split")
    encoding: Encoding = param("utf-8", "encoding of a txt", "--encoding")
    line_end: LineEnd = param("lf", "how lines of a txt end", "--line-end")
    platform: Platform | None = param(
        None, "habits of a platform (txt); with --split the book's own when absent", "--platform"
    )
    front_matter: bool = param(False, "begin with the book's facts as YAML (md)", "--front-matter")
    author: str = param("", f"author's name{_OWN}", "--author", metavar="NAME")
    publisher: str = param("", f"publisher{_OWN}", "--publisher", metavar="NAME")
    description: str = param("", f"what readers are told of the book{_OWN}", "--description")
    subject: tuple[str, ...] = param(
        (), f"subject; may be repeated{_OWN}", "--subject", metavar="WORD"
    )
    series: str = param("", f"series that the book belongs to{_OWN}", "--series", metavar="NAME")
    series_number: int | None = param(
        None, f"its number in the series{_OWN}", "--series-number", ge=0, le=100_000
    )
    rights: str = param("", f"who holds the rights{_OWN}", "--rights", metavar="TEXT")
    cover: str | None = param(
        None, "PNG, JPEG or SVG cover (epub); drawn when absent", "--cover", metavar="FILE"
    )
    vertical: bool = param(False, "write Chinese from top to bottom (epub, html)", "--vertical")
    small_caps: bool = param(
        False, "begin English chapters with small capitals (epub, html)", "--small-caps"
    )
    check: bool = param(False, "run EPUBCheck on the result (epub)", "--check")
