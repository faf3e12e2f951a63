"""What is learned about an endpoint: kept for later runs, overruled by the configuration."""

import json
from pathlib import Path
from typing import Any

import pytest
from llm_helpers import ASK, MakeModel, failing
from llm_server import ScriptedServer, fails, says

from zencli.llm.learned import LASTS, Memory
from zencli.llm.profiles import Profile, profile_for

HOT = fails(400, "temperature isn't supported")
URL = "https://me:geheim@api.example.invalid/v1?key=abcdef123"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "endpoints", URL, "m")


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def hot(**more: Any) -> Any:
    from dataclasses import replace

    return replace(ASK, temperature=0.7, **more)


def test_a_lesson_holds_for_the_next_run(
    model_playing: MakeModel, server: ScriptedServer, memory: Memory
) -> None:
    model_playing(HOT, says(), memory=memory).complete(hot())
    later = model_playing(says(), memory=memory)
    assert later.profile.temperature_allowed is False
    later.complete(hot())
    assert "temperature" not in server.requests[-1]
    assert len(server.requests) == 3


def test_what_is_kept_names_neither_url_nor_secret(
    model_playing: MakeModel, memory: Memory, tmp_path: Path
) -> None:
    model_playing(HOT, says(), memory=memory).complete(hot())
    (kept,) = files(tmp_path)
    assert "geheim" not in kept.read_text()
    assert "abcdef123" not in kept.read_text()
    assert "example" not in str(kept)


def test_another_model_or_url_learns_for_itself(memory: Memory, tmp_path: Path) -> None:
    memory.keep({"json": "prompt"})
    folder = tmp_path / "endpoints"
    assert Memory(folder, URL, "m").recall(Profile(), frozenset()).json == "prompt"
    assert Memory(folder, URL, "n").recall(Profile(), frozenset()).json == "object"
    assert Memory(folder, URL + "/", "m").recall(Profile(), frozenset()).json == "object"


def test_a_lesson_is_learned_anew_after_a_while(memory: Memory, tmp_path: Path) -> None:
    memory.keep({"json": "prompt"})
    (kept,) = files(tmp_path)
    content = json.loads(kept.read_text())
    kept.write_text(json.dumps({**content, "until": content["until"] - LASTS - 1}))
    assert memory.recall(Profile(), frozenset()) == Profile()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"until": 9e99, "learned": {"json": 7}}'])
def test_a_damaged_file_is_passed_over(memory: Memory, tmp_path: Path, damage: bytes) -> None:
    memory.keep({"json": "prompt"})
    (kept,) = files(tmp_path)
    kept.write_bytes(damage)
    assert memory.recall(Profile(), frozenset()) == Profile()


def test_a_cache_that_cannot_be_written_changes_nothing(
    model_playing: MakeModel, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    memory = Memory(tmp_path / "file", URL, "m")
    assert model_playing(HOT, says("Rain."), memory=memory).complete(hot()).text == "Rain."


def test_a_lesson_is_dropped_when_the_endpoint_refuses_all_the_same(
    model_playing: MakeModel, memory: Memory, tmp_path: Path
) -> None:
    memory.keep({"tokens_field": "max_completion_tokens"})
    failing(model_playing(fails(400, "something else"), memory=memory))
    assert files(tmp_path) == []


def test_a_refusal_that_teaches_nothing_leaves_the_profile_as_it_was(
    model_playing: MakeModel,
) -> None:
    model = model_playing(HOT, fails(400, "something else"))
    failing(model, hot())
    assert model.profile == Profile()


def test_a_window_is_asked_for_anew_by_every_run(
    model_playing: MakeModel, memory: Memory, tmp_path: Path
) -> None:
    small = fails(400, "maximum context length is 4096 tokens")
    model = model_playing(small, says(), memory=memory)
    model.complete(ASK)
    assert model.profile.window == 4096
    assert files(tmp_path) == []


def test_a_limit_that_was_learned_never_raises_the_authors(memory: Memory) -> None:
    memory.keep({"max_output": 4_096})
    assert memory.recall(Profile(max_output=2_000), frozenset()).max_output == 2_000
    assert memory.recall(Profile(max_output=8_000), frozenset()).max_output == 4_096


def test_what_the_configuration_pins_wins_over_what_was_learned(
    model_playing: MakeModel, server: ScriptedServer, memory: Memory
) -> None:
    memory.keep({"temperature_allowed": False})
    pinned = frozenset({"temperature_allowed"})
    model_playing(says(), memory=memory, pinned=pinned).complete(hot())
    assert server.requests[-1]["temperature"] == 0.7


def test_an_endpoint_that_refuses_what_is_pinned_is_an_error_that_says_so(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    error = failing(model_playing(HOT, pinned=frozenset({"temperature_allowed"})), hot())
    assert error.code == "llm.endpoint"
    assert "pins temperature_allowed" in error.hint
    assert len(server.requests) == 1


def test_thinking_that_a_profile_cannot_turn_off_is_told_before_any_call() -> None:
    from zencli.errors import UsageError

    assert profile_for("https://api.deepseek.com", "m", {"thinking": False}).thinking_body() == {
        "thinking": {"type": "disabled"}
    }
    with pytest.raises(UsageError, match="turned off") as caught:
        profile_for("https://api.example.invalid/v1", "m", {"thinking": False})
    assert "thinking_off" in caught.value.hint


def test_thinking_is_turned_off_in_the_words_of_the_endpoint(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    body = {"chat_template_kwargs": {"enable_thinking": False}}
    model_playing(says(), thinking=False, thinking_off=body).complete(ASK)
    assert server.requests[0]["chat_template_kwargs"] == {"enable_thinking": False}
