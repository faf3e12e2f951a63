"""Turns on real books in small folders, for the tests of the tools."""

import atexit
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from zencli.agent.events import AgentEvent
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.registry import call_tool
from zencli.agent.turn import Asked, Turn
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.known_files import KNOWN, known_of
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
from zencli.store.transaction import Transaction
from zencli.store.workspace import Workspace
from zencli.story.book import BookConfig, Language

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
RUN = "20261130T120000.000001Z-agent"

FILES = {
    "brief.md": "写一个守灯人的故事。\n",
    "story_bible.md": "# 灯\n\n海边的灯塔。\n",
    "outline.md": "# 大纲\n\n第一章：点灯。\n\n第二章：来客。\n",
    "style.md": "# 文风\n\n短句，白描。\n",
    "characters/林晚.md": "# 林晚\n\n- 别名：阿晚\n- 身份：守灯人\n\n话不多。\n",
}
CHAPTERS = {
    1: ("点灯", "林晚爬上灯塔。\n\n“又是一个雾夜。”她说。\n\n灯亮了，海上没有船。"),
    2: ("来客", "有人敲门。\n\n“谁？”林晚问。\n\n门外站着一个浑身湿透的人。\n\n他叫沈默。"),
}


@dataclass
class Bench:
    """A book, a turn on it, and the events it told."""

    turn: Turn
    events: list[AgentEvent] = field(default_factory=list)

    @property
    def book(self) -> BookDir:
        assert self.turn.book is not None
        return self.turn.book

    def call(self, tool: str, **arguments: Any) -> ToolResult:
        return call_tool(self.turn, tool, json.dumps(arguments, ensure_ascii=False))

    def read(self, path: str) -> str:
        return (self.book.path / path).read_text("utf-8")

    def know(self, *paths: str) -> None:
        """The model has seen these files in full, as the loop notes before its next call."""
        for path in paths:
            self.turn.seen[path] = self.read(path)

    def by_hand(self, path: str, text: str) -> None:
        """The author saves a file in his editor."""
        place = self.book.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type == kind]


def by_program(book: BookDir, verb: str, run: str, files: Mapping[str, str]) -> None:
    """A verb writes files, so that the history knows them."""
    with book_lock(book, verb):
        transaction = Transaction(book, verb, run)
        for path, text in files.items():
            transaction.write(path, text)
        transaction.commit()


@cache
def _template(language: Language) -> Path:
    """A workspace with the book, made once."""
    root = Path(mkdtemp(prefix="zencli-agent-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    book = BookDir(root / "books" / "灯")
    book.path.mkdir(parents=True)
    config = BookConfig(id="灯", title="灯", language=language, created=WHEN, updated=WHEN)
    texts = {book.chapter_file(n): join_chapter(*said) for n, said in CHAPTERS.items()}
    files = {"book.toml": render_config(config), **FILES, KNOWN: known_of(FILES)}
    by_program(book, "init-book", "20261130T110000.000001Z-init-book", files)
    by_program(book, "write-next", "20261130T113000.000001Z-write-next", texts)
    return root


def bench(root: Path, message: str = "", language: Language = "zh", **asked: Any) -> Bench:
    """A turn on a book of two chapters that the program wrote."""
    book = BookDir(root / "books" / "灯")
    if not book.path.exists():
        shutil.copytree(_template(language), root, dirs_exist_ok=True)
    return bench_on(root, book, message, language, **asked)


def bench_on(
    root: Path, book: BookDir | None, message: str, language: Language = "zh", **asked: Any
) -> Bench:
    """A turn on any book, or on none yet."""
    events: list[AgentEvent] = []
    turn = Turn(
        asked=Asked(message, **asked),
        workspace=Workspace(root),
        book=book,
        run_id=RUN,
        session="s",
        emit=events.append,
        clock=lambda: WHEN,
        runner=lambda: Runner(root, RunOptions()),
        reply_language=language,
    )
    return Bench(turn, events)
