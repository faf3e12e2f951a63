"""A command that was stopped in any way goes on where it stopped: the endpoint counts the calls."""

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import Answer, Endpoint, Result, Shell, wait_for
from scripts import Script

from zencli.llm.scripted import Step
from zencli.pipeline.runner import Runner

ZH = Script("zh")
LAST = 4
WORDS = ("write-next", "--count", str(LAST))

Stop = Callable[[Shell, Endpoint, int], str]
"""Gives the command, stopped in this chapter, and returns what it said on stderr."""


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the Chinese book, planned and not begun."""
    root = tmp_path_factory.mktemp("planned")
    Runner(root, model=ZH.model(ZH.opening())).init_book(ZH.wish())
    return root


@pytest.fixture(scope="session")
def uninterrupted(planned: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The book that the command makes when nothing stops it."""
    root = tmp_path_factory.mktemp("whole") / "work"
    shutil.copytree(planned, root)
    endpoint = Endpoint()
    endpoint.play(*ZH.chapters(1, LAST))
    done = Shell(root, dict(endpoint.environment()))(*WORDS)
    endpoint.close()
    assert done.code == 0, done.err
    return contents(root)


@pytest.fixture
def begun(shell: Shell, planned: Path) -> Shell:
    shutil.copytree(planned, shell.root, dirs_exist_ok=True)
    return shell


def folder(root: Path) -> Path:
    (book,) = (root / "books").iterdir()
    return book


def contents(root: Path) -> dict[str, object]:
    """Every file of the book; of records and configuration without times and usage."""
    found: dict[str, object] = {}
    book = folder(root)
    for path in sorted(book.rglob("*")):
        name = path.relative_to(book).as_posix()
        if path.is_dir() or name.startswith(".zencli/"):
            continue
        text = path.read_text("utf-8")
        if name.startswith("records/") and name[8:9].isdigit():
            record = json.loads(text)
            for key in ("created", "updated", "usage"):
                del record[key]
            found[name] = record
        else:
            found[name] = [line for line in text.split("\n") if not line.startswith("updated")]
    return found


def draft(shell: Shell, number: int) -> str:
    return (folder(shell.root) / f"drafts/{number:04d}.md").read_text("utf-8")


def halfway(chapter: int, role: str, **what: bool | int) -> list[Step | Answer]:
    """The answers up to a chapter's call of this role, which ends otherwise."""
    steps: list[Step | Answer] = []
    for step in ZH.chapters(1, chapter):
        at = len(steps) >= len(ZH.chapters(1, chapter - 1)) and step.role == role
        steps.append(Answer(step.text, **what) if at else step)  # type: ignore[arg-type]
        if at:
            break
    return steps


def killed(shell: Shell, endpoint: Endpoint, chapter: int) -> str:
    return held(shell, endpoint, chapter, signal.SIGKILL, -signal.SIGKILL)


def interrupted(shell: Shell, endpoint: Endpoint, chapter: int) -> str:
    return held(shell, endpoint, chapter, signal.SIGINT, 130)


def held(shell: Shell, endpoint: Endpoint, chapter: int, sign: signal.Signals, code: int) -> str:
    endpoint.play(*halfway(chapter, "write", hold=True))
    running = shell.start(*WORDS)
    wait_for(endpoint.holding)
    running.send_signal(sign)
    _, err = running.communicate(timeout=60)
    assert running.returncode == code
    return err.decode()


def cut(shell: Shell, endpoint: Endpoint, chapter: int) -> str:
    return failed(shell(*played(endpoint, halfway(chapter, "write", cut=True))), 5)


def refused(shell: Shell, endpoint: Endpoint, chapter: int) -> str:
    return failed(shell(*played(endpoint, halfway(chapter, "plan", status=401))), 5)


def out_of_budget(shell: Shell, endpoint: Endpoint, chapter: int) -> str:
    words = played(endpoint, list(ZH.chapters(1, LAST)))
    told = failed(shell(*words, "--max-tokens", str(chapter * 35_000)), 6)
    endpoint.answers.clear()
    return told


def played(endpoint: Endpoint, answers: list[Step | Answer]) -> tuple[str, ...]:
    endpoint.play(*answers)
    return WORDS


def failed(result: Result, code: int) -> str:
    assert result.code == code, result.err
    return result.err


STOPS: list[tuple[Stop, int]] = [
    (killed, 1),
    (killed, 3),
    (interrupted, 2),
    (cut, 2),
    (refused, 3),
    (out_of_budget, 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("stop", "chapter"), STOPS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_the_same_command_ends_with_the_same_book_and_repeats_no_finished_call(
    stop: Stop,
    chapter: int,
    begun: Shell,
    endpoint: Endpoint,
    uninterrupted: dict[str, object],
) -> None:
    told = stop(begun, endpoint, chapter)
    assert "Traceback" not in told
    finished = endpoint.finished
    committed = sorted(p.name for p in folder(begun.root).glob("chapters/*"))
    steps = ZH.chapters(1, LAST)
    assert 0 < finished < len(steps)
    if stop in (interrupted, cut):
        assert f"drafts/{chapter:04d}.md" in told
        text = ZH.read(f"{chapter:04d}.write.txt").strip()
        assert len(draft(begun, chapter)) > 100
        assert text.startswith(draft(begun, chapter).strip())

    endpoint.play(*steps[finished:])
    result = begun(*WORDS, "--json")
    assert result.code == 0, result.err
    assert endpoint.finished == len(steps)
    assert endpoint.answers == []
    data = result.json()
    assert [c["number"] for c in data["data"]["chapters"]] == list(range(1, LAST + 1))
    assert data["usage"]["calls"] == len(steps) - finished
    if committed:
        assert f"wrote 1-{len(committed)} of 1-{LAST}" in result.err
    assert contents(begun.root) == uninterrupted


def test_fresh_counts_anew_and_a_command_that_ended_is_a_new_one(
    begun: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*ZH.chapter(1), Answer("gone", status=401))
    assert begun("write-next", "--count", "2").code == 5
    endpoint.play(*ZH.chapters(2, 3))
    assert begun("write-next", "--count", "2", "--fresh").code == 0
    assert len(list(folder(begun.root).glob("chapters/*"))) == 3
    endpoint.play(*ZH.chapter(4))
    done = begun("write-next", "--json")
    assert [c["number"] for c in done.json()["data"]["chapters"]] == [4]


def test_another_command_between_ends_the_claim_of_the_interrupted_one(
    begun: Shell, endpoint: Endpoint
) -> None:
    endpoint.play(*ZH.chapter(1), Answer("gone", status=401))
    assert begun("write-next", "--count", "2").code == 5
    endpoint.play(*ZH.chapter(2))
    assert begun("write-next").code == 0
    endpoint.play(*ZH.chapters(3, 4))
    done = begun("write-next", "--count", "2", "--json")
    assert [c["number"] for c in done.json()["data"]["chapters"]] == [3, 4]


def test_the_text_of_a_killed_chapter_is_kept_too(begun: Shell, endpoint: Endpoint) -> None:
    text = ZH.read("0001.write.txt").strip()
    slow = Answer(text, hold=True, slow=True)
    endpoint.play(ZH.chapter(1)[0], slow)
    running = begun.start("write-next")
    wait_for(endpoint.holding)
    running.kill()
    running.communicate(timeout=60)
    endpoint.play(Answer("gone", status=401))
    again = begun("write-next")
    assert again.code == 5
    assert "drafts/0001.md" in again.err
    assert len(draft(begun, 1)) > 100
    assert text.startswith(draft(begun, 1).strip())
