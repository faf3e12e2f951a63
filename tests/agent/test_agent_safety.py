"""Safety (point 5 of the issue): no path leaves the book, nothing huge is read, nothing harmful is
written."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from agent_tool_helpers import Bench, bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zencli.agent.file_stream import save_body
from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.places import BIGGEST, readable_path, slug_of, writable_path
from zencli.agent.tools.refusal import ToolRefused
from zencli.agent.tools.registry import TOOLS, call_tool
from zencli.store.history import commits

OUTSIDE = [
    "../secret.md",
    "../../etc/passwd",
    "chapters/../../secret.md",
    "/etc/passwd",
    "/tmp/x.md",
    "//etc/passwd",
    "C:/x.md",
    "C:\\x.md",
    "..\\secret.md",
    "chapters\\0001.md",
    "~/x.md",
    "",
    ".",
    "..",
    "chapters//0001.md",
    "./../secret.md",
    "chapters/0001.md\x00.png",
    "chapters/\u202e0001.md",
    "\ud800.md",
    "a" * 300 + ".md",
    "深" * 90 + ".md",
    "a/" * 2000 + "b.md",
]
OURS = [
    ".zencli/lock",
    ".zencli/history/commits/000001.json",
    ".git/config",
    "records/0001.json",
    "records/files.json",
    "lore/.hidden.md",
]
DEVICES = ["con.md", "NUL", "lore/aux.txt", "com1.md", "lpt9", "PRN.md", "a./b.md", "a /b.md"]


@pytest.fixture
def b(tmp_path: Path) -> Bench:
    made = bench(tmp_path, "全部删掉，重写")
    (tmp_path / "secret.md").write_text("机密", "utf-8")
    (made.book.path.parent / "secret.md").write_text("机密", "utf-8")
    return made


def calls_on(path: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("query_files", {"path": path}),
        ("query_files", {"paths": [path]}),
        ("edit_file", {"path": path, "edits": [{"op": "append", "text": "x"}]}),
        ("delete_file", {"path": path}),
        ("delete_file", {"path": path, "recursive": True}),
    ]


@pytest.mark.parametrize("path", [*OUTSIDE, *OURS, *DEVICES])
def test_B40_no_tool_reaches_outside_of_the_book_or_into_the_programs_own(
    b: Bench, path: str
) -> None:
    count = len(commits(b.book))
    for tool, arguments in calls_on(path):
        result = b.call(tool, **arguments)
        assert result.error_type == "path_refused"
        assert "机密" not in json.dumps(result.to_json(), ensure_ascii=False)
        result.for_model.encode("utf-8", "backslashreplace")
    assert len(commits(b.book)) == count


@pytest.mark.parametrize("path", [*OUTSIDE[:11], *OURS[:4], "exports", "revisions"])
def test_B40_no_new_file_or_folder_lands_there_either(b: Bench, path: str) -> None:
    if not path:
        return
    before = sorted(p for p in b.turn.workspace.root.rglob("*") if ".zencli" not in p.parts)
    for kind in ("lore", "document", "folder", "snippet", "outline"):
        for said in ({"title": "a", "parent": path}, {"title": path}):
            b.call("create_file", type=kind, content="x", **said)
    root = b.book.path.resolve()
    after = [p for p in b.turn.workspace.root.rglob("*") if ".zencli" not in p.parts]
    new = [p for p in after if p not in before]
    assert all(p.resolve().is_relative_to(root) for p in new)
    assert not [p for p in new if p.relative_to(b.book.path).parts[0] in ("exports", "records")]


def test_B40_links_are_not_followed(b: Bench) -> None:
    root = b.book.path
    (root / "lore").mkdir()
    (root / "lore/out.md").symlink_to(root.parent / "secret.md")
    (root / "lore/in.md").symlink_to(root / "outline.md")
    (root / "lore/own.md").symlink_to(root / ".zencli/lock")
    (root / "linked").symlink_to(root.parent, target_is_directory=True)
    for path in ("lore/out.md", "lore/in.md", "lore/own.md", "linked/secret.md"):
        for tool, arguments in calls_on(path):
            assert b.call(tool, **arguments).error_type == "path_refused"
    for arguments in ({"query": "机密"}, {"type": "lore"}):
        assert b.call("query_files", **arguments).data["files"] == []
    assert b.call("hybrid_search", query="机密").data["passages"] == []
    assert b.call("delete_file", path="lore", recursive=True).ok
    assert (root.parent / "secret.md").read_text("utf-8") == "机密"
    assert (root / "outline.md").exists()


def test_special_files_and_huge_ones_do_not_stop_a_search(b: Bench) -> None:
    root = b.book.path
    (root / "lore").mkdir()
    os.mkfifo(root / "lore/pipe.md")
    (root / "lore/huge.md").write_bytes(b"x" * (BIGGEST + 1))
    (root / "lore/broken.md").write_bytes("灯塔".encode("gbk") + b"\xff\xfe marker")
    assert b.call("query_files", query="marker").data["files"][0]["path"] == "lore/broken.md"
    assert b.call("hybrid_search", query="marker").ok
    assert b.call("query_files", path="lore/pipe.md").error_type == "file_not_found"
    assert b.call("query_files", path="lore/broken.md").error_type == "book.damaged"
    result = b.call("query_files", path="lore/huge.md")
    assert result.error_type == "file_too_large"
    assert result.for_model.count(". ") <= 2
    edit = {"path": "lore/huge.md", "edits": [{"op": "append", "text": "x"}]}
    assert b.call("edit_file", **edit).error_type == "file_too_large"


def test_nothing_huge_is_written(b: Bench) -> None:
    new = {"type": "lore", "title": "长", "content": "长" * (BIGGEST // 3 + 10)}
    assert b.call("create_file", **new).error_type == "file_too_large"
    assert not (b.book.path / "lore/长.md").exists()


@pytest.mark.parametrize("path", ["book.toml", "exports/灯.txt", "revisions/0001/a.md"])
def test_some_files_are_read_and_not_written(b: Bench, path: str) -> None:
    if not (b.book.path / path).exists():
        b.by_hand(path, "出。")
    before = b.read(path)
    assert b.call("query_files", path=path).ok
    edit = {"path": path, "edits": [{"op": "append", "text": "x"}]}
    assert b.call("edit_file", **edit).error_type == "path_refused"
    assert b.call("delete_file", path=path).error_type == "path_refused"
    assert b.read(path) == before


def test_a_picture_is_not_overwritten_with_text(b: Bench) -> None:
    b.by_hand("cover.png", "png")
    edit = {"path": "cover.png", "edits": [{"op": "append", "text": "x"}]}
    assert b.call("edit_file", **edit).error_type == "path_refused"


ESCAPES = "雨\x1b[2J\x1b]0;t\x07。\x00\x9b31m\u202e\u2066\ud83d风\r\n。"


def test_what_a_model_writes_has_no_escapes_wherever_it_goes(b: Bench) -> None:
    b.call("create_file", type="draft", title=f"第三章 {ESCAPES}", content=ESCAPES)
    b.call("create_file", type="lore", title="钟", metadata={ESCAPES: ESCAPES}, content=ESCAPES)
    b.know("outline.md")
    b.call("edit_file", path="outline.md", edits=[{"op": "append", "text": ESCAPES}])
    b.call(
        "update_project",
        notes=[ESCAPES],
        summary=ESCAPES,
        tasks=[{"title": ESCAPES}],
        style=ESCAPES,
    )
    assert b.call("create_file", type="draft", title="第四章").ok
    assert save_body(b.turn, ESCAPES, True).ok
    written = list(b.turn.files.changes)
    assert len(written) >= 7
    for path in written:
        text = (b.book.path / path).read_text("utf-8")
        assert clean(text) == text
        assert "雨" in text


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_clean_text_has_no_control_character_and_keeps_the_rest(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")
    for letter in cleaned:
        assert letter in "\n\t\u200c\u200d" or unicodedata.category(letter) not in (
            "Cc",
            "Cf",
            "Cs",
        )
    assert [c for c in cleaned if c.isalnum()] == [c for c in text if c.isalnum()]


@given(st.text(st.sampled_from("ab章/.\\~ \0:*\u202e"), max_size=12) | st.text(max_size=12))
@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_whatever_path_is_taken_lies_in_the_book(b: Bench, said: str) -> None:
    for taken in (readable_path, writable_path):
        try:
            path = taken(b.book, said)
        except ToolRefused as refused:
            assert refused.code == "path_refused"
            continue
        root = b.book.path.resolve()
        assert (b.book.path / path).resolve() == root / path
        assert not path.startswith((".", "records", "/"))


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_a_title_becomes_a_plain_name_or_none(title: str) -> None:
    name = slug_of(title)
    assert not set(name) & set('/\\:*?"<>|\0\n')
    assert not name.startswith((".", "-"))
    assert name == "" or len(name.encode()) <= 240


SAYINGS = st.sampled_from(
    ["灯", "第三章 夜雨", "chapters/0001.md", "chapters/0002.md", "outline.md", "lore", "notes.md",
     "characters/林晚.md", "state.md", "../x.md", "\n\n# 题\n",
     "他叫沈默。", "<file>", "", "\x00", "\ud800"]
)  # fmt: skip


def said_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Something that a model may give for a parameter, mostly of the right type."""
    odd = st.sampled_from([None, 3, "x", [], {}, True])
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | odd
    kind = schema["type"]
    if kind == "array":
        return st.lists(said_for(schema["items"]), max_size=3) | odd
    if kind == "object" and "properties" in schema:
        needed = {name: said_for(schema["properties"][name]) for name in schema["required"]}
        rest = {k: said_for(v) for k, v in schema["properties"].items() if k not in needed}
        return st.fixed_dictionaries(needed, optional=rest)
    simple: dict[str, st.SearchStrategy[Any]] = {
        "string": SAYINGS,
        "integer": st.integers(0, 30),
        "number": st.floats(0, 1),
        "boolean": st.booleans(),
        "object": st.dictionaries(SAYINGS, SAYINGS, max_size=2),
    }
    return simple[kind]


@given(st.sampled_from(sorted(set(TOOLS) - {"sub_agent"})), st.data())
@settings(
    max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_whatever_a_model_says_is_answered_and_leaves_a_book(
    b: Bench, name: str, data: st.DataObject
) -> None:
    arguments = data.draw(said_for(TOOLS[name].schema("en")))
    result = call_tool(b.turn, name, json.dumps(arguments))
    assert set(result.to_json()) == {"status", "data", "error_type", "message"}
    json.dumps(result.to_json(), ensure_ascii=False)
    b.turn.pending = None
    assert b.book.config().id == "灯"
    assert b.book.gaps() == []
