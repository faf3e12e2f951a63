"""What the agents' tools take on a book of 500 chapters, and searching in one of 2,000.

Reading and writing are measured as the loop calls them. ``cpu`` is the program's own time; what a
write takes besides is the disk making it durable.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from bench.check_bench import WHEN, Row, write_book
from zencli.agent.events import ignore
from zencli.agent.tools.registry import call_tool
from zencli.agent.turn import Asked, Turn
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.changes import Change, Commit
from zencli.store.history import COMMITS, digest_of
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace

CHAPTERS = 500
MANY = 2000
RUNS = 5

MOST_CPU = 20
MOST_SEARCH = 150

_CHAPTER = "chapters/0250.md"
_QUESTION = "阿满想起很多年前的那个夜晚，父亲说石头下面垫着一层青石"


def agent_rows() -> Iterator[Row]:
    """Name, value and note of each figure."""
    with tempfile.TemporaryDirectory() as folder:
        turn = _turn(Path(folder), CHAPTERS)
        for name, call in _calls(turn).items():
            yield _row(f"agent: {name}, {CHAPTERS} chapters", call, MOST_CPU)
    with tempfile.TemporaryDirectory() as folder:
        turn = _turn(Path(folder), MANY)
        for name, call in list(_calls(turn).items())[:3]:
            yield _row(f"agent: {name}, {MANY:,} chapters", call, MOST_SEARCH)


def _calls(turn: Turn) -> dict[str, Callable[[], Any]]:
    """One call of each tool that looks at many files or writes; each can be made again."""
    count = iter(range(1_000_000))

    def call(tool: str, **arguments: Any) -> None:
        result = call_tool(turn, tool, arguments)
        assert result.ok, result

    def edit() -> None:
        call("edit_file", path=_CHAPTER, edits=[{"op": "append", "text": f"雾{next(count)}。"}])

    def create() -> None:
        call("create_file", title=f"片段{next(count)}", type="snippet", content="一段。")

    return {
        "query_files, all words": lambda: call("query_files", query="青石 父亲"),
        "hybrid_search, a name": lambda: call("hybrid_search", query="阿满"),
        "hybrid_search, a sentence": lambda: call("hybrid_search", query=_QUESTION),
        "query_files, a chapter": lambda: call("query_files", path=_CHAPTER),
        "edit_file": edit,
        "create_file": create,
        "update_project": lambda: call("update_project", tasks=[{"title": f"第{next(count)}件"}]),
    }


def _row(name: str, call: Callable[[], Any], most: int) -> Row:
    call()
    walls, cpus = [], []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return name, f"{median(walls):.0f} ms", f"{median(cpus):.0f} ms cpu, at most {most}"


def _turn(root: Path, chapters: int) -> Turn:
    """A turn on a book with a commit for each chapter, as the pipeline leaves them."""
    book = write_book(root, chapters)
    _write_history(book, chapters)
    time.sleep(2.1)  # what is younger than that isn't kept in memory
    return Turn(
        asked=Asked("改"),
        workspace=Workspace(root),
        book=book,
        run_id="20261130T120000.000001Z-agent",
        session="bench",
        emit=ignore,
        clock=lambda: WHEN,
        runner=lambda: Runner(root, RunOptions()),
        reply_language="zh",
    )


def _write_history(book: BookDir, chapters: int) -> None:
    folder = book.path / COMMITS
    folder.mkdir(parents=True)
    aside = ("state.md", "hooks.md", "book.toml", "records/files.json")
    for number in range(1, chapters + 1):
        path = book.chapter_file(number)
        data = (book.path / path).read_bytes()
        changes = [Change(path=path, after=digest_of(data), size_after=len(data))]
        changes += [Change(path=name, before="a" * 64, after="b" * 64) for name in aside]
        run = f"20261129T{number:06d}.000001Z-write-next"
        commit = Commit(number=number, run=run, verb="write-next", time=WHEN, changes=changes)
        (folder / f"{number:06d}.json").write_text(commit.model_dump_json(indent=1), "utf-8")
