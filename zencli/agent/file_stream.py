"""The text of a reply as it streams: what is said to the author, and the body of a file, which is
saved into the file that waits for it, or beside it as a draft."""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from zencli.agent.tools.cleaning import clean
from zencli.agent.tools.create_file import write_new
from zencli.agent.tools.envelope import ToolResult
from zencli.agent.tools.framing import framed, has_prose
from zencli.agent.tools.refusal import ToolRefused, result_of
from zencli.agent.tools.saving import commit, held, text_of, the_book
from zencli.agent.tools.wording import tell
from zencli.agent.turn import PendingFile, Turn
from zencli.errors import ZencliError
from zencli.pipeline.past.rewind import chapter_number
from zencli.prose.count import count_words
from zencli.store.layout import draft_file

OPEN, CLOSE = "<file>", "</file>"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_LOOKED_AHEAD = 200
"""Characters after a marker within a line that are waited for before it counts as one."""

Part: TypeAlias = Literal["chat", "file"]
Piece: TypeAlias = tuple[Part, str]
"""A piece of the reply, and what it belongs to."""


class FileStream:
    """Parts the pieces of one reply, markers split between them included.

    When a file of the turn waits for its body, an opening marker begins it; a reply has one body at
    most. Markers in code fences and back-quotes are text. Without a file a marker alone in its line
    is dropped. ``body`` is what came of the body so far, ``complete`` whether it was closed.
    ``early`` is what stood between two markers while no file was waiting, as when the file is only
    made by a call of the same reply.
    """

    def __init__(self, turn: Turn) -> None:
        self.body = ""
        self.complete = False
        self.early = ""
        self._gathered: list[str] | None = None
        self._pending = turn.pending is not None
        self._in_body = False
        self._buffer = ""
        self._line = ""
        self._fence = ""
        self._skip_newline = False

    @property
    def started(self) -> bool:
        """Whether a body began, complete or not."""
        return self._in_body or self.complete

    def feed(self, text: str) -> list[Piece]:
        """Take in a piece of the reply; what is certain by now."""
        self._buffer += text
        return list(self._run(final=False))

    def end(self) -> list[Piece]:
        """The reply is over: what was held back."""
        pieces = list(self._run(final=True))
        if self._in_body and self.body.rstrip().endswith(CLOSE):  # in a fence that was left open
            self.body = self.body.rstrip().removesuffix(CLOSE)
            self._close()
        return pieces

    def _run(self, *, final: bool) -> Iterator[Piece]:
        while self._buffer:
            if self._skip_newline:
                self._skip_newline = False
                self._buffer = self._buffer.removeprefix("\n")
                continue
            at = self._next_marker()
            if at:
                yield from self._take(at)
                continue
            marker = OPEN if self._buffer.startswith(OPEN) else CLOSE
            if not self._buffer.startswith(marker):
                if not final:
                    return
                yield from self._take(len(self._buffer))
                continue
            means = self._meaning(marker, final=final)
            if means == "wait":
                return
            yield from self._act(marker, means)

    def _next_marker(self) -> int:
        """Where the next thing that is a marker, or may become one, begins; 0 is here."""
        at = self._buffer.find("<")
        while at >= 0:
            rest = self._buffer[at : at + len(CLOSE)]
            if rest.startswith((OPEN, CLOSE)) or OPEN.startswith(rest) or CLOSE.startswith(rest):
                return at
            at = self._buffer.find("<", at + 1)
        return len(self._buffer)

    def _meaning(self, marker: str, *, final: bool) -> Literal["text", "marker", "drop", "wait"]:
        """What the marker at the front of the buffer is, when that can be said by now."""
        if self._fence or _FENCE.match(self._line):
            return "text"
        rest, newline, _ = self._buffer[len(marker) :].partition("\n")
        ended = bool(newline) or final or len(rest) > _LOOKED_AHEAD
        if self._line.count("`") % 2:
            if "`" in rest:
                return "text"
            if not ended:
                return "wait"
        if self._in_body:
            return "marker" if marker == CLOSE else "text"
        first = not self._line.strip()
        if marker == OPEN and self._pending:
            if first:
                return "marker"
            if CLOSE in rest:
                return "text"
            return "marker" if ended else "wait"
        if not first or rest.strip():
            return "text"
        return "drop" if ended else "wait"

    def _act(self, marker: str, means: str) -> Iterator[Piece]:
        if means == "text":
            yield from self._take(len(marker))
            return
        self._buffer = self._buffer[len(marker) :]
        if means == "drop":
            self._buffer = self._buffer.lstrip(" \t")
            self._skip_newline = True
            if marker == CLOSE and self._gathered is not None:
                self.early = self.early or "".join(self._gathered)
            self._gathered = [] if marker == OPEN else None
        elif marker == OPEN:
            self._in_body, self._pending = True, False
            self._skip_newline, self._line = True, ""
        else:
            self._skip_newline, self._line = True, ""
            self._close()

    def _close(self) -> None:
        self._in_body, self.complete, self._fence = False, True, ""

    def _take(self, count: int) -> Iterator[Piece]:
        """Pass on the front of the buffer, keeping account of lines and fences."""
        text, self._buffer = self._buffer[:count], self._buffer[count:]
        *ended, rest = text.split("\n")
        for part in ended:
            self._end_line(self._line + part)
            self._line = ""
        self._line += rest
        if self._in_body:
            self.body += text
        elif self._gathered is not None:
            self._gathered.append(text)
        yield ("file" if self._in_body else "chat"), text

    def _end_line(self, line: str) -> None:
        found = _FENCE.match(line)
        if found is None:
            return
        mark, rest = found[1], found[2]
        if not self._fence:
            self._fence = mark
        elif mark.startswith(self._fence) and not rest.strip():
            self._fence = ""


def save_body(turn: Turn, text: str, complete: bool) -> ToolResult:
    """Put a streamed body into the file that waits for it, which then waits no longer.

    A body without its closing marker goes only where no text is; else, and when the file may not
    be written any more, it is kept as a draft beside it. An empty body leaves the file waiting.
    """
    pending = _waiting(turn)
    if not clean(text).strip():
        return result_of(
            ToolRefused("empty_body", f"{pending.path} got no text.", "Write it once more.")
        )
    try:
        if not complete and has_prose(text_of(the_book(turn), pending.path)):
            raise ToolRefused(
                "body_not_closed",
                f"The text for {pending.path} has no </file>, and the file has a text already.",
                "Write the whole of it again.",
            )
        done = write_new(turn, pending, text)
    except ZencliError as error:
        refused = result_of(error)
        kept = save_draft(turn, text)
        return ToolResult(
            data={**refused.data, **kept.data},
            error_type=refused.error_type,
            for_model=f"{refused.for_model} {kept.for_model}",
            for_author=refused.for_author,
            kept=refused.kept,
        )
    turn.pending = None
    return done


def save_draft(turn: Turn, text: str) -> ToolResult:
    """Keep a body that was broken off as a draft beside its file, which then waits no longer."""
    pending = _waiting(turn)
    turn.pending = None
    if not clean(text).strip():
        return ToolResult(for_model="There was no text to keep.")
    path = draft_path(pending.path)
    with held(turn) as book:
        whole = framed(path, pending.title, pending.head, text)
        commit(turn, book, {path: whole})
        words = count_words(whole, book.config().language)
    return ToolResult(
        data={"draft": path, "for": pending.path, "words": words},
        for_model=f"What there is of {pending.path} is kept in {path}.",
        for_author=tell(turn, "draft", path=path, words=words),
    )


def draft_path(path: str) -> str:
    """Where the draft of a file is kept: those of chapters have a folder of their own."""
    number = chapter_number(path)
    return path.removesuffix(".md") + ".draft.md" if number is None else draft_file(number)


def _waiting(turn: Turn) -> PendingFile:
    assert turn.pending is not None, "no file waits for a body"
    return turn.pending
