"""Whole runs recorded with ``--record`` and made again with ``--replay``, elsewhere and offline."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from llm_server import ScriptedServer, fails, says
from scripts import Script

from zencli.errors import ModelError, UsageError
from zencli.llm.tape import Recording, Replaying
from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions

EN = Script("en")
KEY = "sk-geheim-0123456789"
OPENING = [says(step.text, usage=None) for step in EN.opening()]


def workspace(folder: Path) -> Path:
    folder.mkdir()
    return folder


def environment(folder: Path, url: str) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "ZENCLI_BASE_URL": url,
        "ZENCLI_MODEL": "test-model",
        "ZENCLI_API_KEY": KEY,
    }


@pytest.fixture
def recording(tmp_path: Path, server: ScriptedServer) -> Path:
    """The making of a book and a first chapter that fails at its audit, as it was recorded."""
    path = tmp_path / "exchange.jsonl"
    refusal = fails(400, "temperature isn't supported")
    plan, write, *_ = EN.chapter(1)
    server.plays = [
        refusal,
        *OPENING,
        says(plan.text, usage=None),
        says(write.text, usage=None),
        fails(401, "no"),
    ]
    root = workspace(tmp_path / "first")
    options = RunOptions(tape=Recording(path))
    runner = Runner(root, options, environ=environment(tmp_path, server.url))
    runner.init_book(EN.wish())
    with pytest.raises(ModelError):
        runner.write_next(WriteNext())
    return path


def test_a_run_is_made_again_without_network_key_or_configuration(
    tmp_path: Path, recording: Path, server: ScriptedServer
) -> None:
    made = len(server.requests)
    root = workspace(tmp_path / "second")
    options = RunOptions(tape=Replaying(recording))
    runner = Runner(root, options, environ={"HOME": str(tmp_path)})
    book = runner.init_book(EN.wish())
    assert runner.usage.calls == len(OPENING)
    with pytest.raises(ModelError) as caught:
        runner.write_next(WriteNext())
    assert caught.value.code == "llm.auth"
    assert len(server.requests) == made
    first, second = (tmp_path / name / "books" / book.book_id for name in ("first", "second"))
    for name in ("story_bible.md", "outline.md", "secrets.md", "style.md"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_another_command_than_the_recorded_one_is_told_with_its_step(
    tmp_path: Path, recording: Path
) -> None:
    root = workspace(tmp_path / "third")
    runner = Runner(root, RunOptions(tape=Replaying(recording)), environ={"HOME": str(tmp_path)})
    with pytest.raises(ModelError, match="step concept") as caught:
        runner.init_book(EN.wish(title="Another"))
    assert caught.value.code == "llm.not_recorded"
    assert not (root / "books").exists() or not list((root / "books").iterdir())


def test_a_recording_says_which_models_were_asked_and_nothing_secret(recording: Path) -> None:
    head = json.loads(recording.read_text("utf-8").split("\n")[0])
    assert head["models"]["writer"]["name"] == "test-model"
    assert KEY not in recording.read_text("utf-8")


def test_a_recording_without_models_is_told(tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    path.write_text('{"record": 1}\n')
    root = workspace(tmp_path / "fourth")
    runner = Runner(root, RunOptions(tape=Replaying(path)), environ={"HOME": str(tmp_path)})
    with pytest.raises(UsageError, match="which models"):
        runner.init_book(EN.wish())


def test_the_options_are_there_and_exclude_each_other(tmp_path: Path, recording: Path) -> None:
    (tmp_path / "brief.md").write_text(EN.brief, "utf-8")
    root = workspace(tmp_path / "fifth")
    wish = EN.wish()
    words = [
        sys.executable, "-m", "zencli", "init-book", "--root", str(root), "--json",
        "--brief", str(tmp_path / "brief.md"), "--title", wish.title, "--genre", wish.genre,
        "--platform", wish.platform, "--language", "en",
        "--target-chapters", str(wish.target_chapters),
        "--chapter-words", str(wish.chapter_word_count), "--replay", str(recording),
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["ok"], done.stdout
    both = subprocess.run(
        [*words, "--record", str(tmp_path / "new")], capture_output=True, text=True, check=False
    )
    assert both.returncode == 2
    assert "exclude each other" in both.stdout
