"""A manuscript into a file or a folder, whole or not at all."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from zencli.errors import UsageError
from zencli.export.names import MADE
from zencli.store.atomic import write_atomic
from zencli.store.disk import spare_name


def write_file(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path``, making its parent folders.

    A file that is there is replaced only when the new one is complete. Raises UsageError
    ``usage.output`` when the path can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    except (OSError, ValueError) as error:
        raise _refused(path, error, "Give a file in a folder you may write to.") from error


def make_place(path: Path) -> None:
    """Make the parent folders of ``path``, before the work for it is done. Raises as ``write_file``
    does."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _refused(path, error, "Give a file in a folder you may write to.") from error


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder of exactly these files, in place of one that an earlier export made.

    The old one stays until the new one is complete. Raises UsageError ``usage.output`` when the
    path can't be written, and when it is a folder with other files in it.
    """
    hint = "Give a new folder, or one that an export made."
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_ours(path)
        new, old = (path.parent / spare_name(".tmp-") for _ in range(2))
        try:
            new.mkdir()
            for name, data in files.items():
                (new / name).write_bytes(data)
            if path.exists():
                os.rename(path, old)
            try:
                os.rename(new, path)
            except OSError:
                if old.exists():
                    os.rename(old, path)
                raise
        finally:
            shutil.rmtree(new, ignore_errors=True)
            if path.exists():
                shutil.rmtree(old, ignore_errors=True)
    except (OSError, ValueError) as error:
        raise _refused(path, error, hint) from error


def _check_ours(path: Path) -> None:
    if not path.exists():
        return
    if path.is_symlink() or not path.is_dir():
        raise ValueError("it isn't a folder")
    for entry in path.iterdir():
        if not entry.is_file() or not MADE.fullmatch(entry.name):
            raise ValueError(f"it holds {entry.name}, which no export made")


def _refused(path: Path, error: Exception, hint: str) -> UsageError:
    reason = getattr(error, "strerror", None) or error
    return UsageError("usage.output", f"Can't write {path}: {reason}.", hint)
