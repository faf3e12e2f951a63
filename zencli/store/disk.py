"""The few file-system operations that writing needs, each announced before it runs."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from zencli.errors import UsageError

Observer = Callable[[str, Path], None]


class Disk:
    """Durable operations on real files.

    ``before(operation, path)`` is called ahead of every single system call that changes the disk,
    so that a test can stop the process at any of them.
    """

    def __init__(self, before: Observer | None = None) -> None:
        self._before = before

    def _announce(self, operation: str, path: Path) -> None:
        if self._before is not None:
            self._before(operation, path)

    def create(self, path: Path, data: bytes, mode: int | None = None) -> None:
        """Write a new file and fsync it. ``mode`` None leaves the mode to the umask."""
        self._announce("create", path)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with os.fdopen(handle, "wb", buffering=0) as file:
            if mode is not None:
                self._announce("chmod", path)
                os.fchmod(handle, mode)
            rest = memoryview(data)
            while rest:
                self._announce("write", path)
                rest = rest[file.write(rest) :]
            self._announce("fsync", path)
            os.fsync(handle)

    def append_line(self, path: Path, line: bytes) -> None:
        """Add a line to a file and fsync it; one that was cut off before it is ended first."""
        self._announce("append", path)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line
            while line:
                line = line[os.write(handle, line) :]
            os.fsync(handle)
        finally:
            os.close(handle)

    def replace(self, source: Path, target: Path) -> None:
        """Move a file over another one, in one step."""
        self._announce("replace", target)
        os.replace(source, target)

    def rename(self, source: Path, target: Path) -> None:
        """Move a folder to a name that isn't taken."""
        self._announce("rename", target)
        os.rename(source, target)

    def unlink(self, path: Path) -> None:
        """Delete a file; one that is gone already is no error."""
        self._announce("unlink", path)
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Make the names in a folder durable."""
        self._announce("sync_folder", folder)
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def make_folder(self, folder: Path) -> None:
        """Make a folder and those above it that are missing, durably."""
        if folder.is_dir():
            return
        self.make_folder(folder.parent)
        self._announce("mkdir", folder)
        folder.mkdir(exist_ok=True)
        self.sync_folder(folder.parent)

    def remove_tree(self, folder: Path) -> None:
        """Delete a folder with all it holds; one that is gone already is no error."""
        if not folder.is_dir():
            return
        for entry in sorted(folder.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                self.remove_tree(entry)
            else:
                self.unlink(entry)
        self._announce("rmdir", folder)
        folder.rmdir()


DISK = Disk()


def spare_name(prefix: str) -> str:
    """A name that no other process uses: ``prefix`` and 12 random hex digits."""
    return f"{prefix}{secrets.token_hex(6)}"


def refused(error: OSError, folder: Path, hint: str) -> UsageError:
    """The disk's refusal as an error that names the place."""
    place = error.filename2 or error.filename or folder
    return UsageError(
        "usage.not_writable", f"{str(place)!r} can't be written: {error.strerror}.", hint
    )
