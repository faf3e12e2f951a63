"""Trying out an endpoint: what works, how fast, and which profile fits it.

Six short calls are made. The window is what the endpoint lists for the model; failing that, one
word is asked for with room for ten million tokens: an endpoint that minds says what it has, and one
that doesn't is hung up on. A server that costs nothing gets a long prompt besides, and by the
number of tokens that it says to have read shows whether it cuts.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from zencli.errors import ModelError
from zencli.llm.failures import CutPrompt
from zencli.llm.profiles import Profile
from zencli.llm.reading import read_object
from zencli.llm.types import Message, OnText, Reply, Request, Tool

Name = Literal["models", "plain", "streamed", "structured", "tools"]
LONG = 6_000
"""Tokens of the prompt that shows whether a server cuts."""
ROOM = 512
"""Tokens that a reply may have: one word, after whatever a model thinks before it."""
WORD = "lantern"
_ASK = (Message("user", f"Reply with the single word {WORD} and nothing else."),)
_ASK_AGAIN = (Message("user", "Write one short sentence about the weather at sea."),)
"""Another prompt, since one that was read already comes back sooner."""
_ASK_JSON = (
    Message("user", f'Reply with this JSON object and nothing else: {{"word": "{WORD}"}}'),
)
_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "minLength": 1, "maxLength": 20}},
    "required": ["word"],
    "additionalProperties": False,
}
_ASK_TOOL = (Message("user", f"Call the function note with the word {WORD}."),)
_NOTE = Tool("note", "Write a word down.", _SCHEMA)
_WINDOWS = ("context_length", "max_model_len", "loaded_context_length", "context_window", "n_ctx",
            "max_context_length", "n_ctx_train")  # fmt: skip
"""Where a list of models says how large a window is, the surest first."""


class Endpoint(Protocol):
    """What is tried out: ``OpenAIModel``, or the embedded model."""

    @property
    def name(self) -> str: ...
    @property
    def profile(self) -> Profile: ...
    def complete(self, request: Request, on_text: OnText | None = None) -> Reply: ...
    def listed(self) -> list[dict[str, Any]]: ...
    def told_limits(self, request: Request) -> Profile: ...
    def adapt(self, **changes: Any) -> None: ...


@dataclass(frozen=True)
class Check:
    """One thing that was tried: whether it works, in words how, and how long it took.

    ``code`` is of the error that it ended with, or "".
    """

    name: Name
    works: bool
    message: str
    seconds: float
    code: str = ""
    hint: str = ""


@dataclass
class Probe:
    """What was found. Times are in seconds; ``window_from`` says who says how large it is."""

    checks: list[Check] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    first_token: float | None = None
    window_from: Literal["endpoint", "profile"] = "profile"
    profile: Profile = field(default_factory=Profile)


class Stop(Exception):
    """Nothing else can work either."""


def probe(model: Endpoint) -> Probe:
    """Try everything out. Raises nothing that an endpoint causes."""
    found = Probe()
    tries = _Tries(model, found)
    for name, attempt in tries.all():
        started = time.monotonic()
        try:
            message = attempt()
        except ModelError as error:
            took = time.monotonic() - started
            check = Check(name, False, error.message, took, error.code, error.hint)
            found.checks.append(check)
            if name == "plain":  # what can't say a word can't do anything else
                break
            continue
        found.checks.append(Check(name, True, message, time.monotonic() - started))
    if all(check.works for check in found.checks if check.name == "plain"):
        tries.limits()
    found.profile = tries.profile()
    return found


class _Tries:
    def __init__(self, model: Endpoint, found: Probe) -> None:
        self._model = model
        self._found = found
        self._window: int | None = None
        self._limits: Profile | None = None

    def all(self) -> Iterator[tuple[Name, Callable[[], str]]]:
        yield "models", self._list
        yield "plain", self._plain
        yield "streamed", self._streamed
        yield "structured", self._structured
        yield "tools", self._tools

    def _ask(self, messages: tuple[Message, ...], **more: Any) -> Request:
        room = min(ROOM, self._model.profile.max_output)
        return Request("probe", messages, max_output=room, temperature=0.7, **more)

    def _list(self) -> str:
        listed = self._model.listed()
        self._found.models = [str(item["id"]) for item in listed]
        own = next((item for item in listed if item["id"] == self._model.name), None)
        # a server with one model often takes any name for it
        only = listed[0] if len(listed) == 1 else None
        described = own or only
        self._window = _window_in(described) if described else None
        if own is not None:
            return f"{len(listed)} listed"
        if only is not None:
            return f"one is listed, under another name: {only['id']}"
        if listed:
            return f"{len(listed)} are listed, and {self._model.name} isn't among them"
        return "the endpoint lists none"

    def _plain(self) -> str:
        reply = self._model.complete(self._ask(_ASK))
        thought = ", after thinking" if reply.thinking else ""
        return f"a reply came{thought}"

    def _streamed(self) -> str:
        pieces: list[str] = []
        started = time.monotonic()

        def first(piece: str) -> None:
            if not pieces:
                self._found.first_token = time.monotonic() - started
            pieces.append(piece)

        self._model.complete(self._ask(_ASK_AGAIN), first)
        how = "" if self._model.profile.streams != "never" else ", but whole, not in pieces"
        return f"the first words came after {self._found.first_token or 0:.1f} s{how}"

    def _structured(self) -> str:
        reply = self._model.complete(self._ask(_ASK_JSON, schema=_SCHEMA, schema_name="word"))
        if not read_object(reply.text):
            raise ModelError(
                "llm.reply",
                f"{self._model.name} answered without JSON.",
                "Use another model for planning and judging.",
            )
        return _JSON[self._model.profile.json]

    def _tools(self) -> str:
        request = self._ask(_ASK_TOOL, tools=(_NOTE,))
        reply = self._model.complete(request)
        if not reply.tool_calls and self._model.profile.tools == "native":
            # some endpoints take tools and pass over them
            self._model.adapt(tools="prompt")
            reply = self._model.complete(request)
            if not reply.tool_calls:
                self._model.adapt(tools="native")
        if not reply.tool_calls:
            raise ModelError(
                "llm.reply",
                f"{self._model.name} answered in words where it should have called a tool.",
                "Use another model for the agent.",
            )
        native = self._model.profile.tools == "native"
        return "called as a tool" if native else "called in its text: the endpoint takes no tools"

    def limits(self) -> None:
        """Find out the window, and how long a reply may be."""
        if self._window is not None:
            self._found.window_from = "endpoint"
            return
        try:
            self._limits = self._model.told_limits(self._ask(_ASK))
        except ModelError:
            return
        if self._limits.window != self._model.profile.window:
            self._found.window_from = "endpoint"
        elif self._model.profile.price_input == 0.0:
            self._see_whether_it_cuts()

    def _see_whether_it_cuts(self) -> None:
        """Servers of one's own may read the end of a long prompt only, and say nothing."""
        profile = self._model.profile
        size = min(LONG, int(0.75 * profile.window))
        filler = "The fog lay on the harbour. " * int(size / (28 * profile.tokens_per_latin))
        try:
            self._model.complete(self._ask((Message("user", f"{filler}\n{_ASK[0].content}"),)))
        except CutPrompt as cut:
            self._window, self._found.window_from = cut.read, "endpoint"
        except ModelError:
            return

    def profile(self) -> Profile:
        """The profile that fits what was found."""
        profile = self._model.profile
        if self._limits is not None:
            sizes = (self._limits.window, self._limits.max_output)
            profile = replace(profile, window=sizes[0], max_output=sizes[1])
        if self._window is not None:
            profile = replace(profile, window=max(self._window, 1_024))
        return replace(profile, max_output=min(profile.max_output, profile.window // 2))


_JSON = {
    "schema": "bound by a schema",
    "grammar": "bound by a grammar",
    "object": "bound to be JSON",
    "prompt": "asked for in words alone: the endpoint binds no reply",
}


def _window_in(listed: Mapping[str, Any]) -> int | None:
    """The window that a list of models tells of one of them."""
    places = [listed, listed.get("meta"), listed.get("top_provider")]
    for name in _WINDOWS:
        for place in places:
            size = place.get(name) if isinstance(place, Mapping) else None
            if isinstance(size, int) and size > 0:
                return size
    return None
