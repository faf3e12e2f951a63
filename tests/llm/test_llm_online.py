"""``doctor --online``: what an endpoint can do, in words, and its profile written if asked."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from llm_server import Play, ScriptedServer, fails, says, streams

from zencli.cli.schemas import data_schema
from zencli.errors import UsageError
from zencli.llm.embedded import installed
from zencli.pipeline.mending.online_results import OnlineModel
from zencli.pipeline.mending.repair_params import Doctor
from zencli.pipeline.runner import Runner

JSON = says('{"word": "lantern"}')
CALL = says(None, message={"tool_calls": [{"id": "x", "function": {"name": "note"}}]})
IN_WORDS = says('<tool_call>{"name": "note", "arguments": {}}</tool_call>')
WORD = says("lantern")
STREAM = streams(["lan", "tern"])
LIMIT = fails(400, "max_tokens: this model's maximum context length is 20000 tokens")
WELL = (WORD, STREAM, JSON, CALL, LIMIT)


class Lab:
    """A workspace whose one model is at the scripted server."""

    def __init__(self, root: Path, server: ScriptedServer) -> None:
        self.root = root
        self.server = server
        self.environ = {"HOME": str(root / "home"), "ZENCLI_API_KEY": "sk-test-1"}
        self.config = root / "zencli.toml"
        self.config.write_text(
            "# mine\n[model]\n"
            'name = "test-model"  # the good one\n'
            f'base_url = "{server.url}"\n'
            "[model.profile]\nprice_input = 1.5\n"
        )

    def doctor(self, *plays: Play, **params: Any) -> list[OnlineModel]:
        self.server.plays = list(plays)
        self.server.requests.clear()
        runner = Runner(self.root, environ=self.environ)
        return runner.doctor(Doctor(online=True, **params)).online

    def profile(self) -> dict[str, Any]:
        found: dict[str, Any] = tomllib.loads(self.config.read_text())["model"]["profile"]
        return found


@pytest.fixture
def lab(tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "cache"))
    return Lab(tmp_path, server)


def words(model: OnlineModel) -> dict[str, tuple[bool, str]]:
    return {check.name: (check.works, check.message) for check in model.checks}


def test_what_works_is_said_in_words(lab: Lab) -> None:
    (model,) = lab.doctor(*WELL)
    assert model.works
    assert model.models == ["test-model"]
    said = words(model)
    assert list(said) == ["models", "plain", "streamed", "structured", "tools"]
    assert all(works for works, _ in said.values())
    assert said["structured"][1] == "bound to be JSON"
    assert model.first_token_seconds is not None
    assert (model.window, model.window_from) == (20_000, "endpoint")
    assert model.profile["window"] == 20_000
    assert model.written is None
    assert len(lab.server.requests) == 5
    assert lab.server.requests[-1]["max_tokens"] == 10_000_000


def test_an_endpoint_that_minds_no_limit_costs_one_word(lab: Lab) -> None:
    (model,) = lab.doctor(*WELL[:4], streams(["lan"], finish=None, hang=True, usage=None))
    assert (model.window, model.window_from) == (32_768, "profile")


def test_a_window_that_the_list_of_models_tells_needs_no_asking(lab: Lab) -> None:
    lab.server.listed = {"meta": {"n_ctx": 6_144}}
    (model,) = lab.doctor(*WELL[:4])
    assert (model.window, model.window_from) == (6_144, "endpoint")
    assert len(lab.server.requests) == 4


def test_a_server_of_ones_own_that_cuts_prompts_is_found_out(lab: Lab) -> None:
    text = lab.config.read_text().replace("price_input = 1.5", 'name = "ollama"')
    lab.config.write_text(text)
    hung_up = streams(["lan"], finish=None, hang=True, usage=None)
    cut = says("lantern", usage={"prompt_tokens": 2_048, "completion_tokens": 2})
    (model,) = lab.doctor(*WELL[:4], hung_up, cut)
    assert (model.window, model.window_from) == (2_048, "endpoint")
    whole = says("lantern", usage={"prompt_tokens": 6_000, "completion_tokens": 2})
    (model,) = lab.doctor(*WELL[:4], hung_up, whole)
    assert (model.window, model.window_from) == (8_192, "profile")


def test_what_was_found_is_written_and_the_comments_stay(lab: Lab) -> None:
    refuses_tools = fails(400, "tools aren't supported")
    (model,) = lab.doctor(WORD, STREAM, JSON, refuses_tools, IN_WORDS, LIMIT, write=True)
    assert model.written == str(lab.config)
    assert words(model)["tools"] == (
        True,
        "called in its text: the endpoint takes no tools",
    )
    text = lab.config.read_text()
    assert text.startswith("# mine\n")
    assert "# the good one" in text
    assert lab.profile() == {
        "price_input": 1.5,
        "name": "generic",
        "tools": "prompt",
        "window": 20_000,
    }
    (again,) = lab.doctor(WORD, STREAM, JSON, IN_WORDS, LIMIT)
    assert again.works
    assert "tools" not in lab.server.requests[-2]


def test_tools_that_are_passed_over_are_tried_in_words(lab: Lab) -> None:
    (model,) = lab.doctor(WORD, STREAM, JSON, says("What note?"), IN_WORDS, LIMIT)
    assert model.profile["tools"] == "prompt"


def test_a_pinned_setting_that_is_out_of_date_is_mended(lab: Lab) -> None:
    lab.config.write_text(lab.config.read_text() + 'tokens_field = "max_completion_tokens"\n')
    unknown = fails(400, "unknown field max_completion_tokens")
    lab.doctor(unknown, *WELL, write=True)
    assert lab.profile()["tokens_field"] == "max_tokens"


def test_a_role_with_a_model_of_its_own_gets_a_profile_of_its_own(lab: Lab) -> None:
    lab.config.write_text(lab.config.read_text() + '[models.auditor]\nname = "other"\n')
    first, second = lab.doctor(*WELL, *WELL, write=True)
    assert (first.name, second.name) == ("test-model", "other")
    assert second.roles == ["auditor"]
    tables = tomllib.loads(lab.config.read_text())
    assert tables["models"]["auditor"]["profile"]["window"] == 20_000
    assert "under another name: test-model" in words(second)["models"][1]


def test_a_model_that_is_not_among_those_listed_is_told(lab: Lab) -> None:
    lab.server.models = ["one", "two"]
    lab.server.listed = {"max_model_len": 4_096}
    (model,) = lab.doctor(*WELL)
    assert words(model)["models"] == (True, "2 are listed, and test-model isn't among them")
    assert model.window == 20_000


def test_the_only_model_of_a_server_tells_its_window_whatever_it_is_called(lab: Lab) -> None:
    lab.server.models = ["/models/some-file.gguf"]
    lab.server.listed = {"meta": {"n_ctx": 6_144, "n_ctx_train": 8_192}}
    (model,) = lab.doctor(*WELL[:4])
    assert (model.window, model.window_from) == (6_144, "endpoint")


@pytest.mark.parametrize(
    ("play", "code"),
    [
        (fails(401, "bad key"), "llm.auth"),
        (fails(404, "no such model"), "llm.endpoint"),
        (Play(body=b"<html>Sign in</html>", content_type="text/html"), "llm.endpoint"),
    ],
)
def test_what_fails_is_told_and_nothing_is_written(lab: Lab, play: Play, code: str) -> None:
    before = lab.config.read_text()
    (model,) = lab.doctor(play, write=True)
    assert not model.works
    assert model.checks[-1].code == code
    assert model.checks[-1].hint
    assert model.written is None
    assert lab.config.read_text() == before
    assert [check.name for check in model.checks] == ["models", "plain"]


def test_the_result_fits_its_schema(lab: Lab) -> None:
    lab.server.plays = [*WELL]
    result = Runner(lab.root, environ=lab.environ).doctor(Doctor(online=True))
    data = result.model_dump(mode="json")
    Draft202012Validator(data_schema("doctor")).validate(data)
    assert data["online"][0]["checks"][0]["name"] == "models"


@pytest.mark.parametrize(("first", "code"), [(WORD, 0), (fails(401, "bad key"), 5)])
def test_the_command_says_it_in_words_and_ends_with_its_code(
    lab: Lab, first: Play, code: int
) -> None:
    lab.server.plays = [first, *WELL[1:]] if code == 0 else [first]
    done = subprocess.run(
        [sys.executable, "-m", "zencli", "doctor", "--online", "--root", str(lab.root)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **lab.environ},
    )
    assert done.returncode == code, done.stderr
    assert f"tried out: test-model at {lab.server.url}" in done.stdout
    if code == 0:
        assert "structured: works" in done.stdout
        assert "profile that fits: {" in done.stdout
        assert "window: 20000 tokens, as the endpoint says" in done.stdout
    else:
        assert "plain: fails" in done.stdout
        assert "ZENCLI_API_KEY" in done.stderr


def test_writing_needs_trying_out(lab: Lab) -> None:
    with pytest.raises(UsageError, match="--online"):
        Runner(lab.root, environ=lab.environ).doctor(Doctor(write=True))


def test_a_url_with_a_secret_is_never_written(lab: Lab) -> None:
    lab.config.unlink()
    secret = lab.server.url.replace("://", "://me:geheim@") + "?key=abcdef123"
    lab.environ |= {"ZENCLI_BASE_URL": secret, "ZENCLI_MODEL": "test-model"}
    (model,) = lab.doctor(*WELL, write=True)
    assert model.works
    text = lab.config.read_text()
    assert 'name = "test-model"' in text
    for hidden in ("geheim", "abcdef123"):
        assert hidden not in text + model.model_dump_json()


@pytest.mark.embedded
def test_the_embedded_model_is_tried_out_like_any_other(
    tmp_path: Path, server: ScriptedServer
) -> None:
    assert installed()
    runner = Runner(tmp_path, environ={"HOME": str(tmp_path)})
    (model,) = runner.doctor(Doctor(online=True)).online
    assert model.works
    assert model.name is None
    assert words(model)["structured"] == (True, "bound by a grammar")
    assert (model.window, model.window_from) == (8_192, "endpoint")
