"""Writing chapters: which calls are made, what each of them sees, and what is committed."""

import json
from pathlib import Path

import pytest
from pipeline_helpers import (
    BOOK,
    ZH,
    Breaking,
    Workspace,
    book_of,
    files_of,
    finding,
    four_calls,
    only_critical,
    play,
    prompt,
    prose,
    reply,
    roles,
    step,
)

from zencli.errors import DamagedError, ModelError, NeedsAuthor, NotFound, UsageError
from zencli.llm.scripted import Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.params import Approve, Revise, WriteNext
from zencli.pipeline.partly import PartlyDone
from zencli.pipeline.runner import Runner
from zencli.story.record import text_digest

CARDS = {c["name"]: c["card"][-30:] for c in reply("cast")["characters"]}
"""The ends of the cards: the reconciling call changed one of them further up."""

CALLS = ["plan", "write", "audit", "settle"]
INSTRUCTION = "让栗子在水边等；  不许下雨。\n- 结尾停在她手上"


def user_parts(*requests: Request) -> str:
    """The beginning that the messages of these calls share."""
    texts = [prompt(request) for request in requests]
    letters = zip(*texts, strict=False)
    length = next((i for i, same in enumerate(letters) if len(set(same)) > 1), min(map(len, texts)))
    return texts[0][:length]


def test_a_clean_chapter_costs_four_calls_in_order(workspace: Workspace) -> None:
    runner, model = play(workspace(0), four_calls(1))
    result = runner.write_next(WriteNext())
    assert roles(model) == CALLS
    assert runner.usage.calls == 4
    written = result.chapters[0]
    assert (written.number, written.title, written.status) == (1, "报水", "passed")
    assert (written.verdict, written.findings, written.revised) == ("passed", [], 0)


def test_a_clean_chapter_stays_under_45_000_prompt_tokens(workspace: Workspace) -> None:
    for chapters in (0, 2):
        runner, _ = play(workspace(chapters), four_calls(chapters + 1))
        runner.write_next(WriteNext())
        assert runner.usage.input_tokens < 45_000


def test_a_chapter_file_holds_one_heading_and_the_prose_and_nothing_else(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    result = play(root, four_calls(1))[0].write_next(WriteNext())
    text = Path(result.chapters[0].path).read_text(encoding="utf-8")
    assert text == f"# 报水\n\n{prose(1)}\n"
    record = book_of(root).record(1)
    assert record is not None
    assert record.digest == text_digest(text)
    assert record.words == result.chapters[0].words
    assert record.usage.calls == 4


def test_the_record_the_views_and_the_configuration_follow_the_chapter(
    workspace: Workspace,
) -> None:
    book = book_of(workspace(1))
    record = book.record(1)
    assert record is not None
    assert record.plan is not None
    assert record.plan.purpose == reply("0001.plan")["purpose"]
    assert record.delta is not None
    assert record.delta.summary == reply("0001.settle")["summary"]
    assert record.delta.summary in (book.read("state.md") or "")
    assert book.config().status == "writing"


def test_the_last_chapter_finishes_the_book(workspace: Workspace) -> None:
    root = workspace(3)
    play(root, four_calls(4))[0].write_next(WriteNext())
    assert book_of(root).config().status == "finished"


def test_the_writer_sees_the_tail_of_the_chapter_before(workspace: Workspace) -> None:
    _, model = (made := play(workspace(1), four_calls(2)))
    made[0].write_next(WriteNext())
    tail = prose(1)[-300:]
    assert all(tail in prompt(request) for request in model.requests)


def test_the_writer_sees_the_cards_of_those_whom_the_plan_names_and_of_nobody_else(
    workspace: Workspace,
) -> None:
    runner, model = play(workspace(0), four_calls(1))
    runner.write_next(WriteNext())
    plan = reply("0001.plan")
    said = {key: value for key, value in plan.items() if key not in ("amend", "hold_back", "leave")}
    aliases = {c["name"]: [c["name"], *c["aliases"]] for c in reply("cast")["characters"]}
    words = json.dumps(said, ensure_ascii=False)
    on_stage = {name for name, called in aliases.items() if any(a in words for a in called)}
    writer = prompt(model.requests[1])
    assert on_stage & set(CARDS)
    assert set(CARDS) - on_stage
    for name, card in CARDS.items():
        assert (card in writer) == (name in on_stage), name


@pytest.mark.parametrize(
    "who",
    [
        ["阿满", "邬管事"],
        "祝满、邬管事",
        ["祝满（报水的女儿）", "邬管事 (bearing a paper)"],
        "祝满，邬管事",
    ],
    ids=["alias", "one string", "with notes", "comma"],
)
def test_the_cast_is_found_however_the_planner_writes_its_names(
    workspace: Workspace, who: str | list[str]
) -> None:
    plan = reply("0001.plan")
    plan |= {"cast": None, "scenes": [{**plan["scenes"][0], "who": who}]}
    _, *others = four_calls(1)
    runner, model = play(workspace(0), [step("plan", **plan), *others])
    runner.write_next(WriteNext())
    writer = prompt(model.requests[1])
    assert CARDS["祝满"] in writer
    assert CARDS["邬管事"] in writer
    assert CARDS["祁老四"] not in writer


def test_words_and_instruction_reach_planner_and_writer(workspace: Workspace) -> None:
    runner, model = play(workspace(0), four_calls(1))
    result = runner.write_next(WriteNext(chapter_word_count=2917, instruction=INSTRUCTION))
    for request in model.requests[:2]:
        assert "2917" in prompt(request), request.role
        assert INSTRUCTION in prompt(request), request.role
    assert result.chapters[0].target_words == 2917
    record = book_of(workspace_root(result.chapters[0].path)).record(1)
    assert record is not None
    assert record.target_words == 2917


def workspace_root(chapter_path: str) -> Path:
    return Path(chapter_path).parents[3]


def test_secrets_are_for_the_planner_and_the_auditor_and_come_last(workspace: Workspace) -> None:
    runner, model = play(workspace(1), four_calls(2))
    runner.write_next(WriteNext())
    plan, write, audit, settle = (prompt(request) for request in model.requests)
    shared = user_parts(model.requests[0], model.requests[1])
    truths = [" ".join(s["truth"].split()) for s in reply("concept")["secrets"]]
    truths += [reply("concept")["ending"][:40]]
    for truth in truths:
        assert truth not in write
        assert truth not in settle
        assert plan.index(truth) > len(shared)
        assert audit.index(truth) > audit.index(prose(2)[-60:])


def test_what_only_the_planner_may_see_isnt_shown_to_the_others(workspace: Workspace) -> None:
    runner, model = play(workspace(0), four_calls(1))
    runner.write_next(WriteNext())
    later = next(c["event"] for c in reply("outline")["chapters"] if c["number"] == 2)
    happened = [entry["what"] for entry in reply("concept")["timeline"]]
    assert later in prompt(model.requests[0])
    hidden = next(what for what in happened if what in prompt(model.requests[0]))
    for request in model.requests[1:]:
        assert later not in prompt(request), request.role
        assert hidden not in prompt(request), request.role


def test_the_calls_of_a_chapter_share_their_beginnings_byte_for_byte(
    workspace: Workspace,
) -> None:
    runner, model = play(workspace(1), four_calls(2))
    runner.write_next(WriteNext())
    plan, write, audit, settle = model.requests
    story = user_parts(plan, write, audit, settle)
    needs = user_parts(write, audit, settle)
    draft = user_parts(audit, settle)
    assert prose(1)[-300:] in story
    assert reply("0002.plan")["purpose"] in needs
    assert prose(2) in draft
    assert len(story) < len(needs) < len(draft)


def test_the_system_message_is_the_same_for_all_roles_and_chapters(workspace: Workspace) -> None:
    runner, model = play(workspace(0), [*four_calls(1), *four_calls(2)])
    runner.write_next(WriteNext(chapter_count=2))
    systems = {m.content for r in model.requests for m in r.messages if m.role == "system"}
    assert len(systems) == 1
    assert ZH.brief.strip() in systems.pop()


def test_no_time_and_no_run_id_gets_into_a_prompt(workspace: Workspace) -> None:
    asked = []
    for chapters in (1, 1):
        root = workspace(chapters)
        runner, model = play(root, four_calls(2))
        runner.write_next(WriteNext())
        asked.append([prompt(request) for request in model.requests])
        root.rename(root.with_name(f"elsewhere-{len(asked)}"))
    assert asked[0] == asked[1]


def test_an_authors_plan_saves_the_call_and_reaches_the_writer(workspace: Workspace) -> None:
    root = workspace(0)
    plan = root / "books" / BOOK / "plans" / "0001.md"
    plan.parent.mkdir()
    plan.write_text("# 湿脚\n\n她把灯笼放下，让阿满自己去摸狮子的脚。晏婆在旁边看。\n", "utf-8")
    runner, model = play(root, four_calls(1)[1:])
    result = runner.write_next(WriteNext())
    assert roles(model) == CALLS[1:]
    assert result.chapters[0].title == "湿脚"
    writer = prompt(model.requests[0])
    assert "让阿满自己去摸狮子的脚" in writer
    assert CARDS["祝满"] in writer
    assert CARDS["晏婆"] in writer


def test_an_authors_plan_and_no_audit_leave_two_calls_even_beyond_the_outline(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    book = root / "books" / BOOK
    outline = book / "outline.md"
    text = outline.read_text("utf-8")
    outline.write_text(text[: text.index("#### 第 2 章")], "utf-8")
    (book / "plans").mkdir()
    (book / "plans" / "0002.md").write_text("# 八寸\n\n祝满量塘头。", "utf-8")
    kept = four_calls(2)
    runner, model = play(root, [kept[1], kept[3]])
    runner.write_next(WriteNext(no_audit=True))
    assert roles(model) == ["write", "settle"]


def test_a_chapter_that_isnt_outlined_yet_gets_its_batch_first(workspace: Workspace) -> None:
    root = workspace(1)
    outline = root / "books" / BOOK / "outline.md"
    text = outline.read_text("utf-8")
    outline.write_text(text[: text.index("#### 第 2 章")], "utf-8")
    rest = [{**c, "event": f"新事{c['number']}"} for c in reply("outline")["chapters"][1:]]
    runner, model = play(root, [step("outline", chapters=rest), *four_calls(2)])
    runner.write_next(WriteNext())
    assert roles(model) == ["outline", *CALLS]
    assert "新事2" in prompt(model.requests[1])
    text = outline.read_text("utf-8")
    assert [text.index(f"新事{n}") for n in (2, 3, 4)] == sorted(
        text.index(f"新事{n}") for n in (2, 3, 4)
    )
    assert reply("outline")["chapters"][0]["event"] in text


def test_plan_only_saves_a_plan_that_the_next_run_uses(workspace: Workspace) -> None:
    root = workspace(0)
    runner, model = play(root, four_calls(1)[:1])
    result = runner.write_next(WriteNext(plan_only=True))
    model.done()
    assert result.chapters == []
    assert result.plan is not None
    assert Path(result.plan) == root / "books" / BOOK / "plans" / "0001.md"
    assert book_of(root).chapter_numbers() == []
    runner, model = play(root, four_calls(1)[1:])
    chapter = runner.write_next(WriteNext()).chapters[0]
    assert roles(model) == CALLS[1:]
    assert chapter.title == "报水"
    for text in (reply("0001.plan")["purpose"], reply("0001.plan")["scenes"][1]["turn"]):
        assert text in prompt(model.requests[0])


def test_plan_only_refuses_to_replace_a_plan(workspace: Workspace) -> None:
    root = workspace(0)
    play(root, four_calls(1)[:1])[0].write_next(WriteNext(plan_only=True))
    before = files_of(root)
    with pytest.raises(UsageError) as caught:
        play(root, [])[0].write_next(WriteNext(plan_only=True))
    assert caught.value.code == "usage.plan"
    assert files_of(root) == before


def test_plan_only_for_a_chapter_that_exists_already_does_nothing(workspace: Workspace) -> None:
    runner, _ = play(workspace(1), [])
    result = runner.write_next(WriteNext(plan_only=True, until=1))
    assert (result.chapters, result.plan) == ([], None)
    assert len(runner.warnings) == 1


def test_without_audit_a_chapter_is_drafted_and_has_no_verdict(workspace: Workspace) -> None:
    plan, write, _, settle = four_calls(1)
    runner, model = play(workspace(0), [plan, write, settle])
    chapter = runner.write_next(WriteNext(no_audit=True)).chapters[0]
    assert roles(model) == ["plan", "write", "settle"]
    assert (chapter.verdict, chapter.status) == (None, "drafted")


def test_count_writes_so_many_chapters(workspace: Workspace) -> None:
    runner, model = play(workspace(1), [*four_calls(2), *four_calls(3)])
    result = runner.write_next(WriteNext(chapter_count=2))
    model.done()
    assert [c.number for c in result.chapters] == [2, 3]
    assert reply("0002.settle")["summary"] in prompt(model.requests[4])


def test_until_writes_up_to_a_chapter_and_nothing_when_it_exists(workspace: Workspace) -> None:
    root = workspace(1)
    runner, _ = play(root, [*four_calls(2), *four_calls(3)])
    assert [c.number for c in runner.write_next(WriteNext(until=3)).chapters] == [2, 3]
    runner, _ = play(root, [])
    assert runner.write_next(WriteNext(until=2)).chapters == []
    assert len(runner.warnings) == 1


def test_chapter_writes_an_existing_one_anew_and_later_ones_become_stale(
    workspace: Workspace,
) -> None:
    root = workspace(3)
    settled = {**reply("0002.settle"), "time": "七月十一"}
    steps = [*four_calls(2)[:3], step("settle", **settled)]
    runner, model = play(root, steps)
    runner.write_next(WriteNext(chapter=2))
    assert reply("0003.settle")["summary"] not in prompt(model.requests[0])
    book = book_of(root)
    stale = [n for n, record in book.records().items() if record.stale]
    assert stale == [3]
    assert book.chapter_numbers() == [1, 2, 3]


def test_an_approved_chapter_is_written_anew_only_when_confirmed(workspace: Workspace) -> None:
    root = workspace(1)
    play(root, [])[0].approve(Approve(chapters="1"))
    with pytest.raises(NeedsAuthor) as caught:
        play(root, [])[0].write_next(WriteNext(chapter=1))
    assert caught.value.code == "chapter.approved"
    runner, _ = play(root, four_calls(1), confirmed=True)
    assert runner.write_next(WriteNext(chapter=1)).chapters[0].status == "passed"


def test_a_chapter_that_doesnt_exist_cant_be_written_anew(workspace: Workspace) -> None:
    with pytest.raises(NotFound) as caught:
        play(workspace(1), [])[0].write_next(WriteNext(chapter=3))
    assert caught.value.code == "chapter.not_found"


@pytest.mark.parametrize(
    "wish",
    [
        {"chapter_count": 2, "until": 3},
        {"chapter_count": 2, "chapter": 1},
        {"until": 3, "chapter": 1},
    ],
)
def test_count_until_and_chapter_exclude_each_other(
    workspace: Workspace, wish: dict[str, int]
) -> None:
    with pytest.raises(UsageError) as caught:
        play(workspace(1), [])[0].write_next(WriteNext(**wish))
    assert caught.value.code == "usage.options"


@pytest.mark.parametrize("wish", [{"chapter_count": 2}, {"until": 5}, {"chapter_count": 100_000}])
def test_chapters_beyond_the_target_are_refused_before_any_call(
    workspace: Workspace, wish: dict[str, int]
) -> None:
    root = workspace(3)
    before = files_of(root)
    with pytest.raises(UsageError) as caught:
        play(root, [])[0].write_next(WriteNext(**wish))
    assert caught.value.code == "usage.finished"
    assert files_of(root) == before


def test_a_gap_in_the_chapters_needs_repair(workspace: Workspace) -> None:
    root = workspace(3)
    (root / "books" / BOOK / "chapters" / "0002.md").unlink()
    with pytest.raises(DamagedError) as caught:
        play(root, [])[0].write_next(WriteNext())
    assert caught.value.exit_code == 8
    assert "2" in caught.value.message


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_failure_in_a_chapter_changes_nothing_and_no_finished_call_is_paid_again(
    workspace: Workspace, at: int
) -> None:
    root = workspace(1)
    before = files_of(root / "books" / BOOK)
    steps = four_calls(2)
    with pytest.raises(ModelError) as caught:
        Runner(root, model=Breaking(steps, at)).write_next(WriteNext())
    assert caught.value.code == "llm.network"
    assert files_of(root / "books" / BOOK) == before
    runner, model = play(root, steps[at - 1 :])
    chapter = runner.write_next(WriteNext()).chapters[0]
    model.done()
    assert runner.usage.calls == 5 - at
    assert chapter.status == "passed"
    record = book_of(root).record(2)
    assert record is not None
    assert record.usage.calls == 4, "what the chapter took, in both runs"


class Interrupted(Breaking):
    """A model in whose call the author presses Ctrl-C."""

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        try:
            return super().complete(request, on_text)
        except ModelError:
            raise KeyboardInterrupt from None


def test_ctrl_c_keeps_what_was_committed_and_loses_no_finished_call(workspace: Workspace) -> None:
    root = workspace(0)
    steps = [*four_calls(1), *four_calls(2)]
    with pytest.raises(PartlyDone) as caught:
        Runner(root, model=Interrupted(steps, 7)).write_next(WriteNext(chapter_count=2))
    assert caught.value.exit_code == 130
    assert book_of(root).chapter_numbers() == [1]
    with pytest.raises(KeyboardInterrupt):
        Runner(root, model=Interrupted(steps[6:], 2)).write_next(WriteNext())
    runner, model = play(root, steps[7:])
    runner.write_next(WriteNext())
    model.done()
    assert roles(model) == ["settle"]


def test_a_later_failure_keeps_the_chapters_before_it(workspace: Workspace) -> None:
    root = workspace(0)
    steps = [*four_calls(1), *four_calls(2), *four_calls(3)]
    with pytest.raises(PartlyDone) as caught:
        Runner(root, model=Breaking(steps, 7)).write_next(WriteNext(chapter_count=3))
    assert (caught.value.code, caught.value.exit_code) == ("llm.network", 5)
    assert [c.number for c in caught.value.result.chapters] == [1]
    assert book_of(root).chapter_numbers() == [1]
    runner, model = play(root, steps[6:])
    assert [c.number for c in runner.write_next(WriteNext(until=3)).chapters] == [2, 3]
    model.done()


NO_PROSE = ["", " \n\t ", "# 报水", "# 报水\n\n## 一\n", "```\n```", "```markdown\n# 报水\n```"]


@pytest.mark.parametrize("text", NO_PROSE)
def test_a_reply_without_prose_is_never_saved_as_a_chapter_nor_recalled(
    workspace: Workspace, text: str
) -> None:
    root = workspace(0)
    plan, write, audit, settle = four_calls(1)
    before = files_of(root / "books" / BOOK)
    with pytest.raises(ModelError) as caught:
        play(root, [plan, Step("write", text)])[0].write_next(WriteNext())
    assert caught.value.code == "llm.reply"
    assert files_of(root / "books" / BOOK) == before
    runner, model = play(root, [write, audit, settle])
    assert runner.write_next(WriteNext()).chapters[0].status == "passed"
    model.done()


@pytest.mark.parametrize("again", [0, 30], ids=["goes on", "repeats the last words"])
def test_a_reply_cut_at_length_is_gone_on_with(workspace: Workspace, again: int) -> None:
    plan, _, audit, settle = four_calls(1)
    text, cut = prose(1), 1511
    pieces = [Step("write", text[:cut], "length"), Step("continue", text[cut - again :])]
    root = workspace(0)
    runner, model = play(root, [plan, *pieces, audit, settle])
    runner.write_next(WriteNext())
    assert book_of(root).chapter(1)[1] == text
    assert model.requests[2].messages[-2].content == text[:cut]


def test_a_reply_that_never_ends_is_no_chapter(workspace: Workspace) -> None:
    root = workspace(0)
    text = prose(1)
    cut = [Step("write", text[:100], "length")]
    cut += [Step("continue", text[100 * n : 100 * n + 100], "length") for n in (1, 2, 3)]
    with pytest.raises(ModelError) as caught:
        play(root, [four_calls(1)[0], *cut])[0].write_next(WriteNext())
    assert caught.value.code == "llm.truncated"
    assert book_of(root).chapter_numbers() == []


@pytest.mark.parametrize(
    "wrapped",
    [
        "# 报水\n\n{}",
        "## 第一章 报水\n\n{}\n",
        "```\n{}\n```",
        "```markdown\n# 报水\n\n{}\n```",
        "\n\n{}\n\n",
    ],
)
def test_headings_and_fences_around_the_prose_are_taken_off(
    workspace: Workspace, wrapped: str
) -> None:
    plan, _, audit, settle = four_calls(1)
    root = workspace(0)
    steps = [plan, Step("write", wrapped.replace("{}", prose(1))), audit, settle]
    play(root, steps)[0].write_next(WriteNext())
    assert book_of(root).chapter(1) == ("报水", prose(1))


def test_text_that_no_file_can_hold_doesnt_lose_the_chapter(workspace: Workspace) -> None:
    """A lone surrogate is what is left of an emoji cut in two."""
    plan, _, audit, settle = four_calls(1)
    root = workspace(0)
    steps = [plan, Step("write", prose(1) + "\n\n她笑了。\ud83d"), audit, settle]
    chapter = play(root, steps)[0].write_next(WriteNext()).chapters[0]
    assert Path(chapter.path).read_text("utf-8").startswith("# 报水\n\n" + prose(1)[:500])


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("第一章 报水", "报水"),
        ("第 1 章：报水", "报水"),
        ("《报水》", "报水"),
        ("# 报水", "报水"),
        ("", "第 1 章"),
        (None, "第 1 章"),
        ("报\n水", "报 水"),
        ("第一章 《报水》", "报水"),
        ("**报水**", "报水"),
        ("他说“走”", "他说“走”"),
        ("“走”和“来”", "“走”和“来”"),
        ("写在C#上", "写在C#上"),
        ("《", "《"),
    ],
)
def test_a_title_is_one_line_without_a_number(
    workspace: Workspace, title: str | None, shown: str
) -> None:
    root = workspace(0)
    plan = step("plan", **{**reply("0001.plan"), "title": title})
    play(root, [plan, *four_calls(1)[1:]])[0].write_next(WriteNext())
    assert book_of(root).chapter(1) == (shown, prose(1))


def test_a_plan_without_scenes_is_asked_again(workspace: Workspace) -> None:
    plan, *rest = four_calls(1)
    empty = step("plan", **{**reply("0001.plan"), "scenes": []})
    runner, model = play(workspace(0), [empty, plan, *rest])
    runner.write_next(WriteNext())
    assert roles(model) == ["plan", *CALLS]
    assert "scenes" in model.requests[1].messages[-1].content


def test_a_sloppy_plan_is_read_as_well_as_can_be_and_what_was_dropped_is_told(
    workspace: Workspace,
) -> None:
    plan = reply("0001.plan")
    plan |= {
        "scenes": {**plan["scenes"][0], "words": "约九百字", "weather": "雨"},
        "hooks": [{"id": "H1", "do": "resolve", "how": "不知道"}, None, "H2"],
        "clues": "石狮子前爪浸在水里",
        "keep": None,
        "amend": [{"chapter": "第 3 章", "change": "阿满先去塘上"}],
        "mood": {"extra": [1, 2]},
    }
    text = f"<think>scenes?</think>```json\n{json.dumps(plan, ensure_ascii=False)}\n```"
    root = workspace(0)
    runner, model = play(root, [Step("plan", text), *four_calls(1)[1:]])
    runner.write_next(WriteNext())
    assert roles(model) == CALLS
    record = book_of(root).record(1)
    assert record is not None
    assert record.plan is not None
    assert [s.words for s in record.plan.scenes] == [0]
    assert [c.what for c in record.plan.clues] == ["石狮子前爪浸在水里"]
    assert [(h.id, h.do) for h in record.plan.hooks] == [("H1", "advance")]
    assert any("resolve" in warning for warning in runner.warnings)
    assert any("约九百字" in warning for warning in runner.warnings)
    outline = book_of(root).read("outline.md") or ""
    third = outline[outline.index("#### 第 3 章") :]
    assert "阿满先去塘上" in third


def test_an_amendment_of_a_chapter_already_written_changes_nothing(workspace: Workspace) -> None:
    root = workspace(1)
    before = book_of(root).read("outline.md")
    plan = {**reply("0002.plan"), "amend": [{"chapter": n, "change": "改"} for n in (-1, 1, 2, 99)]}
    play(root, [step("plan", **plan), *four_calls(2)[1:]])[0].write_next(WriteNext())
    assert book_of(root).read("outline.md") == before


def test_the_instruction_of_a_run_isnt_remembered_for_the_next(workspace: Workspace) -> None:
    root = workspace(0)
    play(root, four_calls(1))[0].write_next(WriteNext(instruction=INSTRUCTION))
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    assert not any(INSTRUCTION in prompt(request) for request in model.requests)


def test_a_chapter_that_was_taken_away_leaves_nothing_in_the_state(workspace: Workspace) -> None:
    root = workspace(3)
    for number in (2, 3):
        (root / "books" / BOOK / "chapters" / f"{number:04d}.md").unlink()
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    assert reply("0003.settle")["summary"] not in prompt(model.requests[0])
    assert reply("0003.settle")["summary"] not in (book_of(root).read("state.md") or "")


def test_what_the_author_wants_next_reaches_planner_and_writer(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "books" / BOOK / "focus.md").write_text("# 眼下\n\n多写栗子的歌。\n", "utf-8")
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    assert all("多写栗子的歌。" in prompt(request) for request in model.requests[:2])


def test_a_hook_that_falls_due_is_put_to_the_planner(workspace: Workspace) -> None:
    root = workspace(1)
    path = root / "books" / BOOK / "records" / "foundation.json"
    foundation = json.loads(path.read_text("utf-8"))
    foundation["hooks"].append({"id": "H99", "promise": "谁偷了灯笼？", "due": 2})
    path.write_text(json.dumps(foundation, ensure_ascii=False), "utf-8")
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    task = model.requests[0].messages[-1].content
    assert "[H99] 谁偷了灯笼？（这一章到期）" in task


def test_a_hand_edited_chapter_is_what_the_next_one_builds_on(workspace: Workspace) -> None:
    root = workspace(1)
    chapter = root / "books" / BOOK / "chapters" / "0001.md"
    chapter.write_text(chapter.read_text("utf-8") + "\n灯笼掉进了河里，亮了一下。\n", "utf-8")
    edited = chapter.read_bytes()
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    assert "灯笼掉进了河里，亮了一下。" in prompt(model.requests[0])
    assert chapter.read_bytes() == edited


def test_a_banned_phrase_of_the_rules_is_found_in_the_chapter(workspace: Workspace) -> None:
    root = only_critical(workspace(0))
    rules = root / "books" / BOOK / "rules.md"
    rules.write_text(rules.read_text("utf-8").rstrip() + "\n\n- 水二则嘞\n", "utf-8")
    chapter = play(root, four_calls(1))[0].write_next(WriteNext()).chapters[0]
    assert [f.dimension for f in chapter.findings] == ["banned"]


def test_revise_doesnt_need_a_run_of_write_next(workspace: Workspace) -> None:
    """Each verb has its own log: a reply kept by one is never used by another."""
    root = workspace(1)
    with pytest.raises(ModelError):
        Runner(root, model=Breaking(four_calls(2), 2)).write_next(WriteNext())
    patch = {"finding": 1, "old": "她冲着还黑的河面喊。", "new": "她朝还黑着的河面喊。"}
    steps = [step("spot_fix", patches=[patch], note=""), four_calls(1)[3]]
    result = play(root, steps)[0].revise(Revise(chapter_number=1, instruction="换个动词"))
    assert result.applied


def test_findings_of_the_auditor_are_in_the_record(workspace: Workspace) -> None:
    root = workspace(0)
    plan, write, _, settle = four_calls(1)
    quote = "声音钻过桥洞，撞到对岸的墙上"
    audit = step("audit", findings=[finding(quote, severity="提示", dimension="文字")])
    result = play(root, [plan, write, audit, settle])[0].write_next(WriteNext())
    record = book_of(root).record(1)
    assert record is not None
    assert [(f.source, f.severity, f.dimension, f.quote) for f in record.findings] == [
        ("auditor", "info", "prose", quote)
    ]
    assert result.chapters[0].findings == record.findings
