"""The wheel, installed where nothing of the checkout is seen."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from cli_helpers import REPO

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, REPO, cwd=folder)
    (made,) = folder.glob("zencli-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an empty environment with the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "env", with_pip=True)
    commands = folder / "env" / "bin"
    run(commands / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return commands


def run(*words: str | Path, cwd: Path) -> str:
    """Run without the checkout on the path; the output."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_every_prompt_and_no_test(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {p.relative_to(REPO).as_posix() for p in (REPO / "prompts").rglob("*.*")}
    assert len(shipped) > 60
    assert {f"zencli/{name}" for name in shipped} <= names
    assert "zencli/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"zencli"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_dry_run_works_from_another_folder(
    language: str, installed: Path, tmp_path: Path
) -> None:
    wish = "A lighthouse keeper who can't swim."
    words = ["init-book", "--dry-run", "--instruction", wish, "--language", language, "--json"]
    told = json.loads(run(installed / "zencli", *words, cwd=tmp_path))
    assert wish in told["data"]["messages"][-1]["content"]
    assert list(tmp_path.iterdir()) == []


def test_the_genres_are_inside(installed: Path, tmp_path: Path) -> None:
    told = json.loads(run(installed / "zencli", "genres", "--json", cwd=tmp_path))
    assert {"xuanhuan", "general"} <= set(told["data"]["genres"])


def test_the_dependencies_are_complete(installed: Path, tmp_path: Path) -> None:
    modules = "openai, jinja2, ebooklib, markdown, json_repair, tomlkit, zencli.agent.sub_agent"
    run(installed / "python", "-c", f"import {modules}", cwd=tmp_path)
    run(installed / "python", "-m", "pip", "check", cwd=tmp_path)
    version = run(installed / "python", "-m", "zencli", "--version", cwd=tmp_path)
    assert version.startswith("zencli ")
