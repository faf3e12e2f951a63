"""File contents that this process has read, for who looks through many files again and again."""

import os
import stat
import time

_MOST = 64_000_000
"""Bytes that one of these keeps: some four thousand chapters."""

_SETTLED = 2_000_000_000
"""Nanoseconds after which a file counts as known by its times: a second write within one tick of
the clock leaves no trace in them."""


class KeptFiles:
    """Contents by path, each good while the disk tells the same of its file."""

    def __init__(self) -> None:
        self._contents: dict[str, tuple[tuple[int, ...], bytes]] = {}
        self._size = 0

    def read(self, folder: str, handle: int, name: str, biggest: int = _MOST) -> bytes | None:
        """What the file ``name`` in a folder holds, of which ``handle`` is the open descriptor.

        None for one that is gone, can't be read, is a link or no file, or is larger than
        ``biggest``.
        """
        try:
            seen = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:
            return None
        mark = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        path = f"{folder}/{name}"
        kept = self._contents.get(path)
        if kept is not None and kept[0] == mark:
            return kept[1]
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > biggest:
            return None
        data = _bytes(handle, name, seen.st_size)
        if data is not None and time.time_ns() - seen.st_ctime_ns > _SETTLED:
            self._keep(path, mark, data)
        return data

    def _keep(self, path: str, mark: tuple[int, ...], data: bytes) -> None:
        if self._size + len(data) > _MOST:
            self._contents.clear()
            self._size = 0
        self._size += len(data)
        self._contents[path] = mark, data


def _bytes(root: int, name: str, size: int) -> bytes | None:
    try:
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=root
        )
    except OSError:
        return None
    try:
        data = os.read(handle, size + 1)
        while len(data) > size and (more := os.read(handle, len(data))):
            data += more
    except OSError:
        return None
    finally:
        os.close(handle)
    return data
