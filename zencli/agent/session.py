"""A session: one JSON Lines file that holds what author and agents said, and what was done.

    {"type": "session", "id", "book", "time"}
    {"type": "author", "turn", "time", "message", "files", "quotes", "run"}
    {"type": "routing", "turn", ...}
    {"type": "step", "turn", "agent", "text", "tools": [...]}      one finished reply of a model
    {"type": "summary", "turns", "text"}                           stands for the first turns
    {"type": "reply", "turn", "text", "stop_reason", "question", "agent", "files", "read", ...}

Each line is durable when ``add`` returns, so a turn that was killed keeps what it had done. A line
that was cut off by a crash is passed over.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from zencli.agent.preroute import LastTurn
from zencli.agent.routing import AGENTS, Routing, routing_from
from zencli.errors import BusyError, NotFound, UsageError
from zencli.store.disk import refused

SUFFIX = ".jsonl"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
_ID = re.compile(r"[a-z0-9\u3400-\u9fff][a-z0-9_\u3400-\u9fff-]{0,59}")
_HINT = "Check the permissions and the free space of the disk."


@dataclass(frozen=True)
class PastTurn:
    """A turn as the session tells it.

    ``reply`` has no trail: ``files`` (path to created, changed, deleted) and ``read`` make it.
    ``stop_reason`` is ``interrupted`` for a turn that never came to its end; ``steps`` are then
    what its agents had said.
    """

    message: str
    reply: str
    stop_reason: str
    question: str = ""
    agent: str = "writer"
    routing: Routing | None = None
    clarified: bool = False
    held: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    read: tuple[str, ...] = ()
    run: str = ""

    def as_last(self) -> LastTurn:
        """What routing wants to know of this turn."""
        return LastTurn(
            reply=self.reply,
            stop_reason=self.stop_reason,  # type: ignore[arg-type]
            question=self.question,
            agent=next((role for role in AGENTS if role == self.agent), "writer"),
            routing=self.routing,
            clarified=self.clarified,
            held=next((role for role in AGENTS if role == self.held), None),
            files=len(self.files),
        )


@dataclass(frozen=True)
class Summary:
    """What stands for the first ``turns`` turns of a session."""

    turns: int
    text: str


class SessionFile:
    """An open session, held by this process alone; without a ``handle`` nothing goes to disk."""

    def __init__(self, path: Path, handle: int | None, lines: list[dict[str, Any]]) -> None:
        self.path = path
        self._handle = handle
        self._lines = lines

    @property
    def id(self) -> str:
        """The session's name."""
        return self.path.stem

    @property
    def turn_number(self) -> int:
        """The number of the turn that begins next, from 1."""
        return 1 + sum(1 for line in self._lines if line.get("type") == "author")

    def add(self, kind: str, **data: Any) -> None:
        """Put one line on disk; it is durable when this returns."""
        line = {"type": kind, **data}
        self._lines.append(line)
        if self._handle is None:
            return
        text = json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
        try:
            os.write(self._handle, text.encode("utf-8", "backslashreplace"))
            os.fsync(self._handle)
        except OSError as error:
            raise refused(error, self.path, _HINT) from error

    def turns(self) -> list[PastTurn]:
        """The turns so far, oldest first."""
        numbers = dict.fromkeys(line.get("turn") for line in self._lines if "turn" in line)
        return [_past([ln for ln in self._lines if ln.get("turn") == n]) for n in numbers]

    def summary(self) -> Summary | None:
        """What stands for the first turns, when they were summarised."""
        lines = [line for line in self._lines if line["type"] == "summary"]
        if not lines:
            return None
        return Summary(int(lines[-1]["turns"]), str(lines[-1]["text"]))

    def move(self, folder: Path) -> None:
        """Take the file to another folder, that of the book which this session made."""
        if self._handle is None:
            return
        target = _free(folder, self.id)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.replace(self.path, target)
        except OSError as error:
            raise refused(error, folder, _HINT) from error
        self.path = target


def _past(lines: list[dict[str, Any]]) -> PastTurn:
    author = next((ln for ln in lines if ln["type"] == "author"), {})
    reply = next((ln for ln in lines if ln["type"] == "reply"), None)
    steps = [ln for ln in lines if ln["type"] == "step"]
    routing = next(
        (routing_from(ln.get("decision")) for ln in lines if ln["type"] == "routing"), None
    )
    if reply is None:
        last = str(steps[-1].get("agent")) if steps else (routing.agent if routing else "writer")
        return PastTurn(
            message=str(author.get("message", "")),
            reply="\n\n".join(str(ln.get("text", "")) for ln in steps if ln.get("text")),
            stop_reason="interrupted",
            agent=last,
            routing=routing,
            files={str(ln["file"]): "created" for ln in steps if ln.get("file")},
            run=str(author.get("run", "")),
        )
    return PastTurn(
        message=str(author.get("message", "")),
        reply=str(reply.get("text", "")),
        stop_reason=str(reply.get("stop_reason", "finished")),
        question=str(reply.get("question", "")),
        agent=str(reply.get("agent", "writer")),
        routing=routing,
        clarified=bool(reply.get("clarified")),
        held=reply.get("held"),
        files=dict(reply.get("files") or {}),
        read=tuple(reply.get("read") or ()),
        run=str(reply.get("run", "")),
    )


@contextmanager
def open_session(
    folders: list[Path],
    wanted: str | None,
    *,
    latest: bool,
    now: datetime,
    book: str,
    dry_run: bool = False,
) -> Iterator[SessionFile]:
    """The session to talk in, held until the block ends.

    ``folders`` are looked through in order; a new session goes into the first. ``wanted`` names a
    session, which is made when it doesn't exist; ``latest`` takes the one that was last written
    to. Raises UsageError ``usage.session``, NotFound ``session.not_found``, BusyError
    ``session.busy``. With ``dry_run`` it's only read.
    """
    path = _chosen(folders, wanted, latest=latest)
    if dry_run:
        data = path.read_bytes() if path is not None and path.exists() else b""
        yield SessionFile(path or folders[0] / f"new{SUFFIX}", None, _lines(data))
        return
    try:
        if path is None:
            path, handle = _new(folders[0], f"{now:%Y%m%d-%H%M%S}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, _OPEN, 0o666)
    except OSError as error:
        raise refused(error, folders[0], _HINT) from error
    try:
        _hold(handle, path)
        lines = _read(handle)
        opened = SessionFile(path, handle, lines)
        if not lines:
            opened.add("session", id=path.stem, book=book, time=now.isoformat())
        try:
            yield opened
        finally:
            if opened.turn_number == 1:  # nothing was said, so nothing is left behind
                opened.path.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _chosen(folders: list[Path], wanted: str | None, *, latest: bool) -> Path | None:
    """The file of the session that is wanted, None for a new one."""
    if wanted is not None:
        if not _ID.fullmatch(wanted):
            raise UsageError(
                "usage.session",
                f"{wanted!r} can't name a session.",
                "Use a-z, 0-9, _, - (not in front) and CJK letters, 60 characters at most.",
            )
        found = (folder / f"{wanted}{SUFFIX}" for folder in folders)
        return next((path for path in found if path.exists()), folders[0] / f"{wanted}{SUFFIX}")
    if latest:
        known = [path for folder in folders for path in folder.glob(f"*{SUFFIX}")]
        if not known:
            raise NotFound(
                "session.not_found",
                "There is no session to continue.",
                "Leave --continue out to begin one.",
            )
        return max(known, key=lambda path: path.stat().st_mtime_ns)
    return None


def _new(folder: Path, name: str) -> tuple[Path, int]:
    """A session of its own, also when others begin in the same second."""
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        path = _free(folder, name)
        try:
            return path, os.open(path, _OPEN | os.O_EXCL, 0o666)
        except FileExistsError:
            continue


def _free(folder: Path, name: str) -> Path:
    names = (name, *(f"{name}-{count}" for count in range(2, 1000)))
    return next(p for n in names if not (p := folder / f"{n}{SUFFIX}").exists())


def _hold(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BusyError(
            "session.busy",
            f"Another zencli is writing in the session {path.stem}.",
            "Wait for it, or begin another session with --session NAME.",
        ) from error


def _read(handle: int) -> list[dict[str, Any]]:
    size = os.fstat(handle).st_size
    data = os.pread(handle, size, 0)
    if data and not data.endswith(b"\n"):
        os.ftruncate(handle, data.rfind(b"\n") + 1)  # a line that a crash cut off
        data = data[: data.rfind(b"\n") + 1]
    return _lines(data)


def _lines(data: bytes) -> list[dict[str, Any]]:
    lines = []
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and isinstance(found.get("type"), str):
            lines.append(found)
    return lines
