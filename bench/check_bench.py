"""``audit --no-llm`` over a book of 1,000 chapters of 3,000 characters, and one chapter more.

The book is made without a model: babble made of the sample book's characters,
with a plan and a delta for each chapter. On English text the checks are set beside ``vale`` where
that can be had.
"""

import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from bench.import_bench import NotThere, moby_dick, sanguo
from bench.long_bench import Author, environment
from bench.vale_bench import vale_rows
from zencli.prose.count import count_words
from zencli.store.cache import CACHE
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig, Language
from zencli.story.record import Record, text_digest

ROOT = Path(__file__).parents[1]
CHAPTERS = 1000
WORDS = 3000
RUNS = 5

MOST_SECONDS = 8.0
MOST_MEGABYTES = 400
MOST_WARM = 60

WHEN = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
Row = tuple[str, str, str]


def check_rows() -> Iterator[Row]:
    """Name, value and note of each figure."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        book = write_book(root)
        time.sleep(2.1)  # what is younger than that isn't cached
        yield from audit_rows(book, root)
        yield from one_more(book)
    yield from novel_rows()
    yield from vale_rows()


def novel_rows() -> Iterator[Row]:
    """How quiet the checks are on novels by people, with all of them on that such a book can have:
    warnings a chapter, and critical findings."""
    novels: tuple[tuple[str, Callable[[], str], Language], ...] = (
        ("三国演义", sanguo, "zh"),
        ("Moby Dick", moby_dick, "en"),
    )
    for name, fetch, language in novels:
        try:
            text = fetch()
        except NotThere as error:
            yield f"{name}: warnings a chapter", "skipped", str(error)
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "novel.txt")
            source.write_text(text, encoding="utf-8")
            told = audited_novel(Path(folder), source, language)
        severities = Counter(f["severity"] for c in told for f in c["findings"])
        share = severities["warning"] / len(told)
        note = f"{severities['critical']} critical in {len(told)} chapters; at most 0.33 and none"
        yield f"{name}: warnings a chapter", f"{share:.2f}", note


def audited_novel(root: Path, source: Path, language: Language) -> list[dict[str, Any]]:
    """The audited chapters of an imported novel, with its point of view and its own style."""
    zencli = str(Path(sys.executable).with_name("zencli"))
    where = ["--root", str(root)]
    subprocess.run(
        [zencli, "import", str(source), "--book", "novel", *where], check=True, capture_output=True
    )
    rules = root / "books" / "novel" / "rules.md"
    view = {"zh": "第三人称限知", "en": "First person, past tense"}[language]
    heading = {"zh": "视角与时态", "en": "Point of view and tense"}[language]
    rules.write_text(f"# Rules\n\n## {heading}\n\n{view}\n", encoding="utf-8")
    learn = [zencli, "style", "learn", str(source), "--book", "novel", "--no-llm", *where]
    subprocess.run(learn, check=True, capture_output=True)
    audit = [zencli, "audit", "novel", "--chapters", "1-", "--no-llm", "--json", *where]
    done = subprocess.run([*audit, "--fail-on", "never"], check=True, capture_output=True)
    chapters: list[dict[str, Any]] = json.loads(done.stdout)["data"]["chapters"]
    return chapters


def write_book(root: Path, chapters: int = CHAPTERS) -> BookDir:
    """The book, with its records, written in one go."""
    path = root / "books" / "long"
    for name in ("chapters", "records"):
        (path / name).mkdir(parents=True)
    book, author = BookDir(path), Author()
    config = BookConfig(
        id="long", title="长", language="zh", target_chapters=chapters, created=WHEN, updated=WHEN
    )
    (path / "book.toml").write_text(render_config(config), encoding="utf-8")
    texts = Babble()
    for number in range(1, chapters + 1):
        version = author.chapter(number)
        text = join_chapter(version.title, texts.chapter())
        record = Record(
            number=number,
            title=version.title,
            status="passed",
            verdict="passed",
            audited=True,
            words=WORDS,
            target_words=WORDS,
            digest=text_digest(text),
            plan=version.plan,
            delta=version.delta,
            created=WHEN,
            updated=WHEN,
        )
        (path / book.chapter_file(number)).write_text(text, encoding="utf-8")
        (path / book.record_file(number)).write_text(record.model_dump_json(), encoding="utf-8")
    return book


class Babble:
    """Prose in which each character follows one that it follows in the sample book, too: it repeats
    itself about as little as a novel does."""

    def __init__(self) -> None:
        self._random = random.Random(20261130)
        sample = next((ROOT / "books").glob("*/book.toml")).parent
        text = "".join(p.read_text(encoding="utf-8") for p in sample.glob("chapters/*.md"))
        plain = re.sub(r"[^\u4e00-\u9fff，。！？]", "", text)
        self._next: dict[str, str] = {}
        for a, b in pairwise(plain):
            self._next[a] = self._next.get(a, "") + b

    def chapter(self) -> str:
        """About ``WORDS`` characters in paragraphs of one to five sentences, a third spoken."""
        paragraphs: list[str] = []
        length = 0
        while length < WORDS:
            paragraphs.append(self._paragraph())
            length += count_words(paragraphs[-1], "zh")
        return "\n\n".join(paragraphs)

    def _paragraph(self) -> str:
        sentences = "".join(self._sentence() for _ in range(self._random.randint(1, 5)))
        return f"“{sentences}”" if self._random.random() < 0.35 else sentences

    def _sentence(self) -> str:
        written = "。"
        while written[-1] not in "。！？" or len(written) == 1:
            written += self._random.choice(self._next[written[-1]])
        return written[1:]


def audit_rows(book: BookDir, root: Path) -> Iterator[Row]:
    """The command over all chapters, without and with the cache, and what it takes of memory."""
    zencli = str(Path(sys.executable).with_name("zencli"))
    command = [zencli, "audit", "long", "--chapters", "1-", "--no-llm", "--quiet"]
    command += ["--root", str(root), "--fail-on", "never"]
    name = f"audit --no-llm, {CHAPTERS:,} chapters"
    shutil.rmtree(book.path / CACHE, ignore_errors=True)
    took, memory = _measured(command)
    yield f"{name}: first", f"{took:.1f} s", f"at most {MOST_SECONDS:.0f} s"
    yield f"{name}: memory", f"{memory:.0f} MB", f"all processes; at most {MOST_MEGABYTES} MB"
    again = median(_measured(command)[0] for _ in range(3))
    yield f"{name}: again", f"{again:.1f} s", "with the cache"


def _measured(command: list[str]) -> tuple[float, float]:
    """Seconds, and megabytes at the worst moment, of a command and the processes it starts."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    most = 0.0
    while process.poll() is None:
        most = max(most, _resident(process.pid))
        time.sleep(0.05)
    took = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return took, most or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _resident(parent: int) -> float:
    """Megabytes of a process and its children; what they share is counted once (Linux)."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid = int(stat.parent.name)
            above = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent in (pid, above):
                rollup = (stat.parent / "smaps_rollup").read_text()
                total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1]) / 1024  # type: ignore[index]
        except (OSError, TypeError):  # it has ended
            continue
    return total


def one_more(book: BookDir) -> Iterator[Row]:
    """One chapter more, in a process that has read the book: its checks alone."""
    command = [sys.executable, "-m", "bench.check_bench", str(book.path)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment()
    )
    took, first = map(float, done.stdout.split())
    note = f"warm, at most {MOST_WARM} ms; {first * 1000:.0f} ms in a new process"
    yield "audit --no-llm: one chapter more", f"{took * 1000:.0f} ms", note


def main() -> None:
    """Print the seconds that checking the last chapter takes: warm, and the first time."""
    from zencli.context.canon import Canon
    from zencli.pipeline.check import check_prose, earlier_prose

    book = BookDir(Path(sys.argv[1]))
    last = book.chapter_numbers()[-1]
    canon = Canon.load(book)
    canon.state_before(last)
    before = earlier_prose(book, last)
    times = []
    for run in range(RUNS + 1):
        prose = book.chapter(last)[1] + "\n\n" + "水。" * run  # a text not seen yet
        started = time.perf_counter()
        check_prose(canon, last, prose, WORDS, before)
        times.append(time.perf_counter() - started)
    print(median(times[1:]), times[0])


if __name__ == "__main__":
    main()
