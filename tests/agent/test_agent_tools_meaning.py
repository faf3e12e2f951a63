"""Searching by meaning (B34), where an embedding model is configured: over real HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from agent_helpers import calls, says, stage, tool_results
from agent_tool_helpers import Bench, bench

from zencli.agent.mcp.calls import Calls
from zencli.errors import UsageError
from zencli.llm.tape import Recording
from zencli.pipeline.configuration.search_table import SearchChoice
from zencli.pipeline.configuration.settings import load_settings
from zencli.pipeline.session import RunOptions

SENSES = ("海浪潮水", "火灯光亮", "门敲", "钟铜")
CACHE = ".zencli/cache/vectors.sqlite"


class Endpoint:
    """An embeddings endpoint whose vectors count the letters of each sense."""

    def __init__(self) -> None:
        self.url = ""
        self.texts: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.status = 200
        self.answer: dict[str, Any] | None = None

    def reply(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self.answer is not None:
            return self.answer
        rows = [
            {"index": at, "embedding": [0.1 + sum(map(text.count, sense)) for sense in SENSES]}
            for at, text in enumerate(asked["input"])
        ]
        return {"object": "list", "data": rows[::-1], "model": asked["model"]}


@contextmanager
def running() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            endpoint.requests.append({"path": self.path, **asked})
            endpoint.texts += asked["input"]
            endpoint.keys.append(self.headers.get("authorization", ""))
            data = json.dumps(endpoint.reply(asked)).encode()
            self.send_response(endpoint.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as made:
        yield made


@pytest.fixture
def b(tmp_path: Path, endpoint: Endpoint) -> Bench:
    b = bench(tmp_path, "找")
    b.by_hand("lore/夜.md", "# 夜\n\n浪头高过了礁石，水漫进来。\n")
    b.by_hand("lore/器.md", "# 器\n\n一口铜铸的东西挂在梁上。\n")
    b.turn.search = SearchChoice(endpoint.url, "vectors-1", "secret-key")
    return b


def test_B34_what_shares_no_word_is_found_by_meaning(b: Bench, endpoint: Endpoint) -> None:
    passages = b.call("hybrid_search", query="海潮").data["passages"]
    assert (passages[0]["path"], passages[0]["source"]) == ("lore/夜.md", "meaning")
    assert passages[0]["line"] == 1
    assert 0 < passages[0]["score"] <= 1
    assert endpoint.requests[0]["path"] == "/v1/embeddings"
    assert endpoint.requests[0]["model"] == "vectors-1"
    assert set(endpoint.keys) == {"Bearer secret-key"}
    b.turn.search = SearchChoice()
    assert b.call("hybrid_search", query="海潮").data["passages"] == []


def test_B34_what_both_find_comes_before_what_one_finds(b: Bench) -> None:
    passages = b.call("hybrid_search", query="敲门", top_k=20).data["passages"]
    sources = [one["source"] for one in passages]
    assert passages[0]["path"] == "chapters/0002.md"
    assert sources[0] == "words and meaning"
    scores = [one["score"] for one in passages]
    assert scores == sorted(scores, reverse=True)


def test_B34_a_section_is_embedded_once_and_again_only_when_it_changed(
    b: Bench, endpoint: Endpoint
) -> None:
    b.call("hybrid_search", query="海潮")
    whole = len(endpoint.texts)
    endpoint.texts.clear()
    b.call("hybrid_search", query="火光")
    assert endpoint.texts == ["火光"]
    endpoint.texts.clear()
    b.by_hand("lore/器.md", "# 器\n\n一口钟。\n")
    b.call("hybrid_search", query="火光")
    assert endpoint.texts == ["火光", "# 器\n\n一口钟。"]
    (b.book.path / CACHE).write_bytes(b"broken")
    endpoint.texts.clear()
    assert b.call("hybrid_search", query="海潮").data["passages"]
    assert len(endpoint.texts) == whole
    endpoint.texts.clear()
    (b.book.path / CACHE).unlink()
    b.turn.search = SearchChoice(endpoint.url, "vectors-2", "secret-key")
    b.call("hybrid_search", query="海潮")
    assert len(endpoint.texts) == whole


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (500, {"error": {"message": "out of order"}}),
        (401, {"error": {"message": "bad key secret-key"}}),
        (200, {"data": []}),
        (200, {"data": [{"index": 0, "embedding": "AAAA"}]}),
        (200, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}),
        (200, {"choices": []}),
    ],
)
def test_B34_when_the_endpoint_fails_words_alone_decide_and_that_is_told(
    b: Bench, endpoint: Endpoint, status: int, answer: dict[str, Any]
) -> None:
    endpoint.status, endpoint.answer = status, answer
    result = b.call("hybrid_search", query="敲门")
    assert result.ok
    assert result.data["passages"][0]["source"] == "words"
    assert result.data["meaning"].startswith("Words alone were searched")
    assert "secret-key" not in json.dumps(result.data)


def test_B34_no_endpoint_at_all_is_told_too(b: Bench) -> None:
    b.turn.search = SearchChoice("http://127.0.0.1:9/v1", "m")
    assert b.call("hybrid_search", query="敲门").data["meaning"]
    b.turn.search = SearchChoice("https://example.invalid/v1", "m")
    assert "forbidden" in b.call("hybrid_search", query="敲门").data["meaning"]


def test_a_model_for_search_is_configured_by_files_with_a_key_of_its_own(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "ZENCLI_API_KEY": "chat", "SEARCH_KEY": "own"}
    assert load_settings(tmp_path, {}, environ).search == SearchChoice()
    table = '[search]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
    (tmp_path / "zencli.toml").write_text(table, "utf-8")
    assert load_settings(tmp_path, {}, environ).search.api_key == ""
    book = {"search": {"model": "n", "api_key_env": "SEARCH_KEY"}}
    found = load_settings(tmp_path, book, environ).search
    assert found == SearchChoice("http://127.0.0.1:1/v1", "n", "own")
    assert "own" not in repr(found)
    for wrong in ({"search": {"url": "x"}}, {"search": {"model": 7}}):
        with pytest.raises(UsageError):
            load_settings(tmp_path, wrong, environ)
    (tmp_path / "zencli.toml").write_text('[search]\nmodel = "m"\n', "utf-8")
    with pytest.raises(UsageError, match="base_url"):
        load_settings(tmp_path, {}, environ)


def test_B34_a_turn_searches_by_meaning_as_the_workspace_says_but_not_onto_a_tape(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    st = stage(tmp_path)
    table = f'[search]\nbase_url = "{endpoint.url}"\nmodel = "m"\n'
    (tmp_path / "zencli.toml").write_text(table, "utf-8")
    steps = [calls("writer", ("hybrid_search", {"query": "光亮"})), says("writer", "看过了。")]
    st.turn("找一找", *steps, route="off")
    (found,) = tool_results(st.model.requests[-1])
    assert {one["source"] for one in found["data"]["passages"]} == {"meaning"}
    count = len(endpoint.requests)
    st.options = RunOptions(tape=Recording(tmp_path / "tape.jsonl"))
    st.turn("找一找", *steps, route="off")
    (found,) = tool_results(st.model.requests[-1])
    assert found["data"]["passages"] == []
    assert len(endpoint.requests) == count


def test_B34_a_client_of_mcp_searches_by_meaning_too(tmp_path: Path, endpoint: Endpoint) -> None:
    stage(tmp_path)
    table = f'[search]\nbase_url = "{endpoint.url}"\nmodel = "m"\n'
    (tmp_path / "zencli.toml").write_text(table, "utf-8")
    told, done = Calls(tmp_path, RunOptions(), environ={}).call("hybrid_search", {"query": "光亮"})
    assert done
    assert {one["source"] for one in told["data"]["passages"]} == {"meaning"}
