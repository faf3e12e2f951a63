"""A process for each core, for what many chapters of a book take long for."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_MOST = 8


def cores() -> int:
    """How many processes can work at the same time."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def worker_pool(begin: Callable[..., None] | None = None, *told: object) -> "ProcessPoolExecutor":
    """A pool whose processes leave Ctrl-C to this one and end when it is killed.

    Each calls ``begin(*told)`` first.
    """
    from concurrent.futures import ProcessPoolExecutor  # `status` has no use for it

    return ProcessPoolExecutor(
        min(cores(), _MOST), initializer=_begin, initargs=(os.getpid(), begin, told)
    )


def _begin(parent: int, begin: Callable[..., None] | None, told: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told too, and ends its processes
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if begin is not None:
        begin(*told)


def _end_with(parent: int) -> None:
    """A process that was left alone, because its parent was killed, ends."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
