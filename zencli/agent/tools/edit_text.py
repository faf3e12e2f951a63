"""Edits of one text: each finds its place and does one thing there, or says why it can't."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from zencli.agent.tools.edit_matching import Match, find
from zencli.agent.tools.quote_marks import has_marks, with_marks_of
from zencli.prose.locate import nearest
from zencli.prose.segment import Span

Op: TypeAlias = Literal["replace", "insert_before", "insert_after", "append", "prepend", "delete"]
OPS: tuple[str, ...] = get_args(Op)

_PREVIEWS = 5
_AROUND = 24
_LONGEST = 160
_SENTENCE_ENDS = tuple('。！？…”」』.!?"')
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]|\|)\s")


@dataclass(frozen=True)
class Edit:
    """One edit, as a model gives it. ``new`` None is missing, which never deletes."""

    op: Op
    old: str = ""
    new: str | None = None
    anchor: str = ""
    text: str = ""
    occurrence: int | None = None
    replace_all: bool = False


@dataclass(frozen=True)
class Failure:
    """Why an edit can't be made; ``data`` helps to give it again."""

    index: int
    error_type: str
    message: str
    data: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        told = {"edit": self.index + 1, "error_type": self.error_type, "message": self.message}
        return {**told, **self.data}


@dataclass(frozen=True)
class Edited:
    """The text after all edits that could be made; ``added`` are the words that came in."""

    text: str
    failures: tuple[Failure, ...] = ()
    places: int = 0
    added: tuple[str, ...] = ()


class _Refused(Exception):
    def __init__(self, error_type: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message
        self.data = data


def apply_edits(text: str, edits: Sequence[Edit], *, exact: bool) -> Edited:
    """Make the edits one after the other; ``exact``: no place is found by likeness.

    An edit that fails changes nothing; the others are made all the same, so that every failure is
    known. Whether the result may be used is the caller's to decide.
    """
    failures: list[Failure] = []
    added: list[str] = []
    places = 0
    for index, edit in enumerate(edits):
        try:
            text, came, count = _apply(text, edit, exact=exact)
        except _Refused as error:
            failures.append(Failure(index, error.error_type, error.message, error.data))
            continue
        places += count
        added += came
    return Edited(text, tuple(failures), places, tuple(added))


def _apply(text: str, edit: Edit, *, exact: bool) -> tuple[str, list[str], int]:
    if edit.op in ("append", "prepend"):
        return _at_an_end(text, edit)
    if edit.op == "replace" and edit.new is None:
        raise _Refused("missing_new", "replace needs new; to take text away use the op delete.")
    if edit.op.startswith("insert") and not edit.text.strip():
        raise _Refused("missing_text", f"{edit.op} needs text.")
    wanted = edit.anchor or edit.old if edit.op.startswith("insert") else edit.old or edit.anchor
    if not wanted.strip():
        raise _Refused("missing_anchor", f"{edit.op} needs the passage of the file that it is at.")
    takes_away = edit.op == "delete" or (edit.op == "replace" and edit.new == "")
    match = find(text, wanted, exact=exact, guess=not takes_away)
    if not match.spans and wanted != wanted.strip():
        match = find(text, wanted.strip(), exact=exact, guess=not takes_away)
    spans = _chosen(text, wanted, match, edit)
    added: list[str] = []
    for span in reversed(spans):
        text, came = _change(text, span, edit, match)
        added.append(came)
    return text, added, len(spans)


def _chosen(text: str, wanted: str, match: Match, edit: Edit) -> Sequence[Span]:
    count = len(match.spans)
    if not count:
        raise _Refused(
            "anchor_not_found",
            "This passage isn't in the file.",
            nearest=[_cut(paragraph) for paragraph in nearest(text, wanted)],
        )
    if edit.replace_all and edit.op in ("replace", "delete"):
        return match.spans
    if edit.occurrence is not None:
        if not 1 <= edit.occurrence <= count:
            raise _Refused(
                "anchor_not_found",
                f"There is no occurrence {edit.occurrence}: the passage is there {count} times.",
                previews=_previews(text, match.spans),
            )
        return match.spans[edit.occurrence - 1 : edit.occurrence]
    if count > 1:
        raise _Refused(
            "anchor_ambiguous",
            f"The passage stands there {count} times: give occurrence, or a longer passage.",
            previews=_previews(text, match.spans),
        )
    return match.spans


def _change(text: str, span: Span, edit: Edit, match: Match) -> tuple[str, str]:
    """The text with one place changed, and what came in."""
    start, end = span
    if edit.op == "delete" or edit.new == "":
        return _without(text, span), ""
    passage = text[start:end]
    if edit.op == "replace":
        new = edit.new or ""
        if match.how != "exact" or not has_marks(passage):
            new = with_marks_of(text, new, passage, text[:start])
        if match.how == "words":
            end = _past_marks(text, end, new)
        return text[:start] + new + text[end:], _middle(passage, new)
    start, end = _insertion_span(text, span, edit.text)
    new = with_marks_of(text, edit.text, "", text[: start if edit.op == "insert_before" else end])
    if edit.op == "insert_before":
        gap = _gap(text, (start, end), new.rstrip("\n"), new.endswith("\n"))
        return text[:start] + new + gap + text[start:], new
    gap = _gap(text, (start, end), new, new.startswith("\n"))
    return text[:end] + gap + new + text[end:], new


def _past_marks(text: str, end: int, new: str) -> int:
    """The end of a place found by its words, past the marks behind it that ``new`` brings too."""
    words = new.rstrip()
    while words and not words[-1].isalnum():
        words = words[:-1].rstrip()
    marks = new[len(words) :].strip()
    known = text[end - 1 : end].isalnum() and text.startswith(marks, end)
    return end + len(marks) if known else end


def _insertion_span(text: str, span: Span, new: str) -> Span:
    """The anchor, with the marks up to the ends of its line where a whole sentence is put there."""
    start, end = span
    line_start, line_end = _line_about(text, span)
    if not new.rstrip().endswith(_SENTENCE_ENDS):
        return span
    if not any(letter.isalnum() for letter in text[end:line_end]):
        end = line_end
    if not any(letter.isalnum() for letter in text[line_start:start]):
        start = line_start
    return start, end


def _line_about(text: str, span: Span) -> Span:
    start = text.rfind("\n", 0, span[0]) + 1
    end = text.find("\n", span[1])
    return start, len(text) if end < 0 else end


def _gap(text: str, span: Span, new: str, has_own: bool) -> str:
    """What parts an insertion from its anchor: a blank line when that is a whole paragraph."""
    start, end = span
    line_start, line_end = _line_about(text, span)
    whole = not text[line_start:start].strip() and not text[end:line_end].strip()
    if has_own or not whole:
        return ""
    items = _ITEM.match(text[line_start:line_end] + " ") and _ITEM.match(new + " ")
    return "\n" if items else "\n\n"


def _at_an_end(text: str, edit: Edit) -> tuple[str, list[str], int]:
    new = (edit.text or edit.new or "").strip("\n")
    if not new.strip():
        raise _Refused("missing_text", f"{edit.op} needs text.")
    new = with_marks_of(text, new, "", "")
    body = text.strip("\n")
    if edit.op == "append":
        return "\n\n".join(part for part in (body, new) if part) + "\n", [new], 1
    first, _, rest = body.partition("\n")
    parts = [first, new, rest.strip("\n")] if first.startswith("# ") else [new, body]
    return "\n\n".join(part for part in parts if part) + "\n", [new], 1


def _without(text: str, span: Span) -> str:
    """The text without a passage, nor the empty line that it would leave."""
    start, end = span
    before, after = text[:start], text[end:]
    alone = before.rstrip(" \t").endswith("\n") or not before.strip()
    if not (alone and after.lstrip(" \t")[:1] in ("", "\n")):
        return before + after
    before, after = before.rstrip(), after.lstrip(" \t\n")
    if not before or not after:
        return f"{before}\n" if before else after
    single = (
        "\n\n" not in text[len(before) : start] and "\n\n" not in text[end : len(text) - len(after)]
    )
    return before + ("\n" if single else "\n\n") + after


def _middle(old: str, new: str) -> str:
    """What of ``new`` isn't in ``old``, the same beginning and end left out."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return new[start : len(new) - end]


def _previews(text: str, spans: Sequence[Span]) -> list[dict[str, Any]]:
    return [
        {
            "occurrence": at,
            "line": text.count("\n", 0, start) + 1,
            "preview": " ".join(text[max(0, start - _AROUND) : end + _AROUND].split())[:_LONGEST],
        }
        for at, (start, end) in enumerate(spans[:_PREVIEWS], 1)
    ]


def _cut(paragraph: str) -> str:
    return paragraph if len(paragraph) <= _LONGEST * 2 else paragraph[: _LONGEST * 2] + "…"
