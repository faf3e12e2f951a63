"""Make the sample book of ``books/`` and the prompts of ``docs/examples/`` anew from the scripts.

The replies are ours (``tests/data``); the pipeline that turns them into a book is the real one.
"""

import shutil
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from scripts import Script  # noqa: E402

from zencli.llm.scripted import ScriptedModel  # noqa: E402
from zencli.pipeline.params import Approve, WriteNext  # noqa: E402
from zencli.pipeline.runner import Runner  # noqa: E402

SAMPLE = "zh"
FIRST_DAY = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


class Clock:
    """A day later at each look, so that the files don't depend on when they were made."""

    def __init__(self) -> None:
        self._now = FIRST_DAY

    def __call__(self) -> datetime:
        self._now += timedelta(hours=1)
        return self._now


def play(language: str, root: Path) -> tuple[Path, ScriptedModel]:
    """Run a whole script in ``root``; the book's folder and the model with all its requests."""
    script = Script(language)
    last = script.meta["target_chapters"]
    model = script.model(script.opening() + script.chapters(1, last))
    runner = Runner(root, model=model, clock=Clock(), environ={})
    book_id = runner.init_book(script.wish()).book_id
    for _ in range(last):
        runner.write_next(WriteNext())
    model.done()
    runner.approve(Approve(all_passed=True))
    return root / "books" / book_id, model


def main() -> None:
    """Write ``books/<sample>`` and ``docs/examples/<language>/``."""
    with tempfile.TemporaryDirectory() as folder:
        for language in ("zh", "en"):
            root = Path(folder) / language
            root.mkdir()
            book, model = play(language, root)
            _keep_prompts(language, model)
            if language == SAMPLE:
                target = ROOT / "books" / book.name
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(book, target, ignore=shutil.ignore_patterns(".zencli"))


def _keep_prompts(language: str, model: ScriptedModel) -> None:
    """The calls of the opening and of chapter 1, as they were sent."""
    folder = ROOT / "docs" / "examples" / language
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for index, request in enumerate(model.requests[:8], 1):
        parts = [f"<!-- {m.role} -->\n\n{m.content}\n" for m in request.messages]
        (folder / f"{index:02d}-{request.role}.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
