"""Sessions: what is kept of turns, and that two processes don't write in one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from agent_helpers import WHEN, Stage, body, calls, draft, reads, routed, says, stage

from zencli.agent.session import open_session
from zencli.agent.talk import Choice
from zencli.agent.turn import Asked
from zencli.errors import BusyError, ModelError, NotFound, UsageError

REPO = Path(__file__).parents[2]


@pytest.fixture
def zh(tmp_path: Path) -> Stage:
    return stage(tmp_path)


def lines(zh: Stage, name: str = "*") -> list[dict[str, object]]:
    path = next((zh.book.path / ".zencli" / "sessions").glob(f"{name}.jsonl"))
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_B69_a_session_is_one_file_of_json_lines(zh: Stage) -> None:
    zh.turn("看看", routed(), reads("outline.md"), says("writer", "好。"), session="一夜")
    kinds = [line["type"] for line in lines(zh, "一夜")]
    assert kinds == ["session", "author", "routing", "step", "step", "reply"]


def test_B69_continue_takes_the_latest_and_shows_what_was_said(zh: Stage) -> None:
    zh.turn("记住：灯是铜的", routed(), says("writer", "记住了。"), session="a")
    zh.turn("另一件事", routed(), says("writer", "好。"), session="b")
    os.utime(zh.book.path / ".zencli/sessions/a.jsonl")
    outcome = zh.turn("灯是什么做的", routed(), says("writer", "铜的。"), latest=True)
    assert outcome.result.session == "a"
    writer = zh.model.requests[-1]
    assert [m.content for m in writer.messages[1:3]] == ["记住：灯是铜的", "记住了。"]


def test_B69_there_must_be_one_to_continue(zh: Stage) -> None:
    with pytest.raises(NotFound, match="no session"):
        zh.turn("继续", latest=True)
    with pytest.raises(UsageError):
        zh.turn("看看", session="../a")


def test_B69_without_a_name_each_turn_begins_a_session(zh: Stage) -> None:
    one = zh.turn("看看", routed(), says("writer", "好。"))
    two = zh.turn("看看", routed(), says("writer", "好。"))
    assert one.result.session != two.result.session


def test_B69_two_processes_cannot_write_in_one_session(zh: Stage) -> None:
    with (
        zh.agents().talk(Choice(session="a")),
        pytest.raises(BusyError) as busy,
        zh.agents().talk(Choice(session="a")),
    ):
        pass
    assert (busy.value.code, busy.value.exit_code) == ("session.busy", 7)


def test_B69_a_killed_writer_frees_the_session_and_its_torn_line_is_dropped(tmp_path: Path) -> None:
    script = (
        "import sys, os; from pathlib import Path; from datetime import datetime\n"
        "from zencli.agent.session import open_session\n"
        "with open_session([Path(sys.argv[1])], 'a', latest=False, now=datetime.now(),"
        " book='') as s:\n"
        "    s.add('author', turn=1, message='看看')\n"
        '    os.write(s._handle, b\'{"type": "re\')\n'
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        check=False,
    )
    assert done.returncode == -9
    with open_session([tmp_path], "a", latest=False, now=WHEN, book="") as session:
        (turn,) = session.turns()
        assert (turn.message, turn.stop_reason) == ("看看", "interrupted")
        session.add("author", turn=2, message="再看")
        assert session.turn_number == 3
    text = (tmp_path / "a.jsonl").read_text("utf-8")
    assert all(json.loads(line) for line in text.splitlines())


def test_a_turn_that_was_killed_keeps_what_its_agents_had_said(zh: Stage) -> None:
    class Killed(BaseException):
        pass

    def kill(event: object) -> None:
        if getattr(event, "type", "") == "tool_call" and "style.md" in str(event):
            raise Killed

    with pytest.raises(Killed):
        zh.turn(
            "看看大纲和文风",
            routed("planner", "standard", write_content=False),
            calls("planner", ("query_files", {"path": "outline.md"}), text="先看大纲。"),
            reads("style.md", "planner"),
            session="a",
            watch=kill,
        )
    with open_session(
        [zh.book.path / ".zencli/sessions"], "a", latest=False, now=WHEN, book=""
    ) as session:
        (turn,) = session.turns()
    assert turn.reply == "先看大纲。"
    assert (turn.stop_reason, turn.agent) == ("interrupted", "planner")
    outcome = zh.turn("继续", says("planner", "看完了。"), latest=True)
    assert outcome.result.agents == ["planner"]


def test_a_turn_that_failed_keeps_its_files_and_says_why(zh: Stage) -> None:
    with zh.agents().talk(Choice(session="a", fast=True)) as talk:
        zh.play(draft("第三章 潮"), body("雨停了。"))
        talk.agents.model = _Breaks(zh)
        outcome = talk.turn(Asked("写第三章"))
    assert outcome.result.stop_reason == "model_failed"
    assert outcome.error is not None and outcome.error.exit_code == 5
    assert [f.path for f in outcome.result.files] == ["chapters/0003.md"]
    assert lines(zh, "a")[-1]["stop_reason"] == "model_failed"


class _Breaks:
    """The stage's model, until its script is over; then the endpoint is gone."""

    def __init__(self, zh: Stage) -> None:
        self.inner = zh.model
        self.name, self.profile = zh.model.name, zh.model.profile

    def complete(self, request: object, on_text: object = None) -> object:
        if len(self.inner.requests) == len(self.inner._steps):
            raise ModelError("llm.network", "The endpoint is gone.")
        return self.inner.complete(request, on_text)  # type: ignore[arg-type]

    def reject(self, request: object) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def test_a_trail_tells_the_next_turn_what_was_done(zh: Stage) -> None:
    zh.turn(
        "写第三章", routed(), reads("outline.md"), draft("第三章 潮"), body("雨停了。", "写好了。"),
        session="a",
    )  # fmt: skip
    zh.turn("接下来呢", routed(), says("writer", "好。"), session="a")
    said = zh.model.requests[-1].messages[2].content
    assert said.startswith("写好了。")
    assert "新建 chapters/0003.md" in said
    assert "读过 outline.md" in said


def test_a_dry_run_writes_no_session(zh: Stage) -> None:
    from zencli.pipeline.run_context import Previewed
    from zencli.pipeline.session import RunOptions

    zh.options = RunOptions(dry_run=True)
    for choice, role in (({}, "router"), ({"fast": True}, "writer")):
        with pytest.raises(Previewed) as seen:
            zh.turn("写第三章", **choice)
        assert seen.value.request.role == role
    assert not (zh.book.path / ".zencli").exists()


def test_a_message_that_is_refused_leaves_no_session(zh: Stage) -> None:
    for asked, choice in ((Asked(" "), {}), (Asked("看", files=("nowhere.md",)), {"session": "a"})):
        with pytest.raises(UsageError):
            zh.turn(asked, **choice)
    assert not list((zh.book.path / ".zencli" / "sessions").glob("*"))


def test_B69_sessions_that_begin_in_the_same_second_are_two(zh: Stage) -> None:
    with zh.agents().talk(Choice()) as one, zh.agents().talk(Choice()) as two:
        assert one.session.id != two.session.id
