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
from zencli.llm.failures import BrokenStream
from zencli.llm.profiles import Profile, estimate_tokens
from zencli.llm.recorded import CallBook, Purpose, RecordedModel, ReplyLog
from zencli.llm.schema import wire_schema
from zencli.llm.structured import Answer, ask
from zencli.llm.types import Message, Model, Reply, Request, Usage
from zencli.pipeline.configuration.models import ModelPool
from zencli.pipeline.context_report import ContextLog
from zencli.pipeline.events import Listener, Notice, StepStarted, TextPiece
from zencli.pipeline.resume import Resume
from zencli.store.records import Records

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
    had done; ``unfinished`` the text of a chapter whose writing was broken off. ``calls`` is where
    every call is put down, ``purpose`` what the run's calls have in common, ``contexts`` what they
    were given. ``records`` are the book's as the run begins, until somebody takes them.
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
    calls: CallBook | None = None
    contexts: ContextLog = field(default_factory=ContextLog)
    records: Records | None = None
    purpose: Purpose = field(default_factory=Purpose)

    def profile(self, role: str) -> Profile:
        """What the model of a role can do; the same all through a run."""
        return self.models.profile(role)

    def recorded(self, role: str) -> Model:
        """The model of a role, whose replies are kept and counted; in a dry run the bare one."""
        return self._model(role, None)

    def own_calls(self) -> bytes:
        """The calls of this run and of those it went on from, as the file of a new book."""
        if self.log is None or self.calls is None:
            return b""
        return self.calls.of_runs(self.log.sources())

    def take_records(self) -> Records | None:
        """The records that were read as the run began; None the next time, they may be older."""
        records, self.records = self.records, None
        return records

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
        model = self._model(role, chapter)
        schema = wire_schema(wanted, small=model.profile.small, items=counts or {})
        request = self._request(role, step, layers, schema, wanted.__name__)
        self._report(request, layers, model, chapter)
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
        """Streamed prose, gone on with when it was cut at the output limit or the stream broke.

        ``count`` measures words, ``enough`` is how many will do for a text that is cut again and
        again, ``clean`` takes off what isn't prose, ``most_tokens`` limits one reply (None: the
        profile's limit). Raises ``ModelError``: ``llm.reply`` for an empty text,
        ``llm.truncated`` for one that never ends.
        """
        self.emit(StepStarted(step, chapter, target_words))
        model = self._model(role, chapter)
        request = replace(self._request(role, step, layers), max_output=most_tokens)
        self._report(request, layers, model, chapter)
        text = ""
        for attempt in range(MOST_CONTINUATIONS + 1):
            reply, broken = self._streamed(model, request, text)
            text = _joined(text, reply.text)
            if broken is not None:
                if attempt == MOST_CONTINUATIONS:
                    self.unfinished = text if step == "write" else ""
                    raise broken
                self.warn(f"{step}: {broken.message} Going on from there.")
            elif not clean(text):
                model.reject(request)
                raise ModelError(
                    "llm.reply",
                    f"{model.name} returned an empty text for {step}.",
                    "Give the command again, or try another model.",
                )
            if broken is None and reply.finish_reason != "length":
                return clean(text)
            if broken is None and model.profile.small and count(text) >= enough:
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

    def _streamed(
        self, model: Model, request: Request, before: str
    ) -> tuple[Reply, BrokenStream | None]:
        """A reply handed on as it comes, and what broke it off after some of its text.

        ``before`` is the text that it goes on with.
        """
        pieces: list[str] = []

        def hand_on(piece: str) -> None:
            pieces.append(piece)
            self.emit(TextPiece(piece))

        try:
            return model.complete(request, hand_on), None
        except BrokenStream as error:
            return Reply("".join(pieces), "broken", Usage(), model.name), error
        except BaseException:
            if request.role in ("write", "continue"):
                self.unfinished = _joined(before, "".join(pieces))
            raise

    def _model(self, role: str, chapter: int | None) -> Model:
        model = self.models.model(role)
        if self.log is None:
            return model
        return RecordedModel(
            model,
            self.log,
            self.meter,
            self.emit,
            purpose=replace(self.purpose, role=role, chapter=chapter),
            calls=self.calls,
            rates=self.models.rates,
        )

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

    def _report(
        self, request: Request, layers: Sequence[Layer], model: Model, chapter: int | None
    ) -> None:
        """Put down what the call is given; a dry run ends here."""

        def estimate(text: str) -> int:
            return estimate_tokens(text, model.profile)

        whole = [_with_task(layer, estimate) for layer in layers]
        if self.dry_run:
            sections = [section for layer in whole for section in layer.sections]
            raise Previewed(request, sections, model.profile)
        if self.log is not None and chapter is not None:
            self.contexts.add(chapter, request.role, whole, estimate, self.log.note)


def _with_task(layer: Layer, estimate: Callable[[str], int]) -> Layer:
    """A layer whose sections say all that is in it: what they don't is the task itself."""
    if layer.name != "task" and layer.sections:
        return layer
    tokens = max(0, estimate(layer.text) - sum(section.tokens for section in layer.sections))
    task = Section(layer.name, tokens, 1, why="what this role must do now")
    return replace(layer, sections=(*layer.sections, task))


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
