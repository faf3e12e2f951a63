"""Keys, passwords and queries of URLs appear nowhere, however a run ends."""

import base64
import json
import logging
import shutil
import traceback
from pathlib import Path
from typing import Any

import pytest
from llm_server import Play, ScriptedServer, fails, says, streams
from scripts import Script

from zencli.errors import ZencliError
from zencli.llm.tape import Recording
from zencli.pipeline.mending.repair_params import Doctor
from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions

ZH = Script("zh")
KEY, OTHER_KEY = "sk-geheim-0123456789", "own-key-of-the-auditor-42"
USER, PASSWORD, QUERY = "me", "pass-wort-77", "query-schluessel-9"
BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
SECRETS = (KEY, OTHER_KEY, PASSWORD, QUERY, BASIC)
ECHO = (
    f"You sent Authorization: Bearer {KEY}, authorization=Basic {BASIC}, ?key={QUERY},"
    f" {USER}:{PASSWORD}"
)
PLAN = says(ZH.chapter(1)[0].text, usage=None)
PROSE = ZH.chapter(1)[1].text

ENDINGS: dict[str, list[Play]] = {
    "401": [fails(401, ECHO)],
    "402": [PLAN, fails(402, ECHO)],
    "403 with a web page": [PLAN, Play(403, f"<html>{ECHO}</html>".encode(), "text/html")],
    "404": [fails(404, ECHO)],
    "400": [PLAN, fails(400, ECHO)],
    "400, content policy": [PLAN, fails(400, f"content policy: {ECHO}")],
    "400, too long": [PLAN, fails(400, f"context length: {ECHO}")],
    "429": [fails(429, f"insufficient_quota {ECHO}")],
    "429 for long": [fails(429, ECHO, Retry_After="500")],
    "503": [PLAN, fails(503, ECHO)],
    "broken JSON": [PLAN, Play(body=ECHO.encode())],
    "a web page": [PLAN, Play(body=f"<html>{ECHO}</html>".encode(), content_type="text/html")],
    "an error in a normal reply": [Play(body=json.dumps({"error": ECHO}).encode())],
    "a stream that breaks": [PLAN, streams([PROSE[:99]], finish=None, drop=True), fails(401, ECHO)],
    "an empty reply": [PLAN, says("")],
    "an audit that fails": [PLAN, says(PROSE, usage=None), fails(401, f"{ECHO} {OTHER_KEY}")],
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "work"
    root.mkdir()
    Runner(root, model=ZH.model(ZH.opening())).init_book(ZH.wish())
    return root


class Shop:
    """A workspace whose endpoint has secrets wherever one can be, and all that a run leaves."""

    def __init__(self, folder: Path, template: Path, url: str) -> None:
        self.folder = folder
        self.root = folder / "work"
        shutil.copytree(template, self.root)
        self.events: list[Any] = []
        secret_url = url.replace("://", f"://{USER}:{PASSWORD}@") + f"?key={QUERY}"
        self.environ = {
            "HOME": str(folder / "home"),
            "ZENCLI_API_KEY": KEY,
            "AUDITOR_KEY": OTHER_KEY,
            "ZENCLI_BASE_URL": secret_url,
            "ZENCLI_MODEL": "test-model",
        }
        (self.root / "zencli.toml").write_text(
            "[model]\nretries = 0\nfallback = ['spare']\n[models.spare]\nname = 'spare'\n"
            f"[models.auditor]\nname = 'strict'\nbase_url = '{secret_url}'\n"
            "api_key_env = 'AUDITOR_KEY'\n"
        )

    def runner(self, **options: Any) -> Runner:
        return Runner(
            self.root, RunOptions(**options), listener=self.events.append, environ=self.environ
        )

    def left(self) -> str:
        """Everything on disk, apart from the author's own configuration."""
        own = self.root / "zencli.toml"
        files = [p for p in self.folder.rglob("*") if p.is_file() and p != own]
        return "\n".join(p.read_bytes().decode("utf-8", "replace") for p in files)


@pytest.fixture
def shop(
    tmp_path: Path, template: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> Shop:
    monkeypatch.setenv("ZENCLI_CACHE", str(tmp_path / "cache"))
    return Shop(tmp_path, template, server.url)


def no_secret_in(text: str) -> None:
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("plays", ENDINGS.values(), ids=ENDINGS.keys())
def test_a_run_that_fails_shows_no_secret(
    shop: Shop, server: ScriptedServer, caplog: pytest.LogCaptureFixture, plays: list[Play]
) -> None:
    caplog.set_level(logging.DEBUG)
    server.plays = plays
    runner = shop.runner(tape=Recording(shop.folder / "exchange.jsonl"))
    try:
        result: object = runner.write_next(WriteNext())
    except ZencliError as error:
        result = [error.message, error.hint, *traceback.format_exception(error)]
    assert len(server.requests) >= len(plays)
    told = [str(result), repr(shop.events), *runner.warnings, repr(runner.usage), caplog.text]
    no_secret_in("\n".join(told))
    no_secret_in(shop.left())


def test_an_endpoint_that_is_not_there_shows_no_secret(shop: Shop) -> None:
    gone = f"http://{USER}:{PASSWORD}@127.0.0.1:9/v1?key={QUERY}"
    shop.environ["ZENCLI_BASE_URL"] = gone
    with pytest.raises(ZencliError) as caught:
        shop.runner().write_next(WriteNext())
    no_secret_in("".join(traceback.format_exception(caught.value)) + caught.value.hint)
    no_secret_in(shop.left())


def test_trying_an_endpoint_out_shows_no_secret(shop: Shop, server: ScriptedServer) -> None:
    server.plays = [fails(401, ECHO)]
    result = shop.runner().doctor(Doctor(online=True, write=True))
    assert result.online
    no_secret_in(result.model_dump_json())
    no_secret_in(shop.left())


def test_a_url_that_is_none_shows_no_secret(shop: Shop) -> None:
    shop.environ["ZENCLI_BASE_URL"] = f"ftp://{USER}:{PASSWORD}@h o/v1?key={QUERY}"
    with pytest.raises(ZencliError) as caught:
        shop.runner().write_next(WriteNext())
    assert caught.value.code == "usage.base_url"
    no_secret_in("".join(traceback.format_exception(caught.value)))
