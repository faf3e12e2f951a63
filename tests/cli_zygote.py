"""Commands without Python's start: a process imports zencli once, and a fork of it runs each.

A command still is a process of its own, with its own folder, environment, streams and exit code.
What is about the start itself (encodings, what is imported, signals) starts Python anew.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

REPO = Path(__file__).parents[1]


class Done(NamedTuple):
    """The exit code, as ``subprocess`` has it, and all that was written."""

    code: int
    out: bytes
    err: bytes


class Zygote:
    """The process that is forked; one for each process of the tests."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._place = f"{self._folder.name}/socket"
        env = {**os.environ, "PYTHONPATH": str(REPO)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, self._place],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        atexit.register(self._close)

    def run(
        self,
        words: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float = 120,
    ) -> Done:
        """What ``python -m zencli WORDS`` does. Raises TimeoutError when it takes too long."""
        order = json.dumps({"words": list(words), "cwd": str(cwd), "env": dict(env)}).encode()
        with (
            _file(order) as told,
            _file(stdin) as given,
            _file() as out,
            _file() as err,
            socket.socket(socket.AF_UNIX) as line,
        ):
            line.settimeout(timeout)
            line.connect(self._place)
            socket.send_fds(line, [b"x"], [file.fileno() for file in (told, given, out, err)])
            with line.makefile("r") as answers:
                child = int(answers.readline())
                try:
                    code = int(answers.readline())
                except TimeoutError:
                    os.kill(child, signal.SIGKILL)
                    raise
            return Done(code, _content(out), _content(err))

    def _close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()


@cache
def zygote() -> Zygote:
    """The one of this process."""
    return Zygote()


def _file(content: bytes = b"") -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked for it closes it
    file.write(content)
    file.seek(0)
    return file


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def serve(place: str) -> None:
    """Fork for each order that comes, until the tests end. Only the forks return, made ready."""
    import openai  # noqa: F401 - what every command that asks a model imports

    import zencli

    for module in pkgutil.walk_packages(zencli.__path__, "zencli."):
        with suppress(ImportError):  # one of an extra that isn't installed
            importlib.import_module(module.name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen(64)
        os.write(1, b"ready\n")
        gc.freeze()
        while True:
            ready, _, _ = select.select([listening, 0], [], [])
            _reap()
            if 0 in ready:
                os._exit(0)
            line, _ = listening.accept()
            with line:
                if os.fork() == 0:
                    listening.close()
                    _fork(line)
                    return


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _fork(line: socket.socket) -> None:
    """Run the order in a child, and say its number and then its exit code. Only it returns."""
    _, (told, *streams), _, _ = socket.recv_fds(line, 1, 4)
    child = os.fork()
    if child:
        line.sendall(f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    line.close()
    with open(told) as file:
        order = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["zencli", *order["words"]]
    sys.dont_write_bytecode = True
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )


if __name__ == "__main__":
    serve(sys.argv[1])
    from zencli.cli.main import main

    main()
