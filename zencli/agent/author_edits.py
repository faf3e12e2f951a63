"""What the author changed in a file since an agent or verb last wrote it, from the history."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from zencli.errors import ZencliError
from zencli.store.history import Revision, content, digest_of, revisions
from zencli.store.layout import BookDir

_OWN_VERBS = ("import",)
"""Runs that bring in what the author wrote elsewhere."""

_TAKING_BACK = ("undo", "restore")
"""Runs by which the author decides what stands, without writing anything."""

_OWN_FILES = ("brief.md",)
_LOOKED_AT = 8
"""Edits by hand whose lines are known, the newest ones."""

_SHOWN = 12
_LONGEST = 240


@dataclass(frozen=True)
class AuthorEdit:
    """One passage as it was and as the author made it; "" where he added or took away."""

    before: str
    after: str

    def to_json(self) -> dict[str, str]:
        return {"before": _short(self.before), "after": _short(self.after)}


@dataclass(frozen=True)
class Authorship:
    """What of a file is the author's.

    ``edits`` is what he changed since the program last wrote it. ``lines`` are those of the present
    text that he wrote, those before an agent's later edit included; ``whole``: all of the file.
    """

    edits: tuple[AuthorEdit, ...] = ()
    lines: frozenset[str] = frozenset()
    whole: bool = False

    @property
    def any(self) -> bool:
        """Whether there is anything of his to keep."""
        return bool(self.edits or self.lines)

    def shown(self) -> list[dict[str, str]]:
        """The edits as the model gets them, the first ones in full."""
        return [edit.to_json() for edit in self.edits[:_SHOWN]]


def authorship(book: BookDir, path: str, present: str) -> Authorship:
    """Whose a file is that holds ``present``.

    A file that no run has written is wholly the author's, and so is the brief.
    """
    known = revisions(book, path)
    if path in _OWN_FILES or not any(_by_program(revision) for revision in known):
        return Authorship(lines=frozenset(lines_of(present)), whole=True)
    last = max(at for at, revision in enumerate(known) if _by_program(revision))
    untouched = len(known) == last + 1 and known[last].digest == _digest(book, path)
    own = [at for at, revision in enumerate(known) if _by_author(revision)]
    if untouched and not own:
        return Authorship()
    baseline = _text(book, known[last])
    edits = () if untouched or baseline is None else tuple(differences(baseline, present))
    return Authorship(edits, frozenset(_own_lines(book, known, own, present, edits)))


def differences(before: str, after: str) -> Iterator[AuthorEdit]:
    """Where two texts differ, line by line; blank lines and outer white space don't count."""
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, left, right, low, high in matcher.get_opcodes():
        if tag == "equal":
            continue
        if right - left == high - low:
            pairs = zip(old[left:right], new[low:high], strict=True)
            yield from (AuthorEdit(was, now) for was, now in pairs)
        else:
            yield AuthorEdit("\n".join(old[left:right]), "\n".join(new[low:high]))


def lines_of(text: str) -> list[str]:
    """The lines that say something, without outer white space."""
    return [line.strip() for line in text.split("\n") if line.strip()]


def _own_lines(
    book: BookDir,
    known: Sequence[Revision],
    own: list[int],
    present: str,
    edits: Sequence[AuthorEdit],
) -> set[str]:
    """The lines of the present text that came with an edit by hand."""
    written = {line for edit in edits for line in edit.after.split("\n") if line}
    for at in own[-_LOOKED_AT:]:
        now = _text(book, known[at])
        before = _text(book, known[at - 1]) if at else ""
        if now is not None and before is not None:
            written |= set(lines_of(now)) - set(lines_of(before))
    return written & set(lines_of(present))


def _by_author(revision: Revision) -> bool:
    return revision.run == "" or revision.verb in _OWN_VERBS


def _by_program(revision: Revision) -> bool:
    return not _by_author(revision) and revision.verb not in _TAKING_BACK


def _text(book: BookDir, revision: Revision) -> str | None:
    """What a file held, "" when it was deleted, None when the history can't tell."""
    if revision.digest is None:
        return ""
    try:
        return content(book, revision.digest).decode("utf-8-sig").replace("\r\n", "\n")
    except (ZencliError, UnicodeDecodeError):
        return None


def _digest(book: BookDir, path: str) -> str | None:
    place = book.path / path
    return digest_of(place.read_bytes()) if place.is_file() else None


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
