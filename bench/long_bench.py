"""A book of 2,000 chapters of 3,000 characters: what folding, looking and committing take on it.

The book is made without a model: text and facts are pieces of the sample book, put together by a
seeded generator, and each chapter is committed as ``write-next`` commits it.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from zencli.cli.terminal import short_lived
from zencli.context.canon import Canon
from zencli.pipeline.commit import ChapterVersion, commit_chapter
from zencli.prose.count import count_words
from zencli.store.cache import CACHE, many_objects
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig
from zencli.story.delta import (
    CharacterChange,
    Delta,
    Fact,
    HookEvent,
    ItemEvent,
    RelationChange,
)
from zencli.story.fold import fold
from zencli.story.plan import Plan
from zencli.story.record import Record

ROOT = Path(__file__).parents[1]
CHAPTERS = 2000
WORDS = 3000
LAST = 20
"""How many of the last commits are timed."""

RUNS = 7

WHEN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
Row = tuple[str, str, str]


class Author:
    """Chapters and their deltas, the same for the same sample book."""

    def __init__(self) -> None:
        self._random = random.Random(20261130)
        self._sample = next((ROOT / "books").glob("*/book.toml")).parent
        texts = [path.read_text(encoding="utf-8") for path in self._sample.glob("chapters/*.md")]
        self._text = "".join(line for text in texts for line in text.splitlines() if line)
        self._paragraphs = [p for text in texts for p in text.split("\n\n")[1:]]
        record = next(iter(sorted(self._sample.glob("records/0*.json"))))
        self._plan = Record.model_validate_json(record.read_bytes()).plan or Plan()
        self._people = [self._piece(3) for _ in range(60)]

    def chapter(self, number: int) -> ChapterVersion:
        """A chapter of about ``WORDS`` characters, ready to be committed."""
        paragraphs: list[str] = []
        length = 0
        while length < WORDS:
            paragraphs.append(self._random.choice(self._paragraphs).strip())
            length += count_words(paragraphs[-1], "zh")
        return ChapterVersion(
            number=number,
            title=self._piece(5),
            prose="\n\n".join(paragraphs),
            plan=self._plan,
            target_words=WORDS,
            status="passed",
            verdict="passed",
            audited=True,
            findings=[],
            delta=self._delta(number),
        )

    def _delta(self, number: int) -> Delta:
        hooks = [HookEvent(id=self._old_hook(number), clue=self._piece(12)) for _ in range(3)]
        if number % 4 == 1:
            hooks.append(HookEvent(id="new", do="plant", promise=self._piece(25)))
        if number % 5 == 0:
            hooks.append(HookEvent(id=self._old_hook(number), do="pay", quote=self._piece(20)))
        return Delta(
            summary=self._piece(110),
            reader_knows=self._piece(40),
            ending_kind=self._piece(8),
            time=self._piece(10),
            characters=[
                CharacterChange(
                    name=self._person(),
                    place=self._piece(5),
                    goal=self._piece(9),
                    learned=[self._piece(12), self._piece(12)],
                    quote=self._piece(20),
                )
                for _ in range(3)
            ],
            items=[
                ItemEvent(
                    owner=self._person(),
                    item=self._piece(3),
                    quantity="一",
                    where=self._piece(4),
                    quote=self._piece(20),
                )
                for _ in range(2)
            ],
            relations=[
                RelationChange(
                    a=self._person(), b=self._person(), now=self._piece(10), quote=self._piece(15)
                )
            ],
            facts=[
                Fact(about=self._piece(4), says=self._piece(20), quote=self._piece(15))
                for _ in range(4)
            ],
            hooks=hooks,
        )

    def _piece(self, length: int) -> str:
        start = self._random.randrange(len(self._text) - length)
        return self._text[start : start + length].strip() or "水"

    def _person(self) -> str:
        few = self._random.random() < 0.6
        return self._random.choice(self._people[:8] if few else self._people)

    def _old_hook(self, number: int) -> str:
        planted = (number + 2) // 4
        return f"H{self._random.randint(max(1, planted - 12), max(1, planted))}"


def write_book(root: Path, chapters: int = CHAPTERS) -> tuple[BookDir, list[float]]:
    """Write the book into ``root``; the seconds of each of its commits."""
    path = root / "books" / "long"
    path.mkdir(parents=True)
    config = BookConfig(
        id="long", title="长", language="zh", target_chapters=CHAPTERS, created=WHEN, updated=WHEN
    )
    (path / "book.toml").write_text(render_config(config), encoding="utf-8")
    book, author = BookDir(path), Author()
    canon = Canon.load(book)
    times = []
    for number in range(1, chapters + 1):
        version = author.chapter(number)
        canon.state_before(number)  # as the chapter's prompts were made from it
        started = time.perf_counter()
        record, _ = commit_chapter(book, canon, version, "write-next", f"run-{number}", WHEN)
        times.append(time.perf_counter() - started)
        canon = replace(canon, records=canon.records.changed({number: record}))
    return book, times


def long_rows() -> Iterator[Row]:
    """Name, value and note of each figure."""
    short_lived()  # as the command line begins
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        book, times = write_book(Path(folder))
        took = time.perf_counter() - started
        name = f"{CHAPTERS:,} chapters"
        yield f"{name}: committed one by one", f"{took:.0f} s", "no model"
        last = times[-LAST:]
        worst = f"worst of the last {LAST}: {max(last) * 1000:.0f} ms"
        yield f"{name}: a commit at the end", f"{median(last) * 1000:.0f} ms", worst
        own, machine = size(book.path, machine=False), size(book.path, machine=True)
        yield f"{name}: .zencli beside the book", f"{machine / own:.2f}", megabytes(machine, own)
        time.sleep(2.1)  # what is younger than that isn't cached
        yield from fold_rows(book, name)
        yield from looking_rows(book, name)


def fold_rows(book: BookDir, name: str) -> Iterator[Row]:
    """Folding alone, and the state from the files without and with the cache."""
    deltas = [(n, record.title, record.delta) for n, record in book.records().items()]
    started = time.perf_counter()
    with many_objects():
        fold(book.foundation(), deltas)
    yield f"{name}: folding", f"{(time.perf_counter() - started) * 1000:.0f} ms", ""
    shutil.rmtree(book.path / CACHE, ignore_errors=True)
    looking, state = state_seconds(book)
    note = f"{looking * 1000:.0f} ms reading its records, {state * 1000:.0f} ms folding"
    yield f"{name}: state from files, cold", f"{(looking + state) * 1000:.0f} ms", note
    warm = sorted(state_seconds(book) for _ in range(RUNS))[RUNS // 2]
    note = f"and {warm[0] * 1000:.0f} ms looking whether a file changed"
    yield f"{name}: state, warm", f"{warm[1] * 1000:.0f} ms", note


def looking_rows(book: BookDir, name: str) -> Iterator[Row]:
    """``status``, ``list``, ``report``, ``audit --trend`` as commands, Python's start included."""
    zencli = str(Path(sys.executable).with_name("zencli"))
    root = str(book.path.parents[1])
    page = str(book.path.parents[1] / "report.html")
    for told, *more in (["status"], ["list"], ["report", "--output", page], ["audit", "--trend"]):
        command = [zencli, told, *more, "--root", root]
        shutil.rmtree(book.path / CACHE, ignore_errors=True)
        first = wall(command)
        took = median(wall(command) for _ in range(RUNS))
        verb = "audit --trend" if told == "audit" else told
        yield (
            f"{name}: zencli {verb}",
            f"{took * 1000:.0f} ms",
            f"without a cache {first * 1000:.0f} ms",
        )


def wall(command: list[str]) -> float:
    """The seconds that a command takes."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment())
    return time.perf_counter() - started


def state_seconds(book: BookDir) -> tuple[float, float]:
    """The seconds that a new process needs, once it runs, to look at all files, and for the state.

    Without a cache the first part reads the records, the second folds them.
    """
    command = [sys.executable, "-m", "bench.long_bench", str(book.path)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment()
    )
    looking, state = map(float, done.stdout.split())
    return looking, state


def environment() -> dict[str, str]:
    """As at a user's: compiled modules are kept."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def size(path: Path, *, machine: bool) -> int:
    """Bytes of a book's own files, or of the program's."""
    files = (file for file in path.rglob("*") if file.is_file())
    return sum(
        file.stat().st_size
        for file in files
        if (".zencli" in file.relative_to(path).parts) == machine
    )


def megabytes(machine: int, own: int) -> str:
    """Two sizes side by side."""
    return f"{machine / 1e6:.1f} MB beside {own / 1e6:.1f} MB"


def main() -> None:
    """Print the seconds that finding the state of the book in the first argument takes."""
    short_lived()  # as the command line begins
    book = BookDir(Path(sys.argv[1]))
    started = time.perf_counter()
    canon = Canon.load(book)
    loaded = time.perf_counter()
    canon.state_before(CHAPTERS + 1)
    print(loaded - started, time.perf_counter() - loaded)


if __name__ == "__main__":
    main()
