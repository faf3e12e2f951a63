"""What the calls of a chapter share byte for byte, what they cost, and the report of it."""

import shutil
from itertools import takewhile
from pathlib import Path

import pytest
from pipeline_helpers import CLEAN, Workspace, book_of, four_calls, play, prompt
from scripts import Script

from zencli.errors import DamagedError, NotFound
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.scripted import ScriptedModel
from zencli.llm.types import Request
from zencli.pipeline.context_report import stored_context
from zencli.pipeline.params import Audit, WriteNext
from zencli.pipeline.run_context import Previewed
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir
from zencli.store.runs import RunLog, shrink
from zencli.story.documents.bible import parse_secrets

CALLS = ["plan", "write", "audit", "settle"]


class Written:
    """A sample book written chapter by chapter, each by its four calls."""

    def __init__(self, root: Path, language: str, profile: Profile) -> None:
        script = Script(language)
        count = script.meta["target_chapters"]
        steps = list(script.opening())
        for number in range(1, count + 1):
            kept = {step.role: step for step in script.chapter(number)}
            steps += [kept["plan"], kept["write"], CLEAN, kept["settle"]]
        self.model = script.model(steps, profile=profile)
        self.runner = Runner(root, model=self.model)
        book_id = self.runner.init_book(script.wish()).book_id
        self.book = BookDir(root / "books" / book_id)
        self.chapters: dict[int, list[Request]] = {}
        self.shared: dict[int, float] = {}
        for number in range(1, count + 1):
            self.runner.write_next(WriteNext())
            self.chapters[number] = self.model.requests[-4:]
            usage = self.runner.usage
            self.shared[number] = usage.cached_tokens / usage.input_tokens


@pytest.fixture(scope="module", params=["zh", "en"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    root = tmp_path_factory.mktemp(f"context-{request.param}")
    return Written(root, request.param, Profile(window=128_000, price_input=0.0, price_output=0.0))


def common(one: Request, other: Request) -> str:
    """What the user messages of two calls begin with alike."""
    pairs = zip(one.messages[1].content, other.messages[1].content, strict=False)
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_the_system_message_is_the_same_for_all_calls_of_all_chapters(written: Written) -> None:
    calls = [request for requests in written.chapters.values() for request in requests]
    assert len({request.messages[0].content for request in calls}) == 1
    assert all([m.role for m in request.messages] == ["system", "user"] for request in calls)


def test_each_call_begins_with_the_layers_of_the_one_before(written: Written) -> None:
    for number, (plan, write, audit, settle) in written.chapters.items():
        view = stored_context(written.book, number)
        assert [call.role for call in view.calls] == CALLS
        tokens = {layer.name: layer.tokens for layer in view.layers}
        story, needs, draft = (tokens[n] for n in ("story_so_far", "chapter_needs", "draft"))
        model = written.model.profile
        for one, other, layers in (
            (plan, write, story),
            (write, audit, story + needs),
            (audit, settle, story + needs + draft),
        ):
            alike = estimate_tokens(common(one, other), model)
            assert alike >= layers - 3, (number, other.role)


def test_at_least_seven_tenths_are_shared_with_an_earlier_call(written: Written) -> None:
    later = {number: share for number, share in written.shared.items() if number > 1}
    assert later and min(later.values()) >= 0.70, written.shared


def test_a_clean_chapter_takes_at_most_45_000_tokens_where_each_character_is_one(
    written: Written,
) -> None:
    for requests in written.chapters.values():
        assert sum(request.estimate(written.model.profile) for request in requests) <= 45_000


def test_the_secrets_are_told_to_planner_and_auditor_and_to_nobody_else(written: Written) -> None:
    entries = parse_secrets(written.book.read("secrets.md") or "")
    secrets = [entry.text[:16] for entry in entries]
    for plan, write, audit, settle in written.chapters.values():
        assert all(secret in prompt(plan) and secret in prompt(audit) for secret in secrets)
        assert not [secret for secret in secrets if secret in prompt(write) + prompt(settle)]


def test_the_prompt_is_the_same_when_the_chapter_is_audited_again(workspace: Workspace) -> None:
    root = workspace(2)
    runner, model = play(root, four_calls(3))
    runner.write_next(WriteNext())
    again, second = play(root, [CLEAN])
    again.audit(Audit())
    first, later = model.requests[2], second.requests[0]
    assert first.messages[0] == later.messages[0]
    draft = first.messages[1].content.split("# 第 3 章", 2)
    assert later.messages[1].content.startswith(draft[0])


def test_an_edit_of_the_author_changes_the_system_message_from_the_next_chapter_on(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    runner, model = play(root, [*four_calls(2), *four_calls(3)])
    runner.write_next(WriteNext())
    rules = book_of(root).path / "rules.md"
    rules.write_text(rules.read_text("utf-8") + "\n## 另\n\n- 不许下雪\n", "utf-8")
    runner.write_next(WriteNext())
    before = {request.messages[0].content for request in model.requests[:4]}
    after = {request.messages[0].content for request in model.requests[4:]}
    assert (len(before), len(after)) == (1, 1) and before != after
    assert "不许下雪" in after.pop()


# --- the report --------------------------------------------------------------------------------


def test_the_run_keeps_what_was_taken_why_and_what_was_cut(workspace: Workspace) -> None:
    root = workspace(3)
    book = book_of(root)
    view = stored_context(book, 3)
    assert (view.book_id, view.number) == (book.id, 3)
    layers = {layer.name: layer for layer in view.layers}
    assert list(layers)[:3] == ["constitution", "story_so_far", "task:plan"]
    for layer in view.layers:
        assert layer.sections, layer.name
        for section in layer.sections:
            assert section.items == len(section.taken) or section.why, section.name
            assert all(item.label and item.why for item in section.taken), section.name
    told = {section.name for layer in view.layers for section in layer.sections}
    assert {"rules", "people", "hooks", "history", "plan", "cards", "secrets", "draft"} <= told
    with pytest.raises(NotFound, match="chapter 9"):
        stored_context(book, 9)


def test_the_report_of_several_chapters_in_one_run_tells_each(workspace: Workspace) -> None:
    root = workspace(1)
    runner, _ = play(root, [*four_calls(2), *four_calls(3)])
    runner.write_next(WriteNext(chapter_count=2))
    views = [stored_context(book_of(root), number) for number in (2, 3)]
    assert views[0].run == views[1].run
    assert [view.number for view in views] == [2, 3]
    assert views[0].layers != views[1].layers


def test_a_damaged_report_is_passed_over_for_an_older_one(workspace: Workspace) -> None:
    root = workspace(2)
    book = book_of(root)
    first = stored_context(book, 2)
    newer = book.path / ".zencli" / "runs" / "29990101T000000.000000Z-write-next"
    newer.mkdir()
    (newer / "context.json").write_text("{", "utf-8")
    assert stored_context(book, 2) == first
    shutil.copy(book.path / ".zencli" / "runs" / first.run / "context.json", newer)
    assert stored_context(book, 2).run == newer.name


def test_reports_of_long_runs_dont_pile_up(tmp_path: Path) -> None:
    log = RunLog.start(tmp_path, "write-next")
    for number in range(1, 9):
        log.keep(f"{number}", "plan", {}, {})
        log.note(f"context-{number:04d}", {"number": number, "pad": "x" * 1000})
    log.note("context", {"number": 9})
    log.finish("done", {})
    shrink(tmp_path, 3500)
    left = sorted(path.name for path in log.folder.glob("context*"))
    assert left == ["context-0006.json", "context-0007.json", "context-0008.json", "context.json"]


def test_a_dry_run_tells_the_same_sections_as_the_run(workspace: Workspace) -> None:
    root = workspace(1)
    with pytest.raises(Previewed) as previewed:
        play(root, [], dry_run=True)[0].write_next(WriteNext())
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext())
    assert previewed.value.request.messages == model.requests[0].messages
    view = stored_context(book_of(root), 2)
    names = [s.name for layer in view.layers[:3] for s in layer.sections]
    assert [section.name for section in previewed.value.sections] == names


# --- the author's notes ------------------------------------------------------------------------


def test_a_timed_note_holds_for_its_chapters_from_the_first_that_saw_it(
    workspace: Workspace,
) -> None:
    root = workspace(1)
    focus = book_of(root).path / "focus.md"
    focus.write_text("# 方向\n\n- 接下来两章：多下雨\n", "utf-8")
    told = []
    for number in (2, 3, 4):
        runner, model = play(root, four_calls(number))
        runner.write_next(WriteNext())
        told.append("多下雨" in prompt(model.requests[0]))
    assert told == [True, True, False]
    record = book_of(root).record(4)
    assert record is not None and record.notes == {"多下雨": 2}
    again, model = play(root, [CLEAN])
    again.audit(Audit(chapter_number=3))
    assert "多下雨" in prompt(model.requests[0]), "a chapter is judged by what it was written by"
    focus.write_text("# 方向\n\n- 接下来两章：多刮风\n", "utf-8")
    again, model = play(root, [CLEAN])
    again.audit(Audit(chapter_number=4))
    assert "多刮风" in prompt(model.requests[0])


def test_chapters_that_cannot_be_read_stop_the_run_before_any_call(workspace: Workspace) -> None:
    root = workspace(1)
    focus = book_of(root).path / "focus.md"
    focus.write_text("# 方向\n\n第 9-3 章：快\n", "utf-8")
    runner, model = play(root, four_calls(2))
    with pytest.raises(DamagedError, match=r"focus\.md, line 3"):
        runner.write_next(WriteNext())
    assert model.requests == []
    assert runner.usage.calls == 0


def test_the_instruction_brings_the_card_of_whom_it_names(workspace: Workspace) -> None:
    root = workspace(1)
    book = book_of(root)
    text = "# 冯瞎眼\n\n- 别名：冯半仙\n- 身份：算命的\n\n摸骨，收三文钱。\n"
    (book.path / "characters" / "feng.md").write_text(text, "utf-8")
    runner, model = play(root, four_calls(2))
    runner.write_next(WriteNext(instruction="让冯半仙在桥头说一句话"))
    assert isinstance(model, ScriptedModel)
    assert "摸骨，收三文钱" in prompt(model.requests[1])
    runner, model = play(workspace(2), four_calls(3))
    runner.write_next(WriteNext())
    assert "摸骨" not in prompt(model.requests[1])
