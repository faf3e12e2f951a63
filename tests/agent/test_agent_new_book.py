"""From a sentence to a book: the agents make it, write in it and export it, all in one turn."""

from pathlib import Path

import pytest
from agent_helpers import Stage, calls, routed, says, stage
from scripts import Script

from zencli.agent.talk import Choice
from zencli.errors import UsageError
from zencli.llm.scripted import Step
from zencli.pipeline.configuration.settings import Overrides
from zencli.pipeline.params import Undo
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions

ZH = Script("zh")
BOOK = "七则桥"
WISH = "开一本悬疑小说《七则桥》，四章，每章三千字，写出第一章，再把批准的导出来"


def sub(agent: str, instruction: str, **more: object) -> Step:
    return calls("writer", ("sub_agent", {"agent": agent, "instruction": instruction, **more}))


def chapter(number: int) -> list[Step]:
    """The calls of a clean chapter."""
    kept = [step for step in ZH.chapter(number) if step.role in ("plan", "write", "settle")]
    return [*kept[:2], Step("audit", '{"findings": []}'), kept[2]]


@pytest.fixture
def empty(tmp_path: Path) -> Stage:
    made = stage(tmp_path, book=False)
    made.book_id = BOOK
    return made


def make(empty: Stage, session: str = "a") -> None:
    meta = ZH.meta
    empty.turn(
        WISH,
        routed("writer", "quick", write_content=True, scope="建书，第一章，导出"),
        sub(
            "architect", ZH.brief, title=meta["title"], genre=meta["genre"], language="zh",
            targetChapters=4, chapterWordCount=3000,
        ),
        *ZH.opening(),
        sub("writer", "写第一章"),
        *chapter(1),
        sub("exporter", "导出", format="txt", approvedOnly=False),
        says("writer", "书建好了，第一章写完并导出。"),
        session=session,
    )  # fmt: skip


def test_a_sentence_makes_a_book_writes_a_chapter_and_exports_it(empty: Stage) -> None:
    make(empty)
    assert empty.last is not None
    result = empty.last.result
    assert result.book_id == BOOK
    assert result.stop_reason == "finished"
    assert empty.exists("chapters/0001.md") and empty.exists("records/0001.json")
    assert list((empty.book.path / "exports").glob("*.txt"))
    created = {f.path for f in result.files}
    assert {"chapters/0001.md", "outline.md", "story_bible.md"} <= created
    assert "- 新建 chapters/0001.md" in result.reply
    roles = [r.role for r in empty.model.requests]
    assert empty.last.usage.calls == len(roles)


def test_the_session_goes_into_the_book_that_it_made_and_goes_on_there(empty: Stage) -> None:
    make(empty)
    assert (empty.book.path / ".zencli/sessions/a.jsonl").is_file()
    assert not list((empty.root / ".zencli" / "sessions").glob("*.jsonl"))
    outcome = empty.turn("第二章呢", routed(), says("writer", "还没写。"), latest=True)
    assert outcome.result.session == "a"
    assert outcome.result.book_id == BOOK
    assert "《七则桥》" in empty.prompt("writer")


def test_a_conversation_goes_on_with_the_book_it_made(empty: Stage) -> None:
    with empty.agents().talk(Choice(session="a")) as talk:
        empty.turn(
            "建书",
            routed(),
            sub("architect", ZH.brief, title="七则桥", genre="mystery", targetChapters=4),
            *ZH.opening(),
            says("writer", "建好了。"),
            talk=talk,
        )
        outcome = empty.turn("看看大纲", routed(), says("writer", "好。"), talk=talk)
    assert outcome.result.book_id == BOOK


def test_B91_the_turn_that_made_a_book_is_undone_as_one_run(empty: Stage) -> None:
    make(empty)
    assert empty.last is not None
    runner = Runner(empty.root, RunOptions(confirmed=True))
    done = runner.undo(Undo(book_id=BOOK, run=empty.last.result.run))
    assert done.trash is not None
    assert not empty.book.path.exists()


def test_without_a_book_the_agent_is_told_so_in_the_authors_language(empty: Stage) -> None:
    empty.turn("Start a mystery.", says("writer", "Which town?"), route="off")
    system, user = empty.model.requests[0].messages
    assert "# How you work" in system.content
    assert "There is no book here yet" in user.content


def test_several_books_need_a_name_or_a_new_one(empty: Stage) -> None:
    for name in ("a", "b"):
        folder = empty.root / "books" / name
        folder.mkdir(parents=True)
        (folder / "book.toml").write_text(
            'title = "x"\ncreated = 2026-11-30T12:00:00Z\nupdated = 2026-11-30T12:00:00Z\n'
        )
    with pytest.raises(UsageError, match="2 books"):
        empty.turn("看看")
    empty.turn("建一本新书", says("writer", "好。"), new_book=True, route="off")
    assert "还没有这本书" in empty.prompt("writer")


def test_what_sub_agents_take_counts_towards_the_limit_of_the_command(tmp_path: Path) -> None:
    made = stage(tmp_path, book=False)
    made.options = RunOptions(overrides=Overrides(max_tokens=90_000))
    outcome = made.turn(
        "建书",
        sub("architect", ZH.brief, title="七则桥", genre="mystery", targetChapters=4),
        *ZH.opening(),
        *[says("writer", "好。")] * 3,
        route="off",
        leftover=True,
    )
    assert outcome.result.stop_reason in ("budget", "finished")
    spent = outcome.usage.input_tokens + outcome.usage.output_tokens
    made.options = RunOptions(overrides=Overrides(max_tokens=spent - 1))
    again = made.turn(
        "再建一本",
        sub("architect", ZH.brief, title="八则桥", genre="mystery", targetChapters=4),
        *ZH.opening(),
        *[says("writer", "好。")] * 3,
        route="off",
        leftover=True,
    )
    assert again.result.stop_reason == "budget"
    assert again.error is not None and again.error.exit_code == 6
    assert again.usage.input_tokens + again.usage.output_tokens < spent
