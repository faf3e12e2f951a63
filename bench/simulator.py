"""A book of 2,000 chapters by the real pipeline: does chapter 2,000 cost what chapter 50 did?

    python -m bench.simulator                      # the last 20 of 2,000, those before put in place
    python -m bench.simulator --whole              # every chapter through the pipeline; an hour
    python -m bench.simulator --language en --chapters 500

What is measured: the program's own time between the calls, the prompts, what they share with an
earlier prompt, composing, and memory. The chapters that are put in place are the very ones that the
pipeline would have written: texts, records, outline, and the calls in the ledger.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median

from bench.import_bench import NotThere
from bench.long_bench import ROOT, Row, environment
from bench.simulator_author import Author
from bench.simulator_book import LENGTH, begin_book, fill
from bench.simulator_model import CHAPTER_STEPS, SimulatedModel
from zencli.cli.terminal import short_lived
from zencli.context.canon import Canon
from zencli.context.pack import RECENT, Pack
from zencli.context.prompts import Prompts
from zencli.llm.profiles import Profile
from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir
from zencli.story.book import Language
from zencli.story.plan import Plan

CHAPTERS = 2_000
EARLY = 50
LAST = 20
SPARE = 20
"""Chapters that the book is planned beyond those that are measured."""

WINDOW = 10
"""Chapters whose mean is told: one chapter's prompt is longer than another's at any length."""


@dataclass(frozen=True)
class Measured:
    """One chapter: the program's seconds, on the clock and of the processor, the latter's for
    loading and composing too, and the tokens of its prompts."""

    number: int
    seconds: float
    busy: float
    before: float
    prompt: int
    shared: int
    calls: int
    status: str
    findings: int


def write(root: Path, model: SimulatedModel, count: int) -> Iterator[Measured]:
    """Write the next chapters through the pipeline, each as a command of its own would."""
    runner = Runner(root, model=model, environ={})
    for _ in range(count):
        model.begin()
        result = runner.write_next(WriteNext())
        seconds, busy = model.end()
        chapter = result.chapters[0]
        asked = [call for call in model.calls if call.step in CHAPTER_STEPS]
        yield Measured(
            number=chapter.number,
            seconds=seconds,
            busy=busy,
            before=sum(call.busy for call in asked if call.step in ("plan", "write")),
            prompt=sum(call.tokens for call in asked),
            shared=sum(call.shared for call in asked),
            calls=len(model.calls),
            status=chapter.status,
            findings=len(chapter.findings),
        )


def resumed(language: Language, target: int, done: int) -> SimulatedModel:
    """The model as it is after ``done`` chapters."""
    author = Author(language, LENGTH[language], target)
    author.skip(done)
    outlined = author.batch(1).stop - 1
    while outlined < max(done, author.arc_end(1)):
        outlined = author.batch(outlined + 1).stop - 1
    return SimulatedModel(author, outlined)


def prepared(root: Path, language: Language, target: int, done: int) -> None:
    """A planned book with its first ``done`` chapters in place."""
    author = Author(language, LENGTH[language], target)
    model = SimulatedModel(author)
    book = begin_book(root, model)
    fill(book, author, done, resumed(language, target, done).outlined)


def most_megabytes() -> float:
    """The most memory that this process had; ``getrusage`` would count its parent's before it."""
    status = Path("/proc/self/status").read_text("ascii", "replace")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def measure(words: Sequence[str]) -> None:
    """Print what ``stretch`` returns."""
    short_lived()  # as the command line begins
    root, language, target, done, count = words
    model = resumed("en" if language == "en" else "zh", int(target), int(done))
    chapters = [asdict(one) for one in write(Path(root), model, int(count))]
    composing = compose_seconds(Path(root), model.profile)
    rss = most_megabytes()
    print(json.dumps({"chapters": chapters, "composing": composing, "rss": rss}))


def compose_seconds(root: Path, profile: Profile) -> float:
    """Processor seconds for choosing all that the next chapter's calls share, the book loaded."""
    book = BookDir(next(root.glob("books/*")))
    canon = Canon.load(book)
    numbers = book.chapter_numbers()
    prompts = Prompts(canon.config.language, [book.path, root])
    record = canon.records[numbers[-1]]
    recent = [(number, book.chapter(number)[1]) for number in numbers[-RECENT:]]
    took = []
    for _ in range(5):
        state = canon.state_before(numbers[-1] + 1)
        started = time.process_time()
        pack = Pack(canon, prompts, profile, numbers[-1] + 1, state, recent=recent)
        for layer in (pack.constitution, pack.story, pack.needs(record.plan or Plan())):
            assert layer.text
        took.append(time.process_time() - started)
    return median(took)


@dataclass(frozen=True)
class Stretch:
    """Chapters measured in a process of its own; ``rss`` is its memory in MB at most."""

    chapters: list[Measured]
    composing: float
    rss: float


def stretch(root: Path, language: Language, target: int, done: int, count: int) -> Stretch:
    """The ``count`` chapters after ``done``."""
    words = [str(root), language, str(target), str(done), str(count)]
    command = [sys.executable, "-m", "bench.simulator", "--measure", *words]
    ended = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    )
    told = json.loads(ended.stdout)
    chapters = [Measured(**one) for one in told["chapters"]]
    return Stretch(chapters, told["composing"], told["rss"])


def quick(language: Language, chapters: int) -> Iterator[Row]:
    """The last chapters of a long book beside those before chapter 50."""
    target = chapters + SPARE
    with tempfile.TemporaryDirectory() as folder:
        early_root, late_root = Path(folder) / "early", Path(folder) / "late"
        prepared(early_root, language, target, EARLY - LAST)
        early = stretch(early_root, language, target, EARLY - LAST, LAST)
        started = time.perf_counter()
        prepared(late_root, language, target, chapters - LAST)
        filling = time.perf_counter() - started
        time.sleep(2.1)  # what is younger than that isn't cached
        stretch(late_root, language, target, chapters - LAST, 1)  # makes the caches
        late = stretch(late_root, language, target, chapters - LAST + 1, LAST - 1)
        alone = stretch(late_root, language, target, chapters, 1).chapters[0]
        name = f"simulated {language}, {chapters:,} chapters"
        yield f"{name}: put in place", f"{filling:.0f} s", f"all but the last {LAST}"
        yield from compared(name, early.chapters, late.chapters)
        note = f"of the processor; at chapter {EARLY} {early.composing * 1000:.0f} ms"
        yield f"{name}: composing", f"{late.composing * 1000:.0f} ms", f"{note}; at most 100 ms"
        note = f"{alone.busy * 1000:.0f} ms of the processor; without Python's start"
        yield f"{name}: one more, in a new process", f"{alone.seconds * 1000:.0f} ms", note
        yield f"{name}: memory", f"{late.rss:.0f} MB", "at most 200 MB"
        yield from cost_rows(name, late_root)


def compared(name: str, early: Sequence[Measured], late: Sequence[Measured]) -> Iterator[Row]:
    """The figures of a late stretch beside an early one's."""
    slow, worst = median(m.seconds for m in late), max(m.seconds for m in late)
    then, busy = median(m.seconds for m in early), median(m.busy for m in late)
    note = f"{busy * 1000:.0f} ms of the processor, worst {worst * 1000:.0f} ms; "
    note += f"at chapter {EARLY} {then * 1000:.0f} ms; at most 400 ms"
    yield f"{name}: program time a chapter", f"{slow * 1000:.0f} ms", note
    before = median(m.before for m in late)
    note = f"of the processor, part of it; at chapter {EARLY} "
    note += f"{median(m.before for m in early) * 1000:.0f} ms"
    yield f"{name}: loading and composing", f"{before * 1000:.0f} ms", note
    first, last = mean(m.prompt for m in early[-WINDOW:]), mean(m.prompt for m in late[-WINDOW:])
    yield (
        f"{name}: prompt tokens a chapter",
        f"{last:.0f}",
        f"{last / first:.3f} times those at chapter {EARLY} ({first:.0f}); at most 1.05",
    )
    share = sum(m.shared for m in late) / sum(m.prompt for m in late)
    yield f"{name}: shared with an earlier prompt", f"{share:.1%}", "at least 70 %"
    calls = f"{min(m.calls for m in late)}-{max(m.calls for m in late)}"
    failed = sum(m.status != "passed" for m in late)
    note = f"{failed} not passed, {mean(m.findings for m in late):.1f} findings a chapter"
    yield f"{name}: calls a chapter", calls, note


def cost_rows(name: str, root: Path) -> Iterator[Row]:
    """``status --cost`` as a command."""
    zencli = str(Path(sys.executable).with_name("zencli"))
    times = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run(
            [zencli, "status", "--cost", "--root", str(root)],
            check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment(),
        )  # fmt: skip
        times.append(time.perf_counter() - started)
    calls = sum(1 for _ in next(root.glob("books/*/.zencli/calls.jsonl")).open("rb"))
    took = f"{median(times) * 1000:.0f} ms"
    yield f"{name}: zencli status --cost", took, f"{calls:,} calls; at most 500 ms"


def whole(language: Language, chapters: int, root: Path) -> Iterator[Row]:
    """Every chapter through the pipeline, in one process; a row for each stretch of 100."""
    short_lived()
    target = chapters + SPARE
    model = SimulatedModel(Author(language, LENGTH[language], target))
    begin_book(root, model)
    early: list[Measured] = []
    some: list[Measured] = []
    for one in write(root, model, chapters):
        some.append(one)
        if one.number == EARLY:
            early = some[-LAST:]
        if one.number % 100 == 0:
            rss = most_megabytes()
            share = sum(m.shared for m in some) / sum(m.prompt for m in some)
            yield (
                f"{language}: chapters {some[0].number}-{one.number}",
                f"{median(m.seconds for m in some) * 1000:.0f} ms",
                f"{median(m.busy for m in some) * 1000:.0f} ms of the processor, "
                f"loading and composing {median(m.before for m in some) * 1000:.0f} ms, "
                f"{mean(m.prompt for m in some):.0f} tokens, {share:.1%} shared, {rss:.0f} MB, "
                f"{sum(m.status != 'passed' for m in some)} not passed",
            )
            late, some = some[-LAST:], []
    if chapters >= 2 * EARLY:
        yield from compared(f"{language}, {chapters:,} chapters, whole", early, late)
        yield from cost_rows(f"{language}, {chapters:,} chapters, whole", root)


def simulator_rows(chapters: int = CHAPTERS) -> Iterator[Row]:
    """Name, value and note of each figure, in both languages."""
    languages: tuple[Language, Language] = ("zh", "en")
    for language in languages:
        try:
            yield from quick(language, chapters)
        except NotThere as error:
            yield f"simulated {language}", "skipped", str(error)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--language", choices=("zh", "en"), default="zh")
    parser.add_argument("--chapters", type=int, default=CHAPTERS)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = (
            whole(given.language, given.chapters, Path(folder))
            if given.whole
            else quick(given.language, given.chapters)
        )
        for name, value, note in rows:
            print(f"{name:<58} {value:>10}  {note}", flush=True)


if __name__ == "__main__":
    main()
