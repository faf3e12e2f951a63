"""How every verb runs: under the lock, with its log, its models, its limits and who is told."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zencli.context.prompts import Prompts
from zencli.llm.budget import Meter
from zencli.llm.recorded import Purpose
from zencli.llm.tape import Tape
from zencli.llm.types import Model, Usage
from zencli.pipeline.accounts.account import check_prices, open_account
from zencli.pipeline.configuration.models import ModelPool
from zencli.pipeline.configuration.settings import Overrides, Settings, load_settings
from zencli.pipeline.configuration.tape_head import as_recorded, head_of
from zencli.pipeline.editing.edits import edit_notes, readable_records
from zencli.pipeline.events import Listener, Notice
from zencli.pipeline.outcome import outcome_of
from zencli.pipeline.resume import Resume, resume_of
from zencli.pipeline.run_context import RunContext
from zencli.store.changes import part_of_run
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.paths import MACHINE
from zencli.store.recovery import recover
from zencli.store.run_files import run_name
from zencli.store.runs import RunLog, prune, shrink
from zencli.story.book import Language

KEPT_RUNS = 50
"""How many finished runs of a book are kept."""

KEPT_BYTES = 4_000_000
"""How much of their requests and replies is kept, the newest first."""


@dataclass(frozen=True)
class RunOptions:
    """What holds for every verb: dry run, resuming, waiting for the lock, limits, confirmation.

    ``wait`` is in seconds, None for as long as it takes. ``part_of`` is the id of the turn of
    agents that the commits count to, so that it is undone as one run; "" for a verb on its own.
    ``tape`` keeps what is exchanged with models in a file, or plays it back.
    """

    dry_run: bool = False
    fresh: bool = False
    wait: float | None = 0
    confirmed: bool = False
    overrides: Overrides = field(default_factory=Overrides)
    part_of: str = ""
    tape: Tape | None = None


def utc_now() -> datetime:
    """The time, whole seconds, with its zone."""
    return datetime.now(UTC).replace(microsecond=0)


class Session:
    """The circumstances of the verbs of one Runner.

    ``usage`` and ``warnings`` are those of the last verb, also when it raised.
    """

    def __init__(
        self,
        root: Path,
        options: RunOptions,
        model: Model | None,
        listener: Listener,
        environ: "os._Environ[str] | dict[str, str]",
    ) -> None:
        self.root = root
        self.options = options
        self.model = model
        self.listener = listener
        self.environ = environ
        self.usage = Usage()
        self.warnings: list[str] = []

    def start(self) -> None:
        """Forget what the verb before took and told."""
        self.usage, self.warnings = Usage(), []

    def resume(
        self, folder: Path, verb: str, command: dict[str, Any], log: RunLog | None = None
    ) -> Resume:
        fresh = self.options.fresh or self.options.dry_run
        return resume_of(folder, verb, command, log, fresh=fresh)

    @contextmanager
    def logged(self, book: BookDir, verb: str, command: dict[str, Any]) -> Iterator[Resume]:
        """The log of a run that calls no model, so that the same command knows what it did."""
        log = RunLog.start(runs_folder(book), verb)
        try:
            yield self.resume(runs_folder(book), verb, command, log)
        except BaseException as error:
            log.finish(*outcome_of(error))
            raise
        else:
            if log.folder.is_dir():  # the book may be in the trash now
                log.finish("done", {})

    def _live(self) -> bool:
        """Whether models are really asked."""
        return self.options.tape is None or self.options.tape.live

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        self.listener(Notice(text))

    def has_model(self, book: BookDir) -> bool:
        """Whether the planner has a model that is worth asking: given, or configured."""
        if self.model is not None or self.options.tape is not None:
            return True
        settings = load_settings(
            self.root, book.settings(), self.environ, self.options.overrides, need_keys=False
        )
        return not settings.choice("planner").embedded

    def check(self, verb: str, book: BookDir | None) -> None:
        """Find what is wrong with the configuration of a run before anything is written."""
        table = book.settings() if book else None
        settings = load_settings(self.root, table, self.environ, self.options.overrides)
        meter = Meter(settings.max_cost, budget=settings.budget)
        check_prices(meter, verb, ModelPool(settings, self.model))

    @contextmanager
    def held(
        self, verb: str, book: BookDir, mend: Callable[[BookDir], str | None] = recover
    ) -> Iterator[str]:
        """A run that calls no model, on a book under its lock; yields the run's id."""
        self.usage, self.warnings = Usage(), []
        with book_lock(book, verb, self.options.wait, mend) as recovered:
            if recovered:
                self.listener(Notice(recovered))
            for note in edit_notes(book, verb):
                self.warn(note)
            yield part_of_run(self.options.part_of, run_name(verb))

    @contextmanager
    def locked(
        self,
        verb: str,
        book: BookDir,
        command: dict[str, Any] | None = None,
        *,
        uses_model: bool = True,
    ) -> Iterator[tuple[RunContext, str]]:
        """A run on a book under its lock; a dry run takes none, because it changes nothing."""
        if self.options.dry_run:
            lock: Any = nullcontext()
        else:
            lock = book_lock(book, verb, self.options.wait)
        with lock as recovered:
            if recovered:
                self.listener(Notice(recovered))
            language = book.config().language
            folder = runs_folder(book)
            with self.run(verb, book, language, folder, command, uses_model=uses_model) as run:
                if not self.options.dry_run:
                    run[0].records = readable_records(book)
                    for note in edit_notes(book, verb, run[0].records):
                        run[0].warn(note)
                yield run

    @contextmanager
    def run(
        self,
        verb: str,
        book: BookDir | None,
        language: Language,
        folder: Path,
        command: dict[str, Any] | None = None,
        *,
        uses_model: bool = True,
    ) -> Iterator[tuple[RunContext, str]]:
        options = self.options
        root = self.root
        settings = load_settings(
            root,
            book.settings() if book else None,
            self.environ,
            options.overrides,
            need_keys=uses_model and not options.dry_run and self._live(),
        )
        if options.tape is not None:
            settings = _taped(settings, options.tape)
        prompts = Prompts(language, [book.path, root] if book else [root])
        if uses_model:
            prompts.check_own()
        log = None if options.dry_run else RunLog.start(folder, verb, options.fresh)
        home = book.path if book else root
        account = open_account(root, home, settings, log, new_book=book is None)
        # what was learnt of tokens here isn't known where a recording is replayed
        rates = account.rates if options.tape is None else None
        pool = ModelPool(settings, self.model, rates, options.tape)
        ctx = RunContext(
            prompts, pool, log, account.meter, self.listener, options.dry_run, calls=account.calls
        )
        pool.tell = ctx.warn
        ctx.purpose = Purpose(log.id if log else "", verb)
        if command is not None:
            ctx.resume = self.resume(folder, verb, command, log)
        self.usage, self.warnings = Usage(), ctx.warnings
        if uses_model and pool.embedded and not options.dry_run and self._live():
            self.listener(
                Notice("No model is configured: using the embedded SmolLM2-135M, a toy in English.")
            )
        try:
            if uses_model and not options.dry_run:
                check_prices(account.meter, verb, pool)
            yield ctx, part_of_run(options.part_of, log.id if log else verb)
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
            self.usage = account.meter.usage
            account.close()
            pool.close()


def _taped(settings: Settings, tape: Tape) -> Settings:
    """``settings`` as a recording keeps them, or with the models that it was made with."""
    if not tape.live:
        return as_recorded(settings, tape.head)
    tape.begin(head_of(settings))
    return settings


def runs_folder(book: BookDir) -> Path:
    """Where the logs of a book's runs are."""
    return book.path / MACHINE / "runs"
