"""Every verb, killed at every change it makes on the disk; the same command then finishes.

Nothing that was paid for and kept is paid for again: the model that plays the resumed run has the
replies that aren't kept yet, no more and no fewer.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from kill import killed_at
from pipeline_helpers import CLEAN, ZH, files_of, finding, four_calls, prose, reply, step

from zencli.llm.scripted import Step
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.events import Event, Listener, TextPiece, ignore
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Approve, Audit, Restore, Revise, Undo, WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir
from zencli.store.snapshot import as_committed
from zencli.store.workspace import Workspace

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
RUN = re.compile(r"\d{8}T[\d.]+Z-[a-z-]+")
MEMORY = Path("/dev/shm")

Tree = dict[str, bytes]


@dataclass(frozen=True)
class Command:
    """A command, the chapters written before it, and the replies it takes.

    ``stride``: killed at every nth change only, where another command does the same.
    """

    chapters: int
    steps: list[Step]
    give: Callable[[Runner], object]
    before: Callable[[Runner], object] = lambda runner: None
    stride: int = 1


def audited(quote: str) -> Step:
    return step("audit", findings=[finding(quote)])


def sentence(number: int) -> str:
    return prose(number).split("。")[0] + "。"


PATCH = step(
    "spot_fix", patches=[{"old": sentence(1), "new": sentence(1)[:-1] + "了。"}], note="改好。"
)
SETTLE = Step("settle", json.dumps(reply("0001.settle"), ensure_ascii=False))
ASKED = Revise(chapter_number=1, instruction="第一句改得更明白。")
SHRUNK = prose(1)[: prose(1).rindex("。", 0, 2400) + 1]
NOVEL = "".join(f"第{n}章 灯\n\n{'海上起了雾，灯塔亮着。' * 30}\n\n" for n in range(1, 6))


def import_novel(runner: Runner) -> object:
    path = runner.workspace.root / "novel.txt"
    path.write_text(NOVEL, encoding="utf-8")
    return runner.import_book(Import(source=str(path), book_id="novel", language="zh"))


def edited(runner: Runner) -> None:
    """A chapter and the outline, changed by the author."""
    (book_id,) = runner.workspace.book_ids()
    book = runner.workspace.open(book_id).path
    for name in ("chapters/0001.md", "outline.md"):
        text = (book / name).read_text("utf-8")
        (book / name).write_text(text + "\n天亮了。\n", "utf-8")


COMMANDS = {
    "init-book": Command(-1, ZH.opening(), lambda r: r.init_book(ZH.wish())),
    "init-book ID": Command(
        -1, ZH.opening(), lambda r: r.init_book(ZH.wish(book_id="bridge")), stride=3
    ),
    "write-next": Command(1, four_calls(2), lambda r: r.write_next(WriteNext())),
    "write-next, two chapters": Command(
        1,
        [*four_calls(2), *four_calls(3)],
        lambda r: r.write_next(WriteNext(chapter_count=2)),
        stride=4,
    ),
    "write-next --chapter": Command(
        2, four_calls(1), lambda r: r.write_next(WriteNext(chapter=1)), stride=2
    ),
    "write-next --plan-only": Command(
        1, four_calls(2)[:1], lambda r: r.write_next(WriteNext(plan_only=True))
    ),
    "audit": Command(
        2,
        [CLEAN, audited(sentence(2))],
        lambda r: r.audit(Audit(chapters="1-2")),
        stride=2,
    ),
    "revise": Command(2, [PATCH, SETTLE], lambda r: r.revise(ASKED)),
    "revise, not kept": Command(
        1, [Step("polish", SHRUNK)], lambda r: r.revise(Revise(mode="polish"))
    ),
    "sync": Command(2, [SETTLE], lambda r: r.sync(Sync()), before=edited, stride=2),
    "approve": Command(2, [], lambda r: r.approve(Approve(chapters="1-2"))),
    "unapprove": Command(
        2,
        [],
        lambda r: r.approve(Approve(chapters="1-2"), approved=False),
        before=lambda r: r.approve(Approve(chapters="1-2")),
    ),
    "undo": Command(2, [], lambda r: r.undo(Undo())),
    "restore": Command(2, [], lambda r: r.restore(Restore(file="book.toml", revision=1))),
    "import": Command(-1, [], import_novel),
}


@pytest.fixture
def arena() -> Iterator[Path]:
    """An empty folder, in memory where there is such a disk: every change is synced."""
    place = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=place) as path:
        yield Path(path)


def runner(
    root: Path, steps: list[Step], listener: Listener = ignore
) -> tuple[Runner, Callable[[], None]]:
    """A Runner whose model plays ``steps``, and what raises unless it has played all."""
    model = ZH.model(steps)
    return Runner(root, model=model, clock=lambda: NOW, listener=listener), model.done


def start(command: Command, templates: dict[int, Path], root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    if command.chapters < 0:
        root.mkdir()
    else:
        shutil.copytree(templates[command.chapters], root)
    command.before(runner(root, [])[0])


def books(root: Path) -> Tree:
    """All files of all books as a reader sees them, usage and names of runs aside."""
    found: Tree = {}
    for book_id in Workspace(root).book_ids():
        book = as_committed(BookDir(root / "books" / book_id))
        names = set(files_of(book.path)) | set(book.pending.files if book.pending else ())
        for name in sorted(names):
            text = book.read(name)
            if text is not None:
                found[f"{book_id}/{RUN.sub('RUN', name)}"] = plain(name, text)
    return found


def plain(name: str, text: str) -> bytes:
    if re.fullmatch(r"records/\d+\.json", name):
        record = json.loads(text)
        record.pop("usage")
        return json.dumps(record, ensure_ascii=False, sort_keys=True).encode()
    return text.encode()


def states(command: Command, root: Path) -> list[Tree]:
    """All that a reader may see of a command that nothing interrupts, in order."""
    found = [books(root)]

    def watch(event: Event) -> None:
        if not isinstance(event, TextPiece):
            found.append(books(root))

    whole, done = runner(root, command.steps, watch)
    command.give(whole)
    done()
    found.append(books(root))
    return [state for i, state in enumerate(found) if state not in found[:i]]


def kept(root: Path, before: set[Path]) -> int:
    """How many replies of this command are on the disk."""
    return sum(len(list(run.glob("[0-9][0-9][0-9]-*.json"))) for run in runs(root) - before)


def runs(root: Path) -> set[Path]:
    return {path for path in root.rglob(".zencli/runs/*") if path.is_dir()}


def ended(root: Path, before: set[Path]) -> bool:
    outcomes = [run / "outcome.json" for run in runs(root) - before]
    return any(json.loads(p.read_bytes())["outcome"] == "done" for p in outcomes if p.exists())


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_change_the_same_command_finishes_and_pays_nothing_twice(
    name: str, templates: dict[int, Path], arena: Path
) -> None:
    command, root = COMMANDS[name], arena / "work"
    start(command, templates, root)
    known = states(command, root)
    seen = []
    for at in range(0, 2000, command.stride):
        start(command, templates, root)
        before = runs(root)
        if not killed_at(lambda: command.give(runner(root, command.steps)[0]), root, at):
            break
        found = books(root)
        assert found in known, f"half done when killed at change {at}"
        seen.append(known.index(found))
        for book_id in Workspace(root).book_ids():
            book_status(BookDir(root / "books" / book_id))
        if not ended(root, before):
            again, done = runner(root, command.steps[kept(root, before) :])
            command.give(again)
            done()
        assert books(root) == known[-1], f"another book after a kill at change {at}"
        assert not list(root.rglob(".zencli/stage/*/*"))
        assert not list(root.rglob("books/.new-*"))
    assert seen == sorted(seen), "each commit takes effect at one change"
    assert len(seen) >= 8
    assert set(seen) | {len(known) - 1} == set(range(len(known)))


@pytest.mark.slow
def test_a_command_killed_again_and_again_still_finishes(
    templates: dict[int, Path], arena: Path
) -> None:
    command, root = COMMANDS["write-next, two chapters"], arena / "work"
    start(command, templates, root)
    known = states(command, root)
    start(command, templates, root)
    before = runs(root)
    kills = 0
    while not ended(root, before):
        # a little further each time, so that some runs get nowhere and some commit
        steps = command.steps[kept(root, before) :]
        work = partial(give, command, root, steps)
        kills += killed_at(work, root, 3 + kills * 7 % 90)
        assert books(root) in known
        assert kills < 100
    assert kills > 5
    assert books(root) == known[-1]


def give(command: Command, root: Path, steps: list[Step]) -> None:
    command.give(runner(root, steps)[0])
