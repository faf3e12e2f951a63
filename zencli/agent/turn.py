"""One turn: what the author asked for, and what was done for it so far."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from zencli.agent.events import Emit
from zencli.agent.skills.reading import SkillReader
from zencli.pipeline.configuration.search_table import SearchChoice
from zencli.pipeline.runner import Runner
from zencli.store.layout import BookDir
from zencli.store.workspace import Workspace
from zencli.story.book import Language

AgentRole: TypeAlias = Literal["planner", "hook_designer", "writer", "quality_reviewer"]
ReadOnly: TypeAlias = Literal["", "router", "author"]
FileChange: TypeAlias = Literal["created", "changed", "deleted"]


@dataclass(frozen=True)
class Asked:
    """The author's side of a turn, word for word.

    ``files`` are paths inside the book that he points at, ``skills`` those he put in by hand,
    ``attachments`` texts by the name of the file they came from, ``quotes`` passages he marked.
    ``confirmed`` is ``--yes``.
    """

    message: str
    files: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    attachments: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ()
    confirmed: bool = False


@dataclass(frozen=True)
class PendingFile:
    """A file that was made without a text: the next ``<file>`` body goes into it.

    ``agent`` made it; ``existed`` tells an empty file that stood there before this turn.
    ``title`` and ``head`` stand above the body, ``overwrite`` allows a text that is there to go.
    """

    path: str
    agent: AgentRole
    existed: bool = False
    title: str = ""
    head: str = ""
    overwrite: bool = False


@dataclass
class FileLog:
    """What this turn did to the book's files, by path inside the book.

    ``changes`` keeps the order of the first change of each file. ``words`` are those that agents
    wrote into body files (chapters, scripts), ``before`` the text of a file when this turn first
    changed it (None: it didn't exist), ``read`` what was read.
    """

    changes: dict[str, FileChange] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    before: dict[str, str | None] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)


@dataclass
class Turn:
    """The state that router, agents and tools of one turn share.

    ``book`` is None until there is one: ``sub_agent`` can make it. ``run_id`` names the one run of
    the history that everything this turn commits belongs to. ``seen`` holds the full texts that the
    working agent knows, by path; ``read_now`` what it read since its last model call, which becomes
    ``seen`` at the next one. ``reply_language`` is the language of the author's last message.
    ``runner`` makes a Runner whose commits belong to this turn.
    ``skills`` are those that may be read, and were; ``search`` is the embedding model, if any.
    """

    asked: Asked
    workspace: Workspace
    book: BookDir | None
    run_id: str
    session: str
    emit: Emit
    clock: Callable[[], datetime]
    runner: Callable[[], Runner]
    reply_language: Language
    agent: AgentRole = "writer"
    read_only: ReadOnly = ""
    clarify_first: bool = False
    files: FileLog = field(default_factory=FileLog)
    seen: dict[str, str] = field(default_factory=dict)
    read_now: dict[str, str] = field(default_factory=dict)
    pending: PendingFile | None = None
    skills: SkillReader = field(default_factory=SkillReader)
    search: SearchChoice = field(default_factory=SearchChoice)
