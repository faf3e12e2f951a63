"""``edit_file`` (B31): where an edit finds its place, what it keeps, when nothing is written."""

from pathlib import Path
from typing import Any

import pytest
from agent_tool_helpers import Bench, bench
from hypothesis import given, settings
from hypothesis import strategies as st

from zencli.agent.tools.edit_text import Edit, apply_edits
from zencli.store.history import commits

ONE = "chapters/0001.md"
TWO = "chapters/0002.md"


@pytest.fixture
def b(tmp_path: Path) -> Bench:
    made = bench(tmp_path, "改一改")
    made.know(ONE, TWO, "outline.md")
    return made


def edit(b: Bench, path: str, *edits: dict[str, Any], **more: Any) -> Any:
    return b.call("edit_file", path=path, edits=list(edits), **more)


def test_B31_an_exact_passage_is_replaced_and_nothing_else(b: Bench) -> None:
    before = b.read(ONE)
    result = edit(b, ONE, {"op": "replace", "old": "海上没有船", "new": "海上有一条船"})
    assert result.ok
    assert b.read(ONE) == before.replace("海上没有船", "海上有一条船")
    assert result.data["edits"] == 1


@pytest.mark.parametrize(
    "old", ['"谁？"林晚问', "「谁？」林晚问", "＂谁？＂林晚问", "„谁？“林晚问"]
)
def test_B31_quotation_marks_are_equal_and_the_files_own_are_kept(b: Bench, old: str) -> None:
    new = old.replace("谁？", "谁在外面？")
    assert edit(b, TWO, {"op": "replace", "old": old, "new": new}).ok
    assert "“谁在外面？”林晚问" in b.read(TWO)
    assert "谁？" not in b.read(TWO)


def test_B31_new_marks_become_the_files_own(b: Bench) -> None:
    edits = [{"op": "replace", "old": "有人敲门。", "new": '有人敲门。"开门！""快！"'}]
    edits += [{"op": "insert_after", "anchor": "他叫沈默。", "text": "「我来迟了。」他说。"}]
    edits += [{"op": "append", "text": '"坐吧。"林晚说："火在那边。"'}]
    assert edit(b, TWO, *edits).ok
    text = b.read(TWO)
    assert "有人敲门。“开门！”“快！”" in text
    assert "“我来迟了。”他说。" in text
    assert "“坐吧。”林晚说：“火在那边。”" in text


def test_B31_a_change_of_the_marks_themselves_is_made_as_asked(b: Bench) -> None:
    assert edit(b, TWO, {"op": "replace", "old": "“谁？”", "new": "「谁？」"}).ok
    assert "「谁？」林晚问" in b.read(TWO)


def test_B31_corner_marks_stay_corner_marks(b: Bench) -> None:
    b.by_hand("lore/钟.md", "# 钟\n\n「别敲。」他说，「『潮钟』会听见。」\n")
    b.know("lore/钟.md")
    done = edit(b, "lore/钟.md", {"op": "replace", "old": '"别敲。"', "new": '"别敲了。"'})
    assert done.ok
    assert edit(b, "lore/钟.md", {"op": "append", "text": "“听，‘潮钟’响了。”"}).ok
    assert "「别敲了。」他说，「『潮钟』会听见。」" in b.read("lore/钟.md")
    assert "「听，『潮钟』响了。」" in b.read("lore/钟.md")


def test_B31_apostrophes_of_an_english_file_are_kept(tmp_path: Path) -> None:
    b = bench(tmp_path, language="en")
    b.by_hand("lore/bell.md", "# Bell\n\n“Don’t ring it,” he said. It wasn’t his.\n")
    b.know("lore/bell.md")
    old, new = '"Don\'t ring it,"', '"Don\'t you ring it,"'
    assert edit(b, "lore/bell.md", {"op": "replace", "old": old, "new": new}).ok
    assert "“Don’t you ring it,” he said." in b.read("lore/bell.md")


def test_B31_six_characters_are_found_without_marks_and_space(b: Bench) -> None:
    old = "门外站着 一个，浑身湿透的人"
    assert edit(b, TWO, {"op": "replace", "old": old, "new": "门外站着一个陌生人"}).ok
    assert "\n\n门外站着一个陌生人。\n\n" in b.read(TWO)


def test_B31_the_mark_after_a_passage_found_by_its_words_goes_with_it(b: Bench) -> None:
    old = "门外站着一个浑身湿透的人！"
    assert edit(b, TWO, {"op": "replace", "old": old, "new": "门外没有人。"}).ok
    assert "门外没有人。\n\n他叫沈默。" in b.read(TWO)


def test_B31_a_mark_that_the_new_words_bring_is_not_doubled(b: Bench) -> None:
    said = {"op": "replace", "old": "灯亮了海上没有船", "new": "灯灭了，海上没有船。"}
    assert edit(b, ONE, said).ok
    assert b.read(ONE).endswith("\n灯灭了，海上没有船。\n")


def test_B31_an_anchor_may_be_found_by_its_words_too(b: Bench) -> None:
    anchor = "灯亮了海上没有船"
    assert edit(b, ONE, {"op": "insert_before", "anchor": anchor, "text": "她点火。"}).ok
    assert "她点火。\n\n灯亮了，海上没有船。" in b.read(ONE)


def test_B31_five_characters_are_not_guessed(b: Bench) -> None:
    result = edit(b, ONE, {"op": "replace", "old": "灯亮了！海上", "new": "x"})
    assert result.error_type == "anchor_not_found"


@pytest.mark.parametrize("field", [{"op": "delete"}, {"op": "replace", "new": ""}])
def test_B31_a_deletion_is_never_a_guess(b: Bench, field: dict[str, str]) -> None:
    before = b.read(TWO)
    result = edit(b, TWO, {**field, "old": "门外站着一个，浑身湿透的人"})
    assert result.error_type == "anchor_not_found"
    assert b.read(TWO) == before
    assert edit(b, TWO, {**field, "old": "门外站着一个浑身湿透的人。"}).ok
    assert b.read(TWO) == before.replace("门外站着一个浑身湿透的人。\n\n", "")


def test_B31_a_missing_new_is_never_a_deletion(b: Bench) -> None:
    before = b.read(ONE)
    for edits in (
        {"op": "replace", "old": "海上没有船"},
        {"op": "replace", "old": "海上没有船", "new": None},
    ):
        result = edit(b, ONE, edits)
        assert result.error_type == "missing_new"
    assert b.read(ONE) == before


def test_B31_several_places_need_an_occurrence(b: Bench) -> None:
    b.by_hand(ONE, "# 点灯\n\n灯灭了。\n\n她等着。\n\n灯灭了。\n")
    b.know(ONE)
    result = edit(b, ONE, {"op": "replace", "old": "灯灭了", "new": "灯亮了"})
    assert result.error_type == "anchor_ambiguous"
    previews = result.data["failed"][0]["previews"]
    assert [(p["occurrence"], p["line"]) for p in previews] == [(1, 3), (2, 7)]
    assert "她等着" in previews[1]["preview"]
    assert edit(b, ONE, {"op": "replace", "old": "灯灭了", "new": "灯亮了", "occurrence": 2}).ok
    assert b.read(ONE) == "# 点灯\n\n灯灭了。\n\n她等着。\n\n灯亮了。\n"
    result = edit(b, ONE, {"op": "delete", "old": "灯灭了", "occurrence": 2})
    assert result.error_type == "anchor_not_found"


def test_B31_every_place_when_that_is_asked(b: Bench) -> None:
    b.by_hand(ONE, "# 点灯\n\n阿晚来了。阿晚走了。\n")
    b.know(ONE)
    change = {"op": "replace", "old": "阿晚", "new": "林晚", "replace_all": True}
    result = edit(b, ONE, change)
    assert result.data["edits"] == 2
    assert b.read(ONE) == "# 点灯\n\n林晚来了。林晚走了。\n"


def test_B31_a_miss_shows_the_three_nearest_paragraphs(b: Bench) -> None:
    result = edit(b, TWO, {"op": "replace", "old": "门外站着一个浑身是血的人", "new": "x"})
    nearest = result.data["failed"][0]["nearest"]
    assert nearest[0] == "门外站着一个浑身湿透的人。"
    assert len(nearest) <= 3


def test_B31_all_or_nothing_and_every_failing_edit_is_listed(b: Bench) -> None:
    before, count = b.read(TWO), len(commits(b.book))
    result = edit(
        b,
        TWO,
        {"op": "replace", "old": "有人敲门", "new": "有人砸门"},
        {"op": "replace", "old": "没有这一句话", "new": "x"},
        {"op": "replace", "old": "他叫沈默"},
        {"op": "delete", "old": "也没有这一句"},
    )
    assert result.error_type == "anchor_not_found"
    assert [failed["edit"] for failed in result.data["failed"]] == [2, 3, 4]
    assert [failed["error_type"] for failed in result.data["failed"]] == [
        "anchor_not_found",
        "missing_new",
        "anchor_not_found",
    ]
    assert "edit 2" in result.for_model
    assert "edit 4" in result.for_model
    assert b.read(TWO) == before
    assert len(commits(b.book)) == count


def test_B31_partly_only_when_that_is_asked(b: Bench) -> None:
    edits = [
        {"op": "replace", "old": "有人敲门", "new": "有人砸门"},
        {"op": "replace", "old": "没有这一句话", "new": "x"},
    ]
    result = edit(b, TWO, *edits, partial=True)
    assert result.ok
    assert [failed["edit"] for failed in result.data["failed"]] == [2]
    assert "有人砸门" in b.read(TWO)
    assert edit(b, TWO, edits[1], partial=True).error_type == "anchor_not_found"


def test_B31_later_edits_see_what_earlier_ones_did(b: Bench) -> None:
    first = {"op": "replace", "old": "有人敲门", "new": "有人砸门"}
    second = {"op": "insert_after", "anchor": "有人砸门。", "text": "三下。"}
    assert edit(b, TWO, first, second).ok
    assert "有人砸门。\n\n三下。\n\n“谁？”" in b.read(TWO)


def test_B31_insertions_part_paragraphs_and_stay_within_sentences(b: Bench) -> None:
    edits = [
        {"op": "insert_after", "anchor": "他叫沈默。", "text": "他笑了笑。"},
        {"op": "insert_after", "anchor": "林晚", "text": "低声"},
        {"op": "insert_before", "anchor": "有人敲门。", "text": "夜里。"},
        {"op": "prepend", "text": "雾更浓了。"},
    ]
    assert edit(b, TWO, *edits).ok
    assert b.read(TWO) == (
        "# 来客\n\n雾更浓了。\n\n夜里。\n\n有人敲门。\n\n“谁？”林晚低声问。\n\n"
        "门外站着一个浑身湿透的人。\n\n他叫沈默。\n\n他笑了笑。\n"
    )


def test_B31_list_items_stay_one_list(b: Bench) -> None:
    b.by_hand("lore/物.md", "# 物\n\n- 灯\n- 钟\n")
    b.know("lore/物.md")
    assert edit(b, "lore/物.md", {"op": "insert_after", "anchor": "- 灯", "text": "- 油"}).ok
    assert b.read("lore/物.md") == "# 物\n\n- 灯\n- 油\n- 钟\n"
    assert edit(b, "lore/物.md", {"op": "delete", "old": "- 油"}).ok
    assert b.read("lore/物.md") == "# 物\n\n- 灯\n- 钟\n"


def test_B31_a_file_not_seen_in_full_is_matched_exactly_only(b: Bench) -> None:
    b.turn.seen.clear()
    vague = {"op": "replace", "old": "门外站着一个，浑身湿透的人", "new": "门外没有人"}
    quoted = {"op": "replace", "old": '"谁？"林晚问', "new": '"谁？"林晚喊'}
    for change in (vague, quoted):
        result = edit(b, TWO, change)
        assert result.error_type == "anchor_not_found"
        assert "haven't read" in result.for_model
    assert edit(b, TWO, {"op": "replace", "old": "有人敲门", "new": "有人砸门"}).ok


def test_B31_a_text_that_vanishes_is_a_deletion_and_refused(b: Bench) -> None:
    before = b.read(ONE)
    prose = before.split("\n\n", 1)[1].strip()
    result = edit(b, ONE, {"op": "delete", "old": prose})
    assert result.error_type == "empty_result"
    assert "delete_file" in result.for_model
    assert b.read(ONE) == before


def test_B31_edits_that_change_nothing_say_so(b: Bench) -> None:
    count = len(commits(b.book))
    result = edit(b, ONE, {"op": "replace", "old": "海上没有船", "new": "海上没有船"})
    assert result.error_type == "no_change"
    assert len(commits(b.book)) == count


def test_B31_line_ends_and_mark_of_the_file_stay(b: Bench) -> None:
    raw = "\ufeff# 钟\r\n\r\n一。\r\n\r\n二。\r\n".encode()
    (b.book.path / "lore").mkdir()
    (b.book.path / "lore/钟.md").write_bytes(raw)
    assert edit(b, "lore/钟.md", {"op": "replace", "old": "二。", "new": "二。\n\n三。"}).ok
    written = (b.book.path / "lore/钟.md").read_bytes()
    assert written == "\ufeff# 钟\r\n\r\n一。\r\n\r\n二。\r\n\r\n三。\r\n".encode()


def test_B31_control_characters_of_the_model_are_not_written(b: Bench) -> None:
    new = "海上\x1b[31m有\x00船\u202e了\ud800\r\n。"
    assert edit(b, ONE, {"op": "replace", "old": "海上没有船。", "new": new}).ok
    assert "灯亮了，海上[31m有船了\n。" in b.read(ONE)


def test_B14_words_put_into_chapters_are_counted_once_and_those_of_outlines_not(b: Bench) -> None:
    edit(b, ONE, {"op": "append", "text": "一二三四五。"})
    edit(b, ONE, {"op": "replace", "old": "一二三四五。", "new": "一二三六四五。"})
    edit(b, ONE, {"op": "replace", "old": "不在这里的话", "new": "一二三"})
    edit(b, "outline.md", {"op": "append", "text": "第三章：归航。"})
    assert b.turn.files.words == {ONE: 7}


def test_B31_an_edit_of_a_missing_file_names_the_near_ones(b: Bench) -> None:
    result = edit(b, "chapters/0020.md", {"op": "append", "text": "x"})
    assert result.error_type == "file_not_found"
    assert TWO in result.data["near"]


def test_B31_an_edit_is_told_as_an_event_and_in_the_turn(b: Bench) -> None:
    edit(b, ONE, {"op": "append", "text": "一二三。"})
    assert b.told("file_updated") == [{"path": ONE, "change": "changed", "words": 33}]
    assert b.turn.files.changes == {ONE: "changed"}
    assert b.turn.files.before[ONE] == b.read(ONE).replace("\n\n一二三。", "")
    assert b.turn.seen[ONE] == b.read(ONE)


def test_B31_a_view_may_be_edited_as_long_as_it_can_be_read(b: Bench) -> None:
    b.by_hand("state.md", "# 现状\n\n")
    result = edit(b, "state.md", {"op": "append", "text": "- [ 这不是一行状态"})
    assert result.error_type in ("", "view_unreadable")
    if result.error_type:
        assert b.read("state.md") == "# 现状\n\n"


texts = st.text(st.sampled_from("灯塔雾船，。！“”\"'ab \n"), max_size=40)


@given(texts, texts, texts, st.booleans())
@settings(max_examples=120, deadline=None)
def test_B31_outside_of_the_passage_no_byte_changes(
    ahead: str, passage: str, behind: str, exact: bool
) -> None:
    whole = f"{ahead}【{passage}】{behind}"
    done = apply_edits(whole, [Edit("replace", old=f"【{passage}】", new="新")], exact=exact)
    assert not done.failures
    assert done.text == f"{ahead}新{behind}"


@given(texts, texts)
@settings(max_examples=120, deadline=None)
def test_B31_a_deletion_takes_only_what_stands_there(whole: str, old: str) -> None:
    done = apply_edits(whole, [Edit("delete", old=old)], exact=False)
    if done.failures:
        assert done.text == whole
        return
    kept = iter("".join(whole.split()))
    assert all(letter in kept for letter in "".join(done.text.split()))
    assert len("".join(whole.split())) - len("".join(done.text.split())) == len(
        "".join(old.split())
    )
