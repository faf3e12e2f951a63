"""``[context] arc_summaries = "model"``: a short call when an arc closes, held to its chapters."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import prompt, step

from zencli.llm.scripted import ScriptedModel, Step
from zencli.pipeline.mending.repair_params import Doctor
from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner
from zencli.store.layout import ARCS, BookDir
from zencli.story.delta import Delta, Fact

sys.path.append(str(Path(__file__).parents[1] / "context"))
from planted import Planted

MODEL = ('[context]\narc_summaries = "model"',)
GOOD = {"says": "他把铜铃沉进了河里", "chapter": 4, "quote": "铜铃沉下去了，没有响。"}
BAD = {"says": "他当了皇帝", "chapter": 5, "quote": "他登基的那天。"}


def book_of_ten(root: Path, settings: tuple[str, ...] = MODEL) -> BookDir:
    fact = Fact(about="铜铃", says="沉了", quote="铜铃沉下去了，没有响。")
    deltas = {
        n: Delta(summary=f"第{n}天的事。", facts=[fact] if n == 4 else []) for n in range(1, 11)
    }
    prose = {4: "铜铃沉下去了，没有响。", 10: "天亮了，他上了岸。"}
    return Planted("zh", deltas, prose, settings=settings).write(root, 10)


def chapter(**last: Any) -> list[Step]:
    prose = "他往北走。" * 120
    delta = {"summary": "他往北走。", "facts": [], **last}
    plan = step("plan", title="北", purpose="走", scenes=[{"where": "路上", "want": "走"}])
    return [plan, Step("write", prose), Step("settle", json.dumps(delta, ensure_ascii=False))]


def write(root: Path, steps: list[Step]) -> tuple[Runner, ScriptedModel]:
    model = ScriptedModel(steps)
    runner = Runner(root, model=model)
    runner.write_next(WriteNext(no_audit=True, rounds=0))
    model.done()
    return runner, model


def test_a_closed_arc_is_summarised_once_and_stands_in_later_chapters(tmp_path: Path) -> None:
    book = book_of_ten(tmp_path)
    runner, model = write(tmp_path, [step("arc_summary", sentences=[GOOD, BAD]), *chapter()])
    asked = prompt(model.requests[0])
    assert "第4天的事" in asked and "「铜铃沉下去了，没有响。」" in asked
    assert any("1 sentences dropped" in warning for warning in runner.warnings)
    (kept,) = json.loads(book.read(ARCS) or "")["arcs"]
    told = "他把铜铃沉进了河里（第 4 章：「铜铃沉下去了，没有响。」）。"
    assert (kept["first"], kept["last"], kept["text"]) == (1, 10, told)
    for number in range(12, 18):
        _, model = write(tmp_path, chapter())
        assert (told in prompt(model.requests[0])) is (number >= 17), number
    found = Runner(tmp_path).doctor(Doctor()).problems
    assert not [p for p in found if p.path == ARCS]


def test_a_summary_whose_chapters_changed_is_made_anew(tmp_path: Path) -> None:
    book = book_of_ten(tmp_path)
    write(tmp_path, [step("arc_summary", sentences=[GOOD]), *chapter()])
    record = book.record(2)
    assert record is not None
    changed = record.model_copy(update={"delta": Delta(summary="改过的事。")})
    Planted.put(book, book.record_file(2), changed.model_dump_json())
    _, model = write(tmp_path, [step("arc_summary", sentences=[GOOD]), *chapter()])
    assert "改过的事" in prompt(model.requests[0])


@pytest.mark.parametrize("sentences", [[BAD], []])
def test_a_summary_that_proves_nothing_leaves_the_fold(
    tmp_path: Path, sentences: list[dict[str, Any]]
) -> None:
    book = book_of_ten(tmp_path)
    asked = step("arc_summary", sentences=sentences)
    again = [] if sentences else [asked]
    runner, _ = write(tmp_path, [asked, *again, *chapter()])
    assert book.read(ARCS) is None and runner.warnings


def test_folding_is_the_default_and_costs_no_call(tmp_path: Path) -> None:
    book = book_of_ten(tmp_path, ())
    _, model = write(tmp_path, chapter())
    assert [request.role for request in model.requests] == ["plan", "write", "settle"]
    assert book.read(ARCS) is None


def test_a_wrong_value_is_told_before_any_call(tmp_path: Path) -> None:
    book_of_ten(tmp_path, ('[context]\narc_summaries = "both"',))
    model = ScriptedModel([])
    with pytest.raises(Exception, match="context") as raised:
        Runner(tmp_path, model=model).write_next(WriteNext())
    assert getattr(raised.value, "exit_code", None) == 8
