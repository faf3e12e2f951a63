"""Workspaces with the sample book planned, and with its first chapters written."""

import shutil
from pathlib import Path

import pytest
from pipeline_helpers import ZH, Workspace, four_calls, play

from zencli.pipeline.params import WriteNext


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The sample book after so many chapters, each made from the one before."""
    made: dict[int, Path] = {}
    for chapters in range(4):
        root = tmp_path_factory.mktemp("template") / "work"
        if chapters == 0:
            root.mkdir()
            play(root, ZH.opening())[0].init_book(ZH.wish())
        else:
            shutil.copytree(made[chapters - 1], root)
            play(root, four_calls(chapters))[0].write_next(WriteNext())
        made[chapters] = root
    return made


@pytest.fixture
def workspace(templates: dict[int, Path], tmp_path: Path) -> Workspace:
    """A fresh copy of the sample book after so many chapters."""

    def copy(chapters: int) -> Path:
        root = tmp_path / f"work-{chapters}"
        shutil.copytree(templates[chapters], root)
        return root

    return copy
