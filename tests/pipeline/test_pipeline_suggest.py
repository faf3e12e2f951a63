"""``suggest`` (B82): three next steps, from a model or by rule."""

import json
from pathlib import Path

import pytest
from long_book import long_book
from pipeline_helpers import BOOK, Breaking, Workspace, play, step

from zencli.llm.scripted import Step
from zencli.pipeline.runner import Runner
from zencli.pipeline.suggesting.suggest_params import Suggest

THREE = ["写第三章，让春娘当面回绝他。", "第二章的账对一对。", "让葛顺先开口认错，代价是那条船。"]


def by_rule(root: Path) -> list[str]:
    result = Runner(root, environ={}).suggest(Suggest(no_llm=True))
    assert result.source == "built-in"
    assert len(set(result.suggestions)) == 3
    return result.suggestions


def files(root: Path) -> dict[str, bytes]:
    book = root / "books" / BOOK
    paths = (p for p in book.rglob("*") if p.is_file() and ".zencli" not in p.parts)
    return {str(path): path.read_bytes() for path in paths}


def test_B82_the_models_three_steps_are_told_as_they_are(workspace: Workspace) -> None:
    root = workspace(2)
    before = files(root)
    runner, model = play(root, [step("suggest", steps=THREE)])
    result = runner.suggest(Suggest())
    model.done()
    assert (result.suggestions, result.source) == (THREE, "model")
    assert files(root) == before
    assert runner.usage.calls == 1


def test_B82_the_call_is_cheap_and_names_the_book(workspace: Workspace) -> None:
    root = workspace(2)
    runner, model = play(root, [step("suggest", steps=THREE)])
    runner.suggest(Suggest())
    request = model.requests[0]
    assert request.estimate(model.profile) < 3_000
    text = request.messages[-1].content
    assert "七则桥" in text
    assert "第3章" in text or "第三章" in text


def test_B82_too_few_steps_are_asked_for_once_more(workspace: Workspace) -> None:
    root = workspace(2)
    runner, model = play(root, [step("suggest", steps=THREE[:1] * 3), step("suggest", steps=THREE)])
    assert runner.suggest(Suggest()).suggestions == THREE
    model.done()


@pytest.mark.parametrize("reply", ["no JSON at all", json.dumps({"steps": ["长" * 100] * 3})])
def test_B82_what_cannot_be_read_falls_back_and_is_told(workspace: Workspace, reply: str) -> None:
    root = workspace(2)
    runner, model = play(root, [Step("suggest", reply)] * 2)
    result = runner.suggest(Suggest())
    model.done()
    assert result.source == "built-in"
    assert len(result.suggestions) == 3
    assert any("by rule" in warning for warning in runner.warnings)


def test_B82_an_endpoint_that_is_away_falls_back(workspace: Workspace) -> None:
    root = workspace(2)
    runner = Runner(root, model=Breaking([], at=1))
    assert runner.suggest(Suggest()).source == "built-in"


def test_B82_without_a_model_nothing_is_called(workspace: Workspace) -> None:
    root = workspace(2)
    assert Runner(root, environ={}).suggest(Suggest()).source == "built-in"


def test_B82_an_overdue_promise_comes_before_the_next_chapter(tmp_path: Path) -> None:
    long_book(tmp_path)
    first, second, _ = by_rule(tmp_path)
    assert "谁点的灯" in first
    assert "第41章" in second


def test_B82_a_chapter_changed_by_hand_comes_first(tmp_path: Path) -> None:
    book = long_book(tmp_path)
    path = book.path / book.chapter_file(12)
    path.write_text(path.read_text("utf-8") + "\n\n又添了一句。\n", "utf-8")
    assert "第12章" in by_rule(tmp_path)[0]


def test_B82_a_book_without_a_chapter_is_told_to_begin(workspace: Workspace) -> None:
    root = workspace(0)
    assert "第一章" in by_rule(root)[0]


def test_B82_a_finished_book_is_not_asked_for_its_next_chapter(workspace: Workspace) -> None:
    root = workspace(2)
    config = root / "books" / BOOK / "book.toml"
    text = config.read_text("utf-8")
    assert "target_chapters = 4" in text
    for target, goes_on in ((4, True), (2, False)):
        config.write_text(text.replace("target_chapters = 4", f"target_chapters = {target}"))
        runner, model = play(root, [step("suggest", steps=THREE)])
        runner.suggest(Suggest())
        assert ("一条往前写" in model.requests[0].messages[-1].content) is goes_on
