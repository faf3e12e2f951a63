"""Streamed files (B50 to B54): finding the markers, saving the body, keeping what is left."""

from pathlib import Path

import pytest
from agent_tool_helpers import Bench, bench
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.file_stream import FileStream, save_body, save_draft
from zencli.agent.turn import PendingFile
from zencli.store.history import commits

THREE = "chapters/0003.md"


@pytest.fixture
def b(tmp_path: Path) -> Bench:
    return bench(tmp_path, "写第三章")


def waiting(b: Bench, title: str = "第三章 夜雨") -> None:
    assert b.call("create_file", type="draft", title=title).ok


def heard(b: Bench, text: str, step: int = 1) -> tuple[str, str, FileStream]:
    """Chat and body of a reply that comes in pieces of ``step`` characters."""
    stream = FileStream(b.turn)
    pieces = []
    for at in range(0, len(text), step):
        pieces += stream.feed(text[at : at + step])
    pieces += stream.end()
    chat = "".join(said for kind, said in pieces if kind == "chat")
    body = "".join(said for kind, said in pieces if kind == "file")
    return chat, body, stream


def test_B50_a_file_waits_for_its_body_and_gets_it_at_once(b: Bench) -> None:
    waiting(b)
    assert not (b.book.path / THREE).exists()
    chat, body, stream = heard(b, "好的。\n<file>\n雨下了一夜。\n\n天没有亮。\n</file>\n写完了。")
    assert chat == "好的。\n写完了。"
    assert body == stream.body == "雨下了一夜。\n\n天没有亮。\n"
    assert stream.complete
    before = len(commits(b.book))
    result = save_body(b.turn, stream.body, stream.complete)
    assert result.ok
    assert b.read(THREE) == "# 夜雨\n\n雨下了一夜。\n\n天没有亮。\n"
    assert len(commits(b.book)) == before + 1
    assert b.turn.pending is None
    assert b.turn.files.words == {THREE: 11}
    assert b.told("file_created")[0]["path"] == THREE


def test_B50_one_file_at_a_time(b: Bench) -> None:
    waiting(b)
    result = b.call("create_file", type="character", title="沈默")
    assert result.error_type == "pending_empty_file_unwritten"
    assert THREE in result.for_model
    assert b.turn.pending is not None
    assert b.turn.pending.path == THREE
    again = b.call("create_file", type="draft", title="第三章 夜雨")
    assert again.ok
    assert again.data["content"] == ""
    assert b.call("create_file", type="character", title="沈默", content="水手。").ok


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("# 第三章 雨夜\n\n雨。\n", "# 雨夜\n\n雨。\n"),
        ("\n\n# 雨夜\n\n雨。", "# 雨夜\n\n雨。\n"),
        ("# 第三章\n\n雨。", "# 夜雨\n\n雨。\n"),
        ("## 第三章 雨夜\n\n雨。", "# 雨夜\n\n雨。\n"),
        ("**第三章：雨夜**\n\n雨。", "# 雨夜\n\n雨。\n"),
        ("第三章 雨夜\n\n雨。", "# 雨夜\n\n雨。\n"),
        ("```markdown\n# 雨夜\n\n雨。\n```", "# 雨夜\n\n雨。\n"),
        ("雨。\r\n\r\n风\x1b。", "# 夜雨\n\n雨。\n\n风。\n"),
    ],
)
def test_B50_a_chapter_is_one_heading_and_prose_whatever_the_body_brings(
    b: Bench, body: str, text: str
) -> None:
    waiting(b)
    assert save_body(b.turn, body, True).ok
    assert b.read(THREE) == text


REPLIES = [
    (
        "用 `<file>` 和 `</file>` 包住。\n<file>\n甲\n</file>",
        "用 `<file>` 和 `</file>` 包住。\n",
        "甲\n",
    ),
    (
        "我写在 <file> 和 </file> 之间。\n<file>\n甲\n</file>",
        "我写在 <file> 和 </file> 之间。\n",
        "甲\n",
    ),
    (
        "```\n<file>\n不是\n</file>\n```\n<file>\n甲\n</file>",
        "```\n<file>\n不是\n</file>\n```\n",
        "甲\n",
    ),
    ("~~~~\n<file>\n```\n~~~~\n<file>甲</file>", "~~~~\n<file>\n```\n~~~~\n", "甲"),
    ("正文：<file>\n甲\n</file>", "正文：", "甲\n"),
    ("正文：<file>甲\n乙</file>", "正文：", "甲\n乙"),
    ("<file>\n```\n</file>\n```\n乙\n</file>\n完", "完", "```\n</file>\n```\n乙\n"),
    ("<file>\n他按下 `</file>` 键。\n</file>", "", "他按下 `</file>` 键。\n"),
    ("<file>\n一半 < 二\n<fil\n</file>", "", "一半 < 二\n<fil\n"),
    ("a < b，<fi", "a < b，<fi", ""),
    ("</file>\n<file>\n甲\n</file>", "", "甲\n"),
    ("<file>\n甲\n</file>\n</file>\n完", "完", "甲\n"),
]


@pytest.mark.parametrize(("reply", "chat", "body"), REPLIES)
@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
def test_B51_markers_are_found_however_they_are_split_and_only_where_they_are_markers(
    b: Bench, reply: str, chat: str, body: str, step: int
) -> None:
    b.turn.pending = PendingFile(THREE, "writer")
    assert heard(b, reply, step)[:2] == (chat, body)


@pytest.mark.parametrize(
    ("reply", "chat"),
    [
        ("一\n<file>\n二\n</file>\n三", "一\n二\n三"),
        ("一\n  </file>  \n二", "一\n  二"),
        ("标记是 <file>。\n", "标记是 <file>。\n"),
        ("```\n<file>\n```\n", "```\n<file>\n```\n"),
        ("<file>甲</file>", "<file>甲</file>"),
    ],
)
@pytest.mark.parametrize("step", [1, 4, 100])
def test_B51_without_a_file_only_lone_marker_lines_are_dropped(
    b: Bench, reply: str, chat: str, step: int
) -> None:
    assert heard(b, reply, step)[:2] == (chat, "")


@given(
    st.lists(st.sampled_from(["<file>", "</file>", "\n", "甲", "`", "```", "<", " "]), max_size=14),
    st.integers(1, 5),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_B51_pieces_make_no_difference_and_no_letter_is_lost(
    parts: list[str], step: int, pending: bool
) -> None:
    class Waiting:
        pending = PendingFile(THREE, "writer")

    class Idle:
        pending = None

    turn: object = Waiting if pending else Idle
    reply = "".join(parts)

    def hear(size: int) -> tuple[str, str, bool]:
        stream = FileStream(turn)  # type: ignore[arg-type]
        pieces = []
        for at in range(0, len(reply), size):
            pieces += stream.feed(reply[at : at + size])
        pieces += stream.end()
        chat = "".join(said for kind, said in pieces if kind == "chat")
        return chat, stream.body, stream.complete

    assert hear(step) == hear(1000)
    chat, body, _ = hear(step)
    assert (chat + body).count("甲") == reply.count("甲")


def test_B52_an_unclosed_body_is_saved_where_no_text_is(b: Bench) -> None:
    waiting(b)
    _, _, stream = heard(b, "<file>\n雨下了一夜。")
    assert not stream.complete
    assert save_body(b.turn, stream.body, stream.complete).ok
    assert b.read(THREE) == "# 夜雨\n\n雨下了一夜。\n"


def test_B52_an_unclosed_body_never_replaces_a_text(tmp_path: Path) -> None:
    b = bench(tmp_path, "第二章整章重写")
    assert b.call("create_file", type="draft", title="第二章 归人", overwrite=True).ok
    before = b.read("chapters/0002.md")
    result = save_body(b.turn, "门开了。", False)
    assert result.error_type == "body_not_closed"
    assert b.read("chapters/0002.md") == before
    assert b.read(result.data["draft"]) == "# 归人\n\n门开了。\n"
    assert b.turn.pending is None
    assert b.call("create_file", type="draft", title="第二章 归人", overwrite=True).ok
    assert save_body(b.turn, "门开了。", True).ok
    assert b.read("chapters/0002.md") == "# 归人\n\n门开了。\n"


def test_B52_a_fence_that_was_left_open_does_not_swallow_the_end(b: Bench) -> None:
    waiting(b)
    chat, _, stream = heard(b, "<file>\n雨。\n```\n信\n</file>\n")
    assert (chat, stream.complete) == ("", True)
    assert stream.body == "雨。\n```\n信\n"


def test_B52_a_file_that_the_author_wrote_meanwhile_is_not_replaced(b: Bench) -> None:
    waiting(b)
    b.by_hand(THREE, "# 我的\n\n我自己写的。\n")
    result = save_body(b.turn, "雨。", True)
    assert result.error_type == "author_edit_protected"
    assert b.read(THREE) == "# 我的\n\n我自己写的。\n"
    assert b.read(result.data["draft"]) == "# 夜雨\n\n雨。\n"


def test_B53_an_empty_body_leaves_the_file_waiting_and_nothing_on_disk(b: Bench) -> None:
    waiting(b)
    assert save_body(b.turn, " \n", True).error_type == "empty_body"
    assert b.turn.pending is not None
    assert not (b.book.path / THREE).exists()


def test_B54_what_was_broken_off_is_kept_beside_the_file(b: Bench) -> None:
    waiting(b)
    result = save_draft(b.turn, "雨下了")
    assert result.data == {"draft": "drafts/0003.md", "for": THREE, "words": 3}
    assert b.read("drafts/0003.md") == "# 夜雨\n\n雨下了\n"
    assert not (b.book.path / THREE).exists()
    assert b.turn.pending is None
    assert b.call("create_file", type="lore", title="潮钟").ok
    assert save_draft(b.turn, "铜的").data["draft"] == "lore/潮钟.draft.md"
    assert b.read("lore/潮钟.draft.md") == "# 潮钟\n\n铜的\n"


def test_B54_nothing_is_kept_of_nothing(b: Bench) -> None:
    waiting(b)
    before = len(commits(b.book))
    assert save_draft(b.turn, "\n").data == {}
    assert len(commits(b.book)) == before
    assert b.turn.pending is None
