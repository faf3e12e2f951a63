"""Replies with anything in any place: refused in words or read, never a fault of the program."""

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pipeline_helpers import ZH, Workspace, book_of, finding, prose, reply

from zencli.errors import ZencliError
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import Request
from zencli.pipeline.overview import book_status
from zencli.pipeline.params import Audit, Revise, ReviseMode, WriteNext
from zencli.pipeline.runner import Runner

ODD: list[Any] = [
    None,
    "",
    -1,
    1e20,
    10**30,
    True,
    [],
    {},
    [None],
    ["甲"],
    {"what": "x"},
    "第 3 章",
    "\x00",
    "\ud83d",
    "# 标题\n\n## 底牌\n- x",
    "a|b|c",
    "H²",
    "《》",
    "x" * 3000,
    "\u2028\n",
    "../x",
]
MODES: tuple[ReviseMode, ...] = ("spot-fix", "polish", "rewrite", "rework", "anti-detect")
SEEDS = range(12)


class ByRole(ScriptedModel):
    """Gives each role the same reply again and again."""

    def __init__(self, replies: dict[str, str]) -> None:
        super().__init__([], profile=ZH.model([]).profile)
        self._replies = replies

    def _next(self, request: Request) -> Step:
        return Step(request.role, self._replies[request.role])


def spoiled(value: Any, chance: random.Random, places: int) -> str:
    """JSON of ``value`` with odd things in some places."""
    value = copy.deepcopy(value)
    for _ in range(places):
        node = value
        while isinstance(node, dict | list) and node:
            key = chance.choice(list(node) if isinstance(node, dict) else list(range(len(node))))
            if isinstance(node[key], dict | list) and node[key] and chance.random() < 0.7:
                node = node[key]
                continue
            node[key] = copy.deepcopy(chance.choice(ODD))
            break
    return json.dumps(value)


def refusal(run: Callable[[], object]) -> str | None:
    """The code of the error that a run ends with; anything but a documented error is a fault."""
    try:
        run()
    except ZencliError as error:
        return error.code
    return None


def readable(root: Path) -> None:
    """Every file of the book can be read, and its status told."""
    book = book_of(root)
    book_status(book)
    for path in book.path.rglob("*.md"):
        path.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_plans_never_break_the_planning_of_a_book(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = ("concept", "cast", "outline", "reconcile")
    replies = {name: spoiled(reply(name), chance, chance.randint(1, 6)) for name in names}
    arcs = [{"title": "甲", "first": 1, "last": 4}, {"title": "乙", "first": 5, "last": 20}]
    replies["structure"] = spoiled({"volumes": [{"arcs": arcs}]}, chance, 1)
    wish = ZH.wish(target_chapters=chance.choice([4, 20]))
    runner = Runner(tmp_path, model=ByRole(replies))
    code = refusal(lambda: runner.init_book(wish))
    if code is None:
        readable(tmp_path)
    else:
        assert code == "llm.reply"
        assert not (tmp_path / "books").exists()


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_replies_never_break_a_chapter(workspace: Workspace, seed: int) -> None:
    chance = random.Random(seed)
    root = workspace(0)
    steps = ("plan", "audit", "settle")
    replies = {s: spoiled(reply(f"0001.{s}"), chance, chance.randint(1, 6)) for s in steps}
    scope = chance.choice(["local", "structural"])
    passage = prose(1)[200:230]
    replies["audit"] = spoiled({"findings": [finding(passage, scope=scope)]}, chance, 1)
    patches = [{"finding": 1, "old": passage, "new": "换一句。"}]
    replies |= {
        "write": chance.choice([prose(1), prose(1)[:1500], prose(1) + "\ud83d\x00\x0b"]),
        "spot_fix": spoiled({"patches": patches, "note": ""}, chance, 2),
        "spot_fix_again": spoiled({"patches": patches}, chance, 1),
        "replan": replies["plan"],
        **dict.fromkeys(("rewrite", "normalise", "polish", "rework", "anti_detect"), prose(1)),
    }
    runner = Runner(root, model=ByRole(replies))
    for run in (
        lambda: runner.write_next(WriteNext(rounds=2)),
        lambda: runner.revise(Revise(mode=chance.choice(MODES), instruction="改", force=True)),
        lambda: runner.write_next(WriteNext()),
        lambda: runner.audit(Audit(no_llm=True, chapters="1-")),
    ):
        assert refusal(run) in (None, "llm.reply", "chapter.not_found")
        readable(root)
