"""One turn on the embedded model: it ends in order, whatever it says."""

from pathlib import Path
from typing import get_args

import pytest
from agent_helpers import WHEN, stage

from zencli.agent.limits import StopReason
from zencli.agent.talk import Agents, Choice
from zencli.agent.turn import Asked
from zencli.llm.embedded import install, installed


@pytest.mark.embedded
@pytest.mark.slow
def test_a_turn_on_a_toy_ends_with_a_reply_or_a_named_stop(tmp_path: Path) -> None:
    if installed() is None:
        install(lambda _: None)
    en = stage(tmp_path, "en")
    (en.root / "zencli.toml").write_text(
        "[agent]\nmax_model_calls = 3\nmax_agent_runs = 2\nmax_seconds = 300\n"
    )
    agents = Agents(en.root, emit=en.events.append, clock=lambda: WHEN, environ={})
    with agents.talk(Choice(session="toy")) as talk:
        outcome = talk.turn(Asked("Write the second chapter, 100 words."))
        assert talk.session.turns()[-1].stop_reason == outcome.result.stop_reason
    assert outcome.result.stop_reason in get_args(StopReason)
    assert outcome.result.stop_reason != "model_failed", outcome.error
    assert outcome.result.reply or outcome.error
    assert outcome.usage.calls >= 1
