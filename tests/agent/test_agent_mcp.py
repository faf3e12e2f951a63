"""``zencli mcp``: the package's own client talks to the program, over stdin and stdout."""

import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from zencli.agent.mcp.calls import Calls
from zencli.agent.mcp.offers import VERBS, offers
from zencli.pipeline.session import RunOptions

SAMPLE = next((Path(__file__).parents[2] / "books").glob("*/book.toml")).parent
CHAPTER = "chapters/0001.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLE, tmp_path / "books" / SAMPLE.name)
    return tmp_path


def talk(root: Path, conversation: Callable[[Client], Awaitable[None]]) -> None:
    """A conversation with a server of this workspace in a process of its own."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "zencli", "mcp", "--root", str(root)],
        env={**os.environ, "ZENCLI_FORBID_REQUESTS": "1"},
    )

    async def run() -> None:
        async with Client(server) as client:
            await conversation(client)

    anyio.run(run)


async def call(client: Client, name: str, **arguments: Any) -> tuple[dict[str, Any], bool]:
    result = await client.call_tool(name, arguments)
    text = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert text == result.structured_content
    return text, not result.is_error


def test_a_client_reads_edits_and_undoes(root: Path) -> None:
    path = root / "books" / SAMPLE.name / CHAPTER
    before = path.read_text("utf-8")

    async def conversation(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(VERBS) < set(tools)
        assert tools["query_files"].annotations.read_only_hint
        assert not tools["edit_file"].annotations.read_only_hint
        status, done = await call(client, "status")
        assert done and status["book_id"] == SAMPLE.name
        read, done = await call(client, "query_files", path=CHAPTER)
        file = read["data"]["files"][0]
        line = file["text"].splitlines()[2]
        edits = [{"op": "append", "text": "\n\n河上起了雾。\n"}]
        edited, done = await call(
            client, "edit_file", path=CHAPTER, edits=edits, revision=file["revision"]
        )
        assert done, edited
        assert "河上起了雾" in path.read_text("utf-8") and line in path.read_text("utf-8")
        stale, done = await call(
            client, "edit_file", path=CHAPTER, edits=edits, revision=file["revision"]
        )
        assert not done and stale["code"] == "stale_content"
        run = edited["data"]["undo"].rpartition(" ")[2]
        assert (await call(client, "undo", run=run))[1]
        assert path.read_text("utf-8") == before

    talk(root, conversation)


def test_a_failure_is_told_and_the_server_goes_on(root: Path) -> None:
    async def conversation(client: Client) -> None:
        told, done = await call(client, "audit", chapter_number=99, no_llm=True)
        assert not done and told["code"] == "chapter.not_found" and told["message"]
        wrong, done = await call(client, "audit", chapter_number="nine")
        assert not done and "chapter_number" in wrong["message"]
        judged, done = await call(client, "audit", chapter_number=1, no_llm=True)
        assert done and judged["chapters"][0]["number"] == 1

    talk(root, conversation)


@pytest.mark.parametrize(
    "place", ["/etc/out.txt", "../out.txt", "exports/../../../out.txt", "a\0b"]
)
def test_nothing_leads_out_of_the_workspace(root: Path, place: str) -> None:
    calls = Calls(root, RunOptions(), environ={})
    for name, key in (("export", "output"), ("init_book", "brief"), ("export", "cover")):
        told, done = calls.call(name, {key: place})
        assert not done
        assert told["code"] == "usage.path"
    told, done = calls.call("query_files", {"path": place})
    assert not done


def test_an_export_lies_where_the_client_says_inside_the_workspace(root: Path) -> None:
    told, done = Calls(root, RunOptions(), environ={}).call("export", {"output": "out/book.txt"})
    assert done
    assert (root / "out" / "book.txt").stat().st_size > 1_000
    assert told["chapters"] == 4


@pytest.mark.parametrize("revision", [None, "", 7])
def test_an_edit_without_a_revision_is_refused(root: Path, revision: object) -> None:
    given = {"path": CHAPTER, "edits": [{"op": "append", "text": "x"}], "revision": revision}
    told, done = Calls(root, RunOptions(), environ={}).call("edit_file", given)
    assert not done
    assert told["code"] == "usage.revision"


def test_an_unknown_tool_and_an_unknown_book_are_named(root: Path) -> None:
    calls = Calls(root, RunOptions(), environ={})
    assert calls.call("delete_everything", {})[0]["code"] == "usage.tool"
    assert calls.call("query_files", {"book_id": "none"})[0]["code"] == "book.not_found"


def test_every_verb_offers_all_its_declared_parameters() -> None:
    schemas = {offer.name: offer.schema for offer in offers()}
    for name, verb in VERBS.items():
        declared = verb.params.model_fields
        assert set(schemas[name].get("properties", {})) == set(declared)
        for key, field in declared.items():
            described = schemas[name]["properties"][key].get("description")
            assert described == field.description


def test_schemas_are_the_same_each_time() -> None:
    assert json.dumps([o.schema for o in offers()]) == json.dumps([o.schema for o in offers()])
