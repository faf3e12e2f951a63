"""``show BOOK N --diff``: what the latest revision of a chapter changes, sentence by sentence."""

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from zencli.errors import NotFound
from zencli.pipeline.result_base import Result
from zencli.pipeline.revising.revise_files import folder_of
from zencli.prose.diff import Change, sentence_changes
from zencli.store.chapter_text import split_chapter
from zencli.store.history import content, revisions
from zencli.store.layout import BookDir
from zencli.store.snapshot import snapshot


class DiffLine(BaseModel):
    """A sentence, or ``¶`` where a paragraph ends. A ``changed`` one shows both versions in one,
    ``[-gone-]`` and ``{+come+}`` in place."""

    model_config = ConfigDict(frozen=True)

    change: Change
    text: str


class DiffHunk(BaseModel):
    """Sentences that changed, with one unchanged around; ``paragraph`` of the old text, from 1."""

    model_config = ConfigDict(frozen=True)

    paragraph: int
    lines: list[DiffLine]


class DiffResult(Result):
    """The latest revision of a chapter.

    ``kind``: a ``candidate`` lies beside the chapter in ``path`` and would change it so; an
    ``applied`` one has changed it so, ``path`` is its ``.diff``. ``reason`` is why it was kept or
    wasn't.
    """

    number: int
    title: str
    kind: Literal["candidate", "applied"]
    run: str
    reason: str
    path: str
    hunks: list[DiffHunk]


class _Texts(NamedTuple):
    kind: Literal["candidate", "applied"]
    old: str
    new: str
    path: str


def latest_revision(book: BookDir, number: int) -> DiffResult:
    """What the latest revision of a chapter changed, or as a candidate would change.

    Raises ``NotFound`` ``revision.not_found`` for a chapter that has none, or whose text before it
    is no longer in the history.
    """
    return snapshot(book, lambda seen: _latest(seen, number))


def _latest(book: BookDir, number: int) -> DiffResult:
    title, prose = book.chapter(number)
    folder = book.path / folder_of(number)
    runs = sorted(path.stem for path in folder.glob("*.diff")) if folder.is_dir() else []
    texts = _texts(book, number, runs[-1], prose) if runs else None
    if texts is None:
        raise NotFound(
            "revision.not_found",
            f"Chapter {number} has no revision to show.",
            f"Make one: zencli revise {book.id} {number}",
        )
    told = book.read(f"{folder_of(number)}/{runs[-1]}.diff") or ""
    hunks = sentence_changes(texts.old, texts.new, book.config().language)
    return DiffResult(
        book_id=book.id,
        number=number,
        title=title,
        kind=texts.kind,
        run=runs[-1],
        reason=told.partition("\n")[0],
        path=str(book.path / texts.path),
        hunks=[
            DiffHunk(
                paragraph=hunk.paragraph,
                lines=[DiffLine(change=line.change, text=line.text) for line in hunk.lines],
            )
            for hunk in hunks
        ],
    )


def _texts(book: BookDir, number: int, run: str, prose: str) -> _Texts | None:
    """The old and the new prose of a revision."""
    candidate = f"{folder_of(number)}/{run}.md"
    text = book.read(candidate)
    if text is not None:
        return _Texts("candidate", prose, split_chapter(text)[1], candidate)
    known = revisions(book, book.chapter_file(number))
    made = next((i for i, revision in enumerate(known) if revision.run == run), 0)
    digests = [revision.digest for revision in known[max(0, made - 1) : made + 1]]
    if made == 0 or None in digests:
        return None
    old, new = (
        split_chapter(content(book, digest).decode("utf-8-sig", "replace"))[1]
        for digest in digests
        if digest is not None
    )
    return _Texts("applied", old, new, f"{folder_of(number)}/{run}.diff")
