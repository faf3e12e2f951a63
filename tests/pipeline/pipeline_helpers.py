"""Books to test on, and models that misbehave, for the tests of the pipeline."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scripts import Script

from zencli.errors import ModelError
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import OnText, Reply, Request
from zencli.pipeline.runner import Runner
from zencli.pipeline.session import RunOptions
from zencli.store.layout import BookDir

ZH = Script("zh")
BOOK = "七则桥"

Workspace = Callable[[int], Path]
"""Makes a fresh workspace with the sample book after so many chapters."""

CLEAN = Step("audit", '{"findings": []}')


class Breaking(ScriptedModel):
    """A scripted model whose endpoint goes away before call ``at`` (counted from 1)."""

    def __init__(self, steps: Iterable[Step], at: int, code: str = "llm.network") -> None:
        super().__init__(steps, profile=ZH.model([]).profile)
        self._at = at
        self._code = code

    def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        if len(self.requests) + 1 == self._at:
            raise ModelError(self._code, "The endpoint went away.")
        return super().complete(request, on_text)


def play(root: Path, steps: Iterable[Step], **options: Any) -> tuple[Runner, ScriptedModel]:
    """A Runner whose model plays ``steps``."""
    model = ZH.model(list(steps))
    return Runner(root, RunOptions(**options), model=model), model


def step(role: str, **fields: Any) -> Step:
    """A structured reply."""
    return Step(role, json.dumps(fields, ensure_ascii=False))


def reply(name: str) -> dict[str, Any]:
    """One of the sample replies, to be changed."""
    data: dict[str, Any] = json.loads(ZH.read(f"{name}.json"))
    return data


def finding(quote: str, **fields: Any) -> dict[str, Any]:
    """A finding as the auditor words it."""
    standard = {
        "severity": "critical",
        "dimension": "对不上",
        "quote": quote,
        "problem": "和前文对不上。",
        "against": "",
        "fix": "改掉。",
        "scope": "local",
    }
    return {**standard, **fields}


def four_calls(number: int) -> list[Step]:
    """The calls of a clean chapter: the sample's, its audit without a finding."""
    kept = [s for s in ZH.chapter(number) if s.role in ("plan", "write", "settle")]
    return [*kept[:2], CLEAN, kept[2]]


def prose(number: int) -> str:
    """The sample prose of a chapter."""
    return ZH.read(f"{number:04d}.write.txt").strip()


def prompt(request: Request) -> str:
    """All that a request says, messages in order."""
    return "\n\n".join(message.content for message in request.messages)


def roles(model: ScriptedModel) -> list[str]:
    return [request.role for request in model.requests]


def book_of(root: Path) -> BookDir:
    return BookDir(root / "books" / BOOK)


def only_critical(root: Path) -> Path:
    """The same workspace, its book set to have nothing but critical findings revised."""
    path = book_of(root).path / "book.toml"
    told = path.read_text("utf-8")
    assert 'revise_on = "warning"' in told
    path.write_text(told.replace('revise_on = "warning"', 'revise_on = "critical"'), "utf-8")
    return root


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a book but the machine's own, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".zencli" not in path.relative_to(folder).parts
    }
