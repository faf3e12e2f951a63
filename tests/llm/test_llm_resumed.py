"""A chapter whose stream stalls or breaks is gone on with from where it stopped."""

from pathlib import Path

import pytest
from llm_helpers import MakeModel
from llm_server import ScriptedServer, says, streams

from zencli.context.pack import Layer
from zencli.context.prompts import Prompts
from zencli.errors import ModelError
from zencli.llm.budget import Meter
from zencli.llm.client import OpenAIModel
from zencli.llm.deadlines import Deadlines
from zencli.pipeline.configuration.models import ModelPool
from zencli.pipeline.configuration.settings import ModelChoice, Settings
from zencli.pipeline.events import Event, TextPiece
from zencli.pipeline.run_context import MOST_CONTINUATIONS, RunContext

TIMES = Deadlines(connect=5.0, first_token=0.5, between_tokens=0.5, total=20.0)
FIRST, REST = "It rained on the harbour, and", " the lamp stayed dark."


class Written:
    """A chapter asked for with ``model``, and what was told meanwhile."""

    def __init__(self, folder: Path, model: OpenAIModel) -> None:
        self.events: list[Event] = []
        pool = ModelPool(Settings({"writer": ModelChoice()}), fixed=model)
        self.ctx = RunContext(Prompts("en", [folder]), pool, None, Meter(), self.events.append)

    def write(self) -> str:
        return self.ctx.prose(
            "writer",
            "write",
            [Layer("task", "Write chapter 1.")],
            chapter=1,
            target_words=10,
            count=lambda text: len(text.split()),
            enough=5,
            clean=str.strip,
        )

    def shown(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextPiece))


@pytest.mark.parametrize("how", ["stalls", "breaks", "ends early"])
def test_the_text_that_came_is_kept_and_gone_on_with(
    model_playing: MakeModel, server: ScriptedServer, tmp_path: Path, how: str
) -> None:
    broken = streams(
        [FIRST],
        finish=None,
        usage=None,
        done=False,
        hang=how == "stalls",
        drop=how == "breaks",
    )
    run = Written(tmp_path, model_playing(broken, streams([REST]), times=TIMES))
    assert run.write() == FIRST + REST
    assert run.shown().split() == f"{FIRST}{REST.strip()}".split()
    assert len(server.requests) == 2
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles[-2:] == ["assistant", "user"]
    assert server.requests[1]["messages"][-2]["content"] == FIRST
    assert len(run.ctx.warnings) == 1
    assert "Going on from there." in run.ctx.warnings[0]
    assert run.ctx.unfinished == ""


def test_a_stream_that_breaks_again_and_again_ends_with_its_error_and_the_text(
    model_playing: MakeModel, server: ScriptedServer, tmp_path: Path
) -> None:
    pieces = [streams([f"Part {n}. "], finish=None) for n in range(9)]
    run = Written(tmp_path, model_playing(*pieces))
    with pytest.raises(ModelError) as caught:
        run.write()
    assert caught.value.code == "llm.network"
    assert len(server.requests) == MOST_CONTINUATIONS + 1
    assert run.ctx.unfinished == "Part 0. Part 1. Part 2. Part 3. "


def test_the_total_time_is_the_end(
    model_playing: MakeModel, server: ScriptedServer, tmp_path: Path
) -> None:
    stalled = streams([FIRST], finish=None, usage=None, done=False, hang=True)
    run = Written(tmp_path, model_playing(stalled, says(REST), times=Deadlines(total=0.5)))
    with pytest.raises(ModelError) as caught:
        run.write()
    assert caught.value.code == "llm.timeout"
    assert len(server.requests) == 1
    assert run.ctx.unfinished == FIRST
