"""``sub_agent`` (B39): the verbs as a tool, over the same Runner, with their whole results."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent_tool_helpers import RUN, Bench, bench_on
from scripts import Script

from zencli.agent.sub_agent import parameter_lists, sub_agent_schema
from zencli.agent.tools.registry import call_tool
from zencli.errors import ModelError, ZencliError
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.params import VERBS, Undo, WriteNext, meta_of, wire_name
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.history import commits, runs
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace

ZH = Script("zh")
BOOK = "七则桥"
CLEAN = Step("audit", '{"findings": []}')
QUOTE = "声音钻过桥洞，撞到对岸的墙上，回来时短了一截。"
FAULT = {
    "severity": "critical",
    "dimension": "对不上",
    "quote": QUOTE,
    "problem": "和前文对不上。",
    "against": "",
    "fix": "改掉。",
    "scope": "local",
}


def chapter(number: int) -> list[Step]:
    """The calls of a clean chapter."""
    kept = [step for step in ZH.chapter(number) if step.role in ("plan", "write", "settle")]
    return [*kept[:2], CLEAN, kept[2]]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample book and no chapter."""
    root = tmp_path_factory.mktemp("planned")
    Runner(root, RunOptions(), model=ZH.model(ZH.opening())).init_book(ZH.wish())
    return root


@pytest.fixture
def root(planned: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "work"
    shutil.copytree(planned, copy)
    return copy


def on(root: Path, steps: list[Step], *, book: str | None = BOOK, message: str = "写") -> Bench:
    """A turn whose sub-agents are answered by ``steps``."""
    model = ZH.model(steps)
    opened = Workspace(root).open(book) if book else None
    b = bench_on(root, opened, message)
    b.turn.runner = lambda: Runner(root, RunOptions(part_of=RUN), model=model)
    return b


def test_B39_the_schema_is_generated_and_enumerates_what_may_be_given() -> None:
    schema = sub_agent_schema()
    for name, values in {
        "agent": list(VERBS),
        "mode": ["spot-fix", "polish", "rewrite", "rework", "anti-detect"],
        "platform": ["tomato", "qidian", "feilu", "other"],
        "language": ["zh", "en"],
    }.items():
        assert schema["properties"][name]["anyOf"] == [{"const": value} for value in values]
    for agent, model in VERBS.items():
        for name, field in model.model_fields.items():
            if agent in meta_of(field).agents:
                assert agent in schema["properties"][wire_name(name)]["description"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_B39_the_prompts_list_each_agents_parameters(language: str) -> None:
    lines = parameter_lists("zh" if language == "zh" else "en").splitlines()
    assert len(lines) == len(VERBS)
    for line, (agent, model) in zip(lines, VERBS.items(), strict=True):
        assert line.startswith(f"- {agent}")
        for name, field in model.model_fields.items():
            used = agent in meta_of(field).agents or name == "instruction"
            assert (f"{wire_name(name)}" in line.replace("（", " ")) == used or not used
    assert "spot-fix|polish|rewrite|rework|anti-detect" in lines[3]
    assert "targetChapters" not in lines[1]
    assert ("默认 200" if language == "zh" else "default 200") in lines[0]


def test_B39_the_architect_makes_the_book_that_the_turn_then_works_on(tmp_path: Path) -> None:
    b = on(tmp_path, [*ZH.opening(), *chapter(1)], book=None)
    result = b.call(
        "sub_agent",
        agent="architect",
        instruction=ZH.brief,
        language="zh",
        targetChapters=ZH.meta["target_chapters"],
        chapterWordCount=ZH.meta["chapter_words"],
    )
    assert result.ok
    assert result.data["ok"] is True
    assert (result.data["book_id"], result.data["title"]) == (BOOK, BOOK)
    assert "story_bible.md" in result.data["files"]
    assert b.turn.book == BookDir(tmp_path / "books" / BOOK)
    assert b.turn.files.changes["outline.md"] == "created"
    assert not [path for path in b.turn.files.changes if path.startswith("records/")]
    assert b.call("sub_agent", agent="writer", instruction="写第一章").ok
    assert b.read("chapters/0001.md")
    assert [run.run for run in runs(b.book)] == [RUN]
    assert runs(b.book)[0].verb == "agent"


def test_B39_the_writer_gets_the_length_and_the_instruction(root: Path) -> None:
    steps = chapter(1)
    model = ZH.model(steps)
    b = on(root, [])
    b.turn.runner = lambda: Runner(root, RunOptions(part_of=RUN), model=model)
    result = b.call(
        "sub_agent", agent="writer", instruction="让桥开口说话", chapterWordCount="2400"
    )
    (written,) = result.data["chapters"]
    assert (written["number"], written["target_words"]) == (1, 2400)
    asked = "\n".join(m.content for request in model.requests for m in request.messages)
    assert "让桥开口说话" in asked
    assert result.for_model.startswith("Chapter 1 (")
    assert b.turn.files.changes["chapters/0001.md"] == "created"
    assert [e["path"] for e in b.told("file_created")] == ["chapters/0001.md"]
    assert b.turn.files.words == {}


def test_B39_the_auditor_returns_the_sentence_and_every_issue(root: Path) -> None:
    b = on(root, [*chapter(1), Step("audit", json.dumps({"findings": [FAULT]})), CLEAN])
    b.call("sub_agent", agent="writer", instruction="写")
    failed = b.call("sub_agent", agent="auditor", instruction="看桥", chapterNumber=1)
    (judged,) = failed.data["chapters"]
    assert failed.for_model == f"Audit chapter 1: FAILED, {len(judged['issues'])} issue(s)."
    critical = [issue for issue in judged["issues"] if issue["severity"] == "critical"]
    assert critical == [
        {
            "id": critical[0]["id"],
            "severity": "critical",
            "dimension": critical[0]["dimension"],
            "description": critical[0]["description"],
            "quote": QUOTE,
            "suggestion": "改掉。",
        }
    ]
    passed = b.call("sub_agent", agent="auditor", instruction="再看")
    count = len(passed.data["chapters"][0]["issues"])
    assert passed.for_model == f"Audit chapter 1: PASSED, {count} issue(s)."


def test_B39_the_reviser_takes_its_mode_from_the_field_and_says_what_came_of_it(root: Path) -> None:
    mended = "声音钻过桥洞，撞在对岸的石墙上，回来时只剩半截。"
    patch = {"patches": [{"finding": 1, "old": QUOTE, "new": mended}], "note": ""}
    steps = [*chapter(1), Step("audit", json.dumps({"findings": [FAULT]}))]
    steps += [Step("spot_fix", json.dumps(patch)), chapter(1)[3]]
    b = on(root, steps)
    b.call("sub_agent", agent="writer", instruction="写")
    b.call("sub_agent", agent="auditor", instruction="审")
    result = b.call("sub_agent", agent="reviser", instruction="用 rewrite 的力气改回声")
    assert (result.data["mode"], result.data["applied"]) == ("spot-fix", True)
    assert result.data["reason"]
    assert result.for_model.startswith("Chapter 1 was revised (spot-fix): ")
    assert mended in b.read("chapters/0001.md")


def test_B39_the_exporter_returns_a_path_that_exists(root: Path) -> None:
    b = on(root, chapter(1))
    b.call("sub_agent", agent="writer", instruction="写")
    result = b.call("sub_agent", agent="exporter", instruction="导出", format="md")
    path = Path(result.data["path"])
    assert path.is_file()
    assert path.suffix == ".md"
    assert str(path) in result.for_model
    refused = b.call("sub_agent", agent="exporter", instruction="导出", approvedOnly=True)
    assert refused.data == {
        "ok": False,
        "code": "export.empty",
        "message": refused.data["message"],
        "hint": refused.data["hint"],
    }
    assert refused.error_type == "export.empty"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"agent": "writer", "instruction": "写", "mode": "polish"}, "mode"),
        ({"agent": "exporter", "instruction": "出", "chapterNumber": 1}, "chapterNumber"),
        ({"agent": "reviser", "instruction": "改", "mode": "spotfix"}, "mode"),
        ({"agent": "auditor", "instruction": "审", "rounds": 2}, "rounds"),
        ({"agent": "poet", "instruction": "写"}, "poet"),
        ({"agent": "writer"}, "instruction"),
    ],
)
def test_B39_a_parameter_that_does_not_fit_is_refused_by_name(
    root: Path, said: dict[str, Any], named: str
) -> None:
    b = on(root, [])
    result = b.call("sub_agent", **said)
    assert result.data["ok"] is False
    assert named in result.data["message"]
    assert result.error_type.startswith("usage.")


def test_B39_a_failure_says_code_message_and_hint(root: Path) -> None:
    b = on(root, [])
    result = b.call("sub_agent", agent="auditor", instruction="审", chapterNumber=7)
    assert result.data["code"] == result.error_type == "chapter.not_found"
    assert result.data["hint"]
    assert (
        b.call("sub_agent", agent="writer", instruction="x", bookId="别的").error_type
        == "other_book"
    )


def _interrupted(error: BaseException) -> bool:
    return getattr(error, "code", "interrupted") == "interrupted"


class Breaking(ScriptedModel):
    """A model whose endpoint goes away, or whose author stops it, after some calls."""

    def __init__(self, steps: list[Step], error: BaseException) -> None:
        super().__init__(steps, profile=ZH.model([]).profile)
        self._error = error

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if len(self.requests) == len(self._steps):
            raise self._error
        return super().complete(request, on_text)


def breaking(root: Path, steps: list[Step], error: BaseException) -> Bench:
    b = on(root, [])
    model = Breaking(steps, error)
    b.turn.runner = lambda: Runner(root, RunOptions(part_of=RUN), model=model)
    return b


def test_B39_what_was_written_before_a_failure_counts(root: Path) -> None:
    b = breaking(root, chapter(1), ModelError("llm.network", "It went away.", "Try again."))
    result = b.call("sub_agent", agent="writer", instruction="写两章", chapterCount=2)
    assert (result.data["ok"], result.data["code"]) == (False, "llm.network")
    assert [c["number"] for c in result.data["done"]["chapters"]] == [1]
    assert b.turn.files.changes["chapters/0001.md"] == "created"


@pytest.mark.parametrize("written", [0, 1])
def test_B39_an_interruption_is_not_an_answer(root: Path, written: int) -> None:
    b = breaking(root, chapter(1)[: 4 * written or 1], KeyboardInterrupt())
    with pytest.raises((KeyboardInterrupt, ZencliError), check=_interrupted):
        call_tool(b.turn, "sub_agent", {"agent": "writer", "instruction": "写", "chapterCount": 2})
    assert ("chapters/0001.md" in b.turn.files.changes) == bool(written)


def test_B91_verbs_and_edits_of_a_turn_are_undone_as_one_run(root: Path) -> None:
    b = on(root, [*chapter(1), *chapter(2)])
    before = {p: p.read_bytes() for p in (b.book.path).glob("*.md")}
    b.call("create_file", type="lore", title="桥", content="七则。")
    b.call("sub_agent", agent="writer", instruction="写")
    b.know("chapters/0001.md")
    b.call("edit_file", path="chapters/0001.md", edits=[{"op": "append", "text": "完。"}])
    b.call("sub_agent", agent="writer", instruction="写")
    assert [run.run for run in runs(b.book)][1:] == [RUN]
    Runner(root).undo(Undo(book_id=BOOK, run=RUN))
    assert not list((b.book.path / "chapters").glob("*.md"))
    assert not list((b.book.path / "lore").glob("*.md"))
    assert {p: p.read_bytes() for p in before} == before


def test_a_verb_of_a_turn_that_was_stopped_is_gone_on_with(root: Path) -> None:
    b = breaking(root, chapter(1)[:2], KeyboardInterrupt())
    with pytest.raises((KeyboardInterrupt, ZencliError), check=_interrupted):
        call_tool(b.turn, "sub_agent", {"agent": "writer", "instruction": "写"})
    model = ZH.model(chapter(1)[2:])
    b.turn.runner = lambda: Runner(root, RunOptions(part_of=RUN), model=model)
    assert b.call("sub_agent", agent="writer", instruction="写").ok
    assert len(model.requests) == 2
    assert b.book.chapter_numbers() == [1]


def test_a_verb_on_its_own_keeps_its_own_run(root: Path) -> None:
    Runner(root, RunOptions(), model=ZH.model(chapter(1))).write_next(WriteNext(book_id=BOOK))
    book = BookDir(root / "books" / BOOK)
    last = commits(book)[-1]
    assert last.run == last.counts_to == last.own_run
    assert runs(book)[-1].verb == "write-next"
