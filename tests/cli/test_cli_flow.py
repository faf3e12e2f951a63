"""The whole way from a brief to a finished book, over HTTP, as a script would go it."""

import json
import zipfile
from pathlib import Path

import pytest
from cli_helpers import KEY, Endpoint, Shell, init_words, prompt_tokens
from scripts import Script

from zencli.llm.scripted import Step

PATCHES = {
    "zh": ("她冲着还黑的河面喊", "她朝着还黑的河面喊"),
    "en": ("near the table", "on the table"),
}


def patch(language: str) -> str:
    old, new = PATCHES[language]
    return json.dumps({"patches": [{"finding": 0, "old": old, "new": new}], "note": ""})


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_brief_becomes_a_finished_book(language: str, shell: Shell, endpoint: Endpoint) -> None:
    script = Script(language)
    last = script.meta["target_chapters"]
    endpoint.play(*script.opening(), *script.chapters(1, last))
    endpoint.play(Step("audit", script.read("0001.audit.json")))
    endpoint.play(Step("spot_fix", patch(language)))
    endpoint.play(Step("settle", script.read("0001.settle.json")))

    begun = shell(*init_words(script), "--json", stdin=script.brief.encode()).json()
    assert begun["data"]["title"] == script.meta["title"]
    book_id = begun["data"]["book_id"]
    folder = Path(begun["data"]["path"])
    assert (shell.root / folder / "brief.md").read_text("utf-8") == script.brief.strip() + "\n"
    assert begun["usage"]["calls"] == 4

    wrote = shell("write-next", "--count", str(last), "--json").json()
    chapters = wrote["data"]["chapters"]
    assert [c["number"] for c in chapters] == list(range(1, last + 1))
    assert all(c["status"] == "passed" for c in chapters)
    calls = len(script.chapters(1, last))
    assert wrote["usage"]["calls"] == calls
    asked = [prompt_tokens(body) for body in endpoint.bodies[4:]]
    assert wrote["usage"]["input_tokens"] == sum(asked)
    assert wrote["usage"]["cached_tokens"] == sum(tokens // 2 for tokens in asked)
    for chapter in chapters:
        prose = script.read(f"{chapter['number']:04d}.write.txt").strip()
        written = (shell.root / chapter["path"]).read_text("utf-8")
        assert written.startswith(f"# {chapter['title']}\n\n")
        if not chapter["revised"]:
            assert prose in written

    audited = shell("audit", "1", "--json").json()
    assert audited["data"]["book_id"] == book_id
    assert [c["number"] for c in audited["data"]["chapters"]] == [1]

    wish = ("revise", "1", "--instruction", "Change that one word.", "--json")
    revised = shell(*wish).json()
    assert revised["data"]["applied"] is True
    assert revised["data"]["number"] == 1
    assert PATCHES[language][1] in (shell.root / chapters[0]["path"]).read_text("utf-8")

    approved = shell("approve", book_id, f"1-{last - 1}", "--json").json()
    assert {c["status"] for c in approved["data"]["chapters"]} == {"approved"}

    exported = shell("export", "--format", "epub", "--approved-only", "--json").json()
    assert exported["data"]["chapters"] == last - 1
    left = {"number": last, "reason": "not approved", "left_out": True}
    assert exported["data"]["skipped"] == [left]
    with zipfile.ZipFile(shell.root / exported["data"]["path"]) as epub:
        assert epub.namelist()[0] == "mimetype"

    assert len(endpoint.bodies) == endpoint.finished == 4 + calls + 3
    assert set(endpoint.keys) == {KEY}
    assert set(endpoint.paths) == {"/v1/chat/completions"}
    assert endpoint.answers == []
