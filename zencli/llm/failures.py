"""What can go wrong at an endpoint, each with its code, the URL, the model and the remedy."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from zencli.errors import ModelError

_KEYLIKE = re.compile(r"\b(sk|key|Bearer)[-_ ][\w*.-]{6,}")
_CONTEXT = re.compile(
    r"context[ _](length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|exceed\w* (the )?(available |maximum |model'?s? )*(context|input)",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient[_ ](quota|balance)|exceeded your current quota|余额不足", re.I)
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Transient(Exception):
    """A failure that may pass: ``error`` says what it is, ``wait`` how long the server asks for."""

    def __init__(self, error: ModelError, wait: float = 0.0) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait = wait


class Refused(Exception):
    """A request that the endpoint won't take as it is; ``said`` may tell what to leave out."""

    def __init__(self, error: ModelError, said: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.said = said


@dataclass(frozen=True)
class Place:
    """Where a call went, for messages. The key is here only to be taken out of what servers say."""

    base_url: str
    model: str
    key: str = field(repr=False)

    @property
    def shown(self) -> str:
        """``model at URL``, without user, password or query of the URL."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return f"{self.model} at {parts.scheme}://{host}{parts.path}"

    def quoted(self, said: str) -> str:
        """What a server said, on one line, short, without anything that looks like a key."""
        text = said.replace(self.key, "***") if self.key else said
        text = " ".join(_KEYLIKE.sub("***", text).split())
        return text if len(text) <= 200 else text[:197] + "..."


def status_failure(place: Place, status: int, said: str) -> ModelError:
    """The error for an HTTP status and the server's words. Status 0: an error inside a 200."""
    shown, words = place.shown, place.quoted(said)
    if status in (401, 403):
        return ModelError(
            "llm.auth",
            f"{shown} refused the key{'' if place.key else ' (none was given)'}: {words}",
            "Set ZENCLI_API_KEY (or the variable that api_key_env names) to a key for this URL.",
        )
    if status == 402 or _QUOTA.search(said):
        return ModelError(
            "llm.quota",
            f"{shown} has no balance or quota left: {words}",
            "Add to the balance of the account, then give the same command again.",
        )
    if status == 429:
        return ModelError(
            "llm.quota",
            f"{shown} takes no more requests for now: {words}",
            "Wait a little, then give the same command again.",
        )
    if status == 413 or _CONTEXT.search(said):
        return context_failure(place, f"the endpoint says: {words}")
    if status == 404:
        return ModelError(
            "llm.endpoint",
            f"{shown} doesn't exist: {words}",
            "Check the name of the model, and the base URL: it is used as typed, and often ends"
            " in /v1.",
        )
    if status >= 500 or status in _TRANSIENT:
        return ModelError(
            "llm.network",
            f"{shown} failed with status {status}: {words}",
            "Give the same command again later.",
        )
    return ModelError(
        "llm.refused",
        f"{shown} refused the request{f' with status {status}' if status else ''}: {words}",
        "If an option of the request is named, change it in the endpoint settings in zencli.toml.",
    )


def failure(place: Place, status: int, said: str, wait: float = 0.0) -> Exception:
    """What to raise: ``Transient``, ``Refused``, or the ``ModelError`` itself.

    An empty account is no ``Transient``: it doesn't fill by waiting.
    """
    error = status_failure(place, status, said)
    if status in _TRANSIENT and not _QUOTA.search(said):
        return Transient(error, wait)
    return Refused(error, said) if error.code == "llm.refused" else error


def network_failure(place: Place, said: str) -> ModelError:
    """The endpoint can't be reached, or the connection broke."""
    return ModelError(
        "llm.network",
        f"{place.shown} can't be reached: {place.quoted(said)}",
        "Check that the server runs, the base URL and the network; then give the command again.",
    )


def cut_stream(place: Place) -> ModelError:
    """A stream that ended without a finish_reason."""
    return ModelError(
        "llm.network",
        f"{place.shown}: the stream ended early, without a finish_reason.",
        "Give the same command again; the text so far is kept with the run.",
    )


def timeout_failure(place: Place, seconds: float) -> ModelError:
    """The call took longer than its total time."""
    return ModelError(
        "llm.timeout",
        f"{place.shown} didn't finish within {seconds:g} seconds.",
        "Give the command again with a longer --timeout.",
    )


def context_failure(place: Place, why: str) -> ModelError:
    """The prompt doesn't fit the model's window."""
    return ModelError(
        "llm.context",
        f"The prompt doesn't fit {place.shown}: {why}",
        "Use a model with a larger window, enlarge the window at the server, or set `window` in the"
        " endpoint settings to what the server really has.",
    )


def no_json(place: Place, content_type: str, body: str) -> ModelError:
    """An HTTP 200 that isn't a chat completion."""
    page = "html" in content_type or body.lstrip()[:1] == "<"
    what = "a web page" if page else f"something that isn't JSON ({place.quoted(body)[:80]!r})"
    return ModelError(
        "llm.reply",
        f"{place.shown} answered with {what} instead of a chat completion.",
        "Check the base URL: it is used as typed, and often ends in /v1.",
    )


def bad_reply(place: Place, why: str) -> ModelError:
    """A chat completion with nothing usable in it."""
    return ModelError(
        "llm.reply", f"{place.shown} {why}.", "Give the command again, or use another model."
    )


def no_room(place: Place, limit: int) -> ModelError:
    """The output limit was reached before the first word of text."""
    return ModelError(
        "llm.truncated",
        f"{place.shown} reached the output limit of {limit} tokens before any text.",
        "Raise `max_output` in the endpoint settings, or turn the model's thinking down.",
    )
