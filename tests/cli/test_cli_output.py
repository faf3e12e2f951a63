"""What goes where: the result to stdout, all else to stderr, clean for terminals and pipes."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import threading
from pathlib import Path

import pytest
from cli_helpers import COMMAND, Answer, Endpoint, Shell, environment
from scripts import Script

from zencli.llm.scripted import Step

EN = Script("en")
HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2Jgone\x7f \u202eback\u202c \u2066hid\u2069"
UNSAFE = ("\x1b", "\x07", "\x9b", "\x7f", "\u202e", "\u2066")


def test_stdout_holds_the_result_and_stderr_the_rest(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*EN.chapter(3))
    result = book("write-next")
    first, *findings = result.out.splitlines()
    assert first.startswith("chapter 3: The Half (")
    assert all(line.startswith("  ") for line in findings)
    steps = [line for line in result.err.splitlines() if line.endswith(" ...")]
    expected = ("plan", "write", "audit", "spot_fix", "settle")
    assert steps == [f"chapter 3: {step} ..." for step in expected]
    assert EN.read("0003.write.txt")[:60] not in result.err, "no prose in a pipe"
    assert "chapter 3 done: The Half" in result.err


@pytest.mark.parametrize("words", [["--quiet"], ["-q"], ["-q", "--json"]])
def test_quiet_leaves_stderr_empty(words: list[str], book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*EN.chapter(3))
    result = book("write-next", *words)
    assert (result.code, result.err) == (0, "")
    assert "The Half" in result.out


def test_quiet_still_tells_an_error(book: Shell) -> None:
    result = book("audit", "9", "--quiet")
    assert (result.code, result.out) == (2, "")
    assert "has no chapter 9" in result.err


@pytest.mark.parametrize(
    "words",
    [["list"], ["status"], ["export"], ["approve", "1-2"], ["unapprove", "1"], ["show", "1"],
     ["genres"], ["schema", "audit"], ["model", "status"]],
)  # fmt: skip
def test_the_supporting_verbs_print_one_object_too(words: list[str], book: Shell) -> None:
    told = book(*words, "--json").json()
    assert told["command"] == (words[0] if words[0] != "model" else "model status")
    assert told["ok"]
    assert told["usage"]["calls"] == 0


def test_a_usage_error_of_the_parser_is_one_object_too(book: Shell) -> None:
    for words in (["audit", "--nope"], ["nope"], ["schema", "nope"], ["model", "nope"], ["schema"]):
        assert book(*words, "--json").json()["error"]["code"] == "usage.options", words


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
def test_a_fault_of_the_program_has_a_traceback_only_with_verbose(
    verbose: list[str], book: Shell
) -> None:
    package = book.root.with_name("broken")
    package.mkdir()
    (package / "sitecustomize.py").write_text(
        "import zencli.pipeline.overview as o\ndef book_status(book):\n    return 1 / 0\n"
        "o.book_status = book_status\n"
    )
    path = f"{package}{os.pathsep}{environment()['PYTHONPATH']}"
    result = book("status", "--json", *verbose, PYTHONPATH=path)
    assert (result.code, result.json()["error"]["code"]) == (1, "fault")
    assert ("Traceback" in result.err) is bool(verbose)


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "LANG": None},
        {"PYTHONIOENCODING": "gbk"},
        {"PYTHONIOENCODING": "ascii:strict", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_output_is_utf8_whatever_the_locale(
    variables: dict[str, str | None], chinese_book: Shell, endpoint: Endpoint
) -> None:
    shown = chinese_book("show", "1", **variables)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("# 报水\n\n阿满")
    told = chinese_book("status", "七则桥", "--json", **variables).json()
    assert told["data"]["title"] == "七则桥"
    refused = chinese_book("status", "八则桥", **variables)
    assert "There is no book '八则桥'" in refused.err
    endpoint.play(*Script("zh").chapter(3))
    wrote = chinese_book("write-next", "-i", "写到换算为止。", "--json", **variables)
    assert wrote.code == 0, wrote.err
    assert wrote.json()["data"]["chapters"][0]["title"] == "两级一则"
    assert "写到换算为止。" in endpoint.bodies[0]["messages"][-1]["content"]


def test_stdin_is_utf8_whatever_the_locale(shell: Shell, endpoint: Endpoint) -> None:
    words = ["init-book", "-i", "-", "--dry-run", "--json"]
    brief = "\ufeff灯塔上的人，退潮才下来。"
    shown = shell(*words, stdin=brief.encode(), LC_ALL="C", PYTHONIOENCODING="gbk").json()
    assert brief[1:] in shown["data"]["messages"][-1]["content"]
    assert "\ufeff" not in shown["data"]["messages"][-1]["content"]


def hostile_steps() -> list[Step]:
    plan, write, *_, settle = EN.chapter(3)
    finding = {
        "severity": "info", "dimension": "page", "problem": f"Too {HOSTILE} bold.",
        "quote": write.text.split("\n\n")[1], "fix": f"Less {HOSTILE}.", "scope": "local",
    }  # fmt: skip
    said = json.loads(plan.text)
    said["title"] = f"The {HOSTILE} Half"
    audit = Step("audit", json.dumps({"findings": [finding]}))
    return [Step("plan", json.dumps(said)), write, audit, settle]


def test_no_escape_code_of_a_model_reaches_the_terminal(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*hostile_steps())
    wrote = book("write-next")
    assert wrote.code == 0, wrote.err
    assert "Too [31mred[0m" in wrote.out
    shown = [book("status"), book("show", "3"), book("show", "3", "--record"), book("list")]
    told = [book("status", "--json"), book("show", "3", "--json")]
    for result in [wrote, *shown, *told]:
        assert not any(mark in result.out + result.err for mark in UNSAFE)
    assert told[1].json()["ok"]


def test_no_escape_code_of_a_server_or_a_file_reaches_the_terminal(
    book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*[Answer(f"no {HOSTILE}", status=404)] * 2)
    results = [book("write-next"), book("write-next", "--json"), book("status", f"b{HOSTILE}")]
    config = book.root / "books" / "by-the-board" / "book.toml"
    text = config.read_text("utf-8")
    config.write_text(text.replace('"By the Board"', '"By \\u001b[31mthe\\u009b Board"'))
    results += [book("status"), book("status", "--json"), book("list")]
    for result in results:
        assert not any(mark in result.out + result.err for mark in UNSAFE)


@pytest.mark.parametrize("variables", [{}, {"FORCE_COLOR": "1"}, {"GITHUB_ACTIONS": "true"}])
def test_there_are_no_colours_in_a_pipe(variables: dict[str, str], book: Shell) -> None:
    for words in (["--help"], ["audit", "--help"], ["audit", "--nope"], ["status"], ["audit", "9"]):
        result = book(*words, **variables)
        assert "\x1b" not in result.out + result.err


def on_terminal(shell: Shell, words: list[str], **variables: str) -> str:
    """What a terminal of 80 columns is sent by a command."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen: list[bytes] = []

    def read() -> None:
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:
                return
            if not data:
                return
            seen.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    env = environment(**{**shell.variables, **variables})
    subprocess.run(
        [*COMMAND, *words], cwd=shell.root, env=env, stdin=slave, stdout=slave, stderr=slave,
        timeout=60, check=False,
    )  # fmt: skip
    os.close(slave)
    reader.join()
    os.close(master)
    return b"".join(seen).decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_sees_the_prose_as_it_is_written(book: Shell, endpoint: Endpoint) -> None:
    plan, write, *rest = EN.chapter(3)
    paragraphs = write.text.strip().split("\n\n")
    hostile = write.text.replace(paragraphs[0], paragraphs[0] + HOSTILE)
    endpoint.play(plan, Step("write", hostile), *rest)
    seen = on_terminal(book, ["write-next"], TERM="xterm")
    assert all(paragraph in seen.replace("\r\x1b[K", "") for paragraph in paragraphs[1:3])
    assert "of 1500, " in seen
    for mark in UNSAFE:
        assert mark not in seen.replace("\r\x1b[K", "")


def test_a_dumb_terminal_gets_plain_lines(book: Shell, endpoint: Endpoint) -> None:
    endpoint.play(*EN.chapter(3))
    seen = on_terminal(book, ["write-next"], TERM="dumb")
    assert "\x1b" not in seen
    assert "\r" not in seen
    assert "chapter 3: write ..." in seen


def test_no_color_is_heeded_on_a_terminal(book: Shell) -> None:
    for words in (["status"], ["--help"], ["audit", "--nope"]):
        assert "\x1b" not in on_terminal(book, words, TERM="xterm-256color", NO_COLOR="1")


def piped(shell: Shell, line: str) -> "subprocess.CompletedProcess[bytes]":
    """A line of shell in which ``$Z`` is the command."""
    env = environment(**{**shell.variables, "Z": " ".join(COMMAND)})
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=shell.root, env=env, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("words", ["show 1", "show 1 --json", "schema audit", "audit --help"])
def test_a_reader_that_stops_early_is_no_fault(words: str, book: Shell) -> None:
    done = piped(book, f"$Z {words} | head -c 1")
    assert (done.returncode, done.stderr) == (0, b"")
    done = piped(book, f"$Z {words} | true")
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_stops_early_does_not_hide_the_verdict(
    book: Shell, endpoint: Endpoint
) -> None:
    quote = EN.read("0001.write.txt").split("\n\n")[1]
    finding = {"severity": "critical", "dimension": "page", "problem": "Wrong.", "quote": quote}
    endpoint.play(Step("audit", json.dumps({"findings": [finding]})))
    done = piped(book, "$Z audit 1 --quiet | true")
    assert done.returncode == 3


def test_a_log_that_nobody_reads_any_more_does_not_stop_the_writing(
    book: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*EN.chapter(3))
    done = piped(book, "$Z write-next 2>&1 >result.txt | true")
    assert done.returncode == 0
    assert "The Half" in (book.root / "result.txt").read_text("utf-8")
    assert (book.root / "books" / "by-the-board" / "chapters" / "0003.md").is_file()


def test_a_full_disk_below_stdout_is_an_error(book: Shell) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = piped(book, "$Z show 1 > /dev/full")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr
