"""The folders of runs: naming them, reading what they kept, telling the living from the dead."""

import fcntl
import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from zencli.store.atomic import write_atomic
from zencli.store.disk import DISK, refused

_RUN_NAME = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z-(.+)")
_CALL_NAME = re.compile(r"([0-9]{3,})-.+\.json")
_ALIVE = "alive"
"""A file that its run keeps locked while it lives."""


@dataclass(frozen=True)
class Kept:
    """One call of a run, as its file holds it."""

    run: str
    path: Path
    call: dict[str, Any]


@dataclass(frozen=True)
class EarlierRun:
    """A run that didn't end, and what it put down in ``command.json`` when it began."""

    folder: Path
    begun: dict[str, Any]

    @property
    def id(self) -> str:
        return self.folder.name

    def note(self, name: str) -> dict[str, Any]:
        """A note of the run; empty when there is none that can be read."""
        return _loaded(self.folder / f"{plain(name)}.json")

    def broken_off(self, role: str) -> str:
        """What the last call had given of its text when the run was killed in it; else ""."""
        files = sorted(self.folder.glob(f"*-{plain(role)}.partial.md"))
        if not files or (self.folder / "outcome.json").exists():
            return ""
        return files[-1].read_text("utf-8", "replace")


def latest_begun(folder: Path, verb: str) -> EarlierRun | None:
    """The latest run of a verb that had begun; None when it ended ``done`` or is still alive."""
    for run in reversed(run_folders(folder)):
        begun = _loaded(run / "command.json") if _verb(run) == verb else {}
        if begun:
            done = _loaded(run / "outcome.json").get("outcome") == "done"
            return None if done or is_alive(run) else EarlierRun(run, begun)
    return None


def mark_done(run: EarlierRun) -> None:
    """Let a run that was stopped after its last commit count as ended."""
    data = {"outcome": "done", "detail": {}, "time": datetime.now(UTC).isoformat()}
    try:
        write_atomic(run.folder / "outcome.json", dumped(data))
    except OSError as error:
        raise refused(error, run.folder, "Check the permissions and the free space.") from error


def run_folders(folder: Path) -> list[Path]:
    """All runs in a folder, oldest first."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if _RUN_NAME.fullmatch(p.name) and p.is_dir())


def unfinished(own: Path) -> list[Path]:
    """The earlier runs of the same verb that neither ended ``done`` nor were superseded.

    Oldest first; a run that another process is still at is none of them.
    """
    candidates: list[Path] = []
    superseded: set[str] = set()
    for run in run_folders(own.parent):
        outcome = _loaded(run / "outcome.json")
        named = outcome.get("supersedes")
        superseded.update(map(str, named if isinstance(named, list) else ()))
        if run != own and _verb(run) == _verb(own) and outcome.get("outcome") != "done":
            candidates.append(run)
    return [run for run in candidates if run.name not in superseded and not is_alive(run)]


def _verb(run: Path) -> str:
    name = _RUN_NAME.fullmatch(run.name)
    return name.group(1) if name else ""


def kept_calls(run: Path) -> list[Kept]:
    """The readable calls of a run, in the order they were made."""
    kept = []
    for path in call_files(run):
        call = _loaded(path)
        if isinstance(call.get("digest"), str) and isinstance(call.get("reply"), dict):
            kept.append(Kept(run.name, path, call))
    return kept


def chapter_notes(run: Path) -> list[Path]:
    """The notes of a run that are about one chapter each, in the order of the chapters."""
    return sorted(run.glob("[a-z]*-[0-9][0-9][0-9][0-9]*.json"))


def call_files(run: Path) -> list[Path]:
    """The files of a run's calls, in the order they were made."""
    names = ((_CALL_NAME.fullmatch(path.name), path) for path in run.glob("*.json"))
    numbered = [(int(name.group(1)), path) for name, path in names if name]
    return [path for _, path in sorted(numbered)]


def is_done(run: Path) -> bool:
    """Whether a run did all that it was to do."""
    return _loaded(run / "outcome.json").get("outcome") == "done"


def _loaded(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def dumped(data: dict[str, Any]) -> bytes:
    """JSON for a file of a run."""
    # Models return unpaired surrogates; as "\\udc80" they are valid JSON and come back unchanged.
    # without indent: with it, Python's own slow encoder would be used
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "backslashreplace")


def new_folder(folder: Path, verb: str) -> Path:
    """Make the folder of a run that begins now."""
    while True:
        run = folder / run_name(verb)
        try:
            run.mkdir()
        except FileExistsError:
            continue
        DISK.sync_folder(folder)
        return run


def run_name(verb: str) -> str:
    """The id of a run of ``verb`` that begins now; under a book's lock no other one gets it."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{plain(verb)}"


def plain(word: str) -> str:
    """``word`` as a part of a file name."""
    return re.sub(r"[^\w-]+", "-", word).strip("-") or "call"


def hold(run: Path) -> int:
    """Mark a run as alive until the returned descriptor is closed or the process ends."""
    handle = os.open(run / _ALIVE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def is_alive(run: Path) -> bool:
    """Whether another process holds the run; one that this process abandoned isn't alive."""
    try:
        handle = os.open(run / _ALIVE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
