"""Whole turns on real books in small folders, played by a scripted model."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zencli.agent.events import AgentEvent
from zencli.agent.talk import Agents, Choice, Outcome, Talk
from zencli.agent.turn import Asked
from zencli.llm.profiles import Profile
from zencli.llm.scripted import ScriptedModel, Step
from zencli.llm.types import Message, Request, ToolCall
from zencli.pipeline.session import RunOptions
from zencli.store.chapter_text import join_chapter
from zencli.store.config_file import render_config
from zencli.store.layout import BookDir
from zencli.story.book import BookConfig, Language

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LONG_ZH = "雨落在船舷上。他数着绳结，一个一个往下摸，摸到第七个时停了手。" * 20
"""More than 500 characters."""


def routed(agent: str = "writer", workflow: str = "quick", **more: Any) -> Step:
    """The router's answer."""
    decision = {
        "agent": agent, "workflow": workflow, "reason": "test", "confidence": 0.9,
        "write_content": None, "read_only": False, "scope": "", **more,
    }  # fmt: skip
    return Step("router", json.dumps(decision, ensure_ascii=False))


_count = iter(range(1, 1_000_000))


def calls(role: str, *tools: tuple[str, dict[str, Any]], text: str = "") -> Step:
    """A reply that calls tools."""
    made = tuple(
        ToolCall(f"call_{next(_count)}", name, json.dumps(arguments, ensure_ascii=False))
        for name, arguments in tools
    )
    return Step(role, text, "tool_calls", tool_calls=made)


def says(role: str, text: str) -> Step:
    """A reply without tools."""
    return Step(role, text)


def draft(title: str, role: str = "writer", **more: Any) -> Step:
    """A call that makes an empty chapter file."""
    return calls(role, ("create_file", {"title": title, "type": "draft", **more}))


def body(text: str, after: str = "", role: str = "writer") -> Step:
    """A file's body as it is streamed."""
    return Step(role, f"<file>\n{text}\n</file>{after}")


def reads(path: str, role: str = "writer") -> Step:
    return calls(role, ("query_files", {"path": path}))


def hands(role: str, to: str, **more: Any) -> Step:
    return calls(role, ("handoff_to_agent", {"agent": to, "reason": "轮到他了", **more}))


@dataclass
class Stage:
    """A workspace with a book, a model that plays steps, and the events that were told."""

    root: Path
    language: Language = "zh"
    book_id: str = "deng"
    options: RunOptions = field(default_factory=RunOptions)
    events: list[AgentEvent] = field(default_factory=list)
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel([]))
    last: Outcome | None = None

    @property
    def book(self) -> BookDir:
        return BookDir(self.root / "books" / self.book_id)

    def play(self, *steps: Step) -> None:
        self.model = ScriptedModel(
            steps, profile=Profile(name="scripted", window=64_000, price_input=0, price_output=0)
        )

    def agents(self, watch: Callable[[AgentEvent], None] | None = None) -> Agents:
        def emit(event: AgentEvent) -> None:
            self.events.append(event)
            if watch is not None:
                watch(event)

        return Agents(
            self.root, self.options, model=self.model, emit=emit, clock=lambda: WHEN, environ={}
        )

    def turn(
        self,
        message: str | Asked,
        *steps: Step,
        talk: Talk | None = None,
        heard: Callable[[], Sequence[str]] = lambda: (),
        watch: Callable[[AgentEvent], None] | None = None,
        leftover: bool = False,
        **choice: Any,
    ) -> Outcome:
        """One turn; every step must be played unless ``leftover``."""
        self.play(*steps)
        asked = message if isinstance(message, Asked) else Asked(message)
        if talk is None:
            with self.agents(watch).talk(Choice(**choice)) as opened:
                self.last = opened.turn(asked, heard)
        else:
            talk.agents.model = self.model
            self.last = talk.turn(asked, heard)
        if not leftover:
            self.model.done()
        return self.last

    def read(self, path: str) -> str:
        return (self.book.path / path).read_text("utf-8")

    def exists(self, path: str) -> bool:
        return (self.book.path / path).exists()

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type == kind]

    def order(self) -> list[str]:
        """The agents in the order in which they were selected."""
        return [data["agent"] for data in self.told("agent_selected")]

    def prompt(self, role: str, index: int = 0) -> str:
        """The last user message with which an agent's run began."""
        request = [r for r in self.model.requests if r.role == role][index]
        return user_message(request)


def user_message(request: Request) -> str:
    """The message of the user in which the request stands."""
    users = [m for m in request.messages if m.role == "user"]
    return users[-1].content


def tool_results(request: Request) -> list[dict[str, Any]]:
    """The results of tools that a request holds."""
    found: list[Message] = [m for m in request.messages if m.role == "tool"]
    return [json.loads(m.content) for m in found]


FILES: dict[Language, dict[str, str]] = {
    "zh": {
        "brief.md": "写一个守灯人的故事。每章三千字左右。\n",
        "story_bible.md": "# 灯\n\n海边的灯塔。\n",
        "outline.md": "# 大纲\n\n第一章：点灯。\n\n第二章：来客。\n",
        "style.md": "# 文风\n\n短句，白描。\n",
        "characters/林晚.md": "# 林晚\n\n- 身份：守灯人\n\n话不多。\n",
    },
    "en": {
        "brief.md": "A lighthouse keeper. About 2,000 words a chapter.\n",
        "story_bible.md": "# The Lamp\n\nA lighthouse by the sea.\n",
        "outline.md": "# Outline\n\nChapter 1: the lamp.\n",
        "style.md": "# Style\n\nShort sentences.\n",
    },
}
CHAPTERS: dict[Language, tuple[tuple[str, str], ...]] = {
    "zh": (
        ("点灯", "林晚爬上灯塔。\n\n“又是一个雾夜。”她说。\n\n灯亮了，海上没有船。"),
        ("来客", "有人敲门。\n\n“谁？”林晚问。\n\n门外站着一个浑身湿透的人。"),
    ),
    "en": (("The Lamp", "Anna climbed the tower.\n\n“Fog again,” she said."),),
}


def stage(root: Path, language: Language = "zh", *, book: bool = True) -> Stage:
    """A workspace, with a small book in it."""
    made = Stage(root, language)
    if not book:
        return made
    config = BookConfig(
        id=made.book_id, title="灯" if language == "zh" else "The Lamp", language=language,
        target_chapters=10, chapter_words=1000, created=WHEN, updated=WHEN,
    )  # fmt: skip
    folder = root / "books" / made.book_id
    files = dict(FILES[language])
    files["book.toml"] = render_config(config)
    for number, (title, prose) in enumerate(CHAPTERS[language], start=1):
        files[f"chapters/{number:04d}.md"] = join_chapter(title, prose)
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return made
