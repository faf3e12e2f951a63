"""Step 3: the deterministic checks of a chapter, with all that they need to know of the book."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from zencli.context.canon import Canon
from zencli.pipeline.checking.check_ahead import Ahead, Asked, find, make_rows_together
from zencli.pipeline.checking.check_index import index_rows
from zencli.pipeline.checking.check_settings import CheckSettings, check_settings
from zencli.prose.earlier import RECENT, Neighbours, neighbours
from zencli.prose.finding import CheckContext
from zencli.prose.prints import prints
from zencli.prose.standing import Standing, standing
from zencli.prose.style_block import parse_block
from zencli.store.layout import BookDir
from zencli.story.documents import bible
from zencli.story.findings import Finding
from zencli.story.fold import Walk, canonical_names, opening_state
from zencli.story.plan import Plan
from zencli.story.state import State

_BACKGROUND = ("brief.md", "story_bible.md", "outline.md", "timeline.md", "secrets.md")


def earlier_prose(book: BookDir, number: int) -> list[str]:
    """The prose of the chapters just before ``number``, the nearest last."""
    before = [n for n in book.chapter_numbers() if n < number][-RECENT:]
    return [book.chapter(n)[1] for n in before]


def check_prose(
    canon: Canon,
    number: int,
    prose: str,
    target_words: int,
    earlier: list[str],
    plan: Plan | None = None,
) -> list[Finding]:
    """All findings that need no model. ``plan`` is the chapter's, by default that of its record.

    Raises ``UsageError`` ``usage.config`` for a ``[checks]`` that can't be used.
    """
    return Checking(canon).findings(number, prose, target_words, earlier, plan)


@dataclass
class Checking:
    """The checks of one book: what they need of it is read once.

    ``ahead`` are chapters that will be asked for as they stand on disk, ascending: they are checked
    before their turn, by several processes when they are many.
    """

    canon: Canon
    ahead: Sequence[int] = ()
    _ready: Ahead | None = field(default=None, init=False)

    @cached_property
    def _settings(self) -> CheckSettings:
        return check_settings(self._book.settings())

    @property
    def _book(self) -> BookDir:
        return self.canon.records.book

    @cached_property
    def _common(self) -> CheckContext:
        """What is the same for every chapter."""
        config, files = self.canon.config, self.canon.files
        return CheckContext(
            language=config.language,
            number=0,
            target_words=0,
            banned=self.canon.banned,
            point_of_view=bible.point_of_view(files["rules.md"]),
            genre=config.genre,
            background="\n".join(files[name] for name in _BACKGROUND),
            fingerprint=parse_block(files["style.md"]),
            words=self._settings.words,
            disabled=self._settings.disabled,
            thresholds=self._settings.thresholds,
        )

    def findings(
        self,
        number: int,
        prose: str,
        target_words: int,
        earlier: Sequence[str] | None = None,
        plan: Plan | None = None,
    ) -> list[Finding]:
        """All findings of one chapter; ``earlier`` as from ``earlier_prose``."""
        if self.ahead and self._ready is None:
            self._ready = self._start()
        ready = self._ready.take(number, prose, target_words) if self._ready else None
        if ready is not None:
            return ready
        mine = prints(prose, self.canon.config.language)
        rows = index_rows(self._book, self.canon.config.language, number)
        near = neighbours(rows, number, mine)
        if plan is None:
            record = self.canon.records.get(number)
            plan = record.plan if record else None
        stands = self._standing(number, self.canon.state_before(number), plan)
        asked = Asked(number, target_words, tuple(rows)[-RECENT:], near, stands)
        return find(self._book, self._common, asked, prose, earlier)

    def _start(self) -> Ahead:
        language = self.canon.config.language
        last = max(self.ahead) + 1
        rows = index_rows(self._book, language, last, make_rows_together)
        records, names = self.canon.records, canonical_names(self.canon.foundation)
        told = ((n, records[n].title, records[n].delta) for n in records if n < last)
        start = opening_state(self.canon.foundation)
        story = Walk(start, told, names, self.canon.corrections)

        def ask(number: int, recent: tuple[int, ...], near: Neighbours) -> Asked:
            record = records.get(number)
            words = record.target_words if record else 0
            state = story.before(number)
            stands = self._standing(number, state, record.plan if record else None)
            return Asked(number, words or self.canon.config.chapter_words, recent, near, stands)

        return Ahead(self._book, self._common, rows, self.ahead, ask)

    def _standing(self, number: int, state: State, plan: Plan | None) -> Standing:
        return standing(state, self.canon.cards, number, self.canon.config.language, plan=plan)
