"""Quotation marks: comparing texts without regard to them, and keeping those that a file uses."""

import re

_DOUBLE = '"“”„‟「」＂『』«»'
_SINGLE = "'‘’＇"
_ALIKE = {ord(mark): '"' for mark in _DOUBLE} | {ord(mark): "'" for mark in _SINGLE}

_OPENING, _CLOSING = "“「『«„", "”」』»"
_PAIRS = ("“”", "「」", "『』", "«»", '""', "＂＂")
_MARK = re.compile('["“”„‟「」『』＂«»]')
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_NESTED = {"「」": str.maketrans("‘’", "『』"), "“”": str.maketrans("『』", "‘’")}


def without_difference(text: str) -> str:
    """The text with all quotation marks alike; every character stays in its place."""
    return text.translate(_ALIKE)


def has_marks(text: str) -> bool:
    """Whether there is a double quotation mark in the text."""
    return _MARK.search(text) is not None


def with_marks_of(file: str, new: str, passage: str, before: str) -> str:
    """``new`` with the quotation marks and apostrophes that the file uses.

    ``passage`` is what it takes the place of ("" for an insertion) and ``before`` the paragraph up
    to there. Marks are copied from the passage where there are as many, else opened and closed in
    turn. A file that has no marks, or mixes them, leaves ``new`` as it is.
    """
    new = _apostrophes(file, new)
    old_marks = _MARK.findall(passage)
    if old_marks and len(old_marks) == len(_MARK.findall(new)):
        marks = iter(old_marks)
        return _MARK.sub(lambda found: next(marks), new)
    pair = _pair_of(passage) or _pair_of(file)
    if pair is None:
        return new
    if pair in _NESTED and not has_marks(passage):
        new = new.translate(_NESTED[pair]) if pair == "「」" else _to_curly(new)
    return "\n".join(
        _line(line, pair, inside=at == 0 and _is_open(before))
        for at, line in enumerate(new.split("\n"))
    )


def _pair_of(text: str) -> str | None:
    """The one pair of marks that a text uses, None when it has none or several."""
    used = [pair for pair in _PAIRS if pair != "『』" and any(mark in text for mark in set(pair))]
    return used[0] if len(used) == 1 else None


def _line(line: str, pair: str, *, inside: bool) -> str:
    out = []
    for letter in line:
        if not _MARK.match(letter) or letter in "『』":
            out.append(letter)
            continue
        opens = letter in _OPENING or (letter not in _CLOSING and not inside)
        out.append(pair[0] if opens else pair[1])
        inside = opens
    return "".join(out)


def _to_curly(text: str) -> str:
    """Nested corner marks as curly ones, where corner marks stand around them."""
    return text.translate(_NESTED["“”"]) if "「" in text else text


def _is_open(before: str) -> bool:
    """Whether a quotation is open at the end of ``before``."""
    line = before.rpartition("\n")[2]
    opened = False
    for letter in line:
        if _MARK.match(letter) and letter not in "『』":
            opened = letter in _OPENING or (letter not in _CLOSING and not opened)
    return opened


def _apostrophes(file: str, new: str) -> str:
    used = set(_APOSTROPHE.findall(file))
    return _APOSTROPHE.sub(next(iter(used)), new) if len(used) == 1 else new
