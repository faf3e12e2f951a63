"""The Runner: one method per verb, the same for the command line, ``sub_agent`` and Python."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

from zencli.llm.types import Model, Usage
from zencli.pipeline.approve import approve
from zencli.pipeline.auditing.audit_book import audit_book
from zencli.pipeline.auditing.judged_results import WaiveResult
from zencli.pipeline.auditing.waive_book import waive_book
from zencli.pipeline.auditing.waive_params import Waive
from zencli.pipeline.brief import read_brief
from zencli.pipeline.editing.sync_book import sync
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.editing.sync_results import SyncResult
from zencli.pipeline.events import Listener, Notice, ignore
from zencli.pipeline.export_book import export_book
from zencli.pipeline.importing.import_book import (
    import_into,
    import_new,
    preview_import,
    target_book,
)
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.importing.import_plan import read_import
from zencli.pipeline.importing.import_settle import settle_imported
from zencli.pipeline.init_book import init_book, made_already
from zencli.pipeline.mending.doctor_setup import doctor
from zencli.pipeline.mending.repair import preview_repair, repair
from zencli.pipeline.mending.repair_params import Doctor, Repair
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
from zencli.pipeline.past.history_book import history
from zencli.pipeline.past.restore import restore
from zencli.pipeline.past.undo import undo
from zencli.pipeline.reporting.book_report import report_book
from zencli.pipeline.reporting.report_params import Report, ReportResult
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
from zencli.pipeline.resume import undone_already
from zencli.pipeline.revising.revise_book import chapter_to_revise, revise_book
from zencli.pipeline.run_context import RunContext
from zencli.pipeline.session import RunOptions, Session, runs_folder, utc_now
from zencli.pipeline.style.style_book import learn_style, read_sample, show_style
from zencli.pipeline.style.style_params import StyleLearn, StyleShow
from zencli.pipeline.style.style_results import StyleResult, StyleView
from zencli.pipeline.suggesting.suggest_book import suggest, suggest_by_rule
from zencli.pipeline.suggesting.suggest_params import Suggest, SuggestResult
from zencli.pipeline.trends.trend import TrendResult
from zencli.pipeline.trends.trend_verb import refuse_trend, trend_of
from zencli.pipeline.write_next import chapters_to_write, write_next
from zencli.store.create import check_free, check_writable
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE
from zencli.store.run_files import run_name
from zencli.store.salvage import recover_or_set_aside
from zencli.store.snapshot import as_committed, snapshot
from zencli.store.workspace import Workspace


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
        self._session = Session(root, options or RunOptions(), model, listener, environ)
        self._clock = clock

    @property
    def usage(self) -> Usage:
        """What the last verb took, replies read back from an earlier run aside."""
        return self._session.usage

    @property
    def warnings(self) -> list[str]:
        """What the last verb told."""
        return self._session.warnings

    def init_book(self, params: InitBook) -> InitBookResult:
        """Plan a book from a brief and write its foundation; a failure leaves nothing behind."""
        brief = read_brief(params)
        folder = self.workspace.root / ".zencli" / "runs"
        command = {**params.model_dump(mode="json"), "brief": brief}
        made = made_already(self.workspace, self._session.resume(folder, "init-book", command))
        if made is not None:
            self._session.listener(
                Notice(f"An interrupted run of this command has made {made.book_id}.")
            )
            return made
        if params.book_id is not None:
            check_free(self.workspace, params.book_id)
        check_writable(self.workspace.books_dir)
        with self._session.run("init-book", None, params.language, folder, command) as (
            ctx,
            run_id,
        ):
            return init_book(ctx, self.workspace, params, brief, run_id, self._clock())

    def write_next(self, params: WriteNext) -> WriteNextResult:
        """Write the next chapters, one commit each."""
        book = self._open(params.book_id)
        confirmed = self._session.options.confirmed
        command = _command(params)
        goal = self._session.resume(runs_folder(book), "write-next", command).goal
        snapshot(book, lambda seen: chapters_to_write(seen, params, confirmed=confirmed, goal=goal))
        with self._session.locked("write-next", book, command) as (ctx, run_id):
            return write_next(ctx, book, params, run_id, self._clock(), confirmed=confirmed)

    def audit(self, params: Audit) -> AuditResult:
        """Judge chapters and keep the findings in their records."""
        refuse_trend(params)
        book = self._open(params.book_id)
        with self._session.locked("audit", book, uses_model=not params.no_llm) as (ctx, run_id):
            return audit_book(ctx, book, params, run_id, self._clock())

    def trend(self, params: Audit) -> TrendResult:
        """How the chapters change over the book; nothing is judged or written."""
        return trend_of(self.workspace.open(params.book_id), params)

    def waive(self, params: Waive) -> WaiveResult:
        """Let a finding stand with the author's reason, or take that back."""
        book = self.workspace.open(params.book_id)
        with self._session.held("waive", book) as run_id:
            return waive_book(book, params, run_id, self._clock())

    def revise(self, params: Revise) -> ReviseResult:
        """Revise one chapter; kept only when it is better."""
        book = self._open(params.book_id)
        confirmed = self._session.options.confirmed
        snapshot(book, lambda seen: chapter_to_revise(seen, params, confirmed=confirmed))
        with self._session.locked("revise", book, _command(params)) as (ctx, run_id):
            return revise_book(ctx, book, params, run_id, self._clock(), confirmed=confirmed)

    def export(self, params: Export) -> ExportResult:
        """Make a finished file."""
        return export_book(self.workspace.open(params.book_id), params)

    def report(self, params: Report) -> ReportResult:
        """Draw the whole book on one HTML page."""
        self._session.start()
        return report_book(self.workspace.open(params.book_id), params, self._clock())

    def suggest(self, params: Suggest) -> SuggestResult:
        """Three next steps in the author's voice; by rule where no model is configured."""
        book = self._open(params.book_id)
        if params.no_llm or not self._session.has_model(book):
            return suggest_by_rule(book)
        folder = runs_folder(book)
        with self._session.run("suggest", book, book.config().language, folder) as (ctx, _):
            return suggest(ctx, book)

    def approve(self, params: Approve, *, approved: bool = True) -> ApproveResult:
        """Set or take back the author's approval."""
        book = self.workspace.open(params.book_id)
        book.config()
        verb = "approve" if approved else "unapprove"
        with self._session.held(verb, book) as run_id:
            return approve(book, params, run_id, self._clock(), approved=approved)

    def undo(self, params: Undo) -> UndoResult:
        """Take a run back; the undoing of a book's making moves it to the workspace's trash."""
        book = self.workspace.open(params.book_id)
        with (
            self._session.held("undo", book),
            self._session.logged(book, "undo", _command(params)) as resume,
        ):
            undone = undone_already(book, resume)
            if undone is not None:
                self._session.warn(f"An interrupted run of this command has undone {undone.run}.")
                return undone
            resume.begin()
            return undo(
                book,
                params.run,
                resume.run_id,
                self._clock(),
                trash=self.workspace.root / MACHINE / "trash",
                confirmed=self._session.options.confirmed,
                warn=self._session.warn,
            )

    def history(self, params: History) -> HistoryResult:
        """The runs of a book, or the revisions of a file."""
        return history(self.workspace.open(params.book_id), params.file)

    def restore(self, params: Restore) -> RestoreResult:
        """Bring a file back as it was in a revision."""
        book = self.workspace.open(params.book_id)
        with self._session.held("restore", book) as run_id:
            return restore(book, params, run_id, self._clock(), warn=self._session.warn)

    def sync(self, params: Sync) -> SyncResult:
        """Take over what the author did by hand."""
        book = self._open(params.book_id)
        with self._session.locked("sync", book, uses_model=not params.no_llm) as (ctx, run_id):
            return sync(ctx, book, params, run_id, self._clock())

    def style_learn(self, params: StyleLearn) -> StyleResult:
        """Measure a sample and write its voice into ``style.md``."""
        book = self._open(params.book_id)
        config = book.config()
        sample = read_sample(params, config)
        model = not params.no_llm
        with self._session.locked("style", book, _command(params), uses_model=model) as run:
            return learn_style(run[0], book, config, sample, run[1], params.no_llm)

    def style_show(self, params: StyleShow) -> StyleView:
        """What was learnt of a sample, and how far the latest chapters are from it."""
        book = self.workspace.open(params.book_id)
        return snapshot(book, lambda seen: show_style(seen, seen.config()))

    def doctor(self, params: Doctor) -> DoctorResult:
        """What is wrong with a book, or with all books and the configuration."""
        self._session.start()
        return doctor(
            self.workspace, params, self._session.environ, self._session.options.overrides
        )

    def repair(self, params: Repair) -> RepairResult:
        """Mend a damaged book from the chapters, records and history that there are."""
        book = self.workspace.find(params.book_id)
        confirmed, now = self._session.options.confirmed, self._clock()
        if self._session.options.dry_run:
            return preview_repair(book, params, now, confirmed=confirmed)

        def open_run() -> AbstractContextManager[tuple[RunContext, str]]:
            return self._session.run("repair", book, book.config().language, runs_folder(book))

        with self._session.held("repair", book, recover_or_set_aside) as run_id:
            return repair(book, params, run_id, now, open_run, confirmed=confirmed)

    def import_book(self, params: Import) -> ImportResult:
        """Make a book of an existing novel, or add its new chapters to one."""
        self._session.start()
        reading = read_import(params)
        replace = self._session.options.confirmed
        if self._session.options.dry_run:
            return preview_import(self.workspace, params, reading, replace=replace)
        book_id, book = target_book(self.workspace, params, reading)
        if params.settle:
            self._session.check("import", book)
        result = None
        if book is None:
            run_id = run_name("import")
            result = import_new(self.workspace, book_id, params, reading, run_id, self._clock())
            book = self.workspace.open(book_id)
        if params.settle:
            with self._session.locked("import", book, _command(params)) as (ctx, run_id):
                now = self._clock()
                result = result or import_into(book, reading, run_id, now, replace=replace)
                return settle_imported(ctx, book, result, run_id, now)
        if result is None:
            with self._session.held("import", book) as run_id:
                result = import_into(book, reading, run_id, self._clock(), replace=replace)
        return result

    def _open(self, book_id: str | None) -> BookDir:
        """The book; for a dry run, which takes no lock, as the last commit leaves it."""
        book = self.workspace.open(book_id)
        return as_committed(book) if self._session.options.dry_run else book


def _command(params: Params) -> dict[str, Any]:
    """A command on a book, as it is recognised when it is given again."""
    return params.model_dump(mode="json", exclude={"book_id"})
