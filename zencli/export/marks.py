"""Prose without its inline Markdown, for novels: emphasis, code spans, escapes, entities.

Not CommonMark: its rule about punctuation beside a mark leaves Chinese quotations unbolded. Here a
run of one, two or three marks opens before anything but white space and is closed by the next run
of as many after anything but white space. A code span of nothing but blanks, links and HTML are
text.
"""

import re
from html import unescape

from zencli.export.manuscript import clean

MARKS = re.compile(r"[*_\\`&]")
"""Text in which this isn't found has no marks."""

_TOKEN = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<fence>`+)(?!`)(?!\s+(?P=fence)(?!`))(?P<code>.+?)(?<!`)(?P=fence)(?!`)"
    r"|(?P<entity>&#?\w+;)"
    r"|(?P<run>\*+|_+)",
    re.DOTALL,
)
_LONGEST_RUN = 3


def without_marks(text: str) -> str:
    """The text of one block as it is read aloud; no character but marks is lost."""
    if not MARKS.search(text):
        return text
    pieces: list[str] = []
    emphasis = _Emphasis(pieces)
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[end : token.start()])
        end = token.end()
        if token["run"]:
            emphasis.meet(token)
        elif token["entity"]:
            pieces.append(characters(token["entity"]))
        else:
            pieces.append(token["escaped"] or token["code"].strip())
    pieces.append(text[end:])
    return "".join(pieces)


def characters(entity: str) -> str:
    """What an entity of HTML stands for: itself when there is none such, nothing for controls."""
    return clean(unescape(entity)).replace("\n", " ")


class _Emphasis:
    """Pairs runs of marks: a run goes into ``pieces`` as it is, and is emptied when it pairs."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces
        self._open: dict[str, list[int]] = {}
        self._order: list[tuple[int, str]] = []

    def meet(self, token: re.Match[str]) -> None:
        """Take the next run of the text."""
        run = token["run"]
        before = token.string[token.start() - 1] if token.start() else " "
        after = token.string[token.end() : token.end() + 1] or " "
        inside_word = run[0] == "_" and before.isalnum() and after.isalnum()
        self._pieces.append(run)
        if len(run) > _LONGEST_RUN or inside_word:
            return
        if not before.isspace() and self._closes(run):
            return
        if not after.isspace():
            self._open.setdefault(run, []).append(len(self._pieces) - 1)
            self._order.append((len(self._pieces) - 1, run))

    def _closes(self, run: str) -> bool:
        """Pair a run with an opener of as many marks, or three marks with two openers that were
        written apart, as in ``**a *b***`` and ``***a* b**``."""
        if self._open.get(run):
            self._close(run)
            return True
        last = [other for _, other in self._order[-2:]]
        both = run[0] * _LONGEST_RUN
        if run == both and "".join(last) == both and len(last) == 2:
            for other in reversed(last):
                self._close(other)
            return True
        if last and last[-1] == both:
            at, _ = self._order.pop()
            self._open[both].pop()
            rest = both[len(run) :]
            self._pieces[at], self._pieces[-1] = rest, ""
            self._open.setdefault(rest, []).append(at)
            self._order.append((at, rest))
            return True
        return False

    def _close(self, run: str) -> None:
        """Pair the last piece with the run's latest opener; openers between them are text."""
        opener = self._open[run][-1]
        while self._order and self._order[-1][0] >= opener:
            _, other = self._order.pop()
            self._open[other].pop()
        self._pieces[opener] = self._pieces[-1] = ""
