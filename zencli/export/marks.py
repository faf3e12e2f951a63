"""Inline Markdown to XHTML, for novels: emphasis, code spans, escapes, entities, hard breaks.

Not CommonMark: its rule about punctuation beside a mark leaves Chinese quotations unbolded. Here a
run of one, two or three marks opens before anything but white space and is closed by the next run
of as many after anything but white space. Links and HTML are text.
"""

import re
from html import escape, unescape

from zencli.export.manuscript import clean

MARKS = re.compile(r"[*_\\`&]|  \n")
"""Text in which this isn't found is the same text to ``to_xhtml``, but for XML's own escapes."""

HARD_BREAK = "<br/>\n"
"""What a hard break becomes; other newlines stay."""

_TOKEN = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<hard>\\\n|(?<! ) {2,}\n)"
    r"|(?<!`)(?P<fence>`+)(?!`)(?P<code>.+?)(?<!`)(?P=fence)(?!`)"
    r"|(?P<entity>&#?\w+;)"
    r"|(?P<run>\*+|_+)",
    re.DOTALL,
)
_TAGS = {
    1: ("<em>", "</em>"),
    2: ("<strong>", "</strong>"),
    3: ("<strong><em>", "</em></strong>"),
}


def to_xhtml(text: str) -> str:
    """The text of one block as well-formed XHTML content; no character but marks is lost."""
    pieces: list[str] = []
    emphasis = _Emphasis(pieces)
    end = 0
    for token in _TOKEN.finditer(text):
        pieces.append(escape(text[end : token.start()], quote=False))
        end = token.end()
        if token["run"]:
            emphasis.meet(token)
        else:
            pieces.append(_converted(token))
    pieces.append(escape(text[end:], quote=False))
    return "".join(pieces)


def _converted(token: re.Match[str]) -> str:
    if token["hard"]:
        return HARD_BREAK
    if token["code"]:
        return f"<code>{escape(token['code'].strip(' '), quote=False)}</code>"
    if token["entity"]:
        character = clean(unescape(token["entity"])).replace("\n", " ")
        return escape(character, quote=False)
    return escape(token["escaped"], quote=False)


class _Emphasis:
    """Pairs runs of marks: a run goes into ``pieces`` as it is, and becomes a tag when it pairs."""

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
        if len(run) not in _TAGS or inside_word:
            return
        if not before.isspace() and self._open.get(run):
            self._close(run)
        elif not after.isspace():
            self._open.setdefault(run, []).append(len(self._pieces) - 1)
            self._order.append((len(self._pieces) - 1, run))

    def _close(self, run: str) -> None:
        """Pair the last piece with the run's latest opener; openers between them are text."""
        opener = self._open[run][-1]
        while self._order and self._order[-1][0] >= opener:
            _, other = self._order.pop()
            self._open[other].pop()
        self._pieces[opener], self._pieces[-1] = _TAGS[len(run)]
