"""Every call of a model for a book, one line each, for good: ``.zencli/calls.jsonl``.

The file only grows, so that what was paid is known after the runs are pruned and after an undo. A
line that a killed process left unfinished is passed over.
"""

import json
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from zencli.errors import DamagedError
from zencli.store.disk import DISK, Disk, refused
from zencli.store.paths import MACHINE

CALLS = f"{MACHINE}/calls.jsonl"

ANSWERED = "ok"
REJECTED = "rejected"
INTERRUPTED = "interrupted"


class Call(NamedTuple):
    """One call. ``input``, ``cached`` (part of it), ``output`` and ``reasoning`` (part of that) are
    tokens; ``cost`` is None when no price is known.

    ``role`` answered ``step``; ``chapter`` is None outside of chapters. ``recalled``: the reply was
    read back from an earlier run and paid for there. ``outcome`` is ``ok``, ``length`` (cut off at
    the output limit), ``rejected`` (nothing could be made of the reply), ``interrupted``, or the
    code of the error that ended it; what such a call took is estimated. ``digest`` is the beginning
    of the request's.
    """

    time: str
    run: str
    verb: str
    chapter: int | None
    role: str
    step: str
    model: str
    input: int
    cached: int
    output: int
    reasoning: int
    seconds: float
    cost: float | None
    recalled: bool
    outcome: str
    digest: str


_FIELDS = frozenset(Call._fields)
_values = itemgetter(*Call._fields)
_counts = itemgetter("input", "cached", "output", "reasoning")


class CallFile:
    """The calls of one book, or of a workspace while a book is being planned."""

    def __init__(self, path: Path, disk: Disk = DISK) -> None:
        self.path = path
        self._disk = disk

    def add(self, call: Call) -> None:
        """Put a call down; it is durable when this returns. Raises ``usage.not_writable``."""
        self._append(call._asdict())

    def reject(self, run: str, digest: str) -> None:
        """Put down that nothing could be made of the latest reply to a request."""
        self._append({"run": run, "digest": digest, "outcome": REJECTED})

    def read(self) -> list[Call]:
        """All calls, in order; without the file there are none.

        Raises DamagedError ``book.damaged`` for a file that can't be read.
        """
        found: list[Call] = []
        latest: dict[tuple[str, str], int] = {}
        for data in self._lines():
            key = (data.get("run", ""), data.get("digest", ""))
            if _is_call(data):
                latest[key] = len(found)
                found.append(Call._make(_values(data)))
            elif key in latest and data.get("outcome") == REJECTED:
                at = latest[key]
                found[at] = found[at]._replace(outcome=REJECTED)
        return found

    def of_runs(self, runs: Iterable[str]) -> bytes:
        """The lines of these runs, as a file of their own."""
        wanted = set(runs)
        kept = [line for line in self._lines() if line.get("run") in wanted]
        return b"".join(_line(data) for data in kept)

    def _append(self, data: dict[str, Any]) -> None:
        try:
            self._disk.append_line(self.path, _line(data))
        except OSError as error:
            hint = "Check the permissions and the free space of the disk."
            raise refused(error, self.path, hint) from error

    def _lines(self) -> list[dict[str, Any]]:
        try:
            lines = self.path.read_bytes().splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise DamagedError(
                "book.damaged",
                f"{self.path} can't be read: {error.strerror}.",
                "Check its permissions, or move it away: the calls so far are then forgotten.",
            ) from error
        try:
            found = json.loads(b"[" + b",".join(lines) + b"]")
        except ValueError:
            found = [_whole(line) for line in lines]
        return [data for data in found if isinstance(data, dict)]


def _line(data: dict[str, Any]) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _whole(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _is_call(data: dict[str, Any]) -> bool:
    if data.keys() != _FIELDS:
        return False
    asked, cached, written, thought = _counts(data)
    return (
        isinstance(asked, int)
        and isinstance(cached, int)
        and isinstance(written, int)
        and isinstance(thought, int)
    )
