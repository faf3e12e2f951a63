"""Books whose chapters say what a test wants them to, written as files; and their prompts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from zencli.context.canon import Canon
from zencli.context.pack import RECENT, Pack
from zencli.context.prompts import Prompts
from zencli.llm.profiles import PROFILES, Profile
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig, Language
from zencli.story.delta import Delta
from zencli.story.findings import Finding
from zencli.story.foundation import Foundation
from zencli.story.plan import Plan
from zencli.story.record import Record, text_digest

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FILLER: dict[Language, str] = {
    "zh": "天亮了，他把船推进水里。",
    "en": "He pushed the boat out at dawn.",
}


@dataclass
class Planted:
    """What is planted: by chapter, by file name, by slug of a card."""

    language: Language = "zh"
    deltas: Mapping[int, Delta] = field(default_factory=dict)
    prose: Mapping[int, str] = field(default_factory=dict)
    findings: Mapping[int, list[Finding]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    foundation: Foundation = field(default_factory=Foundation)
    settings: Sequence[str] = ()

    def write(self, root: Path, last: int, book_id: str = "long") -> BookDir:
        """The book with chapters 1 to ``last``, in the workspace ``root``."""
        book = BookDir(root / "books" / book_id)
        config = BookConfig(
            id=book_id,
            title="长河",
            language=self.language,
            target_chapters=3000,
            chapter_words=600,
            created=WHEN,
            updated=WHEN,
        )
        self.put(book, "book.toml", "\n".join([render_config(config), *self.settings]))
        self.put(book, "records/foundation.json", self.foundation.model_dump_json())
        for name, text in self.files.items():
            self.put(book, name, text)
        for number in range(1, last + 1):
            self.chapter(book, number)
        return book

    def chapter(self, book: BookDir, number: int) -> None:
        """Write one chapter and its record."""
        title = f"第 {number} 章" if self.language == "zh" else f"Day {number}"
        text = join_chapter(title, self.prose.get(number, FILLER[self.language]))
        record = Record(
            number=number,
            title=title,
            words=10,
            digest=text_digest(text),
            delta=self.deltas.get(number, Delta()),
            findings=self.findings.get(number, []),
            created=WHEN,
            updated=WHEN,
        )
        self.put(book, book.chapter_file(number), text)
        self.put(book, book.record_file(number), record.model_dump_json())

    @staticmethod
    def put(book: BookDir, name: str, text: str) -> None:
        path = book.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pack_of(
    book: BookDir, number: int, *, profile: Profile | None = None, instruction: str = ""
) -> Pack:
    """The pack of a chapter, as a verb opens it."""
    canon = Canon.load(book)
    before = [n for n in book.chapter_numbers() if n < number][-RECENT:]
    return Pack(
        canon,
        Prompts(canon.config.language, [book.path]),
        profile or PROFILES["deepseek"],
        number,
        canon.state_before(number),
        recent=[(n, book.chapter(n)[1]) for n in before],
        instruction=instruction,
    )


def shared(pack: Pack, plan: Plan | None = None) -> str:
    """What the writer sees of the story: everything but its own last message."""
    layers = [pack.constitution, pack.story, pack.needs(plan or Plan())]
    return "\n\n".join(layer.text for layer in layers)


def for_planner(pack: Pack) -> str:
    """What only the planner sees."""
    only = pack.for_planner()
    unshown = [hook["promise"] for hook in only.unshown()]
    lists = [only.secrets(), unshown, only.carried(), only.timeline(), only.cast(), only.places()]
    return "\n".join([only.outline(), *(line for lines in lists for line in lines)])
