"""One command's dealings with models: messages, structured replies, prose, limits, events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel

from zencli.context.budget import Section
from zencli.context.pack import Layer
from zencli.context.prompts import Prompts
from zencli.errors import ModelError
from zencli.llm.budget import Meter
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.recorded import RecordedModel, ReplyLog
from zencli.llm.schema import wire_schema
from zencli.llm.structured import Answer, ask
from zencli.llm.types import Message, Model, Reply, Request
from zencli.pipeline.events import Listener, Notice, StepStarted, TextPiece
from zencli.pipeline.models import ModelPool
from zencli.pipeline.resume import Resume

T = TypeVar("T", bound=BaseModel)

MOST_CONTINUATIONS = 3

UNUSABLE = ("llm.reply", "llm.refused", "llm.truncated")
"""Codes of a ``ModelError`` that is about one call: the next one may well succeed."""


class Previewed(Exception):
    """The first call that a dry run would have made, exactly as it would have been sent."""

    def __init__(self, request: Request, sections: Sequence[Section], profile: Profile) -> None:
        super().__init__(request.role)
        self.request = request
        self.sections = tuple(sections)
        self.profile = profile


@dataclass
class RunContext:
    """Models by role, the log that keeps their replies, limits, and who is told.

    With ``dry_run`` the first call raises
    ``Previewed`` instead of being made. ``resume`` is what an interrupted run of the same command
    had done; ``unfinished`` the text of a chapter whose writing was broken off.
    """

    prompts: Prompts
    models: ModelPool
    log: ReplyLog | None
    meter: Meter
    emit: Listener
    dry_run: bool = False
    warnings: list[str] = field(default_factory=list)
    resume: Resume = field(default_factory=Resume)
    unfinished: str = ""

    def profile(self, role: str) -> Profile:
        """What the model of a role can do."""
        return self.models.model(role).profile

    def warn(self, text: str) -> None:
        """Tell the author, now and in the result."""
        self.warnings.append(text)
        self.emit(Notice(text))

    def structured(
        self,
        role: str,
        step: str,
        layers: Sequence[Layer],
        wanted: type[T],
        *,
        check: Callable[[T], list[str]] = lambda value: [],
        counts: dict[str, int] | None = None,
        chapter: int | None = None,
    ) -> T:
        """A reply of type ``wanted``; the last layer is the task. Warnings are told.

        ``counts`` fixes how many items a top-level list must have, where a grammar can.
        Raises ``ModelError`` ``llm.reply`` when no usable reply came.
        """
        self.emit(StepStarted(step, chapter))
        model = self._model(role)
        schema = wire_schema(wanted, small=model.profile.small, items=counts or {})
        request = self._request(role, step, layers, schema, wanted.__name__)
        self._preview(request, layers, model)
        answer: Answer[T] = ask(
            model,
            request,
            wanted,
            check=check,
            reask=lambda problems: self.prompts.render("reask", problems=problems),
        )
        for warning in answer.warnings:
            self.warn(f"{step}: {warning}")
        return answer.value

    def prose(
        self,
        role: str,
        step: str,
        layers: Sequence[Layer],
        *,
        chapter: int,
        target_words: int,
        count: Callable[[str], int],
        enough: int,
        clean: Callable[[str], str],
        most_tokens: int | None = None,
    ) -> str:
        """Streamed prose, gone on with when it was cut at the output limit.

        ``count`` measures words, ``enough`` is how many will do for a text that is cut again and
        again, ``clean`` takes off what isn't prose, ``most_tokens`` limits one reply (None: the
        profile's limit). Raises ``ModelError``: ``llm.reply`` for an empty text,
        ``llm.truncated`` for one that never ends.
        """
        self.emit(StepStarted(step, chapter, target_words))
        model = self._model(role)
        request = replace(self._request(role, step, layers), max_output=most_tokens)
        self._preview(request, layers, model)
        text = ""
        for _ in range(MOST_CONTINUATIONS + 1):
            reply = self._streamed(model, request, text)
            text = _joined(text, reply.text)
            if not clean(text):
                model.reject(request)
                raise ModelError(
                    "llm.reply",
                    f"{model.name} returned an empty text for {step}.",
                    "Give the command again, or try another model.",
                )
            if reply.finish_reason != "length":
                return clean(text)
            if model.profile.small and count(text) >= enough:
                break
            request = self._continuation(request, text, chapter, target_words - count(text))
        whole = _last_sentence(clean(text))
        if count(whole) < enough:
            model.reject(request)
            raise ModelError(
                "llm.truncated",
                f"{model.name} was cut off at its output limit again and again in {step}.",
                "Raise max_output under [model], or ask for shorter chapters.",
            )
        self.warn(f"{step}: cut off at the output limit; the text ends with its last sentence")
        return whole

    def _streamed(self, model: Model, request: Request, before: str) -> Reply:
        """A reply handed on as it comes; ``before`` is the text that it goes on with."""
        pieces: list[str] = []

        def hand_on(piece: str) -> None:
            pieces.append(piece)
            self.emit(TextPiece(piece))

        try:
            return model.complete(request, hand_on)
        except BaseException:
            if request.role in ("write", "continue"):
                self.unfinished = _joined(before, "".join(pieces))
            raise

    def _model(self, role: str) -> Model:
        model = self.models.model(role)
        if self.log is None:
            return model
        return RecordedModel(model, self.log, self.meter, self.emit)

    def _request(
        self,
        role: str,
        step: str,
        layers: Sequence[Layer],
        schema: dict[str, object] | None = None,
        schema_name: str = "",
    ) -> Request:
        system = [layer.text for layer in layers if layer.name == "constitution"]
        parts = [layer.text for layer in layers if layer.name != "constitution"]
        user = "\n\n".join(part for part in parts if part)
        messages = [Message("system", text) for text in system] + [Message("user", user)]
        return Request(
            role=step,
            messages=tuple(messages),
            schema=schema,
            schema_name=schema_name,
            temperature=self.models.temperature(role),
        )

    def _continuation(self, request: Request, text: str, chapter: int, left: int) -> Request:
        task = self.prompts.render("continue", number=chapter, words_left=max(left, 50))
        opening = tuple(m for m in request.messages if m.role != "assistant")[:2]
        return Request(
            role="continue",
            messages=(*opening, Message("assistant", text), Message("user", task)),
            max_output=request.max_output,
            temperature=request.temperature,
        )

    def _preview(self, request: Request, layers: Sequence[Layer], model: Model) -> None:
        if not self.dry_run:
            return
        sections = [section for layer in layers for section in layer.sections]
        for layer in layers:
            if not layer.sections:
                tokens = estimate_tokens(layer.text, model.profile)
                sections.append(Section(layer.name, tokens, 1))
        raise Previewed(request, sections, model.profile)


def _joined(text: str, more: str) -> str:
    """Join a continuation; models like to repeat the last words before they go on."""
    head = more.lstrip() if text.endswith(("\n", " ")) else more
    for size in range(min(len(text), len(head), 200), 11, -1):
        if text.endswith(head[:size]):
            return text + head[size:]
    return text + head


def _last_sentence(text: str) -> str:
    """The text up to its last full stop, closing quotation marks included."""
    ends = "。！？…!?."
    closers = "”’」』\"'）)"
    at = max((text.rfind(mark) for mark in ends), default=-1)
    if at < 0:
        return ""
    while at + 1 < len(text) and text[at + 1] in closers:
        at += 1
    return text[: at + 1].strip()
