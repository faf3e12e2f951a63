"""What a book takes: every call put down, limits kept by every verb, tokens counted ever better."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pipeline_helpers import BOOK, ZH, Breaking, Workspace, book_of, four_calls, play, step

from zencli.errors import BudgetError, ModelError, NotFound, ZencliError
from zencli.llm.profiles import Profile
from zencli.llm.scripted import ScriptedModel
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.accounts.account import RATES
from zencli.pipeline.accounts.costs import Costs, book_costs
from zencli.pipeline.accounts.trace import TraceResult, trace
from zencli.pipeline.configuration.settings import Overrides
from zencli.pipeline.editing.sync_params import Sync
from zencli.pipeline.importing.import_params import Import
from zencli.pipeline.mending.repair_params import Repair
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Audit, Export, Revise, Undo, WriteNext
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.calls import CALLS, CallFile
from zencli.store.workspace import Workspace as Books

PRICED = Profile(
    name="scripted", window=131_072, tokens_per_cjk=0.64, price_input=2.0, price_output=8.0
)
UNPRICED = Profile(name="scripted", window=131_072, tokens_per_cjk=0.64)


def costs(root: Path) -> Costs:
    return book_costs(book_of(root))


def traced(root: Path, run: str | None = None, *, verbose: bool = False) -> TraceResult:
    return trace(Books(root), book_of(root), run, verbose=verbose)


def limit(root: Path, table: str) -> None:
    """Put a ``[budget]`` into the workspace's configuration."""
    (root / "zencli.toml").write_text(f"[budget]\n{table}\n")


def used(root: Path) -> int:
    total = costs(root).total
    return total.input_tokens + total.output_tokens


# every call is put down


def test_the_planning_and_the_writing_of_a_book_are_put_down_by_chapter_role_and_verb(
    workspace: Workspace,
) -> None:
    root = workspace(2)
    told = costs(root)
    opening = len(ZH.opening())
    assert told.total.calls == opening + 8
    assert {line.name: line.calls for line in told.verbs} == {"init-book": opening, "write-next": 8}
    assert {line.name: line.calls for line in told.roles} == {
        "architect": opening, "planner": 2, "writer": 2, "auditor": 2, "settler": 2,
    }  # fmt: skip
    assert [(line.name, line.calls) for line in told.chapters] == [("1", 4), ("2", 4)]
    for number, line in enumerate(told.chapters, 1):
        record = book_of(root).record(number)
        assert record is not None
        assert (line.input_tokens, line.cached_tokens, line.output_tokens, line.cost) == (
            record.usage.input_tokens, record.usage.cached_tokens, record.usage.output_tokens, 0.0,
        )  # fmt: skip
        assert line.cached_share == round(line.cached_tokens / line.input_tokens, 3)
    assert told.total.unpriced == 0


def test_what_was_read_back_is_told_and_not_paid_for_again(workspace: Workspace) -> None:
    root = workspace(0)
    broken = Breaking(four_calls(1), at=4)
    with pytest.raises(ModelError):
        Runner(root, model=broken).write_next(WriteNext())
    assert costs(root).chapters[0].calls == 3
    play(root, four_calls(1)[3:])[0].write_next(WriteNext())
    chapter = costs(root).chapters[0]
    assert (chapter.calls, chapter.recalled) == (4, 3)
    calls = traced(root).calls
    assert [(c.step, c.recalled) for c in calls] == [
        ("plan", True), ("write", True), ("audit", True), ("settle", False),
    ]  # fmt: skip
    assert traced(root).total.calls == 1


def test_a_stopped_planning_counts_towards_the_book_it_becomes(tmp_path: Path) -> None:
    broken = Breaking(ZH.opening(), at=3)
    with pytest.raises(ModelError):
        Runner(tmp_path, model=broken).init_book(ZH.wish())
    play(tmp_path, ZH.opening()[2:])[0].init_book(ZH.wish())
    total = costs(tmp_path).total
    assert (total.calls, total.recalled) == (len(ZH.opening()), 2)


def test_an_undo_and_a_lost_run_take_no_money_back(workspace: Workspace) -> None:
    root = workspace(1)
    before = costs(root)
    Runner(root).undo(Undo())
    shutil.rmtree(book_of(root).path / ".zencli" / "runs")
    assert costs(root) == before
    assert book_status(book_of(root), costs=True).cost == before


def test_a_stream_that_broke_is_put_down_with_what_it_must_have_taken(
    workspace: Workspace,
) -> None:
    root = workspace(0)

    class Cutting(ScriptedModel):
        def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
            if request.role == "write" and on_text is not None:
                on_text("雨" * 400)
                raise ModelError("llm.network", "The stream ended early.")
            return super().complete(request, on_text)

    model = Cutting(four_calls(1), profile=PRICED)
    with pytest.raises(ModelError):
        Runner(root, model=model).write_next(WriteNext())
    call = traced(root).calls[-1]
    assert (call.step, call.outcome) == ("write", "llm.network")
    assert call.output_tokens == pytest.approx(256, abs=1)
    assert call.input_tokens > 1_000
    assert call.cost == pytest.approx(PRICED.cost(call.input_tokens, 0, call.output_tokens))
    assert costs(root).total.failed == 1


def test_a_reply_that_was_of_no_use_is_told_as_rejected(workspace: Workspace) -> None:
    root = workspace(0)
    model = ZH.model([step("plan", nonsense=1), step("plan", nonsense=2)])
    with pytest.raises(ModelError):
        Runner(root, model=model).write_next(WriteNext())
    assert [c.outcome for c in traced(root).calls] == ["rejected", "rejected"]


def test_without_a_price_there_is_no_cost_and_the_calls_without_are_counted(
    workspace: Workspace,
) -> None:
    root = workspace(0)
    opening = len(ZH.opening())
    Runner(root, model=ZH.model(four_calls(1), profile=UNPRICED)).write_next(WriteNext())
    told = costs(root)
    assert (told.chapters[0].cost, told.chapters[0].unpriced) == (None, 4)
    assert (told.total.cost, told.total.unpriced, told.total.calls) == (0.0, 4, opening + 4)


def test_a_torn_line_costs_only_itself(workspace: Workspace) -> None:
    root = workspace(1)
    before = costs(root).total.calls
    with (book_of(root).path / CALLS).open("ab") as file:
        file.write(b'{"time": "2026-11-30T12')
    play(root, four_calls(2))[0].write_next(WriteNext())
    assert costs(root).total.calls == before + 4


# trace


def test_a_trace_shows_the_latest_run_or_the_one_that_is_named(workspace: Workspace) -> None:
    root = workspace(2)
    latest = traced(root)
    assert latest.verb == "write-next"
    assert [(c.number, c.step, c.chapter) for c in latest.calls] == [
        (1, "plan", 2), (2, "write", 2), (3, "audit", 2), (4, "settle", 2),
    ]  # fmt: skip
    first = CallFile(book_of(root).path / CALLS).read()[0].run
    assert traced(root, first).verb == "init-book"
    with pytest.raises(NotFound) as caught:
        traced(root, "20200101T000000.000000Z-audit")
    assert latest.run in caught.value.hint


def test_what_was_said_is_shown_when_it_is_asked_for_and_kept(workspace: Workspace) -> None:
    root = workspace(1)
    assert all(c.messages is None and c.reply is None for c in traced(root).calls)
    written = traced(root, verbose=True).calls[1]
    assert written.reply == ZH.read("0001.write.txt")
    assert written.messages is not None
    assert [m.role for m in written.messages] == ["system", "user"]
    first = CallFile(book_of(root).path / CALLS).read()[0].run
    assert traced(root, first, verbose=True).calls[0].reply == ZH.read("concept.json")
    shutil.rmtree(book_of(root).path / ".zencli" / "runs")
    assert traced(root, verbose=True).calls[1].reply is None


# limits


def test_the_budget_of_a_book_counts_all_its_runs(workspace: Workspace) -> None:
    root = workspace(1)
    book = book_of(root).path / "book.toml"
    before, most = book.read_text("utf-8"), used(root) + 15_000
    book.write_text(before + f"\n[budget]\nmax_tokens = {most}\n", "utf-8")
    runner, model = play(root, four_calls(2))
    with pytest.raises(BudgetError) as caught:
        runner.write_next(WriteNext())
    assert (caught.value.code, caught.value.exit_code) == ("budget.tokens", 6)
    assert "of the book" in caught.value.message
    asked = len(model.requests)
    assert used(root) <= most
    assert book_of(root).chapter_numbers() == [1]
    book.write_text(before, "utf-8")
    play(root, four_calls(2)[asked:])[0].write_next(WriteNext())
    assert costs(root).chapters[1].calls == 4


def test_a_chapter_has_a_budget_of_its_own_in_every_run(workspace: Workspace) -> None:
    root = workspace(2)
    taken = [line.input_tokens + line.output_tokens for line in costs(root).chapters]
    most = max(taken) + PRICED.max_output
    assert sum(taken) > most
    again = workspace(0)
    limit(again, f"chapter_max_tokens = {most}")
    play(again, [*four_calls(1), *four_calls(2)])[0].write_next(WriteNext(chapter_count=2))
    assert book_of(again).chapter_numbers() == [1, 2]


def test_a_chapter_that_would_take_too_much_is_stopped(workspace: Workspace) -> None:
    root = workspace(1)
    limit(root, "chapter_max_tokens = 30000")
    with pytest.raises(BudgetError) as caught:
        play(root, four_calls(2))[0].write_next(WriteNext())
    assert caught.value.code == "budget.tokens"
    assert "of chapter 2" in caught.value.message
    assert costs(root).chapters[1].calls > 0


def sync(root: Path, runner: Runner) -> None:
    path = book_of(root).path / "chapters/0002.md"
    path.write_text(path.read_text("utf-8").replace("桥", "大桥"), "utf-8")
    runner.sync(Sync())


def repair(root: Path, runner: Runner) -> None:
    runner.repair(Repair(chapters="2"))


def bring_in(root: Path, runner: Runner) -> None:
    novel = root / "novel.txt"
    novel.write_text("第一章 夜\n\n他走了。雨下了一夜。\n", "utf-8")
    runner.import_book(Import(source=str(novel), settle=True))


VERBS: dict[str, Callable[[Path, Runner], object]] = {
    "init-book": lambda root, runner: runner.init_book(ZH.wish(book_id="other")),
    "write-next": lambda root, runner: runner.write_next(WriteNext()),
    "plan-only": lambda root, runner: runner.write_next(WriteNext(plan_only=True)),
    "audit": lambda root, runner: runner.audit(Audit()),
    "revise": lambda root, runner: runner.revise(Revise(instruction="再冷一点。")),
    "sync": sync,
    "repair": repair,
    "import": bring_in,
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_that_calls_a_model_keeps_the_limits(workspace: Workspace, verb: str) -> None:
    root = workspace(2)
    limits = {
        "budget.tokens": (Overrides(max_tokens=300), PRICED),
        "budget.cost": (Overrides(max_cost=0.000001), PRICED),
    }
    for code, (overrides, profile) in limits.items():
        model = ZH.model([], profile=profile)
        with pytest.raises(ZencliError) as caught:
            VERBS[verb](root, Runner(root, RunOptions(overrides=overrides), model=model))
        assert (caught.value.code, caught.value.exit_code) == (code, 6)
    limit(root, "max_tokens = 300")
    with pytest.raises(ZencliError) as caught:
        VERBS[verb](root, Runner(root, model=ZH.model([])))
    assert caught.value.code == "budget.tokens"
    assert "of the book" in caught.value.message


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_a_limit_on_money_that_it_cannot_keep(
    workspace: Workspace, verb: str
) -> None:
    root = workspace(2)
    runner = Runner(
        root, RunOptions(overrides=Overrides(max_cost=5)), model=ZH.model([], profile=UNPRICED)
    )
    with pytest.raises(ZencliError) as caught:
        VERBS[verb](root, runner)
    assert caught.value.code == "budget.cost"
    assert "price_input and price_output" in caught.value.hint
    if verb == "import":
        assert Books(root).book_ids() == [BOOK]


def test_a_verb_needs_no_price_of_a_model_that_it_never_asks(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "zencli.toml").write_text(
        '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
        "[models.auditor.profile]\nprice_input = 1.0\nprice_output = 1.0\n"
    )
    options = RunOptions(overrides=Overrides(max_cost=0.000001, timeout=0.5))
    with pytest.raises(ZencliError) as caught:
        Runner(root, options, environ={}).audit(Audit())
    assert "may cost" in caught.value.message
    with pytest.raises(ZencliError) as caught:
        Runner(root, options, environ={}).write_next(WriteNext())
    assert "no prices are known" in caught.value.message


def test_a_fallback_needs_a_price_too(workspace: Workspace) -> None:
    root = workspace(1)
    (root / "zencli.toml").write_text(
        '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'
        'fallback = [{name = "n", base_url = "http://127.0.0.1:9/w1"}]\n'
        "[model.profile]\nprice_input = 1.0\nprice_output = 1.0\n"
    )
    options = RunOptions(overrides=Overrides(max_cost=9))
    with pytest.raises(BudgetError) as caught:
        Runner(root, options, environ={}).audit(Audit())
    assert "no prices are known" in caught.value.message


def test_what_calls_no_model_needs_neither_price_nor_budget(workspace: Workspace) -> None:
    root = workspace(2)
    limit(root, "max_cost = 0.001\nmax_tokens = 1")
    runner = Runner(root, environ={})
    runner.audit(Audit(no_llm=True, fail_on="never"))
    runner.export(Export())
    runner.sync(Sync(no_llm=True))


# how a model counts


class Counting(ScriptedModel):
    """A model whose endpoint counts ``times`` as many tokens as the profile makes of a prompt."""

    times = 1.5

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        reply = super().complete(request, on_text)
        asked = int(request.estimate(self.profile) * self.times)
        return replace(reply, usage=replace(reply.usage, input_tokens=asked))


def counting(root: Path, *numbers: int) -> Counting:
    steps = [s for n in numbers for s in four_calls(n)]
    return Counting(steps, profile=ZH.model([]).profile)


def test_a_later_run_composes_with_what_an_earlier_one_learnt(workspace: Workspace) -> None:
    root = workspace(0)
    model = counting(root, 1, 2)
    Runner(root, model=model).write_next(WriteNext())
    cjk, _ = json.loads((root / RATES).read_text())["scripted"]
    assert cjk == pytest.approx(0.64 * 1.5, rel=0.1)
    kept = (root / RATES).read_bytes()
    Runner(root, model=model).write_next(WriteNext())
    assert (root / RATES).read_bytes() == kept


def test_a_resumed_run_composes_as_the_stopped_one_did(workspace: Workspace) -> None:
    root = workspace(1)

    class Stopping(Counting):
        def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
            if request.role == "settle":
                raise ModelError("llm.network", "The endpoint went away.")
            return super().complete(request, on_text)

    stopped = Stopping(four_calls(2), profile=ZH.model([]).profile)
    with pytest.raises(ModelError):
        Runner(root, model=stopped).write_next(WriteNext())
    assert (root / RATES).is_file()
    rest = Counting(four_calls(2)[3:], profile=ZH.model([]).profile)
    Runner(root, model=rest).write_next(WriteNext())
    assert [r.role for r in rest.requests] == ["settle"]


def test_unreadable_rates_are_no_rates(workspace: Workspace) -> None:
    root = workspace(0)
    (root / ".zencli").mkdir(exist_ok=True)
    (root / RATES).write_bytes(b'{"scripted": "fast"')
    play(root, four_calls(1))[0].write_next(WriteNext())
    assert book_of(root).chapter_numbers() == [1]
