"""Notes and tasks (B70 to B73): who said it is proved, what is done is looked up on disk."""

from pathlib import Path
from typing import Any

import pytest
from agent_tool_helpers import Bench, bench
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.notes import BUDGET, Notes, parse_notes, record, render_notes
from zencli.agent.tasks import Board, Task, finished, parse_tasks, render_tasks, units_of
from zencli.agent.tools.update_project import finish_tasks
from zencli.store.history import commits

SAID = "林晚不会游泳，这个定了。结尾要开放。你再想想灯为什么是蓝的。"


@pytest.fixture
def b(tmp_path: Path) -> Bench:
    return bench(tmp_path, SAID)


def notes(b: Bench) -> Notes:
    return parse_notes(b.read("notes.md"))


def board(b: Bench) -> dict[str, Task]:
    return {task.title: task for task in parse_tasks(b.read("tasks.md")).tasks}


def test_B70_an_entry_in_the_authors_own_words_is_confirmed(b: Bench) -> None:
    result = b.call(
        "update_project",
        notes=["林晚不会游泳", "结尾要开放。"],
        author_quotes=["林晚不会游泳，这个定了。", "结尾要开放。"],
    )
    assert "notes_recorded_as_proposals" not in result.data
    assert notes(b).confirmed == ("林晚不会游泳", "结尾要开放。")
    assert "## 作者确认" in b.read("notes.md")


@pytest.mark.parametrize(
    ("entry", "quotes"),
    [
        ("林晚不会游泳", []),
        ("林晚怕水", ["林晚不会游泳，这个定了。"]),
        ("林晚会游泳", ["林晚会游泳"]),
        ("林晚不会游泳", ["林晚不会游泳，这件事定了。"]),
        ("林晚不会游泳，结尾要开放", ["林晚不会游泳", "结尾要开放"]),
        ("林", ["林晚不会游泳"]),
    ],
)
def test_B70_anything_else_is_a_proposal(b: Bench, entry: str, quotes: list[str]) -> None:
    result = b.call("update_project", notes=[entry], author_quotes=quotes)
    assert result.data["notes_recorded_as_proposals"] == [entry]
    assert notes(b) == Notes(proposals=(entry,))
    assert "不是设定" in b.read("notes.md")


def test_B70_one_quote_vouches_for_one_entry(b: Bench) -> None:
    result = b.call(
        "update_project",
        notes=["林晚不会游泳", "这个定了"],
        author_quotes=["林晚不会游泳，这个定了。", "林晚不会游泳，这个定了。"],
    )
    assert result.data["notes_recorded_as_proposals"] == ["这个定了"]
    assert notes(b).confirmed == ("林晚不会游泳",)


def test_B70_a_proposal_that_the_author_says_becomes_confirmed(b: Bench) -> None:
    b.call("update_project", proposals=["结尾要开放", "灯是蓝的，因为油里有铜"])
    b.call("update_project", notes=["结尾要开放"], author_quotes=["结尾要开放。"])
    assert notes(b) == Notes(confirmed=("结尾要开放",), proposals=("灯是蓝的，因为油里有铜",))


def test_B70_what_the_author_wrote_into_the_file_stays(b: Bench) -> None:
    own = "# 备注\n\n随手记：\n- 灯塔一共七层\n\n## 人物\n\n沈默的伤在左手。\n"
    b.by_hand("notes.md", own)
    b.call("update_project", notes=["林晚不会游泳"], author_quotes=["林晚不会游泳"])
    b.call("update_project", notes=["灯塔一共七层"])
    text = b.read("notes.md")
    for line in own.splitlines()[1:]:
        assert line in text
    assert notes(b).confirmed == ("林晚不会游泳",)
    assert notes(b).proposals == ()


def test_B70_an_entry_cannot_smuggle_a_heading_in(b: Bench) -> None:
    b.call("update_project", notes=["甲\n\n## 作者确认\n\n- 乙", "# 作者确认"])
    assert notes(b).confirmed == ()
    assert len(notes(b).proposals) == 2


def test_B70_notes_are_not_written_past_the_proof(b: Bench) -> None:
    b.call("update_project", notes=["林晚不会游泳"], author_quotes=["林晚不会游泳"])
    before = b.read("notes.md")
    more = b.call("edit_file", path="notes.md", edits=[{"op": "append", "text": "- 她怕火"}])
    assert more.error_type == "use_update_project"
    new = {"type": "document", "title": "notes", "content": "她怕火", "overwrite": True}
    assert b.call("create_file", **new).data["path"] != "notes.md"
    assert b.call("delete_file", path="notes.md").error_type == "author_edit_protected"
    assert b.read("notes.md") == before
    b.know("notes.md")
    assert b.call(
        "edit_file", path="notes.md", edits=[{"op": "delete", "old": "- 林晚不会游泳"}]
    ).ok


def test_B71_proposals_replace_that_part_whole(b: Bench) -> None:
    b.call("update_project", notes=["林晚不会游泳"], author_quotes=["林晚不会游泳"])
    b.call("update_project", proposals=["一", "二"])
    b.call("update_project", proposals=["三"])
    assert notes(b) == Notes(confirmed=("林晚不会游泳",), proposals=("三",))
    b.call("update_project", proposals=[])
    assert notes(b).proposals == ()


def test_B71_over_the_budget_nothing_is_written_at_all(b: Bench) -> None:
    b.by_hand("notes.md", "# 备注\n\n" + "记" * (BUDGET - 5) + "\n")
    before, count = b.read("notes.md"), len(commits(b.book))
    result = b.call("update_project", proposals=["六个字的提议"], summary="新的简介")
    assert result.error_type == "notes_over_budget"
    assert b.read("notes.md") == before
    assert "新的简介" not in b.read("book.toml")
    assert len(commits(b.book)) == count
    assert b.call("update_project", proposals=["五个字提议"]).ok


def test_B71_notes_that_are_too_long_by_hand_may_get_shorter(b: Bench) -> None:
    b.by_hand("notes.md", render_notes(Notes("记" * BUDGET, (), ("甲乙丙", "丁")), "zh"))
    assert b.call("update_project", proposals=["丁"]).ok
    assert b.call("update_project", proposals=["丁", "戊"]).error_type == "notes_over_budget"


def test_B71_proposals_are_rendered_as_no_canon_in_both_languages() -> None:
    kept = Notes("free", ("said",), ("guess",))
    assert "not canon" in render_notes(kept, "en")
    assert "不是设定" in render_notes(kept, "zh")
    assert parse_notes(render_notes(kept, "en")) == parse_notes(render_notes(kept, "zh")) == kept


lines = st.text(st.sampled_from("灯塔晚 ab1，。#-*"), min_size=1, max_size=12)


@given(st.lists(lines, max_size=4), st.lists(lines, max_size=4), lines)
@settings(max_examples=120)
def test_B70_recorded_notes_are_read_back_and_confirmed_only_when_said(
    new: list[str], quotes: list[str], message: str
) -> None:
    recorded = record(Notes(), new, quotes, message)
    assert parse_notes(render_notes(recorded.notes, "zh")) == recorded.notes
    flat = " ".join(message.split())
    for entry in recorded.notes.confirmed:
        assert " ".join(entry.split()) in flat
    assert len(recorded.notes.confirmed) <= len(set(quotes))


# Tasks

RANGE = "写第3-5章"


def write(b: Bench, number: int) -> None:
    text = f"第{number}夜，雨。"
    assert b.call("create_file", type="draft", title=f"第{number}章 雨", content=text).ok


def plan(b: Bench, *tasks: dict[str, Any]) -> Any:
    return b.call("update_project", tasks=list(tasks))


def test_B72_a_range_closes_when_every_unit_has_its_file(b: Bench) -> None:
    plan(b, {"title": RANGE, "status": "in_progress"})
    write(b, 3)
    write(b, 4)
    assert finish_tasks(b.turn) == []
    assert board(b)[RANGE] == Task(RANGE, "in_progress", "", (3, 4))
    assert "- [/] 写第3-5章 · 已完成：3、4" in b.read("tasks.md")
    write(b, 5)
    assert finish_tasks(b.turn) == [RANGE]
    assert board(b)[RANGE].status == "done"


def test_B72_nothing_closes_when_this_request_wrote_nothing(b: Bench) -> None:
    plan(b, {"title": "写第1-2章", "status": "in_progress"})
    b.turn.files.changes.clear()
    assert finish_tasks(b.turn) == []
    assert board(b)["写第1-2章"].status == "in_progress"


def test_B72_a_file_that_is_gone_or_empty_does_not_count(b: Bench) -> None:
    plan(b, {"title": "写第3章", "status": "in_progress"})
    write(b, 3)
    b.by_hand("chapters/0003.md", "# 雨\n")
    assert finish_tasks(b.turn) == []
    (b.book.path / "chapters/0003.md").unlink()
    assert finish_tasks(b.turn) == []
    b.by_hand("chapters/0003.md", "# 雨\n\n雨。\n")
    assert finish_tasks(b.turn) == ["写第3章"]


def test_B72_an_artifact_must_have_been_written(b: Bench) -> None:
    card = {"title": "补角色", "status": "in_progress", "artifact": "characters/沈默.md"}
    plan(b, card, {"title": "写角色卡：沈墨", "status": "in_progress"})
    write(b, 3)
    assert finish_tasks(b.turn) == []
    b.call("create_file", type="character", title="沈默", content="水手。")
    assert finish_tasks(b.turn) == ["补角色"]
    b.call("create_file", type="character", title="沈墨", content="水手。")
    assert finish_tasks(b.turn) == ["写角色卡：沈墨"]


def test_B72_pending_tasks_and_read_only_turns_close_nothing(b: Bench) -> None:
    plan(b, {"title": "写第3章"}, {"title": "写第四章", "status": "in_progress"})
    write(b, 3)
    assert finish_tasks(b.turn) == []
    write(b, 4)
    b.turn.read_only = "router"
    assert finish_tasks(b.turn) == []
    b.turn.read_only = ""
    assert finish_tasks(b.turn) == ["写第四章"]
    assert board(b)["写第3章"].status == "pending"


def test_B73_done_without_the_files_is_told_and_stays_in_progress(b: Bench) -> None:
    result = plan(
        b, {"title": "写第1-3章", "status": "done"}, {"title": "写第1-2章", "status": "done"}
    )
    assert result.data["unverified_done"] == [
        {"task": "写第1-3章", "missing": ["chapters/0003.md"]}
    ]
    assert board(b)["写第1-3章"] == Task("写第1-3章", "in_progress", "", (1, 2))
    assert board(b)["写第1-2章"].status == "done"


def test_B73_saving_again_keeps_the_progress_of_the_same_name(b: Bench) -> None:
    plan(b, {"title": RANGE, "status": "in_progress", "artifact": "outline.md"})
    write(b, 3)
    finish_tasks(b.turn)
    plan(b, {"title": "校对"}, {"title": RANGE, "status": "in_progress"})
    assert list(board(b)) == ["校对", RANGE]
    assert board(b)[RANGE] == Task(RANGE, "in_progress", "outline.md", (3,))


def test_B73_a_task_that_the_author_added_is_not_forgotten(b: Bench) -> None:
    plan(b, {"title": "写第三章"})
    b.by_hand("tasks.md", b.read("tasks.md") + "- [ ] 查潮汐表\n\n记得周五交稿。\n")
    plan(b, {"title": "写第四章"})
    assert list(board(b)) == ["写第四章", "查潮汐表"]
    assert "记得周五交稿。" in b.read("tasks.md")


@pytest.mark.parametrize(
    ("title", "first", "last"),
    [
        ("写第2-5章", "chapters/0002.md", "chapters/0005.md"),
        ("写第二章到第五章", "chapters/0002.md", "chapters/0005.md"),
        ("第 2 至 5 章", "chapters/0002.md", "chapters/0005.md"),
        ("写第三章", "chapters/0003.md", "chapters/0003.md"),
        ("write chapters 2-5", "chapters/0002.md", "chapters/0005.md"),
        ("Write chapter two to five", "", ""),
        ("第2-3集", "scripts/0002.md", "scripts/0003.md"),
        ("episodes 2 to 3", "scripts/0002.md", "scripts/0003.md"),
        ("第5-2章", "", ""),
        ("写大纲", "", ""),
    ],
)
def test_B72_ranges_in_both_languages(title: str, first: str, last: str) -> None:
    units = units_of(Task(title))
    if first:
        assert (units[0], units[-1]) == (first, last)
    elif title == "Write chapter two to five":
        assert units == [] or units[0] == "chapters/0002.md"
    else:
        assert units == []


@given(st.lists(st.integers(1, 9), max_size=9), st.lists(st.integers(1, 9), max_size=9))
@settings(max_examples=100)
def test_B72_only_what_was_written_and_is_there_closes(there: list[int], now: list[int]) -> None:
    files = {f"chapters/{number:04d}.md" for number in there}
    written = [f"chapters/{number:04d}.md" for number in now]
    before = Board((Task("写第2-4章", "in_progress"),))
    after = finished(before, written, files.__contains__).tasks[0]
    units = {2, 3, 4}
    touched = units & set(now) & set(there)
    assert (after.status == "done") == (units <= set(there) and bool(touched))
    if touched:
        assert after.done_units == tuple(sorted(units & set(there)))
    assert parse_tasks(render_tasks(Board((after,)), "en")).tasks == (after,)


# The other fields


def test_B35_title_summary_and_phase_are_in_book_toml_with_the_rest_kept(b: Bench) -> None:
    b.by_hand("book.toml", b.read("book.toml") + '\n[model]\nname = "x"  # mine\n')
    assert b.call("update_project", title="蓝灯", summary="一盏灯。", phase="初稿").ok
    assert b.book.config().title == "蓝灯"
    table = b.book.settings()
    assert (table["summary"], table["phase"], table["model"]) == ("一盏灯。", "初稿", {"name": "x"})
    assert "# mine" in b.read("book.toml")


def test_B35_the_style_is_written_unless_it_is_the_authors(b: Bench) -> None:
    assert b.call("update_project", style="长句。").ok
    assert b.read("style.md") == "# 文风\n\n长句。\n"
    b.by_hand("style.md", "# 文风\n\n长句。\n\n不用成语。\n")
    result = b.call("update_project", style="短句。", notes=["一"])
    assert result.error_type == "author_edit_protected"
    assert "不用成语" in b.read("style.md")
    assert not (b.book.path / "notes.md").exists()


def test_B35_all_fields_are_one_commit_and_none_is_an_error(b: Bench) -> None:
    before = len(commits(b.book))
    b.call("update_project", title="蓝灯", style="长句。", notes=["一"], tasks=[{"title": "二"}])
    assert len(commits(b.book)) == before + 1
    assert b.call("update_project").error_type == "invalid_arguments"
    assert b.call("update_project", author_quotes=["结尾要开放"]).error_type == "invalid_arguments"
    assert b.call("update_project", title=" ").error_type == "invalid_arguments"


def test_B73_a_task_saved_again_without_a_status_stays_as_far_as_it_was(b: Bench) -> None:
    plan(b, {"title": RANGE, "status": "in_progress"})
    plan(b, {"title": RANGE}, {"title": "校对"})
    assert board(b)[RANGE].status == "in_progress"
    assert board(b)["校对"].status == "pending"
