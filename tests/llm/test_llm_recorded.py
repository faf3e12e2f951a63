"""Replies are on disk before they are used, and read back instead of paid for again."""

from dataclasses import replace
from pathlib import Path

import pytest
from llm_helpers import MakeModel
from llm_server import says, streams

from zencli.errors import BudgetError, ModelError
from zencli.llm.budget import Meter
from zencli.llm.profiles import Profile
from zencli.llm.recorded import CallDone, RecordedModel
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.structured import ask
from zencli.llm.types import Message, Request
from zencli.store.runs import RunLog
from zencli.story.plan import Plan

ASK = Request("write", (Message("user", "Write."),), max_output=100)


class Session:
    """One run of a verb in ``folder`` with a script, and what it reported."""

    def __init__(self, folder: Path, *steps: Step, meter: Meter | None = None) -> None:
        self.script = ScriptedModel(steps)
        self.meter = meter or Meter()
        self.calls: list[CallDone] = []
        self.log = RunLog.start(folder, "write-next")
        self.model = RecordedModel(self.script, self.log, self.meter, self.calls.append)


def kept_texts(folder: Path) -> str:
    return "".join(p.read_text("utf-8") for p in sorted(folder.rglob("*")) if p.is_file())


def test_a_killed_run_is_not_paid_for_again(tmp_path: Path) -> None:
    first = Session(tmp_path, Step("write", "Rain."))
    paid = first.model.complete(ASK)
    second = Session(tmp_path)
    pieces: list[str] = []
    assert second.model.complete(ASK, pieces.append) == paid
    assert pieces == ["Rain."]
    assert second.meter.usage.calls == 0
    assert second.meter.recalled.calls == 1
    assert [call.recalled for call in first.calls + second.calls] == [False, True]
    assert first.calls[0].role == "write"


def test_a_reply_is_on_disk_before_it_is_used(tmp_path: Path) -> None:
    session = Session(tmp_path, Step("write", "It rained on the harbour."))
    session.model.complete(ASK)
    assert "It rained on the harbour." in kept_texts(tmp_path)


def test_a_rejected_reply_is_asked_for_afresh(tmp_path: Path) -> None:
    first = Session(tmp_path, Step("write", "Rain."))
    first.model.complete(ASK)
    first.model.reject(ASK)
    second = Session(tmp_path, Step("write", "Snow."))
    assert second.model.complete(ASK).text == "Snow."


def test_replies_that_no_plan_could_be_read_from_are_asked_for_afresh(tmp_path: Path) -> None:
    def plan(session: Session) -> Plan:
        request = Request("plan", (Message("user", "Plan."),))
        return ask(session.model, request, Plan, check=lambda _: [], reask="; ".join).value

    with pytest.raises(ModelError):
        plan(Session(tmp_path, Step("plan", "No."), Step("plan", "Still no.")))
    assert plan(Session(tmp_path, Step("plan", '{"title": "Rain"}'))).title == "Rain"


def test_a_plan_that_took_two_calls_is_read_back_without_any(tmp_path: Path) -> None:
    def plan(session: Session) -> Plan:
        request = Request("plan", (Message("user", "Plan."),))
        return ask(session.model, request, Plan, check=lambda _: [], reask="; ".join).value

    paid = plan(Session(tmp_path, Step("plan", "No."), Step("plan", '{"title": "Rain"}')))
    assert plan(Session(tmp_path)) == paid


def test_a_limit_stops_before_the_call_and_not_before_what_is_kept(tmp_path: Path) -> None:
    Session(tmp_path, Step("write", "Rain.")).model.complete(ASK)
    tight = Session(tmp_path, Step("write", "Never asked."), meter=Meter(limit_tokens=50))
    assert tight.model.complete(ASK).text == "Rain."
    with pytest.raises(BudgetError):
        tight.model.complete(Request("write", (Message("user", "More."),), max_output=100))
    assert tight.script.requests == []


def test_a_limit_holds_where_the_endpoint_counts_four_times_the_estimate(
    tmp_path: Path, model_playing: MakeModel
) -> None:
    estimate = ASK.estimate(Profile())
    usage = {"prompt_tokens": 4 * estimate, "completion_tokens": 400}
    meter = Meter(limit_tokens=5 * (4 * estimate + 400))
    log = RunLog.start(tmp_path, "write-next")
    model = RecordedModel(model_playing(says("Rain.", usage=usage)), log, meter, [].append)
    requests = [replace(ASK, messages=(Message("user", f"Write{n}."),)) for n in range(6)]
    for request in requests[:5]:
        model.complete(request)
    with pytest.raises(BudgetError):
        model.complete(requests[5])
    assert meter.usage.input_tokens + meter.usage.output_tokens == 5 * (4 * estimate + 400)


def test_an_interrupted_stream_keeps_the_text_so_far(tmp_path: Path) -> None:
    session = Session(tmp_path, Step("write", "It rained on the harbour all that week." * 3))
    pieces: list[str] = []

    def stop_after_two(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.model.complete(ASK, stop_after_two)
    assert "".join(pieces) in kept_texts(tmp_path)
    assert session.meter.usage.calls == 0


def test_a_broken_stream_keeps_the_text_so_far(tmp_path: Path, model_playing: MakeModel) -> None:
    model = model_playing(streams(["It rained", " on the"], finish=None))
    log = RunLog.start(tmp_path, "write-next")
    calls: list[CallDone] = []
    recorded = RecordedModel(model, log, Meter(), calls.append)
    with pytest.raises(ModelError):
        recorded.complete(ASK, list[str]().append)
    assert "It rained on the" in kept_texts(tmp_path)
    assert calls == []
