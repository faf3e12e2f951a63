"""Which model a role uses: its own endpoint, key, times, thinking, and models in reserve."""

from dataclasses import replace
from pathlib import Path

import pytest
from llm_helpers import ASK
from llm_server import ScriptedServer, fails, says

from zencli.errors import ModelError, UsageError
from zencli.pipeline.configuration.models import ModelPool
from zencli.pipeline.configuration.settings import ModelChoice, Overrides, Settings, load_settings

KEYS = {"ZENCLI_API_KEY": "sk-common-1", "DEEP_KEY": "sk-deep-2"}


def settings(
    folder: Path, text: str, overrides: Overrides | None = None, **environ: str
) -> Settings:
    (folder / "zencli.toml").write_text(text, "utf-8")
    variables = {"HOME": str(folder / "home"), **KEYS, **environ}
    return load_settings(folder, None, variables, overrides)


def refused(folder: Path, text: str, **environ: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        settings(folder, text, **environ)
    return caught.value


COMMON = '[model]\nname = "common"\nbase_url = "https://a.example.invalid/v1"\n'


def test_a_role_has_an_endpoint_a_key_and_ways_of_its_own(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        COMMON
        + """
        [models.writer]
        name = "deep"
        base_url = "https://api.deepseek.com"
        api_key_env = "DEEP_KEY"
        temperature = 1.1
        max_output = 4000
        thinking = false
        first_token = 45
        retries = 1
        """,
    )
    writer, auditor = found.choice("writer"), found.choice("auditor")
    assert (writer.name, writer.api_key, writer.temperature) == ("deep", "sk-deep-2", 1.1)
    assert writer.overrides == {"max_output": 4000, "thinking": False}
    assert (writer.deadlines().first_token, writer.deadlines().total) == (45, 600)
    assert (auditor.name, auditor.api_key, auditor.thinking) == ("common", "sk-common-1", None)
    pool = ModelPool(found)
    assert pool.model("writer").profile.thinking_body() == {"thinking": {"type": "disabled"}}
    assert pool.model("writer").profile.max_output == 4000
    assert pool.temperature("writer") == 1.1
    pool.close()


def test_only_what_stands_in_a_profile_is_pinned(
    tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "cache"))
    server.plays = [fails(400, "unknown argument: thinking"), says("Rain.")]
    table = f'[model]\nname = "m"\nbase_url = "{server.url}"\nthinking = false\n'
    off = '[model.profile]\nname = "deepseek"\n'
    pool = ModelPool(settings(tmp_path, table + off))
    assert pool.model("writer").complete(ASK).text == "Rain."
    pool.close()
    server.plays, pinned = [fails(400, "temperature isn't taken")], "temperature_allowed = true\n"
    pool = ModelPool(settings(tmp_path, table + off + pinned))
    with pytest.raises(ModelError, match="temperature") as caught:
        pool.model("writer").complete(replace(ASK, temperature=0.5))
    assert "pins temperature_allowed" in caught.value.hint
    pool.close()


def test_a_profile_is_of_its_endpoint_and_not_inherited_by_another(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        COMMON
        + "[model.profile]\nwindow = 200000\n"
        + '[models.auditor]\nbase_url = "http://127.0.0.1:11434/v1"\n'
        + '[models.writer]\nname = "better"\n',
    )
    assert found.choice("writer").profile == {"window": 200_000}
    assert found.choice("auditor").profile == {}


def test_a_server_on_this_machine_is_given_more_time(tmp_path: Path) -> None:
    here = settings(tmp_path, '[model]\nname = "m"\nbase_url = "http://127.0.0.1:8080/v1"\n')
    there = settings(tmp_path, COMMON)
    times = here.choice("writer").deadlines(), there.choice("writer").deadlines()
    assert times[0].first_token > times[1].first_token
    assert times[0].total > times[1].total
    assert settings(tmp_path, "").choice("writer").deadlines() == times[0]
    asked = settings(tmp_path, COMMON, Overrides(timeout=5.0))
    assert asked.choice("writer").deadlines().total == 5.0


def test_models_in_reserve_are_tables_or_written_out(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        COMMON
        + """fallback = ["spare", {name = "third", base_url = "http://127.0.0.1:8080/v1"}]
        fallback_on = ["llm.auth"]
        [models.spare]
        name = "second"
        base_url = "https://api.deepseek.com"
        api_key_env = "DEEP_KEY"
        [models.auditor]
        fallback = []
        """,
    )
    writer = found.choice("writer")
    assert [spare.name for spare in writer.fallbacks] == ["second", "third"]
    assert [spare.api_key for spare in writer.fallbacks] == ["sk-deep-2", None]
    assert writer.fallback_on == ("llm.auth",)
    assert found.choice("auditor").fallbacks == ()


def test_an_option_names_the_first_model_and_leaves_the_reserve(tmp_path: Path) -> None:
    text = COMMON + 'fallback = ["spare"]\n[models.spare]\nname = "second"\n'
    writer = settings(tmp_path, text, Overrides(model="mine")).choice("writer")
    assert (writer.name, writer.fallbacks[0].name) == ("mine", "second")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[model]\nname = "m"\nfallback = ["spare"]\n', "models.spare"),
        ('[models.spare]\nname = "m"\n', "models.spare"),
        ('[model]\nname = "m"\nfallback_on = ["llm.whim"]\n', "fallback_on"),
        ('[model]\nname = "m"\nfirst_token = 0\n', "first_token"),
        ('[model]\nname = "m"\nretries = 99\n', "retries"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, text: str, named: str) -> None:
    assert named in refused(tmp_path, text).message


def test_a_variable_of_a_model_in_reserve_must_hold_a_key(tmp_path: Path) -> None:
    text = COMMON + 'fallback = [{name = "m", base_url = "http://b/v1", api_key_env = "NO_KEY"}]\n'
    assert "NO_KEY" in refused(tmp_path, text).message


@pytest.mark.parametrize("table", ["[model]", "[models.writer]"])
def test_a_key_in_place_of_a_variables_name_is_never_repeated(tmp_path: Path, table: str) -> None:
    error = refused(tmp_path, f'{table}\nname = "m"\napi_key_env = "sk-oops-123456"\n')
    assert "sk-oops" not in error.message + error.hint


def test_a_secret_in_a_url_is_never_repeated(tmp_path: Path) -> None:
    error = refused(tmp_path, '[model]\nbase_url = "http://me:geheim@h/v1?key=abcdef123"\n')
    assert error.code == "usage.model"
    assert "h/v1" in error.message
    assert "geheim" not in error.message
    assert "abcdef123" not in error.message


def test_a_choice_never_shows_its_key() -> None:
    assert "sk-1" not in repr(ModelChoice(api_key="sk-1"))


def test_a_key_in_a_file_is_told_where_to_go(tmp_path: Path) -> None:
    error = refused(tmp_path, COMMON + 'api_key = "sk-abc-123456789"\n')
    assert error.message.endswith("zencli.toml: model.api_key: there is no such key.")
    assert "api_key_env" in error.hint
    assert "sk-abc" not in error.message + error.hint
