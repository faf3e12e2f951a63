"""A page of HTML as Markdown: paragraphs parted by empty lines, white space as readers see it."""

import re
from html.parser import HTMLParser

from zencli.export.blocks import BREAK, parse
from zencli.export.marks import MARKS, without_marks

_BLOCK_TAGS = """
address article aside blockquote body dd div dl dt fieldset figcaption figure footer form h1 h2 h3
h4 h5 h6 header hr li main nav ol p pre section table td th tr ul
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_HIDDEN = frozenset(("head", "script", "style", "title", "svg", "rp"))
_EMPHASIS = {"em": "*", "i": "*", "strong": "**", "b": "**"}
_RUBY = frozenset(("ruby", "rt"))
_HEADINGS = {f"h{depth}": "#" * depth for depth in range(1, 7)}
_NOTES = frozenset(("footnote", "endnote", "rearnote"))

# Noncharacters around the id of a footnote, until it is known which label that has.
_NOTE_MARK = re.compile("\ufdd0([^\ufdd1\ufdd2]*)\ufdd1([^\ufdd2]*)\ufdd2")
_OURS = re.compile("[\ufdd0-\ufdef]")

_TEXT = (["paragraph"], ["note"])

Attributes = dict[str, str]


class PageReader(HTMLParser):
    """Feed it a page, then ask for its ``text``. ``headed``: a heading was met."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.headed = False
        self._blocks: list[str] = []
        self._line: list[tuple[str, bool]] = []
        self._before = ""
        self._literal = False
        self._hidden: list[str] = []
        self._quotes = 0
        self._labels: dict[str, str] = {}
        self._note = ""
        self._notes_open = 0

    def text(self) -> str:
        """All of the page."""
        self._flush()
        return _NOTE_MARK.sub(self._mark, "\n\n".join(self._blocks))

    def _mark(self, found: re.Match[str]) -> str:
        label = self._labels.get(found[1])
        return found[2] if label is None else f"[^{label}]"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag in _HIDDEN or told.get("role") == "doc-backlink":
            self._hidden.append(tag)
        elif tag in _BLOCKS:
            self._open(tag, told)
        elif tag == "br":
            self._line.append(("\n", True))
        elif tag in _RUBY:
            self._line.append((f"<{tag}>", True))
        elif tag == "a" and _is(told, "noteref"):
            self._line.append((f"\ufdd0{told.get('href', '').rpartition('#')[2]}\ufdd1", True))
        elif tag in _EMPHASIS:
            self._line.append((_EMPHASIS[tag], True))

    def _open(self, tag: str, told: Attributes) -> None:
        self._flush()
        self._quotes += tag == "blockquote"
        self._before = f"{_HEADINGS[tag]} " if tag in _HEADINGS else ""
        self._literal = told.get("class") == "text"
        if tag == "hr":
            self._blocks.append("* * *")
        if tag == "aside" and any(_is(told, kind) for kind in _NOTES) and "id" in told:
            label = told.get("data-label") or str(len(self._labels) + 1)
            self._labels[told["id"]] = label
            self._note, self._notes_open = f"[^{label}]: ", self._notes_open + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "hr"):
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag == self._hidden[-1]:
            self._hidden.pop()
        elif tag in _BLOCKS:
            self._flush()
            self._quotes = max(self._quotes - (tag == "blockquote"), 0)
            if tag == "aside":
                self._note, self._notes_open = "", max(self._notes_open - 1, 0)
        elif tag in _RUBY:
            self._line.append((f"</{tag}>", True))
        elif tag == "a":
            self._end_note_mark()
        elif tag in _EMPHASIS:
            self._line.append((_EMPHASIS[tag], True))

    def _end_note_mark(self) -> None:
        """Close the mark of a footnote, if the link was one."""
        for text, ours in reversed(self._line):
            if ours and "\ufdd2" in text:
                return
            if ours and text.startswith("\ufdd0"):
                self._line.append(("\ufdd2", True))
                return

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            shown = _OURS.sub("", re.sub(r"[ \t\r\n\f]+", " ", data))
            self._line.append((shown, False))

    def _flush(self) -> None:
        text = _trimmed("".join(part for part, _ in self._line))
        said = _trimmed("".join(part for part, ours in self._line if not ours or part == "\n"))
        line, self._line = self._line, []
        before, self._before = self._before, ""
        if not said and not _NOTE_MARK.search(text):
            return
        if not (before or self._literal) and BREAK.fullmatch(said):
            self._blocks.append("* * *")
            return
        if MARKS.search(said) and without_marks(_read(text)) != _read(said):
            text = _trimmed("".join(part if ours else _escaped(part) for part, ours in line))
        if before:
            self.headed = True
            text = re.sub(r"\s*\n\s*", " ", text)
        elif self._quotes:
            text = "> " + text.replace("\n", "\n> ")
        elif self._note:
            before, self._note = self._note, ""
            text = text.replace("\n", " ").lstrip()
        elif self._notes_open and self._blocks:  # a further paragraph of the same footnote
            self._blocks[-1] += "\n    " + text.replace("\n", "\n    ")
            return
        else:
            text = "\n".join(map(_paragraph, text.split("\n")))
        self._blocks.append(before + text)


def _is(told: Attributes, kind: str) -> bool:
    named = told.get("epub:type", "").split()
    return kind in named or told.get("role") == f"doc-{kind}"


def _trimmed(text: str) -> str:
    return re.sub(r" *\n *", "\n", text).strip(" \n")


def _read(text: str) -> str:
    """Without what isn't emphasis: readings and marks of footnotes."""
    return re.sub("</?(?:ruby|rt)>", "", _NOTE_MARK.sub(r"\2", text))


def _escaped(text: str) -> str:
    return re.sub(r"[*_\\`&]", r"\\\g<0>", text)


def _paragraph(line: str) -> str:
    """A line that would be read as a heading, a break or a quotation marked as none."""
    if line and line[0] in "#>*-_`[" and [b.kind for b in parse(line)] not in _TEXT:
        return "\\" + line
    return line
