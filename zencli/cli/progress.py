"""Progress on stderr: the prose as it is written on a terminal, one plain line a step elsewhere."""

import sys
import time
from typing import TextIO

from zencli.cli.terminal import hush, interactive, safe
from zencli.llm.recorded import CallDone
from zencli.pipeline.events import ChapterDone, Event, Notice, StepStarted, TextPiece
from zencli.prose.count import count_words
from zencli.prose.segment import script

_ERASE = "\r\x1b[K"


class Progress:
    """A listener that prints. A status line is drawn after a paragraph and erased by the next."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = interactive(self._stream)
        self._step = StepStarted("start")
        self._since = time.monotonic()
        self._text = ""
        self._status = False
        self._tokens = 0

    def __call__(self, event: Event) -> None:
        try:
            self._tell(event)
        except BrokenPipeError:
            hush(self._stream)

    def _tell(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self._begin(event)
        elif isinstance(event, TextPiece):
            self._piece(event.text)
        elif isinstance(event, CallDone):
            self._call(event)
        elif isinstance(event, Notice):
            self._line(event.text)
        elif isinstance(event, ChapterDone):
            place = f" [{event.place}]" if event.place else ""
            self._line(
                f"chapter {event.number} done{place}: {event.title} "
                f"({event.words} {event.unit}, {event.status})"
            )

    def _begin(self, step: StepStarted) -> None:
        self._step, self._text, self._since = step, "", time.monotonic()
        if step.step != "check":
            self._line(self._name() + " ...")

    def _name(self) -> str:
        chapter = "" if self._step.chapter is None else f"chapter {self._step.chapter}: "
        return chapter + self._step.step

    def _piece(self, text: str) -> None:
        self._text += text
        if not self._live:
            return
        self._erase()
        self._stream.write(safe(text))
        if text.endswith("\n"):
            self._stream.write(f"[{self._measure()}]")
            self._status = True
        self._stream.flush()

    def _measure(self) -> str:
        count = count_words(self._text, script(self._text)) if self._text else 0
        target = f" of {self._step.target_words}" if self._step.target_words else ""
        words = f"{count}{target}, " if self._text else ""
        seconds = time.monotonic() - self._since
        return f"{self._name()}: {words}{self._tokens} tokens so far, {seconds:.0f} s"

    def _call(self, done: CallDone) -> None:
        usage = done.usage
        self._tokens += usage.input_tokens + usage.output_tokens
        if self._live and self._text and not self._text.endswith("\n"):
            self._stream.write("\n")
        cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
        again = ", read back from an interrupted run" if done.recalled else ""
        self._line(
            f"{self._name()}: {usage.input_tokens} tokens in{cached}, "
            f"{usage.output_tokens} out, {usage.seconds:.1f} s{again}"
        )
        self._text = ""

    def _line(self, text: str) -> None:
        self._erase()
        self._stream.write(safe(text) + "\n")
        self._stream.flush()

    def _erase(self) -> None:
        if self._status:
            self._stream.write(_ERASE)
            self._status = False
