"""The Runner: one method per verb, the same for the command line, ``sub_agent`` and Python."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zencli.context.prompts import Prompts
from zencli.llm.budget import Meter
from zencli.llm.types import Model, Usage
from zencli.pipeline.approve import approve
from zencli.pipeline.audit_book import audit_book
from zencli.pipeline.brief import read_brief
from zencli.pipeline.doctor_setup import doctor
from zencli.pipeline.edits import edit_notes
from zencli.pipeline.events import Listener, Notice, ignore
from zencli.pipeline.export_book import export_book
from zencli.pipeline.history_book import history
from zencli.pipeline.import_book import import_into, import_new, preview_import, target_book
from zencli.pipeline.import_params import Import
from zencli.pipeline.import_plan import read_import
from zencli.pipeline.import_settle import settle_imported
from zencli.pipeline.init_book import init_book, made_already
from zencli.pipeline.models import ModelPool
from zencli.pipeline.outcome import outcome_of
from zencli.pipeline.params import (
    Approve,
    Audit,
    Export,
    History,
    InitBook,
    Params,
    Restore,
    Revise,
    Undo,
    WriteNext,
)
from zencli.pipeline.repair import preview_repair, repair
from zencli.pipeline.repair_params import Doctor, Repair
from zencli.pipeline.restore import restore
from zencli.pipeline.results import (
    ApproveResult,
    AuditResult,
    DoctorResult,
    ExportResult,
    HistoryResult,
    ImportResult,
    InitBookResult,
    RepairResult,
    RestoreResult,
    ReviseResult,
    UndoResult,
    WriteNextResult,
)
from zencli.pipeline.resume import Resume, resume_of, undone_already
from zencli.pipeline.revise_book import chapter_to_revise, revise_book
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.settings import Overrides, load_settings
from zencli.pipeline.sync_book import sync
from zencli.pipeline.sync_params import Sync
from zencli.pipeline.sync_results import SyncResult
from zencli.pipeline.undo import undo
from zencli.pipeline.write_next import chapters_to_write, write_next
from zencli.store.create import check_free, check_writable
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.paths import MACHINE
from zencli.store.recovery import recover
from zencli.store.run_files import run_name
from zencli.store.runs import RunLog, prune, shrink
from zencli.store.salvage import recover_or_set_aside
from zencli.store.snapshot import as_committed, snapshot
from zencli.store.workspace import Workspace
from zencli.story.book import Language

KEPT_RUNS = 50
"""How many finished runs of a book are kept."""

KEPT_BYTES = 4_000_000
"""How much of their requests and replies is kept, the newest first."""


@dataclass(frozen=True)
class RunOptions:
    """What holds for every verb: dry run, resuming, waiting for the lock, limits, confirmation.

    ``wait`` is in seconds, None for as long as it takes.
    """

    dry_run: bool = False
    fresh: bool = False
    wait: float | None = 0
    confirmed: bool = False
    overrides: Overrides = field(default_factory=Overrides)


def utc_now() -> datetime:
    """The time, whole seconds, with its zone."""
    return datetime.now(UTC).replace(microsecond=0)


class Runner:
    """Runs verbs in a workspace.

    ``model`` answers for all roles instead of the configured ones. ``usage`` and ``warnings`` are
    those of the last verb, also when it raised. With ``options.dry_run`` a verb that would call a
    model raises ``Previewed`` and changes nothing.
    """

    def __init__(
        self,
        root: Path,
        options: RunOptions | None = None,
        *,
        model: Model | None = None,
        listener: Listener = ignore,
        clock: Callable[[], datetime] = utc_now,
        environ: "os._Environ[str] | dict[str, str]" = os.environ,
    ) -> None:
        self.workspace = Workspace(root)
        self._options = options or RunOptions()
        self._model = model
        self._listener = listener
        self._clock = clock
        self._environ = environ
        self.usage = Usage()
        self.warnings: list[str] = []

    def init_book(self, params: InitBook) -> InitBookResult:
        """Plan a book from a brief and write its foundation; a failure leaves nothing behind."""
        brief = read_brief(params)
        folder = self.workspace.root / ".zencli" / "runs"
        command = {**params.model_dump(mode="json"), "brief": brief}
        made = made_already(self.workspace, self._resume(folder, "init-book", command))
        if made is not None:
            self._listener(Notice(f"An interrupted run of this command has made {made.book_id}."))
            return made
        if params.book_id is not None:
            check_free(self.workspace, params.book_id)
        check_writable(self.workspace.books_dir)
        with self._run("init-book", None, params.language, folder, command) as (ctx, run_id):
            return init_book(ctx, self.workspace, params, brief, run_id, self._clock())

    def write_next(self, params: WriteNext) -> WriteNextResult:
        """Write the next chapters, one commit each."""
        book = self._open(params.book_id)
        confirmed = self._options.confirmed
        command = _command(params)
        goal = self._resume(_runs(book), "write-next", command).goal
        snapshot(book, lambda seen: chapters_to_write(seen, params, confirmed=confirmed, goal=goal))
        with self._locked("write-next", book, command) as (ctx, run_id):
            return write_next(ctx, book, params, run_id, self._clock(), confirmed=confirmed)

    def audit(self, params: Audit) -> AuditResult:
        """Judge chapters and keep the findings in their records."""
        book = self._open(params.book_id)
        with self._locked("audit", book, uses_model=not params.no_llm) as (ctx, run_id):
            return audit_book(ctx, book, params, run_id, self._clock())

    def revise(self, params: Revise) -> ReviseResult:
        """Revise one chapter; kept only when it is better."""
        book = self._open(params.book_id)
        confirmed = self._options.confirmed
        snapshot(book, lambda seen: chapter_to_revise(seen, params, confirmed=confirmed))
        with self._locked("revise", book, _command(params)) as (ctx, run_id):
            return revise_book(ctx, book, params, run_id, self._clock(), confirmed=confirmed)

    def export(self, params: Export) -> ExportResult:
        """Make a finished file."""
        return export_book(self.workspace.open(params.book_id), params)

    def approve(self, params: Approve, *, approved: bool = True) -> ApproveResult:
        """Set or take back the author's approval."""
        book = self.workspace.open(params.book_id)
        book.config()
        verb = "approve" if approved else "unapprove"
        with self._held(verb, book) as run_id:
            return approve(book, params, run_id, self._clock(), approved=approved)

    def undo(self, params: Undo) -> UndoResult:
        """Take a run back; the undoing of a book's making moves it to the workspace's trash."""
        book = self.workspace.open(params.book_id)
        with self._held("undo", book), self._logged(book, "undo", _command(params)) as resume:
            undone = undone_already(book, resume)
            if undone is not None:
                self._warn(f"An interrupted run of this command has undone {undone.run}.")
                return undone
            resume.begin()
            return undo(
                book,
                params.run,
                resume.run_id,
                self._clock(),
                trash=self.workspace.root / MACHINE / "trash",
                confirmed=self._options.confirmed,
                warn=self._warn,
            )

    def history(self, params: History) -> HistoryResult:
        """The runs of a book, or the revisions of a file."""
        return history(self.workspace.open(params.book_id), params.file)

    def restore(self, params: Restore) -> RestoreResult:
        """Bring a file back as it was in a revision."""
        book = self.workspace.open(params.book_id)
        with self._held("restore", book) as run_id:
            return restore(book, params, run_id, self._clock(), warn=self._warn)

    def sync(self, params: Sync) -> SyncResult:
        """Take over what the author did by hand."""
        book = self._open(params.book_id)
        with self._locked("sync", book, uses_model=not params.no_llm) as (ctx, run_id):
            return sync(ctx, book, params, run_id, self._clock())

    def doctor(self, params: Doctor) -> DoctorResult:
        """What is wrong with a book, or with all books and the configuration."""
        self.usage, self.warnings = Usage(), []
        return doctor(self.workspace, params, self._environ, self._options.overrides)

    def repair(self, params: Repair) -> RepairResult:
        """Mend a damaged book from the chapters, records and history that there are."""
        book = self.workspace.find(params.book_id)
        confirmed, now = self._options.confirmed, self._clock()
        if self._options.dry_run:
            return preview_repair(book, params, now, confirmed=confirmed)

        def open_run() -> AbstractContextManager[tuple[RunContext, str]]:
            return self._run("repair", book, book.config().language, _runs(book))

        with self._held("repair", book, recover_or_set_aside) as run_id:
            return repair(book, params, run_id, now, open_run, confirmed=confirmed)

    def import_book(self, params: Import) -> ImportResult:
        """Make a book of an existing novel, or add its new chapters to one."""
        self.usage, self.warnings = Usage(), []
        reading = read_import(params)
        replace = self._options.confirmed
        if self._options.dry_run:
            return preview_import(self.workspace, params, reading, replace=replace)
        book_id, book = target_book(self.workspace, params, reading)
        if params.settle:
            self._check_settings(book)
        result = None
        if book is None:
            run_id = run_name("import")
            result = import_new(self.workspace, book_id, params, reading, run_id, self._clock())
            book = self.workspace.open(book_id)
        if params.settle:
            with self._locked("import", book, _command(params)) as (ctx, run_id):
                now = self._clock()
                result = result or import_into(book, reading, run_id, now, replace=replace)
                return settle_imported(ctx, book, result, run_id, now)
        if result is None:
            with self._held("import", book) as run_id:
                result = import_into(book, reading, run_id, self._clock(), replace=replace)
        return result

    def _check_settings(self, book: BookDir | None) -> None:
        """Find what is wrong with the configuration before anything is written."""
        table = book.settings() if book else None
        load_settings(self.workspace.root, table, self._environ, self._options.overrides)

    def _open(self, book_id: str | None) -> BookDir:
        """The book; for a dry run, which takes no lock, as the last commit leaves it."""
        book = self.workspace.open(book_id)
        return as_committed(book) if self._options.dry_run else book

    def _resume(
        self, folder: Path, verb: str, command: dict[str, Any], log: RunLog | None = None
    ) -> Resume:
        fresh = self._options.fresh or self._options.dry_run
        return resume_of(folder, verb, command, log, fresh=fresh)

    @contextmanager
    def _logged(self, book: BookDir, verb: str, command: dict[str, Any]) -> Iterator[Resume]:
        """The log of a run that calls no model, so that the same command knows what it did."""
        log = RunLog.start(_runs(book), verb)
        try:
            yield self._resume(_runs(book), verb, command, log)
        except BaseException as error:
            log.finish(*outcome_of(error))
            raise
        else:
            if log.folder.is_dir():  # the book may be in the trash now
                log.finish("done", {})

    def _warn(self, text: str) -> None:
        self.warnings.append(text)
        self._listener(Notice(text))

    @contextmanager
    def _held(
        self, verb: str, book: BookDir, mend: Callable[[BookDir], str | None] = recover
    ) -> Iterator[str]:
        """A run that calls no model, on a book under its lock; yields the run's id."""
        self.usage, self.warnings = Usage(), []
        with book_lock(book, verb, self._options.wait, mend) as recovered:
            if recovered:
                self._listener(Notice(recovered))
            for note in edit_notes(book, verb):
                self._warn(note)
            yield run_name(verb)

    @contextmanager
    def _locked(
        self,
        verb: str,
        book: BookDir,
        command: dict[str, Any] | None = None,
        *,
        uses_model: bool = True,
    ) -> Iterator[tuple[RunContext, str]]:
        """A run on a book under its lock; a dry run takes none, because it changes nothing."""
        if self._options.dry_run:
            lock: Any = nullcontext()
        else:
            lock = book_lock(book, verb, self._options.wait)
        with lock as recovered:
            if recovered:
                self._listener(Notice(recovered))
            language = book.config().language
            folder = _runs(book)
            with self._run(verb, book, language, folder, command, uses_model=uses_model) as run:
                for note in () if self._options.dry_run else edit_notes(book, verb):
                    run[0].warn(note)
                yield run

    @contextmanager
    def _run(
        self,
        verb: str,
        book: BookDir | None,
        language: Language,
        folder: Path,
        command: dict[str, Any] | None = None,
        *,
        uses_model: bool = True,
    ) -> Iterator[tuple[RunContext, str]]:
        options = self._options
        root = self.workspace.root
        settings = load_settings(
            root,
            book.settings() if book else None,
            self._environ,
            options.overrides,
            need_keys=uses_model and not options.dry_run,
        )
        prompts = Prompts(language, [book.path, root] if book else [root])
        if uses_model:
            prompts.check_own()
        pool = ModelPool(settings, self._model)
        log = None if options.dry_run else RunLog.start(folder, verb, options.fresh)
        meter = Meter(settings.max_cost, settings.max_tokens)
        ctx = RunContext(prompts, pool, log, meter, self._listener, options.dry_run)
        if command is not None:
            ctx.resume = self._resume(folder, verb, command, log)
        self.usage, self.warnings = Usage(), ctx.warnings
        if uses_model and pool.embedded and not options.dry_run:
            self._listener(
                Notice("No model is configured: using the embedded SmolLM2-135M, a toy in English.")
            )
        try:
            yield ctx, log.id if log else verb
        except BaseException as error:
            if log is not None:
                log.finish(*outcome_of(error))
            raise
        else:
            if log is not None:
                log.finish("done", {})
                prune(folder, KEPT_RUNS)
                shrink(folder, KEPT_BYTES)
        finally:
            self.usage = meter.usage
            pool.close()


def _runs(book: BookDir) -> Path:
    return book.path / MACHINE / "runs"


def _command(params: Params) -> dict[str, Any]:
    """A command on a book, as it is recognised when it is given again."""
    return params.model_dump(mode="json", exclude={"book_id"})
