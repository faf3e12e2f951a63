"""Every known fault of an endpoint, played over HTTP; and the table of them in the docs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from llm_faults import GROUPS, Fault, table
from llm_helpers import ASK, KEY, MakeModel
from llm_server import ScriptedServer

from zencli.errors import ModelError
from zencli.llm.client import OpenAIModel
from zencli.llm.profiles import Profile
from zencli.llm.schema import wire_schema
from zencli.llm.structured import ask
from zencli.llm.types import Request, Tool
from zencli.story.plan import Plan

DOCS = Path(__file__).parents[2] / "docs" / "endpoints.md"
FAULTS = [(group, fault) for group, faults in GROUPS.items() for fault in faults]
READ = Tool("read", "Read a file.", {"type": "object"})
ASK_PLAIN = replace(ASK, temperature=0.7)
ASK_TOOLS = replace(ASK_PLAIN, role="agent", tools=(READ,))
ASK_JSON = Request("plan", ASK.messages, wire_schema(Plan, False), "plan")


def answered(model: OpenAIModel, fault: Fault) -> None:
    """Ask for what the fault is about; succeeds with "Rain.", a plan or a call."""
    pieces: list[str] = []
    show: Callable[[str], None] | None = pieces.append if "streamed" in fault.asked else None
    if fault.asked == "json":
        plan = ask(model, ASK_JSON, Plan, check=lambda _: [], reask="; ".join).value
        assert plan.title == "雨"
    elif fault.asked == "json streamed":
        assert "雨" in model.complete(ASK_JSON, show).text
    elif fault.asked.startswith("tools"):
        reply = model.complete(ASK_TOOLS, show)
        if reply.tool_calls:
            assert {call.name for call in reply.tool_calls} == {"read"}
            assert "{" not in reply.text + "".join(pieces)
        else:
            assert reply.text == "Rain."
    else:
        reply = model.complete(ASK_PLAIN, show)
        assert reply.text.startswith("Rain.")
        assert show is None or "".join(pieces) == reply.text


@pytest.mark.parametrize(
    "fault", [fault for _, fault in FAULTS], ids=[f"{g}-{f.name}" for g, f in FAULTS]
)
def test_a_fault_ends_as_the_docs_say(
    model_playing: MakeModel, server: ScriptedServer, fault: Fault
) -> None:
    times = {} if fault.times is None else {"times": fault.times}
    model = model_playing(*fault.plays(), **times, **fault.settings)
    if fault.ends:
        with pytest.raises(ModelError) as caught:
            answered(model, fault)
        error = caught.value
        assert error.code == fault.ends
        assert "test-model" in error.message
        assert error.hint
        assert KEY not in error.message + error.hint
        if error.code != "llm.truncated" and fault.asked != "json":
            assert server.url in error.message
    else:
        answered(model, fault)
    assert len(server.requests) == fault.requests
    before = Profile(**fault.settings)
    assert model.profile == replace(before, **fault.learns)


def test_the_docs_hold_the_table_of_faults() -> None:
    assert f"\n{table()}\n" in DOCS.read_text("utf-8"), "make the table anew: llm_faults.table()"
