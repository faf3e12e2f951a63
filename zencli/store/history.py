"""Reading what every run did to a book, and the contents it wrote and replaced.

``.zencli/history/commits/000001.json`` is one commit each; ``.zencli/history/objects/<sha256>`` a
content that a file had before or after a commit, compressed with zlib or, when it is large and
changed little, as a ``line_delta`` of an earlier one.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from zencli.errors import DamagedError, NotFound
from zencli.store import line_delta
from zencli.store.changes import Change, Commit, parse_commit
from zencli.store.kept_files import KeptFiles
from zencli.store.layout import BookDir
from zencli.store.paths import MACHINE, inside

COMMITS = f"{MACHINE}/history/commits"
OBJECTS = f"{MACHINE}/history/objects"

_KEPT = KeptFiles()
"""Whose a file is takes all commits, and an agent's context asks that of a dozen files."""


@dataclass(frozen=True)
class Revision:
    """One content that a file had.

    ``run`` and ``verb`` say who made it; both are "" for a content that a later commit found there
    (the author's own edit, or the file as it was before the first commit), and ``time`` is then
    that commit's. ``digest`` is None when the run deleted the file.
    """

    run: str
    verb: str
    time: datetime
    digest: str | None
    size: int


@dataclass(frozen=True)
class RunChanges:
    """Everything a run did, its commits merged: the first state before and the last one after.

    ``undoes`` is the run that it took back, "" for all others; ``creates`` is True for the run
    that made the book.
    """

    run: str
    verb: str
    time: datetime
    changes: list[Change]
    undoes: str = ""
    creates: bool = False


def digest_of(data: bytes) -> str:
    """SHA-256 of a file's bytes as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def object_path(book: BookDir, digest: str) -> Path:
    """Where the history keeps a content."""
    return book.path / OBJECTS / digest


def commit_numbers(book: BookDir) -> list[int]:
    """The numbers of all finished commits, ascending."""
    try:
        found = os.listdir(book.path / COMMITS)
    except FileNotFoundError:
        return []
    names = (name.removesuffix(".json") for name in found if name.endswith(".json"))
    return sorted(int(name) for name in names if name.isascii() and name.isdigit())


def commits(book: BookDir) -> list[Commit]:
    """All finished commits, oldest first."""
    return [_commit(book, number) for number in commit_numbers(book)]


def first_and_last(book: BookDir) -> tuple[Commit, Commit] | None:
    """The commit that the history begins with and the latest; None when there is none."""
    numbers = commit_numbers(book)
    return (_commit(book, numbers[0]), _commit(book, numbers[-1])) if numbers else None


def _commit(book: BookDir, number: int) -> Commit:
    name = f"{COMMITS}/{number:06d}.json"
    return parse_commit((book.path / name).read_bytes(), name)


def runs(book: BookDir) -> list[RunChanges]:
    """What each run changed, in the order of the runs' first commits."""
    merged: dict[str, RunChanges] = {}
    for commit in commits(book):
        name = commit.counts_to
        run = merged.get(name)
        if run is None:
            run = RunChanges(name, commit.told_verb, commit.time, [], commit.undoes, commit.creates)
        merged[name] = replace(run, changes=_merged(run.changes, commit.changes))
    return list(merged.values())


def taken_back(history: Sequence[RunChanges]) -> dict[str, str]:
    """The runs that are undone, each with the run that undid it.

    ``history`` is all runs, oldest first. An undo that was undone itself doesn't count.
    """
    found: dict[str, str] = {}
    for run in reversed(history):
        if run.undoes and run.run not in found:
            found.setdefault(run.undoes, run.run)
    return found


def _merged(earlier: list[Change], later: list[Change]) -> list[Change]:
    by_path = {change.path: change for change in earlier}
    for change in later:
        first = by_path.get(change.path)
        if first is None:
            by_path[change.path] = change
        else:
            by_path[change.path] = change.model_copy(
                update={"before": first.before, "size_before": first.size_before}
            )
    return [change for change in by_path.values() if change.before != change.after]


def revisions(book: BookDir, relative: str) -> list[Revision]:
    """Every content a file is known to have had, oldest first; the last commit's comes last."""
    found: list[Revision] = []
    known: str | None = None
    for commit in _naming(book, relative):
        for change in commit.changes:
            if change.path != relative:
                continue
            if change.before is not None and change.before != known:
                found.append(Revision("", "", commit.time, change.before, change.size_before))
            if change.before != change.after:
                found.append(
                    Revision(
                        commit.counts_to, commit.verb, commit.time, change.after, change.size_after
                    )
                )
            known = change.after
    return found


def _naming(book: BookDir, relative: str) -> Iterator[Commit]:
    """The commits that name a file, oldest first; of a thousand others only the bytes are read."""
    name = json.dumps(relative, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    folder = book.path / COMMITS
    numbers = commit_numbers(book)
    if not numbers:
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number in numbers:
            record = f"{number:06d}.json"
            data = _KEPT.read(str(folder), handle, record)
            data = (folder / record).read_bytes() if data is None else data
            if name in data:
                yield parse_commit(data, f"{COMMITS}/{record}")
    finally:
        os.close(handle)


def content(book: BookDir, digest: str) -> bytes:
    """The content with this digest, which a file had before or after some commit.

    Raises NotFound ``history.not_found`` when there is none, DamagedError ``book.damaged`` when
    the stored copy doesn't match its digest.
    """
    path = inside(book.path, f"{OBJECTS}/{digest}")
    if path.is_file():
        return _unpacked(book, digest)
    raise NotFound(
        "history.not_found",
        f"The history of {book.id} has no content {digest[:12]}.",
        f"`zencli history {book.id} FILE` lists what it has.",
    )


def _unpacked(book: BookDir, digest: str) -> bytes:
    try:
        data = _restored(book, digest)
    except (OSError, ValueError, zlib.error):
        data = b""
    if digest_of(data) != digest:
        raise DamagedError(
            "book.damaged",
            f"{OBJECTS}/{digest} is damaged.",
            "This old content is lost; the files of the book aren't touched by it.",
        )
    return data


def _restored(book: BookDir, digest: str) -> bytes:
    """The content from what is stored: the deltas down to a whole one, applied upwards."""
    stored = object_path(book, digest).read_bytes()
    deltas: list[bytes] = []
    while (above := line_delta.head(stored)) is not None:
        deltas.append(stored)
        stored = object_path(book, above.base).read_bytes()
        below = line_delta.head(stored)
        if below is not None and below.depth >= above.depth:
            raise ValueError("deltas that rest on each other")
    data = zlib.decompress(stored)
    for delta in reversed(deltas):
        data = line_delta.unpacked(data, delta)
    return data
