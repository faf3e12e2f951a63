"""An endpoint for each test, and books that are written once and copied."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_helpers import Endpoint, Shell
from scripts import Script

from zencli.pipeline.params import WriteNext
from zencli.pipeline.runner import Runner


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()
    yield served
    served.close()


@pytest.fixture
def shell(tmp_path: Path, endpoint: Endpoint) -> Shell:
    """An empty workspace whose model is the endpoint."""
    root = tmp_path / "work"
    root.mkdir()
    return Shell(root, dict(endpoint.environment()))


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By language, a workspace with one book of two chapters."""
    made = {}
    for language in ("zh", "en"):
        script = Script(language)
        root = tmp_path_factory.mktemp(f"written_{language}")
        model = script.model(script.opening() + script.chapters(1, 2))
        runner = Runner(root, model=model)
        runner.init_book(script.wish())
        runner.write_next(WriteNext(chapter_count=2))
        model.done()
        made[language] = root
    return made


@pytest.fixture
def book(shell: Shell, written: dict[str, Path]) -> Shell:
    """A workspace with the English book, two of its three chapters written."""
    shutil.copytree(written["en"], shell.root, dirs_exist_ok=True)
    return shell


@pytest.fixture
def chinese_book(shell: Shell, written: dict[str, Path]) -> Shell:
    """A workspace with the Chinese book, two of its four chapters written."""
    shutil.copytree(written["zh"], shell.root, dirs_exist_ok=True)
    return shell
