"""Texts as vectors, by the embeddings of an OpenAI-compatible endpoint."""

import os
import time
from array import array
from collections.abc import Sequence
from typing import TypeAlias

from zencli.errors import ModelError, UsageError
from zencli.llm import failures
from zencli.llm.deadlines import Deadlines, Watch
from zencli.llm.exchange import Broken, is_loopback, is_url
from zencli.llm.place import Place, masked_url
from zencli.llm.receive import Receiver
from zencli.llm.transport import Network

Vector: TypeAlias = "array[float]"

AT_ONCE = 64
"""Texts in one request; endpoints take from 96 to 2,048."""

_TIMES = Deadlines(connect=10.0, total=60.0)


class Embeddings:
    """One embedding model at one base URL, which is used exactly as typed."""

    def __init__(self, base_url: str, model: str, api_key: str) -> None:
        if not is_url(base_url):
            raise UsageError(
                "usage.base_url",
                f"The base URL {masked_url(base_url)!r} isn't http:// or https:// and a host.",
                "Give the whole URL in [search], such as http://127.0.0.1:8080/v1.",
            )
        self.name = model
        self._base_url = base_url
        self._place = Place(base_url, model, api_key.strip())
        self._receiver = Receiver(self._place)
        self._network = Network(base_url, api_key.strip())

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text, in order. Raises ``ModelError``."""
        found: list[Vector] = []
        for at in range(0, len(texts), AT_ONCE):
            found += self._asked(texts[at : at + AT_ONCE])
        return found

    def close(self) -> None:
        """Close the connections."""
        self._network.close()

    def _asked(self, texts: Sequence[str]) -> list[Vector]:
        self._refuse_forbidden()
        watch = Watch(_TIMES, time.monotonic() + _TIMES.total, streaming=False)
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        try:
            told = self._receiver.whole(self._network.embeddings(body, watch))
            rows = sorted(told["data"], key=lambda row: row["index"])
            vectors = [_normal(row["embedding"]) for row in rows]
        except Broken as broken:
            raise _error(failures.broken_failure(self._place, broken, _TIMES)) from None
        except (failures.Refused, failures.Transient) as failure:
            raise failure.error from None
        except (KeyError, TypeError, ValueError):
            raise _error(failures.bad_reply(self._place, "answered without vectors")) from None
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise _error(failures.bad_reply(self._place, "answered with too few vectors"))
        return vectors

    def _refuse_forbidden(self) -> None:
        if os.environ.get("ZENCLI_FORBID_REQUESTS") == "1" and not is_loopback(self._base_url):
            raise ModelError(
                "llm.forbidden",
                f"Requests are forbidden (ZENCLI_FORBID_REQUESTS=1): {self._place.shown}.",
                "Unset ZENCLI_FORBID_REQUESTS, or use a server on this machine.",
            )


def _normal(values: Sequence[float]) -> Vector:
    length = sum(value * value for value in values) ** 0.5
    if not length:
        raise ValueError("a vector of length 0")
    return array("f", (value / length for value in values))


def _error(failure: Exception) -> ModelError:
    error = getattr(failure, "error", failure)
    assert isinstance(error, ModelError)
    return error
