"""What can go wrong at an endpoint, each with its code, the URL, the model and the remedy."""

import re

from zencli.errors import ModelError
from zencli.llm.deadlines import Deadlines, Limit
from zencli.llm.exchange import Broken
from zencli.llm.place import Place

_CONTEXT = re.compile(
    r"context[ _](length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|input length|exceed\w* (the )?(available |maximum |model'?s? )*(context|input)",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance)|exceeded your current quota|余额不足|欠费|arrearage", re.I
)
_POLICY = re.compile(
    r"content[_ -](filter|policy|management)|inappropriate|data_inspection|moderation|flagged"
    r"|content exists risk|high risk|sensitive (content|words|information)"
    r"|safety (system|polic|filter|setting)|violat\w* .{0,30}(polic|terms|guideline)"
    r"|敏感|不安全|违规",
    re.IGNORECASE,
)
"""What endpoints say when they dislike the words of one request, not its form."""
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_TEACHES = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses whose message may name something that can be left out."""


LEAST_WINDOW = 1_024
"""No server has less; one that says to have read less counts in its own way."""
UNREACHED_RETRIES = 2
"""A server that isn't there is more often not running than about to be."""


class Transient(Exception):
    """A failure that may pass: ``error`` says what it is, ``wait`` how long the server asks for.

    ``said`` is what the server said, which may still tell what to leave out. ``most`` is how often
    trying again is worth while.
    """

    def __init__(
        self, error: ModelError, wait: float = 0.0, said: str = "", most: int = 100
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait = wait
        self.said = said
        self.most = most


class BrokenStream(ModelError):
    """A stream that stalled or broke after text had come: that text can be gone on from."""


class CutPrompt(ModelError):
    """A prompt of which an endpoint read only a part, ``read`` tokens, and didn't say so."""

    def __init__(self, place: Place, size: int, read: int) -> None:
        super().__init__(
            "llm.context",
            f"The prompt doesn't fit {place.shown}: of about {size} tokens only {read} were read;"
            " the rest was cut off.",
            "Enlarge the window at the server, or set its true size in the profile, such as"
            f" `window = {max(read, LEAST_WINDOW)}`: then prompts are made to fit.",
        )
        self.read = read


class Refused(Exception):
    """A request that the endpoint won't take as it is; ``said`` may tell what to leave out."""

    def __init__(self, error: ModelError, said: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.said = said


def status_failure(place: Place, status: int, said: str) -> ModelError:
    """The error for an HTTP status and the server's words. Status 0: an error inside a 200."""
    shown, words = place.shown, place.quoted(said) or "(nothing more was said)"
    if _POLICY.search(said) and status in (0, 400, 403, 422, 451):
        return ModelError(
            "llm.refused",
            f"{shown} won't answer this request because of its words: {words}",
            "Give the command again, change the passage, or use another model.",
        )
    if status in (401, 403) and not _QUOTA.search(said):
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
    if status in (404, 405):
        return ModelError(
            "llm.endpoint",
            f"{shown} doesn't exist: {words}",
            "Check the name of the model, and the base URL: it is used as typed, and often ends"
            " in /v1. `zencli doctor --online` lists the models there.",
        )
    if status >= 500 or status in _TRANSIENT:
        return ModelError(
            "llm.network",
            f"{shown} failed with status {status}: {words}",
            "Give the same command again later.",
        )
    return ModelError(
        "llm.endpoint",
        f"{shown} doesn't take the request{f' (status {status})' if status else ''}: {words}",
        "Correct what is named in the settings of the model in zencli.toml;"
        " `zencli doctor --online` finds out what the endpoint takes.",
    )


def failure(place: Place, status: int, said: str, wait: float = 0.0) -> Exception:
    """What to raise: ``Transient``, ``Refused``, or the ``ModelError`` itself.

    An empty account is no ``Transient``: it doesn't fill by waiting. ``Refused`` are failures whose
    message may teach something about the endpoint.
    """
    error = status_failure(place, status, said)
    if status in _TRANSIENT and not _QUOTA.search(said):
        if wait > 0 and error.code in ("llm.quota", "llm.network"):
            error.hint = f"It asks to wait {wait:.0f} seconds. {error.hint}"
        return Transient(error, wait, said if status in _TEACHES else "")
    teaches = status in _TEACHES or status == 0
    return Refused(error, said) if teaches and error.code in _TEACHING else error


_TEACHING = ("llm.endpoint", "llm.context")


def broken_failure(place: Place, broken: Broken, deadlines: Deadlines) -> Exception:
    """What to raise when no whole answer came. All but the end of the total time may pass."""
    if broken.kind == "late" and broken.limit == "total":
        return late_failure(place, broken.limit, deadlines)
    if broken.kind == "late":
        return Transient(late_failure(place, broken.limit, deadlines))
    error = network_failure(place, broken.said, reached=broken.kind == "read")
    return Transient(error, most=UNREACHED_RETRIES if broken.kind == "connect" else 100)


def network_failure(place: Place, said: str, *, reached: bool = False) -> ModelError:
    """The endpoint can't be reached, or the connection broke."""
    hint = "Check that the server runs, the base URL and the network; then give the command again."
    if "certificate" in said.lower():
        hint = "If a proxy of your company signs it, name its certificate with SSL_CERT_FILE."
    what = "broke off the connection" if reached else "can't be reached"
    return ModelError("llm.network", f"{place.shown} {what}: {place.quoted(said)}", hint)


def cut_stream(place: Place) -> ModelError:
    """A stream that ended without a finish_reason."""
    return ModelError(
        "llm.network",
        f"{place.shown}: the stream ended early, without a finish_reason.",
        "Give the same command again; the text so far is kept with the run.",
    )


_LATE = {
    "connect": "can't be reached: no connection within {:g} seconds",
    "first_token": "sent no token within {:g} seconds",
    "between_tokens": "stopped in the middle: nothing came for {:g} seconds",
    "total": "didn't finish within {:g} seconds",
}


def late_failure(place: Place, limit: Limit, deadlines: Deadlines) -> ModelError:
    """A deadline passed."""
    told = _LATE[limit].format(getattr(deadlines, limit))
    longer = "a longer --timeout" if limit == "total" else f"a larger {limit} under [model]"
    return ModelError(
        "llm.network" if limit == "connect" else "llm.timeout",
        f"{place.shown} {told}.",
        f"Give the command again, if need be with {longer}.",
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
        "llm.endpoint" if page else "llm.reply",
        f"{place.shown} answered with {what} instead of a chat completion.",
        "Check the base URL: it is used as typed, and often ends in /v1.",
    )


def bad_reply(place: Place, why: str) -> ModelError:
    """A chat completion with nothing usable in it."""
    return ModelError(
        "llm.reply", f"{place.shown} {why}.", "Give the command again, or use another model."
    )


def pinned_failure(fields: list[str], error: ModelError) -> ModelError:
    """The endpoint refuses what the configuration pins."""
    names = ", ".join(fields)
    return ModelError(
        "llm.endpoint",
        error.message,
        f"The profile in the configuration pins {names}: take it out, or set it to what the"
        " endpoint takes; `zencli doctor --online --write` finds out what that is.",
    )


def no_room(place: Place, limit: int) -> ModelError:
    """The output limit was reached before the first word of text."""
    return ModelError(
        "llm.truncated",
        f"{place.shown} reached the output limit of {limit} tokens before any text.",
        "Raise `max_output` in the endpoint settings, or turn the model's thinking down.",
    )
