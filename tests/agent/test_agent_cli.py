"""``zencli agent`` in the shell: output, exit codes, events, conversations, interrupts.

What needs no process of its own runs in this one, through the same ``main``.
"""

import gc
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from agent_endpoint import ToolEndpoint, serving
from agent_helpers import Stage, body, calls, draft, reads, routed, says, stage

from zencli.cli.main import main
from zencli.cli.schemas import data_schema

REPO = Path(__file__).parents[2]
WORDS = [sys.executable, "-m", "zencli", "agent"]


@pytest.fixture(scope="module")
def running() -> Iterator[ToolEndpoint]:
    with serving() as endpoint:
        yield endpoint


@dataclass
class Shell:
    """Commands in a workspace whose model is the endpoint."""

    stage: Stage
    endpoint: ToolEndpoint

    def environment(self) -> dict[str, str]:
        more = {"PYTHONPATH": str(REPO), "TERM": "xterm", **self.endpoint.environment()}
        return {**os.environ, **more}

    def __call__(self, *words: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[str]":
        """The command in this process."""
        out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
        with _as_in_a_process(self, stdin), redirect_stdout(out), redirect_stderr(err):
            with pytest.raises(SystemExit) as ended:
                main(["agent", *words])
            out.flush()
            err.flush()
        told = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(list(words), int(ended.value.code or 0), *told)

    def process(self, *words: str, stdin: bytes | None = b"") -> "subprocess.CompletedProcess[str]":
        """The command in a process of its own."""
        done = subprocess.run(
            [*WORDS, *words],
            cwd=self.stage.root,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)


@contextmanager
def _as_in_a_process(shell: Shell, stdin: bytes) -> Iterator[None]:
    before, threshold = dict(os.environ), gc.get_threshold()
    ended, reading = signal.getsignal(signal.SIGTERM), sys.stdin
    os.environ.update(shell.environment())
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with chdir(shell.stage.root):
            yield
    finally:
        sys.stdin = reading
        os.environ.clear()
        os.environ.update(before)
        signal.signal(signal.SIGTERM, ended)
        gc.set_threshold(*threshold)


@pytest.fixture
def shell(tmp_path: Path, running: ToolEndpoint) -> Shell:
    running.steps.clear()
    running.requests.clear()
    running.hold = 0
    running.holding.clear()
    return Shell(stage(tmp_path), running)


def checked(out: str, code: int) -> dict[str, Any]:
    """The one object on stdout, its data held against ``zencli schema agent``."""
    assert out.count("\n") == 1
    envelope: dict[str, Any] = json.loads(out)
    assert envelope["command"] == "agent"
    assert envelope["exit_code"] == code
    assert envelope["ok"] is (code == 0)
    jsonschema.validate(envelope["data"], data_schema("agent"))
    return envelope


def test_a_person_reads_the_reply_on_stdout_and_the_rest_on_stderr(shell: Shell) -> None:
    shell.endpoint.play(
        routed(scope="第三章"),
        reads("outline.md"),
        draft("第三章 潮"),
        body("雨停了。", "\n写好了。"),
    )
    done = shell.process("写第三章")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "写好了。\n\n文件：\n- 新建 chapters/0003.md（4 字）\n"
    for told in ("[writer]", "读了 outline.md", "writer, quick: 第三章"):
        assert told in done.stderr
    assert "雨停了" not in done.stderr


def test_json_is_one_object_with_the_contracts_keys(shell: Shell) -> None:
    shell.endpoint.play(draft("第三章 潮"), body("雨停了。", "\n写好了。"))
    done = shell("写第三章", "--fast", "--json", "--session", "a")
    data = checked(done.stdout, 0)["data"]
    assert data["session"] == "a"
    assert data["stop_reason"] == "finished"
    assert data["files"] == [{"path": "chapters/0003.md", "change": "created"}]
    assert data["question"] == ""


def test_B90_events_are_lines_with_one_final_event(shell: Shell) -> None:
    shell.endpoint.play(
        routed("planner", "standard", write_content=True), reads("outline.md", "planner"),
        says("planner", "定了。"), draft("第三章 潮"), body("雨停了。", "\n写好了。"),
    )  # fmt: skip
    done = shell("规划再写", "--events")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    assert all(e["time"] for e in events)
    kinds = [e["type"] for e in events]
    assert set(kinds) >= {
        "router_decided", "agent_selected", "content", "tool_call", "tool_result", "file_created",
        "file_content", "handoff", "notice", "usage", "done",
    }  # fmt: skip
    assert [k for k in kinds if k in ("done", "error")] == ["done"] == kinds[-1:]
    assert events[-1]["stop_reason"] == "finished"
    assert events[-1]["files"] == [{"path": "chapters/0003.md", "change": "created"}]


def test_B90_a_broken_turn_ends_with_an_error_event(shell: Shell) -> None:
    done = shell("写第三章", "--events", "--fast")
    last = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, last["type"]) == (5, "error")
    assert last["code"].startswith("llm.")
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()].count("error") == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--file", "nowhere.md"], "usage.file"), (["--nope"], "usage.options")],
)
def test_B90_a_usage_error_is_an_event_too(shell: Shell, words: list[str], code: str) -> None:
    done = shell("写", "--events", *words)
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["code"] == code
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("steps", "words", "code", "error"),
    [
        ([says("writer", "写哪章？")], ["写"], 4, "agent.question"),
        (
            [calls("writer", ("nothing", {"n": n})) for n in range(3)],
            ["写"],
            6,
            "agent.circuit_open",
        ),
        ([], ["写"], 5, "llm."),
        ([], ["写", "--book", "nobody"], 2, "book.not_found"),
        ([], ["写", "--route", "boss"], 2, "usage.route"),
        ([], ["写", "--continue"], 2, "session.not_found"),
        ([], [], 2, "usage.message"),
    ],
    ids=["question", "breaker", "model", "book", "route", "session", "message"],
)
def test_exit_codes(
    shell: Shell, steps: list[Any], words: list[str], code: int, error: str
) -> None:
    shell.endpoint.play(*steps)
    done = shell(*words, "--fast" if error != "usage.route" else "--quality", "--json")
    envelope = checked(done.stdout, code)
    assert done.returncode == code
    assert envelope["error"]["code"].startswith(error)
    assert "Traceback" not in done.stderr


def test_a_question_is_in_the_result(shell: Shell) -> None:
    shell.endpoint.play(says("writer", "写哪章？"))
    data = checked(shell("写", "--fast", "--json").stdout, 4)["data"]
    assert (data["stop_reason"], data["question"]) == ("question", "写哪章？")


def test_the_message_comes_from_stdin_or_a_file(shell: Shell) -> None:
    (shell.stage.root / "wish.txt").write_text("从文件来的愿望", "utf-8")
    for words, stdin, wish in (
        (["-"], "从管道来的愿望".encode(), "从管道来的愿望"),
        (["@wish.txt"], b"", "从文件来的愿望"),
    ):
        shell.endpoint.play(says("writer", "好。"))
        assert shell(*words, "--fast", stdin=stdin).returncode == 0
        assert wish in shell.endpoint.requests[-1]["messages"][-1]["content"]


def test_without_a_message_or_a_terminal_it_never_waits(shell: Shell) -> None:
    started = time.monotonic()
    done = shell.process(stdin=None)
    assert done.returncode == 2
    assert "MESSAGE" in done.stderr or "no message" in done.stderr
    assert time.monotonic() - started < 20


def test_text_of_a_model_is_printed_without_control_characters(shell: Shell) -> None:
    evil = "好\x1b[2J\x1b]0;x\x07了\u202e。"
    shell.endpoint.play(says("writer", evil))
    done = shell("看看", "--fast", "--verbose")
    assert done.stdout == "好[2J]0;x了。\n"
    shell.endpoint.play(says("writer", evil))
    raw = shell("看看", "--fast", "--events").stdout
    assert "\x1b" not in raw and "\u202e" not in raw


def test_a_dry_run_shows_the_first_call_and_writes_nothing(shell: Shell) -> None:
    done = shell("写第三章", "--dry-run", "--fast")
    assert done.returncode == 0
    assert "# 你的角色：writer" in done.stdout
    assert shell.endpoint.requests == []
    assert not shell.stage.exists(".zencli")


def test_an_interrupt_keeps_what_was_saved_and_exits_130(shell: Shell) -> None:
    shell.endpoint.play(draft("第三章 潮"), body("雨停了。" * 200))
    shell.endpoint.hold = 2
    running = subprocess.Popen(
        [*WORDS, "写第三章", "--fast", "--json", "--session", "a"],
        cwd=shell.stage.root,
        env=shell.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert shell.endpoint.holding.wait(30)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    data = checked(out.decode(), 130)["data"]
    assert data["stop_reason"] == "interrupted"
    (path,) = data["drafts"]
    assert "雨停了。" in shell.stage.read(path)
    shell.endpoint.closed.set()


def test_a_killed_turn_keeps_what_was_saved_and_is_gone_on_with(shell: Shell) -> None:
    shell.endpoint.play(draft("第三章 潮"), body("雨停了。"), says("writer", "接着写第四章。" * 60))
    shell.endpoint.hold = 3
    shell.endpoint.closed.clear()
    running = subprocess.Popen(
        [*WORDS, "写第三、第四章", "--fast", "--session", "a"],
        cwd=shell.stage.root,
        env=shell.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert shell.endpoint.holding.wait(30)
    running.kill()
    running.wait()
    shell.endpoint.closed.set()
    assert shell.stage.read("chapters/0003.md") == "# 潮\n\n雨停了。\n"
    shell.endpoint.play(says("writer", "第四章还没写。"))
    done = shell("继续", "--continue", "--json")
    data = checked(done.stdout, 0)["data"]
    assert (data["session"], data["agents"]) == ("a", ["writer"])
    assert data["routing"]["source"] == "continue"
    history = shell.endpoint.requests[-1]["messages"]
    assert any("新建 chapters/0003.md" in m["content"] for m in history)


def test_a_busy_session_is_named(shell: Shell) -> None:
    from zencli.agent.talk import Choice

    with shell.stage.agents().talk(Choice(session="a")):
        done = shell("写", "--fast", "--session", "a", "--json")
    assert checked(done.stdout, 7)["error"]["code"] == "session.busy"


# --- a conversation on a terminal ---------------------------------------------------------------


class Terminal:
    """``zencli agent`` on a pseudo-terminal."""

    def __init__(self, shell: Shell, *words: str) -> None:
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.chdir(shell.stage.root)
            os.execve(sys.executable, [*WORDS, *words], {**shell.environment(), "TERM": "dumb"})
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.handle, text.encode())

    def until(self, pattern: str, seconds: float = 30) -> str:
        """What was printed up to the pattern; waits for it."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.seen)):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern!r} never came; seen: {self.seen!r}"
            if select.select([self.handle], [], [], left)[0]:
                try:
                    self.seen += os.read(self.handle, 65_536).decode("utf-8", "replace")
                except OSError:
                    break
        assert found, self.seen
        text, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return text

    def end(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        os.close(self.handle)
        return os.waitstatus_to_exitcode(status)


def test_a_conversation_of_several_turns(shell: Shell) -> None:
    shell.endpoint.play(
        draft("第三章 潮"), body("雨停了。", "\n写好了。"), says("writer", "两行都看到了。")
    )
    terminal = Terminal(shell, "--fast")
    terminal.until("> ")
    terminal.type("写第三章\n")
    assert "新建 chapters/0003.md" in terminal.until("4 字）\r?\n\r?\n?.*> ")
    terminal.type("/files\n")
    terminal.until("created chapters/0003.md")
    terminal.until("> ")
    terminal.type("/undo\n")
    terminal.until("Taken back")
    terminal.until("> ")
    assert not shell.stage.exists("chapters/0003.md")
    terminal.type('"""\n第一行\n第二行\n"""\n')
    terminal.until("两行都看到了")
    assert "第一行\n第二行" in shell.endpoint.requests[-1]["messages"][-1]["content"]
    terminal.until("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def test_ctrl_c_stops_the_turn_and_the_conversation_goes_on(shell: Shell) -> None:
    shell.endpoint.play(draft("第三章 潮"), body("雨停了。" * 200), says("writer", "还在。"))
    shell.endpoint.hold = 2
    shell.endpoint.closed.clear()
    terminal = Terminal(shell, "--fast")
    terminal.until("> ")
    terminal.type("写第三章\n")
    assert shell.endpoint.holding.wait(30)
    time.sleep(0.5)
    terminal.type("\x03")
    terminal.until("Interrupted")
    terminal.until("> ")
    terminal.type("还在吗\n")
    terminal.until("还在。")
    terminal.until("> ")
    terminal.type("\x04")
    terminal.end()
    shell.endpoint.closed.set()
    assert any((shell.stage.book.path / "drafts").iterdir())


def test_B92_what_is_typed_while_agents_work_is_taken_up(shell: Shell) -> None:
    shell.endpoint.play(says("writer", "先这样。" * 60), says("writer", "加上铜灯了。"))
    shell.endpoint.hold = 0
    terminal = Terminal(shell, "--fast")
    terminal.until("> ")
    terminal.type("想想第三章\n别忘了铜灯\n/files\n")
    terminal.until("加上铜灯了")
    terminal.until("Nothing was changed")
    terminal.until("> ")
    assert "别忘了铜灯" in shell.endpoint.requests[-1]["messages"][-1]["content"]
    assert len(shell.endpoint.requests) == 2
    terminal.type("/quit\n")
    assert terminal.end() == 0
