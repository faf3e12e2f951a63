"""A book of forty short chapters with records, old enough for the caches to keep what they see."""

import time
from datetime import UTC, datetime
from pathlib import Path

from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig
from zencli.story.delta import CharacterChange, Delta, Fact, HookEvent, ItemEvent
from zencli.story.foundation import FirstHook, Foundation
from zencli.story.record import Record, text_digest

COUNT = 40
WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOOKS = Foundation(hooks=[FirstHook(id="H1", promise="谁点的灯？", due=9)])


def delta(number: int, extra: str = "") -> Delta:
    """What chapter ``number`` changes."""
    return Delta(
        summary=f"第 {number} 天。{extra}",
        time=f"第 {number} 天",
        characters=[
            CharacterChange(name="阿晚", place=f"第 {number % 7} 层", learned=[f"{number}"])
        ],
        items=[ItemEvent(owner="林晚", item=f"灯 {number % 5}", quantity=f"{number}")],
        facts=[Fact(about="灯塔", says=f"亮了 {number} 夜{extra}")],
        hooks=[
            HookEvent(id="H1", do="advance", clue=f"{number}"),
            HookEvent(id="new", do="plant", promise=f"{number}？"),
        ],
    )


def put(book: BookDir, relative: str, data: str | bytes) -> None:
    """Write a file by hand."""
    path = book.path / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def put_chapter(book: BookDir, number: int, extra: str = "") -> None:
    """A chapter and its record; every tenth is unsettled."""
    text = join_chapter(f"第 {number} 夜", f"灯亮着。{extra}")
    record = Record(
        number=number,
        title=f"第 {number} 夜",
        words=4,
        digest=text_digest(text),
        delta=None if number % 10 == 0 else delta(number, extra),
        created=WHEN,
        updated=WHEN,
    )
    put(book, book.chapter_file(number), text)
    put(book, book.record_file(number), record.model_dump_json())


def long_book(root: Path) -> BookDir:
    """Make the book in ``root``."""
    path = root / "books" / "long"
    path.mkdir(parents=True)
    book = BookDir(path)
    config = BookConfig(id="long", title="灯", language="zh", created=WHEN, updated=WHEN)
    put(book, "book.toml", render_config(config))
    put(book, "records/foundation.json", HOOKS.model_dump_json())
    put(book, "characters/林晚.md", "# 林晚\n\n- 别名：阿晚\n- 身份：守灯人\n")
    for number in range(1, COUNT + 1):
        put_chapter(book, number)
    return book


def settle_down() -> None:
    """Wait until the files just written can't be mistaken for others."""
    time.sleep(0.06)
