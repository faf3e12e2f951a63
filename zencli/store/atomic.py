"""Writing one file so that a reader or a crash finds the old or the new one, never a part."""

import errno
import os
import stat
from pathlib import Path

from zencli.store.disk import DISK, Disk, spare_name


def write_atomic(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Put ``data`` at ``path``, durably; the mode of a file that is replaced is kept.

    A symlink is followed. The folder must exist. Raises OSError and leaves nothing behind when
    the disk refuses, and for a device or pipe, which would be replaced by a file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, "It isn't a file")
    temporary = target.parent / spare_name(".tmp-")
    try:
        disk.create(temporary, data, file_mode(target))
        disk.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    disk.sync_folder(target.parent)


def file_mode(path: Path) -> int | None:
    """The permission bits of a file, None when it doesn't exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
