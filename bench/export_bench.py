"""Exporting 1,000 chapters of 3,000 Chinese characters: how long, how much memory, beside pandoc.

Pandoc is the one on the path, or the one that the package ``pypandoc_binary`` carries; without
either its row says so.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench.import_bench import TEXTS, NotThere, fetched
from bench.long_bench import WHEN, WORDS, Author, environment
from zencli.prose.count import count_words
from zencli.store.cache import CACHE
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.story.book import BookConfig
from zencli.story.delta import Delta
from zencli.story.record import Record, text_digest

Row = tuple[str, str, str]

CHAPTERS = 1000
RUNS = 5
MOST_SECONDS, MOST_MEGABYTES, TIMES = 0.4, 300, 5


def export_rows() -> Iterator[Row]:
    """Name, value and note of each figure."""
    with tempfile.TemporaryDirectory() as folder:
        book = _book(Path(folder))
        name = f"export of {CHAPTERS:,} chapters"
        for form in ("txt", "md"):
            seconds, megabytes = _median(partial(_export, book, form))
            note = f"at most {MOST_SECONDS} s; {megabytes:.0f} MB"
            yield f"{name}: {form}", f"{seconds:.2f} s", note
        pandoc, told = _pandoc_seconds(book)
        yield f"pandoc -t epub3 of {CHAPTERS:,} chapters", *told
        first, megabytes = _median(partial(_first, book))
        note = f"without a cache{_beside(pandoc, first, TIMES)}; {megabytes:.0f} MB"
        yield f"{name}: epub", f"{first:.2f} s", f"{note}, at most {MOST_MEGABYTES}"
        again, _ = _median(partial(_changed, book))
        note = f"{again / first:.2f} of the first{_beside(pandoc, again, 2 * TIMES)}"
        yield f"{name}: epub, one changed", f"{again:.2f} s", note
        for form in ("html", "docx"):
            seconds, megabytes = _export(book, form)
            yield f"{name}: {form}", f"{seconds:.2f} s", f"{megabytes:.0f} MB"


def _book(root: Path) -> Path:
    """A book whose records know their chapters, as after ``write-next``."""
    path = root / "books" / "long"
    for name in ("chapters", "records"):
        (path / name).mkdir(parents=True)
    config = BookConfig(id="long", title="长", created=WHEN, updated=WHEN)
    (path / "book.toml").write_text(render_config(config), encoding="utf-8")
    author = Author()
    for number in range(1, CHAPTERS + 1):
        version = author.chapter(number)
        text = join_chapter(version.title, version.prose)
        record = Record(
            number=number,
            title=version.title,
            words=count_words(version.prose, "zh"),
            target_words=WORDS,
            digest=text_digest(text),
            delta=Delta(summary="略"),
            created=WHEN,
            updated=WHEN,
        )
        (path / f"chapters/{number:04d}.md").write_text(text, encoding="utf-8")
        (path / f"records/{number:04d}.json").write_text(record.model_dump_json(), encoding="utf-8")
    return path


def _median(measure: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    """The median seconds and the most megabytes of several runs, after one that isn't counted."""
    measure()
    runs = [measure() for _ in range(RUNS)]
    return median(seconds for seconds, _ in runs), max(megabytes for _, megabytes in runs)


def _export(book: Path, form: str) -> tuple[float, float]:
    zencli = str(Path(sys.executable).with_name("zencli"))
    root = str(book.parents[1])
    return _measured([zencli, "export", "--root", root, "--format", form, "--quiet"])


def _first(book: Path) -> tuple[float, float]:
    shutil.rmtree(book / CACHE, ignore_errors=True)
    return _export(book, "epub")


def _changed(book: Path) -> tuple[float, float]:
    """Export once more after a word was added to the last chapter."""
    path = book / f"chapters/{CHAPTERS:04d}.md"
    path.write_text(path.read_text(encoding="utf-8") + "\n又一句。\n", encoding="utf-8")
    return _export(book, "epub")


def _pandoc_seconds(book: Path) -> tuple[float | None, tuple[str, str]]:
    """What pandoc takes for the same chapters, None without it, and the value and note to print."""
    try:
        pandoc = _pandoc()
    except NotThere as error:
        return None, ("skipped", str(error))
    chapters = sorted(str(path) for path in (book / "chapters").iterdir())
    out = str(book / "pandoc.epub")
    command = [pandoc, "-t", "epub3", "--metadata", "title=长", "-o", out, *chapters]
    seconds, megabytes = _measured(command)
    return seconds, (f"{seconds:.2f} s", f"{megabytes:.0f} MB")


def _beside(pandoc: float | None, ours: float, least: int) -> str:
    return "" if pandoc is None else f"; pandoc {pandoc / ours:.1f} times, at least {least}"


def _pandoc() -> str:
    """Where pandoc is. Raises ``NotThere``."""
    found = shutil.which("pandoc")
    if found:
        return found
    wheel = fetched(
        "pypandoc_binary-1.17-py3-none-manylinux1_x86_64.manylinux_2_28_x86_64.manylinux_2_5_x86_64.whl",
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "pypandoc_binary==1.17"],
    )
    path = TEXTS / "pandoc"
    if not path.is_file():
        with zipfile.ZipFile(wheel) as package:
            path.write_bytes(package.read("pypandoc/files/pandoc"))
        path.chmod(0o755)
    return str(path)


def _measured(command: Sequence[str]) -> tuple[float, float]:
    """The seconds that a command takes, and the most megabytes that it held."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return time.perf_counter() - started, used.ru_maxrss / 1024
