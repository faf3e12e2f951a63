"""Playing the sample scripts: a novella's replies, in the order in which zencli asks for them."""

import json
from pathlib import Path
from typing import Any

from zencli.llm.profiles import Profile
from zencli.llm.scripted import ScriptedModel, Step
from zencli.pipeline.params import InitBook

DATA = Path(__file__).parent / "data"
OPENING = ("concept", "cast", "outline", "reconcile")
CHAPTER = ("plan", "write", "audit", "spot_fix", "settle")


class Script:
    """A folder of replies: ``concept.json`` ... and ``NNNN.plan.json``, ``NNNN.write.txt`` ..."""

    def __init__(self, language: str) -> None:
        self.folder = DATA / f"script_{language}"
        self.meta: dict[str, Any] = json.loads(self.read("meta.json"))
        self.brief = self.read("brief.md")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def opening(self) -> list[Step]:
        return [Step(name, self.read(f"{name}.json")) for name in OPENING]

    def chapter(self, number: int) -> list[Step]:
        """All calls of one chapter, the revision included where the script has one."""
        steps = []
        for name in CHAPTER:
            path = self.folder / f"{number:04d}.{name}.{'txt' if name == 'write' else 'json'}"
            if path.exists():
                steps.append(Step(name, path.read_text(encoding="utf-8")))
        return steps

    def chapters(self, first: int, last: int) -> list[Step]:
        return [step for n in range(first, last + 1) for step in self.chapter(n)]

    def wish(self, **changes: Any) -> InitBook:
        wish = InitBook(
            instruction=self.brief,
            title=self.meta["title"],
            genre=self.meta["genre"],
            platform=self.meta["platform"],
            language=self.meta["language"],
            target_chapters=self.meta["target_chapters"],
            chapter_word_count=self.meta["chapter_words"],
        )
        return wish.model_copy(update=changes)

    def model(self, steps: list[Step], **options: Any) -> ScriptedModel:
        profile = Profile(
            name="scripted",
            window=131_072,
            price_input=0.0,
            price_output=0.0,
            tokens_per_cjk=0.64 if self.meta["language"] == "zh" else 1.0,
        )
        return ScriptedModel(steps, profile=options.pop("profile", profile), **options)
