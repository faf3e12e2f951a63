"""Fixtures of the model tests."""

from collections.abc import Iterator

import pytest
from llm_helpers import KEY, MakeModel
from llm_server import Play, ScriptedServer, serving

from zencli.llm.attempts import Patience
from zencli.llm.client import OpenAIModel
from zencli.llm.deadlines import Deadlines
from zencli.llm.learned import Memory
from zencli.llm.profiles import Profile

TIMES = Deadlines(connect=5.0, first_token=20.0, between_tokens=20.0, total=20.0)
SHORT = Patience(retries=2, first_wait=0.02)


@pytest.fixture(scope="module")
def running_server() -> Iterator[ScriptedServer]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running_server: ScriptedServer) -> ScriptedServer:
    """A loopback endpoint with nothing recorded and nothing to play yet."""
    running_server.plays = []
    running_server.requests.clear()
    running_server.keys.clear()
    running_server.models = ["test-model"]
    running_server.listed = {}
    running_server.paths.clear()
    return running_server


@pytest.fixture
def model_playing(server: ScriptedServer) -> Iterator[MakeModel]:
    """Makes a model on the server, which plays the answers given."""
    made: list[OpenAIModel] = []

    def make(
        *plays: Play,
        key: str = KEY,
        times: Deadlines = TIMES,
        pinned: frozenset[str] = frozenset(),
        memory: Memory | None = None,
        **settings: object,
    ) -> OpenAIModel:
        server.plays = list(plays)
        profile = Profile(**settings)  # type: ignore[arg-type]
        made.append(
            OpenAIModel(
                server.url,
                "test-model",
                key,
                profile,
                times,
                patience=SHORT,
                pinned=pinned,
                memory=memory,
            )
        )
        return made[-1]

    yield make
    for model in made:
        model.close()
