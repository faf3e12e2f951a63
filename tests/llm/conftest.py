"""Fixtures of the model tests."""

from collections.abc import Callable, Iterator

import pytest
from llm_server import Play, ScriptedServer, serving

from zencli.llm.client import OpenAIModel
from zencli.llm.profiles import Profile

KEY = "sk-test-0123456789abcdef"

MakeModel = Callable[..., OpenAIModel]


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
    return running_server


@pytest.fixture
def model_playing(server: ScriptedServer) -> Iterator[MakeModel]:
    """Makes a model on the server, which plays the answers given."""
    made: list[OpenAIModel] = []

    def make(
        *plays: Play, timeout: float = 20.0, key: str = KEY, **settings: object
    ) -> OpenAIModel:
        server.plays = list(plays)
        profile = Profile(**settings)  # type: ignore[arg-type]
        made.append(OpenAIModel(server.url, "test-model", key, profile, timeout))
        return made[-1]

    yield make
    for model in made:
        model.close()
