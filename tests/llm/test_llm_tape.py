"""Exchanges recorded into a file, and replayed from it without a network."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from llm_helpers import ASK, KEY, failing
from llm_server import Play, ScriptedServer, fails, says, streams

from zencli.errors import ModelError, UsageError
from zencli.llm.attempts import Patience
from zencli.llm.client import OpenAIModel
from zencli.llm.place import Place
from zencli.llm.profiles import Profile
from zencli.llm.tape import Recording, Replaying, Tape
from zencli.llm.transport import Network

STREAM = replace(ASK, role="write")
HOT = replace(ASK, role="plan", temperature=0.7)


def taped(url: str, tape: Tape, key: str = KEY) -> OpenAIModel:
    transport = tape.transport(Place(url, "test-model", key), lambda: Network(url, key))
    patience = Patience(retries=1, first_wait=0.02)
    return OpenAIModel(url, "test-model", key, Profile(), patience=patience, transport=transport)


def recorded(server: ScriptedServer, path: Path, *plays: Play) -> OpenAIModel:
    server.plays = list(plays)
    tape = Recording(path)
    tape.begin({"models": {}})
    return taped(server.url, tape)


def test_a_recorded_run_is_the_same_without_a_network(
    server: ScriptedServer, tmp_path: Path
) -> None:
    path = tmp_path / "exchange.jsonl"
    refusal = fails(400, "temperature isn't supported")
    busy = fails(503, "starting")
    model = recorded(server, path, busy, streams(["雨\u2028", "落了。"]), refusal, says("Rain."))
    first, pieces = model.complete(STREAM, list[str]().append), list[str]()
    second = model.complete(HOT)
    model.close()
    made = len(server.requests)
    again = taped("http://127.0.0.1:9/v1", Replaying(path), key="")
    assert again.complete(STREAM, pieces.append).text == first.text == "雨\u2028落了。"
    assert "".join(pieces) == first.text
    reply = again.complete(HOT)
    assert (reply.text, reply.usage.output_tokens) == (second.text, second.usage.output_tokens)
    assert again.profile.temperature_allowed is False
    assert len(server.requests) == made == 4


def test_a_request_that_is_not_in_the_file_is_told_with_its_step(
    server: ScriptedServer, tmp_path: Path
) -> None:
    path = tmp_path / "exchange.jsonl"
    model = recorded(server, path, says("Rain."))
    model.complete(ASK)
    model.close()
    again = taped(server.url, Replaying(path))
    again.complete(ASK)
    error = failing(again)
    assert error.code == "llm.not_recorded"
    assert "step write" in error.message
    other = failing(again, replace(ASK, role="audit", max_output=7))
    assert "step audit" in other.message


def test_a_failure_is_replayed_as_it_was(server: ScriptedServer, tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    model = recorded(server, path, streams(["It rai"], finish=None, drop=True))
    pieces: list[str] = []
    with pytest.raises(ModelError) as first:
        model.complete(ASK, pieces.append)
    model.close()
    with pytest.raises(ModelError) as second:
        taped(server.url, Replaying(path)).complete(ASK, pieces.append)
    assert pieces == ["It rai", "It rai"]
    assert (second.value.code, second.value.message) == (first.value.code, first.value.message)


def test_an_endpoint_that_is_not_there_is_replayed_too(tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    tape = Recording(path)
    tape.begin({"models": {}})
    first = failing(taped("http://127.0.0.1:9/v1", tape))
    second = failing(taped("http://127.0.0.1:9/v1", Replaying(path)))
    assert (first.code, first.message) == (second.code, second.message)


def test_no_key_gets_into_the_file(server: ScriptedServer, tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    echo = fails(401, f"Incorrect key {KEY}; you sent authorization: Bearer sk-other-123456")
    model = recorded(server, path, echo)
    failing(model)
    model.close()
    text = path.read_text()
    assert "Incorrect key" in text
    for secret in (KEY, "sk-other"):
        assert secret not in text


def test_a_file_that_exists_is_never_recorded_over(tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        Recording(path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("text", ["", "novel", '{"record": 99}\n', "[]\n", '{"record": 1}\n{}\n'])
def test_a_file_that_is_no_recording_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "exchange.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="no recording"):
        Replaying(path)


def test_the_file_is_one_json_object_a_line(server: ScriptedServer, tmp_path: Path) -> None:
    path = tmp_path / "exchange.jsonl"
    model = recorded(server, path, Play(body=b"\xff\xfe broken"), streams(["雨"]))
    failing(model)
    model.complete(ASK)
    model.close()
    head, *lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    assert head["record"] == 1
    assert [line["step"] for line in lines] == ["write", "write"]
    assert lines[0]["answer"].encode("utf-8", "surrogateescape") == b"\xff\xfe broken"
    assert "雨" in path.read_text("utf-8")
