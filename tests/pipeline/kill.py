"""Killing a process ahead of any operation that changes a file, without any help from the code."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def killed_at(work: Callable[[], object], root: Path, at: int) -> bool:
    """Run ``work`` in a child that is SIGKILLed ahead of its n-th change below ``root`` (from 0).

    A file that it was about to make is there with a part of some content. Returns whether it was
    killed; False means that the work ended with fewer changes.
    """
    child = os.fork()
    if child == 0:
        _until(work, root, at)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, f"the work failed before change {at}"
    return False


def _until(work: Callable[[], object], root: Path, at: int) -> None:
    left = at

    def before(event: str, path: Path) -> None:
        nonlocal left
        if left == 0:
            left = -1
            if event == "open" and not path.exists():
                path.write_bytes(b'{"cut":')
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    _watch(root, before)
    os._exit(_run(work))


def _watch(root: Path, before: Callable[[str, Path], None]) -> None:
    """Call ``before`` ahead of each change; the watching process must end soon."""
    base = str(root)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & _WRITING:
                return
        elif event in _CHANGES:
            path = arguments[0]
        else:
            return
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        if str(path).startswith(base):
            before(event, Path(str(path)))

    sys.addaudithook(hook)


def _run(work: Callable[[], object]) -> int:
    try:
        work()
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        return 1
    return 0
