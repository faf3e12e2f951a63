"""``show --context``: what a chapter's calls were given, and ``--dry-run``, which tells it too."""

import jsonschema
from cli_helpers import Shell

from zencli.cli.schemas import data_schema


def test_show_tells_what_the_calls_of_a_chapter_were_given(chinese_book: Shell) -> None:
    done = chinese_book("show", "2", "--context", "--json")
    data = done.json()["data"]
    jsonschema.validate(data, data_schema("show"))
    assert [call["role"] for call in data["calls"]][:3] == ["plan", "write", "audit"]
    sections = {s["name"]: s for layer in data["layers"] for s in layer["sections"]}
    assert sections["hooks"]["taken"][0]["label"].startswith("[H1]")
    assert all(item["why"] for item in sections["hooks"]["taken"])
    text = chinese_book("show", "2", "--context").out
    for words in ("constitution", "story_so_far", "task:plan", "call write:", "[H1]"):
        assert words in text
    assert sections["hooks"]["taken"][0]["why"] in text


def test_without_a_kept_run_the_context_is_not_found(book: Shell) -> None:
    error = book("show", "9", "--context", "--json").json()["error"]
    assert error["code"] in ("context.not_found", "chapter.not_found")
    assert book("show", "9", "--context").code == 2
    both = book("show", "1", "--context", "--diff", "--json").json()
    assert both["error"]["code"] == "usage.options" and both["exit_code"] == 2


def test_a_dry_run_prints_the_messages_and_why_each_entry_was_taken(book: Shell) -> None:
    shown = book("write-next", "--dry-run", "--json").json()["data"]
    jsonschema.validate(shown, data_schema("write-next"))
    sections = {section["name"]: section for section in shown["sections"]}
    assert sections["people"]["taken"] and "outline" in sections
    text = book("write-next", "--dry-run").out
    first = sections["people"]["taken"][0]
    assert f"{first['label']} [{first['why']}]" in text
    assert shown["messages"][1]["content"] in text


def test_a_note_that_cannot_be_read_ends_with_8_and_names_the_line(book: Shell) -> None:
    (folder,) = (book.root / "books").iterdir()
    (folder / "focus.md").write_text("# Focus\n\nchapters 9-3: rain\n", encoding="utf-8")
    done = book("write-next", "--json")
    assert done.code == 8
    assert "focus.md, line 3" in done.json()["error"]["message"]
