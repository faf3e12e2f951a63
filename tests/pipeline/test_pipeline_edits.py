"""What the author does by hand: noticed, told in one line, taken over, and never lost."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import (
    BOOK,
    ZH,
    Breaking,
    Workspace,
    book_of,
    files_of,
    four_calls,
    play,
    prompt,
    prose,
    reply,
    step,
)

from zencli.context.canon import Canon
from zencli.errors import DamagedError, NotFound
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.editing.edits import Edits, Moved, noticed
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.editing.sync_results import SyncResult
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Approve, Audit, Restore, Revise, Undo, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner, RunOptions
from zencli.store.layout import BookDir
from zencli.story.documents.cards import parse_card
from zencli.story.documents.outline import entries
from zencli.story.record import Record
from zencli.story.state import State


def path_of(root: Path, file: str) -> Path:
    return root / "books" / BOOK / file


def edit(root: Path, file: str, old: str, new: str) -> None:
    """Change one place of a file by hand."""
    path = path_of(root, file)
    text = path.read_text(encoding="utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def record(root: Path, number: int) -> Record:
    found = book_of(root).record(number)
    assert found is not None
    return found


def state(root: Path) -> State:
    """The story as the program believes it now, edits included."""
    canon = Canon.load(book_of(root))
    return canon.state_before(max(canon.records, default=0) + 1)


def write(root: Path, number: int) -> tuple[Runner, Any]:
    runner, model = play(root, four_calls(number))
    runner.write_next(WriteNext())
    return runner, model


def sync(root: Path, *steps: Step, **params: Any) -> tuple[SyncResult, Runner, Any]:
    runner, model = play(root, steps)
    return runner.sync(Sync(**params)), runner, model


def settle_of(number: int, **changes: Any) -> Step:
    return step("settle", **{**reply(f"{number:04d}.settle"), **changes})


# --- noticing


def test_nothing_is_noticed_in_a_book_that_only_the_program_wrote(workspace: Workspace) -> None:
    for chapters in (0, 2):
        assert noticed(book_of(workspace(chapters))) == Edits()


def test_every_edit_is_noticed_and_told_in_one_line(workspace: Workspace) -> None:
    root = workspace(2)
    edit(root, "chapters/0001.md", "。", "！")
    edit(root, "outline.md", "\n", "\n改过。\n")
    edit(root, "state.md", "在石狮子背上", "在桥洞里")
    path_of(root, "rules.md").unlink()
    path_of(root, "characters/新人.md").write_text("# 新人\n", encoding="utf-8")
    edits = noticed(book_of(root))
    assert edits.edited == ["chapters/0001.md", "state.md", "outline.md"]
    assert edits.deleted == ["rules.md"]
    assert edits.added == ["characters/新人.md"]
    assert edits.line(BOOK) == (
        "edited since: chapters/0001.md, state.md, outline.md; deleted since: rules.md; "
        f"added since: characters/新人.md (sync {BOOK} settles edited chapters)"
    )
    assert book_status(book_of(root)).edits == edits


def test_line_ends_and_a_byte_order_mark_are_no_edit(workspace: Workspace) -> None:
    root = workspace(1)
    for file in ("state.md", "outline.md", "chapters/0001.md"):
        path = path_of(root, file)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert noticed(book_of(root)) == Edits()


@pytest.mark.parametrize("verb", ["approve", "audit", "write-next"])
def test_a_verb_that_writes_says_what_was_edited(workspace: Workspace, verb: str) -> None:
    root = workspace(1)
    edit(root, "outline.md", "\n", "\n改过。\n")
    runner, _ = play(root, four_calls(2) if verb == "write-next" else [])
    if verb == "approve":
        runner.approve(Approve(chapters="1"))
    elif verb == "audit":
        runner.audit(Audit(no_llm=True))
    else:
        runner.write_next(WriteNext())
    assert "edited since: outline.md" in runner.warnings


def test_an_edit_that_was_told_with_a_chapter_isnt_told_again(workspace: Workspace) -> None:
    root = workspace(1)
    edit(root, "outline.md", "\n", "\n改过。\n")
    write(root, 2)
    assert noticed(book_of(root)) == Edits()
    runner, _ = write(root, 3)
    assert not [w for w in runner.warnings if "edited since" in w]


def test_without_the_digests_nothing_counts_as_edited(workspace: Workspace) -> None:
    for damage in (None, "{", "[]", '{"state.md": 3}'):
        root = workspace(1)
        path = path_of(root, "records/files.json")
        if damage is None:
            path.unlink()
        else:
            path.write_text(damage, encoding="utf-8")
        assert noticed(book_of(root)) == Edits(), damage
        write(root, 2)
        assert set(json.loads(path.read_text("utf-8"))) >= {"state.md", "outline.md"}
        shutil.rmtree(root)


# --- the views


def test_an_edited_state_is_what_the_next_chapter_is_written_on(workspace: Workspace) -> None:
    root = workspace(1)
    edit(root, "state.md", "在石狮子背上", "在桥洞里睡着了")
    edit(root, "hooks.md", "最迟：第 4 章", "最迟：第 3 章")
    runner, model = write(root, 2)
    assert "在桥洞里睡着了" in prompt(model.requests[0])
    told = [w for w in runner.warnings if "taken over from chapter 2" in w]
    assert len(told) == 2
    stored = json.loads(path_of(root, "records/corrections.json").read_text("utf-8"))
    assert {(c["from"], c["kind"], c["key"], c["field"]) for c in stored} == {
        (2, "character", "栗子", "start"),
        (2, "hook", "H1", "due"),
    }
    assert "在桥洞里睡着了" in (book_of(root).read("state.md") or "")
    assert noticed(book_of(root)) == Edits()


def test_a_correction_isnt_lost_when_the_story_goes_on(workspace: Workspace) -> None:
    root = workspace(1)
    edit(root, "state.md", "在石狮子背上", "在桥洞里睡着了")
    write(root, 2)
    write(root, 3)
    assert "在桥洞里睡着了" in (book_of(root).read("state.md") or "")
    assert len(book_of(root).corrections()) == 1
    canon = Canon.load(book_of(root))
    assert canon.state_before(1).characters["栗子"].start != "在桥洞里睡着了"
    assert canon.state_before(2).characters["栗子"].start == "在桥洞里睡着了。"


def test_a_chapter_that_tells_otherwise_is_told_and_kept_in_its_record(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    assert "所在：桥脚祝家；知道：女儿" not in (book_of(root).read("state.md") or "")
    edit(root, "state.md", "## 物件", "- 倪三：在船上；所在：船上\n\n## 物件")
    plan, text, audit, _ = four_calls(2)
    quote = prose(2).split("\n\n")[0]
    moved = {"name": "倪三", "place": "岸上", "quote": quote}
    told = reply("0002.settle")
    told["characters"] = [*told["characters"], moved]
    runner, _ = play(root, [plan, text, audit, step("settle", **told)])
    runner.write_next(WriteNext())
    (sentence,) = record(root, 2).overruled
    assert "倪三" in sentence
    assert "'船上'" in sentence
    assert "'岸上'" in sentence
    assert f"settle: {sentence}" in runner.warnings
    assert state(root).characters["倪三"].place == "岸上"


class EditedMeanwhile(ScriptedModel):
    """A model during whose first call the author edits a file."""

    def __init__(self, steps: list[Step], act: Callable[[], None]) -> None:
        super().__init__(steps, profile=ZH.model([]).profile)
        self._act = act

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if not self.requests:
            self._act()
        return super().complete(request, on_text)


def test_an_edit_that_is_made_while_a_chapter_is_written_isnt_lost(workspace: Workspace) -> None:
    root = workspace(1)
    edit(root, "state.md", "在石狮子背上", "在桥洞里")

    def act() -> None:
        edit(root, "state.md", "在上圩倪宅", "在船上")
        edit(root, "characters/祝满.md", "# 祝满", "# 祝小满")

    Runner(root, model=EditedMeanwhile(four_calls(2), act)).write_next(WriteNext())
    stored = book_of(root).corrections()
    assert [(c.at, c.key, c.value) for c in stored] == [
        (2, "栗子", "在桥洞里。"),
        (3, "邬管事", "在船上。"),
    ]
    assert state(root).characters["祝小满"].as_of == 2
    assert noticed(book_of(root)) == Edits()


def test_an_outline_edited_while_a_chapter_is_written_is_amended_as_it_is_now(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    plan = reply("0002.plan") | {"amend": [{"chapter": 4, "change": "闸门提前开了。"}]}
    _, *others = four_calls(2)
    added = "## 作者加的话\n\n第四章要下雨。\n\n"

    def act() -> None:
        path = path_of(root, "outline.md")
        path.write_text(path.read_text("utf-8").replace("#### 第 3 章", f"{added}#### 第 3 章"))

    Runner(root, model=EditedMeanwhile([step("plan", **plan), *others], act)).write_next(
        WriteNext()
    )
    outline = path_of(root, "outline.md").read_text("utf-8")
    assert added in outline
    assert "闸门提前开了。" in entries(outline)[4]


@pytest.mark.parametrize("plan_only", [True, False])
def test_an_outline_edited_while_it_is_continued_keeps_the_edit(
    workspace: Workspace, *, plan_only: bool
) -> None:
    root = workspace(1)
    path = path_of(root, "outline.md")
    text = path.read_text("utf-8")
    for number in (2, 3, 4):
        text = text.replace(f"{entries(text)[number]}\n", "")
    path.write_text(text, "utf-8")
    given = json.loads(ZH.read("outline.json"))["chapters"]
    chapters = [c for c in given if c["number"] in (2, 3, 4)]

    def act() -> None:
        edit(root, "outline.md", "# ", "作者加的话。\n\n# ")

    steps = [step("outline", chapters=chapters), *four_calls(2)]
    runner = Runner(root, model=EditedMeanwhile(steps, act))
    runner.write_next(WriteNext(plan_only=plan_only))
    outline = path.read_text("utf-8")
    assert outline.startswith("作者加的话。\n\n# ")
    assert list(entries(outline)) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("state.md", "- 栗子：在", "- 栗子在"),
        ("hooks.md", "状态：", "状态：忘记"),
    ],
)
def test_an_edit_that_cant_be_read_stops_the_verb_and_stays(
    workspace: Workspace, file: str, old: str, new: str
) -> None:
    root = workspace(1)
    edit(root, file, old, new)
    before = files_of(root / "books" / BOOK)
    for verb in ("write-next", "sync", "revise"):
        runner, model = play(root, [])
        with pytest.raises(DamagedError, match=rf"{file}, line \d+: ") as caught:
            if verb == "write-next":
                runner.write_next(WriteNext())
            elif verb == "sync":
                runner.sync(Sync())
            else:
                runner.revise(Revise(instruction="短一点"))
        assert caught.value.exit_code == 8
        assert model.requests == []
    assert files_of(root / "books" / BOOK) == before
    assert book_status(book_of(root)).edits.edited == [file]


def test_a_view_that_was_cut_off_takes_nothing_out_of_the_story(workspace: Workspace) -> None:
    root = workspace(1)
    path = path_of(root, "state.md")
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(DamagedError, match="cut off"):
        play(root, [])[0].write_next(WriteNext())


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_view_that_is_gone_is_rendered_again(workspace: Workspace, how: str) -> None:
    root = workspace(1)
    path = path_of(root, "state.md")
    before = path.read_text("utf-8")
    if how == "deleted":
        path.unlink()
    else:
        path.write_text("\n", encoding="utf-8")
    sync(root)
    assert path.read_text("utf-8") == before
    assert book_of(root).corrections() == ()


def test_undoing_the_chapter_brings_the_edit_back_to_be_taken_over_again(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    edit(root, "state.md", "在石狮子背上", "在桥洞里睡着了")
    before = files_of(root / "books" / BOOK)
    write(root, 2)
    Runner(root).undo(Undo())
    assert files_of(root / "books" / BOOK) == before
    assert noticed(book_of(root)).edited == ["state.md"]
    write(root, 2)
    assert len(book_of(root).corrections()) == 1


def test_a_view_that_was_restored_is_an_edit(workspace: Workspace) -> None:
    root = workspace(2)
    before = state(root)
    Runner(root).restore(Restore(file="state.md", revision=1))
    assert noticed(book_of(root)).edited == ["state.md"]
    sync(root)
    assert state(root).facts == ()
    assert before.facts != ()


# --- cards


def test_a_person_with_another_name_is_the_same_person(workspace: Workspace) -> None:
    root = workspace(1)
    before = state(root)
    edit(root, "characters/祝满.md", "# 祝满", "# 祝小满")
    runner, _ = write(root, 2)
    assert any("祝小满 is known by old names too: 祝满" in w for w in runner.warnings)
    after = state(root)
    assert "祝满" not in after.characters
    assert len(after.characters) == len(before.characters)
    person = after.characters["祝小满"]
    assert person.as_of == 2
    assert [k.what for k in person.knows][: len(before.characters["祝满"].knows)] == [
        k.what for k in before.characters["祝满"].knows
    ]
    edit(root, "characters/祝满.md", "# 祝小满", "# 祝大满")
    sync(root)
    assert state(root).characters["祝大满"] == person.model_copy(update={"name": "祝大满"})
    edit(root, "characters/祝满.md", "# 祝大满", "# 祝满")
    sync(root)
    assert "祝满" in state(root).characters
    assert "祝大满" not in state(root).characters


def test_a_card_in_another_file_changes_nothing(workspace: Workspace) -> None:
    root = workspace(1)
    before = state(root)
    path_of(root, "characters/祝满.md").rename(path_of(root, "characters/zhu-man.md"))
    sync(root)
    assert dict(state(root).characters) == dict(before.characters)
    path_of(root, "characters/zhu-man.md").rename(path_of(root, "characters/ana.md"))
    edit(root, "characters/ana.md", "# 祝满", "# 祝小满")
    sync(root)
    assert state(root).characters["祝小满"].as_of == 1


def test_a_person_of_the_story_without_a_card_stays_in_it(workspace: Workspace) -> None:
    root = workspace(1)
    card = parse_card(book_of(root).read("characters/祝满.md") or "")
    path_of(root, "characters/祝满.md").unlink()
    path_of(root, "characters/栗子.md").unlink()
    before = Canon.load(book_of(root)).state_before(2)
    runner, _ = write(root, 2)
    assert "祝满 has no card any more and stays in the story" in runner.warnings
    after = state(root)
    assert after.characters["祝满"].start == card.start
    assert card.aliases
    assert not set(card.aliases) & set(after.characters)
    assert "栗子" not in before.characters, "nothing was told of them: they are gone"


# --- sync: chapters


def test_an_edited_chapter_is_settled_again_with_one_call(workspace: Workspace) -> None:
    root = workspace(2)
    edit(root, "chapters/0001.md", "。", "。她把灯留在桥头。")
    result, runner, model = sync(root, settle_of(1, summary="她留下了灯。"))
    assert [request.role for request in model.requests] == ["settle"]
    assert [(c.number, c.action) for c in result.chapters] == [(1, "settled")]
    after = record(root, 1)
    assert after.delta is not None
    assert after.delta.summary == "她留下了灯。"
    assert (after.status, after.verdict, after.audited) == ("drafted", None, False)
    assert not book_of(root).edited(1)
    assert result.stale == [2]
    assert record(root, 2).stale is not None
    assert "她留下了灯。" in (book_of(root).read("state.md") or "")
    assert runner.warnings[0].startswith("edited since: chapters/0001.md")
    assert noticed(book_of(root)) == Edits()


@pytest.mark.parametrize("no_llm", [True, False])
def test_an_edited_text_that_was_settled_is_in_the_history(
    workspace: Workspace, *, no_llm: bool
) -> None:
    root = workspace(1)
    edit(root, "chapters/0001.md", "。", "。作者加的。")
    edited = path_of(root, "chapters/0001.md").read_bytes()
    play(root, [four_calls(1)[3]])[0].sync(Sync(no_llm=no_llm))
    path_of(root, "chapters/0001.md").unlink()
    runner, _ = play(root, [])
    runner.restore(Restore(file="chapters/0001.md", revision=2))
    assert path_of(root, "chapters/0001.md").read_bytes() == edited


def test_the_same_facts_after_an_edit_make_nothing_stale(workspace: Workspace) -> None:
    root = workspace(2)
    edit(root, "chapters/0001.md", "。", "。她把灯留在桥头。")
    result, _, _ = sync(root, settle_of(1))
    assert result.stale == []
    assert record(root, 2).stale is None


def test_an_approved_chapter_stays_approved(workspace: Workspace) -> None:
    root = workspace(1)
    Runner(root).approve(Approve(chapters="1"))
    edit(root, "chapters/0001.md", "。", "。她把灯留在桥头。")
    result, _, _ = sync(root, settle_of(1))
    assert result.chapters[0].status == record(root, 1).status == "approved"


def test_without_a_model_what_the_text_no_longer_says_is_dropped_and_told(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    before = record(root, 1)
    assert before.delta is not None
    quote = before.delta.facts[0].quote
    edit(root, "chapters/0001.md", quote, "什么也没有")
    result, runner, model = sync(root, no_llm=True)
    assert model.requests == []
    (chapter,) = result.chapters
    assert chapter.action == "measured"
    assert len(chapter.dropped) >= 1
    after = record(root, 1)
    assert after.delta is not None
    assert after.dropped == chapter.dropped
    assert before.delta.facts[0] not in after.delta.facts
    assert after.delta.summary == before.delta.summary
    assert after.words != before.words
    assert result.stale == [2]
    assert any("sentence is gone" in w for w in runner.warnings)


def test_only_the_chapters_asked_for_are_settled(workspace: Workspace) -> None:
    root = workspace(3)
    for number in (1, 2, 3):
        edit(root, f"chapters/000{number}.md", "。", "。她把灯留在桥头。")
    result, _, _ = sync(root, settle_of(2), chapters="2")
    assert [c.number for c in result.chapters] == [2]
    edits = noticed(book_of(root))
    assert edits.edited == ["chapters/0001.md", "chapters/0003.md"]
    with pytest.raises(NotFound):
        sync(root, chapters="7-9")


def test_nothing_is_done_where_nothing_was_edited(workspace: Workspace) -> None:
    root = workspace(2)
    before = files_of(root / "books" / BOOK)
    result, _, model = sync(root)
    assert (result.chapters, result.stale, model.requests) == ([], [], [])
    assert files_of(root / "books" / BOOK) == before


def test_a_reply_that_is_no_use_leaves_the_chapter_as_edited(workspace: Workspace) -> None:
    root = workspace(1)
    edit(root, "chapters/0001.md", "。", "。她把灯留在桥头。")
    before = record(root, 1)
    result, _, _ = sync(root, *[Step("settle", "我不会")] * 2)
    assert [c.action for c in result.chapters] == ["left"]
    assert record(root, 1) == before
    assert noticed(book_of(root)).edited == ["chapters/0001.md"]


def test_what_was_settled_before_the_endpoint_went_away_is_kept(workspace: Workspace) -> None:
    root = workspace(2)
    for number in (1, 2):
        edit(root, f"chapters/000{number}.md", "。", "。她把灯留在桥头。")
    runner = Runner(root, model=Breaking([settle_of(1)], at=2))
    with pytest.raises(PartlyDone) as caught:
        runner.sync(Sync())
    assert [c.number for c in caught.value.result.chapters] == [1]
    assert noticed(book_of(root)).edited == ["chapters/0002.md"]
    result, _, model = sync(root, settle_of(2))
    assert [c.number for c in result.chapters] == [2]
    assert len(model.requests) == 1


def test_a_dry_run_shows_the_call_and_changes_nothing(workspace: Workspace) -> None:
    root = workspace(2)
    path_of(root, "chapters/0002.md").unlink()
    before = files_of(root / "books" / BOOK)
    Runner(root, RunOptions(dry_run=True), model=ZH.model([])).sync(Sync())
    assert files_of(root / "books" / BOOK) == before


# --- sync: renamed, deleted and added chapters


def test_a_renamed_chapter_takes_its_record_along(workspace: Workspace) -> None:
    root = workspace(2)
    before = record(root, 2)
    path_of(root, "chapters/0002.md").rename(path_of(root, "chapters/0003.md"))
    assert noticed(book_of(root)).renamed == [Moved(before=2, after=3)]
    result, _, model = sync(root)
    assert model.requests == []
    assert result.renamed == [Moved(before=2, after=3)]
    assert book_of(root).record(2) is None
    assert record(root, 3).model_copy(update={"number": 2, "updated": before.updated}) == before
    assert noticed(book_of(root)) == Edits()


def test_two_chapters_that_changed_places_are_understood(workspace: Workspace) -> None:
    root = workspace(2)
    one, two = path_of(root, "chapters/0001.md"), path_of(root, "chapters/0002.md")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    titles = [record(root, n).title for n in (1, 2)]
    result, _, model = sync(root)
    assert model.requests == []
    assert [record(root, n).title for n in (2, 1)] == titles
    assert result.stale == [1, 2]


def test_a_chapter_put_between_two_others_moves_those_after_it(workspace: Workspace) -> None:
    root = workspace(2)
    path_of(root, "chapters/0002.md").rename(path_of(root, "chapters/0003.md"))
    path_of(root, "chapters/0002.md").write_text(f"# 插进来\n\n{prose(3)}\n", encoding="utf-8")
    result, _, model = sync(root, settle_of(3))
    assert [request.role for request in model.requests] == ["settle"]
    assert [(c.number, c.title, c.action) for c in result.chapters] == [(2, "插进来", "settled")]
    assert result.renamed == [Moved(before=2, after=3)]
    assert sorted(book_of(root).records()) == [1, 2, 3]
    assert result.stale == [3]


def test_the_record_of_a_deleted_chapter_goes_to_the_history(workspace: Workspace) -> None:
    root = workspace(3)
    path_of(root, "chapters/0002.md").unlink()
    assert noticed(book_of(root)).deleted == ["chapters/0002.md"]
    result, runner, _ = sync(root)
    assert result.removed == [2]
    assert sorted(book_of(root).records()) == [1, 3]
    assert any("Chapter 2 was taken away" in w for w in runner.warnings)
    assert record(root, 3).stale is not None
    Runner(root).restore(Restore(file="records/0002.json", revision=1))
    assert record(root, 2).number == 2


def test_a_new_chapter_without_a_model_gets_a_record_that_says_nothing_yet(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    path_of(root, "chapters/0002.md").write_text(f"# 自己写的\n\n{prose(2)}\n", encoding="utf-8")
    assert noticed(book_of(root)).added == ["chapters/0002.md"]
    result, _, _ = sync(root, no_llm=True)
    assert [(c.number, c.action) for c in result.chapters] == [(2, "measured")]
    new = record(root, 2)
    assert (new.title, new.delta, new.status) == ("自己写的", None, "drafted")
    assert new.words > 0
    settled, _, _ = sync(root, settle_of(2), chapters="2")
    assert [c.action for c in settled.chapters] == ["settled"]


def test_a_sync_is_undone_whole(workspace: Workspace) -> None:
    root = workspace(3)
    path_of(root, "chapters/0003.md").unlink()
    edit(root, "chapters/0001.md", "。", "。她把灯留在桥头。")
    edit(root, "state.md", "在石狮子背上", "在桥洞里睡着了")
    before = files_of(root / "books" / BOOK)
    sync(root, settle_of(1, summary="她留下了灯。"))
    Runner(root).undo(Undo())
    assert files_of(root / "books" / BOOK) == before


def test_books_made_by_import_or_by_hand_are_watched_too(tmp_path: Path) -> None:
    source = tmp_path / "novel.txt"
    source.write_text(f"第一章 起\n\n{prose(1)}\n\n第二章 承\n\n{prose(2)}\n", encoding="utf-8")
    Runner(tmp_path).import_book(Import(source=str(source), book_id="novel", title="起承"))
    book = BookDir(tmp_path / "books" / "novel")
    assert noticed(book) == Edits()
    (book.path / "outline.md").write_text("# 大纲\n\n改过。\n", encoding="utf-8")
    assert noticed(book).edited == ["outline.md"]
