"""Names inside a book, and the refusal of all that lead out of it."""

import os
import stat
from pathlib import Path, PurePosixPath

from zencli.errors import UsageError

MACHINE = ".zencli"
"""The folder of a book or workspace that belongs to the program."""


def inside(root: Path, relative: str) -> Path:
    """The path of ``relative`` (posix, normal form) below ``root``.

    Raises UsageError ``usage.path`` for an absolute path, ``..``, ``.``, an empty part, a NUL, and
    for a symlink that leads out of ``root``.
    """
    return _resolved(root, relative)[0]


def _resolved(root: Path, relative: str) -> tuple[Path, bool]:
    """The path, and whether no symlink is on its way below ``root``."""
    parts = relative.split("/")
    plain = all(part not in ("", ".", "..") and "\0" not in part for part in parts)
    path = root.joinpath(*parts) if plain else root
    if plain and not _linked(root, parts):
        return path, True
    real, base = path.resolve(), root.resolve()
    if not plain or not real.is_relative_to(base):
        raise UsageError(
            "usage.path",
            f"{relative!r} is no path inside {root.name!r}.",
            "Give a path relative to the book, such as chapters/0001.md.",
        )
    return path, real == base / relative


def _linked(root: Path, parts: list[str]) -> bool:
    """Whether a symlink is on the way to a file below ``root``."""
    place = str(root)
    try:
        for part in parts:
            place = f"{place}/{part}"
            if stat.S_ISLNK(os.lstat(place).st_mode):
                return True
    except OSError:  # nothing there, or nothing that may be looked at
        return False
    return False


def writable(root: Path, relative: str) -> Path:
    """Like ``inside``, for a file that a transaction may write or delete.

    Refused besides: the program's own folder, any symlink on the way, and a folder.
    """
    path, straight = _resolved(root, relative)
    own = PurePosixPath(relative).parts[0] == MACHINE
    if own or not straight or path.is_dir():
        reason = "belongs to the program" if own else "is a symlink or a folder"
        raise UsageError(
            "usage.path",
            f"{relative!r} in {root.name!r} can't be written: it {reason}.",
            "Name a plain file of the book.",
        )
    return path
