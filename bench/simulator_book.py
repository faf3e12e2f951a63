"""The simulated book on disk: planned by the pipeline, its chapters put in place without it."""

import json
from datetime import UTC, datetime
from pathlib import Path

from bench.simulator_author import Author
from bench.simulator_model import CHAPTER_STEPS, SimulatedModel
from zencli.pipeline.commit import record_json
from zencli.pipeline.params import InitBook
from zencli.pipeline.runner import Runner
from zencli.prose.count import count_words
from zencli.store.calls import CALLS, Call, CallFile
from zencli.store.chapter_text import join_chapter
from zencli.store.layout import BookDir
from zencli.story.book import Language
from zencli.story.delta import Delta
from zencli.story.documents.outline import insert_entries
from zencli.story.foundation import OutlineEntry
from zencli.story.plan import Plan
from zencli.story.record import CallUsage, Record, text_digest

LENGTH: dict[Language, int] = {"zh": 2_500, "en": 1_500}
"""Characters or words of a chapter."""

WHEN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
ROLES = dict(zip(CHAPTER_STEPS, ("planner", "writer", "auditor", "settler"), strict=True))
USAGE = CallUsage(calls=4, input_tokens=36_000, cached_tokens=27_000, output_tokens=6_000)


def begin_book(root: Path, model: SimulatedModel) -> BookDir:
    """The book as ``init-book`` plans it."""
    root.mkdir(parents=True, exist_ok=True)
    author = model.author
    wish = InitBook(
        book_id="simulated",
        instruction=" ".join(author.concept()["world"]),
        language=author.language,
        target_chapters=author.target,
        chapter_word_count=author.words,
    )
    model.begin()
    Runner(root, model=model, environ={}).init_book(wish)
    return BookDir(root / "books" / "simulated")


def fill(book: BookDir, author: Author, chapters: int, outlined: int) -> None:
    """Put the first ``chapters`` in place, and the outline up to ``outlined``."""
    for folder in ("chapters", "records"):
        (book.path / folder).mkdir(exist_ok=True)
    calls = CallFile(book.path / CALLS)
    lines = calls.path.read_bytes().splitlines()
    for _ in range(chapters):
        written = author.chapter()
        text = join_chapter(written.title, written.prose)
        record = Record(
            number=written.number,
            title=written.title,
            status="passed",
            verdict="passed",
            audited=True,
            words=count_words(written.prose, author.language),
            target_words=author.words,
            digest=text_digest(text),
            plan=Plan.model_validate(written.plan),
            delta=Delta.model_validate(written.delta),
            usage=USAGE,
            created=WHEN,
            updated=WHEN,
        )
        (book.path / book.chapter_file(written.number)).write_text(text, "utf-8")
        (book.path / book.record_file(written.number)).write_text(record_json(record), "utf-8")
        lines += [_line(written.number, step) for step in CHAPTER_STEPS]
    calls.path.write_bytes(b"\n".join([*lines, b""]))
    outline = book.path / "outline.md"
    text = outline.read_text("utf-8")
    known = author.arc_end(1)
    entries = [
        OutlineEntry.model_validate(author.outline(number))
        for number in range(known + 1, outlined + 1)
    ]
    outline.write_text(insert_entries(text, entries, author.language), "utf-8")


def _line(chapter: int, step: str) -> bytes:
    call = Call(
        time=WHEN.isoformat(),
        run=f"20261130T080000.{chapter:06d}Z-write-next",
        verb="write-next",
        chapter=chapter,
        role=ROLES[step],
        step=step,
        model="simulated",
        input=9_000,
        cached=6_500,
        output=1_500,
        reasoning=0,
        seconds=20.0,
        cost=0.003,
        recalled=False,
        outcome="ok",
        digest=f"{chapter:012d}{step[:4]}",
    )
    return json.dumps(call._asdict(), separators=(",", ":")).encode()
