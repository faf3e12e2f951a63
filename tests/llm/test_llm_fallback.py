"""Other models in reserve."""

from collections.abc import Callable
from pathlib import Path

import pytest
from llm_helpers import ASK, MakeModel
from llm_server import ScriptedServer, fails, says, streams
from scripts import Script

from zencli.errors import ModelError
from zencli.llm.fallback import FallbackModel
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import Model
from zencli.pipeline.runner import Runner

CODES = ("llm.network", "llm.quota", "llm.refused", "llm.timeout")


def spare(*texts: str, name: str = "spare") -> ScriptedModel:
    return ScriptedModel([Step("write", text) for text in texts], name=name)


def chain(first: Model, *spares: Model, told: list[str] | None = None) -> FallbackModel:
    makers: list[Callable[[], Model]] = [lambda model=model: model for model in spares]
    return FallbackModel(first, makers, CODES, (told if told is not None else []).append)


def test_the_next_model_answers_and_that_is_told(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    told: list[str] = []
    model = chain(model_playing(fails(402, "Insufficient Balance")), spare("Rain."), told=told)
    reply = model.complete(ASK)
    assert (reply.text, reply.model) == ("Rain.", "spare")
    assert len(told) == 1
    assert server.url in told[0]
    assert "Asking spare instead." in told[0]


def test_who_failed_is_not_asked_again(model_playing: MakeModel, server: ScriptedServer) -> None:
    told: list[str] = []
    model = chain(model_playing(fails(402, "no balance")), spare("Rain.", "Snow."), told=told)
    model.complete(ASK)
    assert model.complete(ASK).text == "Snow."
    assert (len(server.requests), len(told)) == (1, 1)


def test_who_disliked_one_request_is_asked_the_next(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    first = model_playing(fails(400, "content policy"), says("Sun."))
    model = chain(first, spare("Rain."))
    assert [model.complete(ASK).text for _ in range(2)] == ["Rain.", "Sun."]


def test_an_error_that_is_not_named_ends_the_call(model_playing: MakeModel) -> None:
    model = chain(model_playing(fails(401, "bad key")), spare("Rain."))
    with pytest.raises(ModelError) as caught:
        model.complete(ASK)
    assert caught.value.code == "llm.auth"


def test_when_all_fail_the_last_error_is_told(
    model_playing: MakeModel, server: ScriptedServer
) -> None:
    model = model_playing(fails(402, "no balance"), fails(429, "insufficient_quota"))
    with pytest.raises(ModelError, match="insufficient_quota"):
        chain(model, model).complete(ASK)
    assert len(server.requests) == 2


def test_a_text_that_was_shown_is_never_begun_again(model_playing: MakeModel) -> None:
    pieces: list[str] = []
    model = chain(model_playing(streams(["It rai"], finish=None)), spare("Snow."))
    with pytest.raises(ModelError):
        model.complete(ASK, pieces.append)
    assert pieces == ["It rai"]
    assert model.complete(ASK, pieces.append).model == "spare"


def test_the_result_of_a_verb_tells_who_answered(server: ScriptedServer, tmp_path: Path) -> None:
    script = Script("en")
    opening = [says(step.text, usage=None) for step in script.opening()]
    server.plays = [fails(402, "Insufficient Balance"), *opening]
    (tmp_path / "zencli.toml").write_text(
        f'[model]\nname = "first"\nbase_url = "{server.url}"\n'
        f'fallback = [{{ name = "second", base_url = "{server.url}" }}]\n'
    )
    runner = Runner(tmp_path, environ={"HOME": str(tmp_path)})
    runner.init_book(script.wish())
    models = [request["model"] for request in server.requests]
    assert models == ["first"] + ["second"] * len(opening)
    assert [told for told in runner.warnings if "Asking second instead." in told]


def test_kept_replies_are_found_again_whoever_gave_them(model_playing: MakeModel) -> None:
    model = chain(model_playing(fails(402, "no balance")), spare("Rain."))
    before = model.name
    model.complete(ASK)
    assert model.name == before == "test-model"
