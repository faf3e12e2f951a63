"""One exchange with an endpoint, whoever carries it: a network, or a file that recorded one."""

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from zencli.llm.deadlines import Limit, Watch


@dataclass
class Answer:
    """What an endpoint answered. ``headers`` have small names; ``pieces`` are the body's bytes."""

    status: int
    headers: Mapping[str, str]
    pieces: Iterable[bytes]


class Broken(Exception):
    """No answer, or not all of it.

    ``connect``: never reached; ``read``: the connection broke; ``late``: the ``limit`` was passed.
    """

    def __init__(
        self, kind: Literal["connect", "read", "late"], said: str = "", limit: Limit = "total"
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.said = said
        self.limit = limit


class Transport(Protocol):
    """Carries requests to an endpoint. Both methods raise ``Broken``."""

    def send(self, step: str, body: dict[str, Any], watch: Watch) -> AbstractContextManager[Answer]:
        """Ask for a chat completion; ``step`` says what for."""
        ...

    def models(self, watch: Watch) -> Answer:
        """Ask which models there are."""
        ...

    def close(self) -> None: ...


def lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a stream, whatever pieces it comes in, characters cut in two included."""
    held = b""
    for piece in pieces:
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    if held:
        yield held.decode("utf-8", "replace")


def is_loopback(base_url: str) -> bool:
    """Whether the host of a URL is this machine."""
    try:
        host = urlsplit(base_url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_url(text: str) -> bool:
    """Whether a request can be made to a URL, as far as its letters tell."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    clean = text.isprintable() and " " not in text and port != 0
    return clean and parts.scheme in ("http", "https") and bool(parts.hostname)
