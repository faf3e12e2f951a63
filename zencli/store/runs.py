"""The log of a run: every model reply on disk before it is used, and read back after a failure.

    runs/20261130T101500.123456Z-write-next/
      001-planner.json      {digest, role, request, reply, rejected}
      002-writer.partial.md what a broken stream had given
      context.json          notes
      outcome.json          {outcome, detail, time, supersedes}; missing when the run was killed

A kept reply may be recalled by a later run of the same verb as long as its own run didn't end
``done`` and no later run that asked the same request did.
"""

import os
import shutil
from collections import defaultdict, deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from zencli.store.atomic import write_atomic
from zencli.store.disk import DISK, refused
from zencli.store.run_files import (
    EarlierRun,
    Kept,
    call_files,
    chapter_notes,
    dumped,
    hold,
    is_alive,
    is_done,
    kept_calls,
    new_folder,
    plain,
    run_folders,
    unfinished,
)

Outcome = Literal["done", "failed", "interrupted"]

_HINT = "Check the permissions and the free space of the disk."


class RunLog:
    """One run. Make it with ``start``; ``id`` names it, ``folder`` holds its files."""

    def __init__(
        self, folder: Path, earlier: dict[str, deque[Kept]], related: dict[str, set[str]]
    ) -> None:
        self.id = folder.name
        self.folder = folder
        self._earlier = earlier
        self._related = related
        self._asked: set[str] = set()
        self._last: dict[str, Kept] = {}
        self._count = 0
        self._partial: dict[str, Path] = {}
        self._alive: int | None = hold(folder)

    @classmethod
    def start(cls, folder: Path, verb: str, fresh: bool = False) -> "RunLog":
        """Begin a run in ``folder`` (``.zencli/runs``, made when missing).

        With ``fresh`` nothing of earlier runs is recalled. Unreadable files of earlier runs are
        passed over, and so are runs that another process is still at. Raises UsageError
        ``usage.not_writable``, as every method that writes does.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            own = new_folder(folder, verb)
        except OSError as error:
            raise refused(error, folder, _HINT) from error
        related: dict[str, set[str]] = defaultdict(set)
        earlier: dict[str, deque[Kept]] = defaultdict(deque)
        for kept in (call for run in unfinished(own) for call in kept_calls(run)):
            digest = kept.call["digest"]
            related[digest].add(kept.run)
            if not kept.call.get("rejected") and not fresh:
                earlier[digest].append(kept)
        return cls(own, earlier, related)

    def recall(self, digest: str) -> dict[str, Any] | None:
        """The reply that an unfinished run of this verb got for the same request, else None.

        Each kept reply is given at most once per run, in the order they came.
        """
        self._asked.add(digest)
        if not self._earlier.get(digest):
            return None
        kept = self._earlier[digest].popleft()
        self._last[digest] = kept
        reply: dict[str, Any] = kept.call["reply"]
        return reply

    def keep(self, digest: str, role: str, request: dict[str, Any], reply: dict[str, Any]) -> None:
        """Put a finished call on disk; it is durable when this returns."""
        self._asked.add(digest)
        broken = self._partial.pop(role, None)
        if broken is not None:
            broken.unlink(missing_ok=True)
        path = self._next(role, ".json")
        call = {
            "digest": digest,
            "role": role,
            "request": request,
            "reply": reply,
            "rejected": False,
        }
        self._put(path, dumped(call))
        self._last[digest] = Kept(self.id, path, call)

    def keep_partial(self, role: str, text: str) -> None:
        """Put what a stream has given so far on disk, for the author; it is never recalled.

        It takes the place of what this role's call had given before, and goes when it is kept.
        """
        path = self._partial.get(role) or self._next(role, ".partial.md")
        self._partial[role] = path
        self._put(path, text.encode("utf-8", "replace"))

    def reject(self, digest: str) -> None:
        """Mark the latest reply to this request as unusable, so that no later run recalls it."""
        kept = self._last.get(digest)
        if kept is not None:
            self._put(kept.path, dumped({**kept.call, "rejected": True}))

    def note(self, name: str, data: dict[str, Any]) -> None:
        """Write ``<name>.json`` into the run's folder."""
        self._put(self.folder / f"{plain(name)}.json", dumped(data))

    def note_before(self, name: str) -> dict[str, Any] | None:
        """A note of the latest run whose replies may be recalled; None when there is none."""
        runs = {kept.path.parent for calls in self._earlier.values() for kept in calls}
        return EarlierRun(max(runs), {}).note(name) if runs else None

    def sources(self) -> set[str]:
        """This run, and the earlier ones that had asked what it asked."""
        asked = (self._related.get(digest, set()) for digest in self._asked)
        return {self.id}.union(*asked)

    def finish(self, outcome: Outcome, detail: dict[str, Any]) -> None:
        """End the run. ``done`` supersedes the unfinished runs that had asked the same requests.

        A run that failed before it got or read back any reply leaves no trace: there is nothing in
        it to go on from.
        """
        if outcome != "done" and not self._last and self._count == 0:
            self._let_go()
            self._vanish()
            return
        supersedes = set[str]()
        if outcome == "done":
            supersedes = self.sources() - {self.id}
        data = {
            "outcome": outcome,
            "detail": detail,
            "time": datetime.now(UTC).isoformat(),
            "supersedes": sorted(supersedes),
        }
        self._put(self.folder / "outcome.json", dumped(data))
        self._let_go()

    def _let_go(self) -> None:
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None

    def _vanish(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.folder.parent, self.folder.parent.parent):
            try:
                folder.rmdir()
            except OSError:  # others are in it
                return

    def _put(self, path: Path, data: bytes) -> None:
        try:
            write_atomic(path, data)
        except OSError as error:
            raise refused(error, self.folder, _HINT) from error

    def _next(self, role: str, suffix: str) -> Path:
        self._count += 1
        return self.folder / f"{self._count:03d}-{plain(role)}{suffix}"


def prune(folder: Path, keep: int) -> list[str]:
    """Delete all runs but the ``keep`` newest and those that another process is still at.

    Call it when this process's own run has ended. Returns the ids of the deleted runs.
    """
    runs = run_folders(folder)
    old = [run for run in runs[: max(0, len(runs) - keep)] if not is_alive(run)]
    for run in old:
        DISK.remove_tree(run)
    return [run.name for run in old]


def shrink(folder: Path, most: int) -> None:
    """Delete the oldest calls of runs that ended ``done``, beyond ``most`` bytes of them, and the
    oldest notes of single chapters (``NAME-0012.json``) likewise.

    Nobody resumes such a run: its calls are there to be looked at. One chapter's are hundreds of
    kilobytes of prompts, many times the chapter.
    """
    ended = [run for run in reversed(run_folders(folder)) if is_done(run) and not is_alive(run)]
    for files in (call_files, chapter_notes):
        left = most
        for path in (path for run in ended for path in reversed(files(run))):
            left -= path.stat().st_size
            if left < 0:
                DISK.unlink(path)
