"""What a commit did to a book, as its journal and the history keep it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from zencli.errors import DamagedError

RUN_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""A run id is a plain file name."""

_PART = ".."
"""Between a turn's id and that of a verb that ran as a part of it."""

ChangeKind = Literal["created", "changed", "deleted"]


class Change(BaseModel):
    """One file: SHA-256 (hex) and size in bytes before and after; None where there was no file.

    Both are the same for an edited file that the run left as it was: see ``keep_file``.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    path: str
    before: str | None = None
    after: str | None = None
    size_before: int = 0
    size_after: int = 0

    @property
    def kind(self) -> ChangeKind:
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"


class Commit(BaseModel):
    """All files that one transaction changed. ``number`` counts the commits of a book from 1.

    ``undoes`` is the run that this commit took back, "" for all others; ``creates`` marks the
    commit that made the book.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    version: int = 1
    number: int
    run: str = Field(pattern=RUN_ID)
    verb: str
    time: datetime
    undoes: str = ""
    creates: bool = False
    changes: list[Change]

    @property
    def counts_to(self) -> str:
        """The run that this commit belongs to: its own, or the turn of agents it is part of."""
        return self.run.partition(_PART)[0]

    @property
    def own_run(self) -> str:
        """The verb's own run, also within a turn."""
        return self.run.rpartition(_PART)[2]

    @property
    def told_verb(self) -> str:
        """The verb by which the run is told: a part of a turn goes by the turn's."""
        return self.verb if self.counts_to == self.run else "agent"


def part_of_run(turn: str, run: str) -> str:
    """The run id for the commits of a verb that runs as a part of a turn; ``turn`` may be ""."""
    return f"{turn}{_PART}{run}" if turn else run


def parse_commit(data: bytes, name: str) -> Commit:
    """Read a commit record; DamagedError ``book.damaged`` naming the file when it can't be."""
    try:
        return Commit.model_validate_json(data)
    except ValueError as error:
        raise DamagedError(
            "book.damaged",
            f"{name} can't be read as a commit record.",
            "`zencli repair` sets it aside; the files of the book stay as they are.",
        ) from error
