"""What a book says of itself, read once: the author's files, parsed where a program needs parts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from zencli.context import arc_texts, author_edits, series, standing
from zencli.context.names import Names, with_parts
from zencli.store.layout import BookDir
from zencli.store.records import Records
from zencli.story.book import BookConfig
from zencli.story.corrections import AuthorCorrection
from zencli.story.documents import bible
from zencli.story.documents.cards import parse_card
from zencli.story.documents.outline import insert_entries
from zencli.story.fold import canonical_names
from zencli.story.foundation import Character, Foundation, OutlineEntry, StartingCharacter
from zencli.story.state import State

FILES = (
    "brief.md",
    "story_bible.md",
    "rules.md",
    "style.md",
    "outline.md",
    "timeline.md",
    "secrets.md",
    "focus.md",
)


@dataclass(frozen=True)
class Canon:
    """The files of a book as text by name, its cards and its records.

    ``corrections`` are the author's, and ``first`` knows who has another name or no card any more:
    both with what was edited since and is stored by the next commit that renders the views.
    ``outlined`` are chapters that the outline details since it was read; a commit adds them to the
    file as it is then. ``arc_texts`` are summaries of arcs that a model wrote, by their chapters.
    """

    config: BookConfig
    files: Mapping[str, str]
    cards: tuple[Character, ...]
    first: Foundation
    records: Records
    corrections: tuple[AuthorCorrection, ...] = ()
    outlined: tuple[OutlineEntry, ...] = ()
    arc_texts: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @classmethod
    def load(cls, book: BookDir, records: Records | None = None) -> "Canon":
        """Read the book, after the series it belongs to; not its ``records`` when they have just
        been read. Raises ``DamagedError`` for a file that can't be read.

        That goes for an edited view too, with the line of it. A record after the latest chapter
        that exists belongs to one that the author took away.
        """
        latest = max(book.chapter_numbers(), default=-1)
        config = book.config()
        files = {name: book.read(name) or "" for name in FILES}
        cards = [parse_card(text) for text in book.cards().values()]
        if config.series:
            files, cards = _with_series(book, config.series, files, cards)
        canon = cls(
            config=config,
            files=files,
            cards=tuple(cards),
            first=book.foundation(),
            records=(records or Records.of(book)).up_to(latest),
            corrections=book.corrections(),
        )
        if config.context.arc_summaries == "model":
            written = arc_texts.current_arcs(book, canon.records)
            texts = {(arc.first, arc.last): arc.text for arc in written}
            canon = replace(canon, arc_texts=texts)
        return canon.with_edits(book)

    def with_edits(self, book: BookDir) -> "Canon":
        """With what the author's edits of views and cards say of the story."""
        found = author_edits.edited(book)
        if not found.cards and not found.views:
            return self
        following = max(self.records, default=0) + 1
        state = self.state_before(following)
        cards = {f"characters/{slug}.md": text for slug, text in book.cards().items()}
        people = author_edits.people_kept(
            found, cards, self.first.characters, state.characters.__contains__
        )
        told = author_edits.view_corrections(found, state, following, self.config.language, book.id)
        return replace(
            self,
            first=self.first.model_copy(update={"characters": people}),
            corrections=(*self.corrections, *told),
        )

    def with_late_edits(self) -> "Canon":
        """With what was edited since the book was read: a chapter takes minutes to write.

        It holds from the chapter after the latest one on. Raises as ``load`` does.
        """
        book = self.records.book
        found = author_edits.edited(book)
        if not found.cards and not found.views:
            return self
        now = Canon.load(book)
        stored = len(book.corrections())
        known = {c.model_copy(update={"at": 0}) for c in self.corrections[stored:]}
        following = max(self.records, default=0) + 1
        late = [
            c.model_copy(update={"at": following})
            for c in now.corrections[stored:]
            if c.model_copy(update={"at": 0}) not in known
        ]
        corrections = (*self.corrections, *late)
        return replace(self, cards=now.cards, first=now.first, corrections=corrections)

    def with_outlined(self, new: Sequence[OutlineEntry]) -> "Canon":
        """With more chapters in the outline."""
        text = insert_entries(self.outline, list(new), self.config.language)
        files = {**self.files, "outline.md": text}
        return replace(self, files=files, outlined=(*self.outlined, *new))

    @property
    def brief(self) -> str:
        return self.files["brief.md"].strip()

    @property
    def outline(self) -> str:
        return self.files["outline.md"]

    @cached_property
    def foundation(self) -> Foundation:
        """Where the fold starts: the people of the cards, and the hooks of the opening."""
        return starting_point(self.first, self.cards)

    @cached_property
    def banned(self) -> list[str]:
        return bible.banned_phrases(self.files["rules.md"])

    def state_before(self, number: int) -> State:
        """The story as it stands when chapter ``number`` begins; later chapters don't count."""
        return standing.state_before(self.foundation, self.records, number, self.corrections)

    def names(self, state: State) -> Names:
        """Who is called what, those included that have no card."""
        everyone = {name: name for name in state.characters}
        return Names(with_parts({**everyone, **canonical_names(self.foundation)}))


def _with_series(
    book: BookDir, name: str, files: dict[str, str], cards: list[Character]
) -> tuple[dict[str, str], list[Character]]:
    """The files and cards of a book with those of its series behind them."""
    folder = series.series_folder(book, name)
    both = dict(files)
    for shared in series.SHARED:
        text = folder.read(shared) or ""
        join = series.joined if shared == "timeline.md" and text else series.merged
        both[shared] = join(text, files[shared])
    own = {card.name for card in cards}
    theirs = [parse_card(text) for text in folder.cards().values()]
    return both, [*cards, *(card for card in theirs if card.name not in own)]


def starting_point(first: Foundation, cards: Iterable[Character]) -> Foundation:
    """Where the fold starts: the people of the cards, and the hooks of the opening.

    ``first`` may know old names of them, and people whose card is gone.
    """
    kept = {person.name: person for person in first.characters}
    people = []
    for card in cards:
        if card.name:
            before = kept.pop(card.name, None)
            aliases = dict.fromkeys([*card.aliases, *(before.aliases if before else [])])
            people.append(
                StartingCharacter(name=card.name, aliases=list(aliases), start=card.start)
            )
    return Foundation(characters=[*people, *kept.values()], hooks=first.hooks)
