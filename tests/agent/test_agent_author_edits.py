"""The author's own edits (B60 to B64): seen, kept, told honestly, and undone in one go."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from agent_tool_helpers import RUN, WHEN, Bench, bench, bench_on, by_program

from zencli.agent.author_edits import authorship, differences
from zencli.agent.author_edits_guard import Act, asked_for
from zencli.agent.file_stream import save_body
from zencli.agent.turn import Asked
from zencli.pipeline.params import Undo
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.story.record import Record

ONE, TWO = "chapters/0001.md", "chapters/0002.md"
CARD = "characters/林晚.md"


@pytest.fixture
def b(tmp_path: Path) -> Bench:
    return bench(tmp_path, "接着改")


def rename(b: Bench, path: str = TWO, old: str = "沈默", new: str = "沈墨") -> None:
    """The author corrects a name in his editor."""
    b.by_hand(path, b.read(path).replace(old, new))


def shown(b: Bench, path: str) -> list[dict[str, str]]:
    (item,) = b.call("query_files", path=path).data["files"]
    edits: list[dict[str, str]] = item.get("author_edits", [])
    return edits


def test_B60_what_the_author_changed_is_shown_beside_the_file(b: Bench) -> None:
    assert shown(b, TWO) == []
    text = b.read(TWO).replace("沈默", "沈墨").replace("有人敲门。\n\n", "")
    b.by_hand(TWO, text + "\n他在发抖。\n")
    assert shown(b, TWO) == [
        {"before": "有人敲门。", "after": ""},
        {"before": "他叫沈默。", "after": "他叫沈墨。\n他在发抖。"},
    ]


def test_B60_headings_and_list_lines_count_blank_lines_do_not(b: Bench) -> None:
    b.by_hand(CARD, b.read(CARD).replace("# 林晚", "# 林挽").replace("守灯人", "灯塔看守"))
    after = [edit["after"] for edit in shown(b, CARD)]
    assert after == ["# 林挽", "- 身份：灯塔看守"]
    b.by_hand(ONE, b.read(ONE).replace("\n\n", "\n\n\n") + "\n\n")
    assert shown(b, ONE) == []


def test_B60_it_is_counted_from_what_an_agent_wrote_last(b: Bench) -> None:
    rename(b)
    b.know(TWO)
    assert b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}]).ok
    assert shown(b, TWO) == []
    rename(b, new="沈沫", old="沈墨")
    assert shown(b, TWO) == [{"before": "他叫沈墨。", "after": "他叫沈沫。"}]


def test_B60_lines_the_author_wrote_stay_his_after_an_agents_later_edit(b: Bench) -> None:
    rename(b)
    b.know(TWO)
    b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}])
    assert authorship(b.book, TWO, b.read(TWO)).lines == {"他叫沈墨。"}


def test_B60_what_no_run_wrote_is_wholly_his_and_so_are_brief_and_import(b: Bench) -> None:
    b.by_hand("focus.md", "# 方向\n\n少写雾。\n")
    assert authorship(b.book, "focus.md", b.read("focus.md")).whole
    assert authorship(b.book, "brief.md", b.read("brief.md")).whole
    by_program(
        b.book, "import", "20261130T121000.000001Z-import", {"chapters/0003.md": "# 三\n\n旧稿。\n"}
    )
    assert authorship(b.book, "chapters/0003.md", b.read("chapters/0003.md")).any
    assert not authorship(b.book, ONE, b.read(ONE)).any


def test_B60_what_he_took_back_is_shown_as_his_decision(b: Bench) -> None:
    b.know(TWO)
    b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}])
    Runner(b.turn.workspace.root, RunOptions(confirmed=True)).undo(Undo(book_id="灯", run=RUN))
    assert shown(b, TWO) == [{"before": "雾散了。", "after": ""}]


def test_B60_differences_pair_the_lines_that_correspond() -> None:
    pairs = [(e.before, e.after) for e in differences("一\n二\n三", "一\n贰\n三\n四")]
    assert pairs == [("二", "贰"), ("", "四")]


def test_B61_a_file_that_the_author_saved_in_between_is_stale(b: Bench) -> None:
    b.know(TWO)
    rename(b)
    now = b.read(TWO)
    result = b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "沈默走了。"}])
    assert result.error_type == "stale_content"
    assert result.data["author_edits"] == [{"before": "他叫沈默。", "after": "他叫沈墨。"}]
    assert b.read(TWO) == now
    # the changes were shown, so the next call of the model knows the text as it is now
    b.turn.seen.update(b.turn.read_now)
    assert b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "沈墨走了。"}]).ok
    assert "他叫沈墨。\n\n沈墨走了。" in b.read(TWO)


def test_B61_what_was_read_since_the_last_call_of_the_model_is_not_known_yet(b: Bench) -> None:
    b.call("query_files", path=TWO)
    vague = {"op": "replace", "old": "门外站着一个，浑身湿透的人", "new": "门外没有人"}
    assert b.call("edit_file", path=TWO, edits=[vague]).error_type == "anchor_not_found"
    b.turn.seen.update(b.turn.read_now)
    assert b.call("edit_file", path=TWO, edits=[vague]).ok


def test_B61_what_this_request_wrote_is_known(b: Bench) -> None:
    b.call("create_file", type="draft", title="第三章 雨", content="雨下了一夜。\n\n天没有亮。")
    vague = {"op": "replace", "old": "雨下了 一夜天没有亮", "new": "天亮了"}
    assert b.call("edit_file", path="chapters/0003.md", edits=[vague]).ok


HOLD = """
import sys, time
from pathlib import Path
from zencli.store.layout import BookDir
from zencli.store.lock import book_lock
book = BookDir(Path(sys.argv[1]))
with book_lock(book, "write-next"):
    print("held", flush=True)
    time.sleep(0.4)
    path = book.path / "chapters/0002.md"
    path.write_text(path.read_text("utf-8").replace("沈默", "沈墨"), "utf-8")
"""


def test_B61_the_text_is_compared_under_the_lock_two_processes(b: Bench) -> None:
    b.know(TWO)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(b.book.path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert "沈默" in b.read(TWO)
        started = time.monotonic()
        edit = {"op": "replace", "old": "他叫沈默。", "new": "他叫沈默，是个水手。"}
        result = b.call("edit_file", path=TWO, edits=[edit])
        assert time.monotonic() - started > 0.2
    assert result.error_type == "stale_content"
    assert result.data["author_edits"] == [{"before": "他叫沈默。", "after": "他叫沈墨。"}]
    assert "他叫沈墨。" in b.read(TWO)


WRITE = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from agent_tool_helpers import bench
b = bench(Path(sys.argv[1]), "改")
b.know("chapters/0001.md")
print("ready", flush=True)
sys.stdin.readline()
edit = {"op": "append", "text": sys.argv[3]}
print(b.call("edit_file", path="chapters/0001.md", edits=[edit]).error_type or "done", flush=True)
"""


def test_B61_of_two_processes_that_edit_one_file_one_is_told_that_it_changed(b: Bench) -> None:
    root = str(b.turn.workspace.root)
    helpers = str(Path(__file__).parent)
    others = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE, root, helpers, text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for text in ("甲来过。", "乙来过。")
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    told = []
    for other in others:
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
    for other in others:
        out, _ = other.communicate(timeout=60)
        told.append(out.strip())
    assert sorted(told) == ["done", "stale_content"]
    assert ("甲来过。" in b.read(ONE)) != ("乙来过。" in b.read(ONE))


def test_B62_touching_his_passage_is_done_told_and_can_be_undone(b: Bench) -> None:
    rename(b)
    own = b.read(TWO)
    b.know(TWO)
    edit = {"op": "replace", "old": "他叫沈墨。", "new": "他说他叫沈墨。"}
    result = b.call("edit_file", path=TWO, edits=[edit])
    assert result.data["author_edits_touched"] == ["他叫沈墨。"]
    assert "author" in result.for_model
    assert "撤销" in result.for_author
    Runner(b.turn.workspace.root).undo(Undo(book_id="灯", run=RUN))
    assert b.read(TWO) == own


def test_B62_editing_beside_his_passage_touches_nothing(b: Bench) -> None:
    rename(b)
    b.know(TWO)
    result = b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}])
    assert "author_edits_touched" not in result.data


def test_B63_a_file_he_edited_is_not_deleted_or_replaced_unless_he_said_so(tmp_path: Path) -> None:
    b = bench(tmp_path, "这一章删了也行，你看着办")
    rename(b)
    text = b.read(TWO)
    new = {"type": "draft", "title": "第二章 归人", "content": "门开了。", "overwrite": True}
    for result in (b.call("delete_file", path=TWO), b.call("create_file", **new)):
        assert result.error_type == "author_edit_protected"
        assert result.kept
        assert "ask the author" in result.for_model
    assert b.read(TWO) == text
    assert bench(tmp_path, "把第二章删掉").call("delete_file", path=TWO).ok
    b.by_hand(TWO, text)
    assert bench(tmp_path, "第二章整章重写").call("create_file", **new).ok
    b.by_hand(TWO, text)
    assert bench(tmp_path, "你看着办", confirmed=True).call("delete_file", path=TWO).ok


def test_B63_what_was_his_before_an_agents_edit_is_still_protected(b: Bench) -> None:
    rename(b)
    b.know(TWO)
    b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}])
    assert b.call("delete_file", path=TWO).error_type == "author_edit_protected"


def test_B63_an_approved_chapter_is_kept_too(b: Bench) -> None:
    record = Record(
        number=2, title="来客", status="approved", digest="", created=WHEN, updated=WHEN
    )
    b.by_hand("records/0002.json", record.model_dump_json())
    assert b.call("delete_file", path=TWO).error_type == "author_edit_protected"
    new = {"type": "draft", "title": "第二章 归人", "content": "门开了。", "overwrite": True}
    assert b.call("create_file", **new).error_type == "author_edit_protected"
    b.know(TWO)
    edited = b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "雾散了。"}])
    assert edited.data["approved"] is True
    assert "approved" in edited.for_model


def test_B61_a_file_to_be_replaced_is_compared_too(tmp_path: Path) -> None:
    b = bench(tmp_path, "第二章整章重写")
    b.know(TWO)
    assert b.call("create_file", type="draft", title="第二章 归人", overwrite=True).ok
    rename(b)
    now = b.read(TWO)
    result = save_body(b.turn, "门开了。", True)
    assert result.error_type == "stale_content"
    assert b.read(TWO) == now
    assert b.read(result.data["draft"]) == "# 归人\n\n门开了。\n"


def test_B63_a_file_that_only_agents_wrote_may_be_deleted(b: Bench) -> None:
    assert b.call("delete_file", path=TWO).ok


def test_B63_a_folder_with_his_file_stays_whole(tmp_path: Path) -> None:
    b = bench(tmp_path, "把没用的设定清一清")
    by_program(b.book, "agent", "r1", {"lore/一.md": "一"})
    b.by_hand("lore/我的.md", "我写的。")
    result = b.call("delete_file", path="lore", recursive=True)
    assert result.error_type == "author_edit_protected"
    assert result.data["path"] == "lore/我的.md"
    assert (b.book.path / "lore/一.md").exists()
    b = bench(tmp_path, "lore 整个删掉")
    assert b.call("delete_file", path="lore", recursive=True).ok


SAID: list[tuple[str, str, Act, bool]] = [
    ("把第二章删掉", TWO, "delete", True),
    ("删除 chapters/0002.md", TWO, "delete", True),
    ("“来客”这章不要了", TWO, "delete", True),
    ("第2章，删了吧。", TWO, "delete", True),
    ("delete chapter two please", TWO, "delete", True),
    ("Get rid of Chapter 2.", TWO, "delete", True),
    ("第二章写得不错", TWO, "delete", False),
    ("不要删第二章", TWO, "delete", False),
    ("第二章先别删", TWO, "delete", False),
    ("don't delete chapter 2", TWO, "delete", False),
    ("要不要删第二章？", TWO, "delete", False),
    ("删掉第三章，第二章留着", TWO, "delete", False),
    ("第三章删掉", TWO, "delete", False),
    ("删掉第一章。第二章再润色一下。", TWO, "delete", False),
    ("删掉多余的句子", TWO, "delete", False),
    ("重写第二章", TWO, "delete", False),
    ("重写第二章", TWO, "overwrite", True),
    ("第二章推倒重来", TWO, "overwrite", True),
    ("Rewrite chapter 2 from scratch", TWO, "overwrite", True),
    ("第二章别重写，改两句就行", TWO, "overwrite", False),
    ("改一下第二章", TWO, "overwrite", False),
    ("重写第一章，第二章照旧", TWO, "overwrite", False),
    ("删掉林晚的角色卡", CARD, "delete", True),
    ("林晚不能死，删掉那一段", "outline.md", "delete", False),
    ("大纲重写一份", "outline.md", "overwrite", True),
    ("文风整份换掉", "style.md", "overwrite", True),
]


@pytest.mark.parametrize(("message", "path", "act", "asked"), SAID)
def test_B63_he_must_have_named_the_file_where_he_said_it(
    b: Bench, message: str, path: str, act: Act, asked: bool
) -> None:
    assert asked_for(Asked(message), b.book, path, act) is asked


def test_B63_a_file_he_points_at_counts_as_named(b: Bench) -> None:
    assert asked_for(Asked("删掉它", files=(TWO,)), b.book, TWO, "delete")
    assert not asked_for(Asked("删掉第一章", files=(TWO,)), b.book, TWO, "delete")
    assert not asked_for(Asked("别删它", files=(TWO,)), b.book, TWO, "delete")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_B64_what_was_kept_is_told_as_kept_and_not_as_a_failure(
    tmp_path: Path, language: str
) -> None:
    b = bench(tmp_path, "接着改")
    b.turn.reply_language = "zh" if language == "zh" else "en"
    b.know(TWO)
    rename(b)
    kept = [
        b.call("delete_file", path=TWO),
        b.call("edit_file", path=TWO, edits=[{"op": "append", "text": "x"}]),
    ]
    b.turn.clarify_first = True
    kept.append(b.call("delete_file", path=ONE))
    words = {
        "zh": ("原样保留", "先看", "先问"),
        "en": ("kept as you left it", "it was left", "Asked first"),
    }
    for result, word in zip(kept, words[language], strict=True):
        assert result.kept
        assert word in result.for_author
        assert "fail" not in result.for_author
        assert "失败" not in result.for_author


def test_B60_a_long_history_of_verbs_is_looked_through_quickly(tmp_path: Path) -> None:
    b = bench(tmp_path, "改")
    for number in range(3, 30):
        by_program(
            b.book, "write-next", f"r{number}", {"outline.md": f"# 大纲\n\n第{number}章。\n"}
        )
    b.by_hand("outline.md", "# 大纲\n\n第29章。\n\n我加的。\n")
    fresh = bench_on(tmp_path, b.book, "改")
    assert shown(fresh, "outline.md") == [{"before": "", "after": "我加的。"}]
