"""How long a call may take, in its parts, and cutting the connection when time is up."""

import contextlib
import socket
import threading
import time
from dataclasses import dataclass
from typing import Literal

Limit = Literal["connect", "first_token", "between_tokens", "total"]


@dataclass(frozen=True)
class Deadlines:
    """Seconds: to be connected, until a stream's first token, between its tokens, and in all.

    ``total`` includes every retry of a call. Keep-alive signals are no tokens; thinking is.
    """

    connect: float = 15.0
    first_token: float = 300.0
    between_tokens: float = 120.0
    total: float = 600.0


LOCAL = Deadlines(first_token=1_800.0, between_tokens=300.0, total=3_600.0)
"""For a server on this machine: a processor reads a long prompt for minutes, and writes slowly."""


class Watch:
    """Keeps the deadlines of one exchange.

    ``late`` names the limit that was passed. A read that hangs is ended by shutting its socket down
    from a thread of its own, because a read timeout starts again with every byte, keep-alive
    signals included.
    """

    def __init__(self, deadlines: Deadlines, end: float, *, streaming: bool) -> None:
        self.deadlines = deadlines
        self.late: Limit | None = None
        self._end = end
        self._streaming = streaming
        self._limit: Limit = "total"
        self._at = end
        self._socket: socket.socket | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self.expect("first_token")

    def expect(self, limit: Literal["first_token", "between_tokens"]) -> None:
        """From now on wait no longer than this limit allows, and never past the total."""
        own = time.monotonic() + getattr(self.deadlines, limit)
        with self._changed:
            sooner = self._streaming and own < self._end
            self._limit, self._at = (limit, own) if sooner else ("total", self._end)
            self._changed.notify()

    def token(self) -> None:
        """A token came."""
        self.expect("between_tokens")

    def whole(self) -> None:
        """The reply turned out to come in one piece: only the total counts."""
        self._streaming = False
        self.expect("first_token")

    def left(self) -> float:
        """Seconds until the nearest deadline, a little more than none."""
        return max(self._at - time.monotonic(), 0.001)

    def waiting_for(self) -> Limit:
        """The limit that is passed first when nothing comes any more."""
        return self._limit

    def check(self) -> bool:
        """Whether there is time left; notes the limit when there isn't."""
        if self.late is None and time.monotonic() >= self._at:
            self.late = self._limit
        return self.late is None

    def guard(self, connection: socket.socket) -> None:
        """Cut ``connection`` when time is up, until ``release``."""
        self._socket = connection
        self._thread = threading.Thread(target=self._wait, daemon=True, name="zencli-watch")
        self._thread.start()

    def release(self) -> None:
        """Leave the connection alone."""
        with self._changed:
            self._socket = None
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _wait(self) -> None:
        with self._changed:
            while self._socket is not None and self.check():
                self._changed.wait(self.left())
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    # past ssl's own shutdown, which would wait for the other side
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
