"""What the Runner's methods return: the ``data`` of the JSON object."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from zencli.pipeline.auditing.judged_results import AuditedChapter, AuditResult, ReviseResult
from zencli.pipeline.export_results import ExportResult, Skipped
from zencli.pipeline.mending.online_results import OnlineModel
from zencli.pipeline.result_base import Result
from zencli.store.changes import ChangeKind
from zencli.story.book import Language
from zencli.story.findings import Finding, Verdict
from zencli.story.record import ChapterStatus

__all__ = [
    "AuditResult",
    "AuditedChapter",
    "ExportResult",
    "Result",
    "ReviseResult",
    "Skipped",
]


class Mended(BaseModel):
    """A contradiction that was found; ``applied`` is False when its place wasn't."""

    model_config = ConfigDict(frozen=True)

    what: str
    document: str
    old: str
    new: str
    applied: bool


class InitBookResult(Result):
    """A new book."""

    title: str
    path: str
    files: list[str]
    problems: list[Mended]


class WrittenChapter(BaseModel):
    """A committed chapter."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    path: str
    words: int
    unit: Literal["chars", "words"]
    target_words: int
    length_score: float
    status: ChapterStatus
    verdict: Verdict | None
    findings: list[Finding]
    revised: int


class WriteNextResult(Result):
    """The chapters that were committed; ``plan`` is the path of a plan with ``--plan-only``."""

    chapters: list[WrittenChapter]
    plan: str | None = None


class ApprovedChapter(BaseModel):
    """A chapter and its status."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    status: ChapterStatus


class ApproveResult(Result):
    """The chapters whose approval was asked for."""

    chapters: list[ApprovedChapter]


class FileChange(BaseModel):
    """A file and what a run did to it."""

    model_config = ConfigDict(frozen=True)

    path: str
    change: ChangeKind


class UndoResult(Result):
    """The run that was taken back.

    ``undo`` is the run that did it, None when the book was moved to ``trash``. ``edited`` are the
    files with an edit by hand that was taken back too, ``stale`` the chapters that became stale.
    """

    run: str
    verb: str
    undo: str | None
    files: list[FileChange]
    edited: list[str]
    stale: list[int]
    trash: str | None


class RunLine(BaseModel):
    """A run. ``undoes`` is the run it took back, ``undone_by`` the run that took it back."""

    model_config = ConfigDict(frozen=True)

    run: str
    verb: str
    time: datetime
    files: list[FileChange]
    undoes: str | None
    undone_by: str | None


class RevisionLine(BaseModel):
    """A content that a file had, in bytes; ``size`` is None when the run deleted the file.

    ``run`` and ``verb`` are None for an edit by hand, or for the file as it was before the first
    run; ``time`` is then when a run came upon it. ``current``: the file holds it now.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    time: datetime
    run: str | None
    verb: str | None
    size: int | None
    current: bool


class HistoryResult(Result):
    """The runs of a book, or the revisions of ``file``; the newest first.

    ``edited``: the file was edited, made or deleted by hand since its last revision.
    """

    file: str | None
    runs: list[RunLine]
    revisions: list[RevisionLine]
    edited: bool


class RestoreResult(Result):
    """What was brought back, with all that follows from it; no file when it was so already."""

    file: str
    revision: int
    run: str
    files: list[FileChange]
    stale: list[int]


ImportAction = Literal["added", "same", "different", "replaced", "empty"]


class ImportedChapter(BaseModel):
    """A chapter of the source. ``same`` and ``different`` say how the book's own compares, which
    is left; ``empty`` has no text and is left out. ``where`` is its place in the source."""

    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    words: int
    action: ImportAction
    where: str


class ImportResult(Result):
    """What was imported, or with ``dry_run`` would be; ``created``: into a new book.

    ``problems`` are what looks wrong. ``settled`` were read by the model in this run, ``unsettled``
    are left of those it was to read.
    """

    title: str
    path: str
    language: Language
    unit: Literal["chars", "words"]
    created: bool
    dry_run: bool
    chapters: list[ImportedChapter]
    problems: list[str]
    settled: list[int]
    unsettled: list[int]


class Problem(BaseModel):
    """Something wrong with a book, or with the configuration when ``book_id`` is None.

    ``path`` is in the book's folder, "" when it is about no file. ``command`` mends it; None when
    only the author can. ``repair``: verbs may fail until it is mended; else it is only told.
    """

    model_config = ConfigDict(frozen=True)

    book_id: str | None
    code: str
    path: str
    message: str
    command: str | None
    repair: bool


class ModelLine(BaseModel):
    """A model and the roles it is configured for; None is the embedded one."""

    model_config = ConfigDict(frozen=True)

    roles: list[str]
    name: str | None
    base_url: str | None
    key: bool


class Setup(BaseModel):
    """The configuration; ``embedded_model`` is where the embedded model lies, None without it."""

    model_config = ConfigDict(frozen=True)

    models: list[ModelLine]
    embedded_model: str | None


class DoctorResult(BaseModel):
    """What is wrong. Without a book: with all books and the configuration.

    ``online``: the models that were tried out, when that was asked for.
    """

    model_config = ConfigDict(frozen=True)

    book_id: str | None
    books: list[str]
    problems: list[Problem]
    setup: Setup | None
    online: list[OnlineModel] = []


RepairAction = Literal[
    "restored", "rebuilt", "emptied", "decoded", "measured", "renumbered", "set aside"
]


class RepairedFile(BaseModel):
    """A file and how it was mended; ``note`` says what the author should know of it, or ""."""

    model_config = ConfigDict(frozen=True)

    path: str
    action: RepairAction
    note: str = ""


class RepairResult(Result):
    """What was mended, or with ``dry_run`` would be.

    ``settled`` are the chapters that the model read, ``unread`` those whose reply couldn't be read,
    ``unsettled`` those that have no delta, ``left`` what is wrong with the book after it all.
    """

    dry_run: bool
    files: list[RepairedFile]
    settled: list[int]
    unread: list[int]
    unsettled: list[int]
    stale: list[int]
    left: list[Problem]
