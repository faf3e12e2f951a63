"""What an export is made from: the chapters that were chosen, their volumes, and what is odd."""

import re
from dataclasses import dataclass

from zencli.errors import NotFound, UsageError
from zencli.export.manuscript import ManuscriptChapter, Part
from zencli.pipeline.export_params import Export
from zencli.pipeline.export_results import Skipped
from zencli.pipeline.ranges import span
from zencli.store.chapter_text import split_chapter
from zencli.store.layout import BookDir
from zencli.store.records import RecordFacts, Records
from zencli.story.book import BookConfig, Language
from zencli.story.documents.outline import volumes
from zencli.story.record import text_digest
from zencli.story.tiers import Volume

_LABEL = re.compile(
    r"(?:第\s*[^\s第卷]{1,8}\s*卷|卷\s*[0-9一二三四五六七八九十百]+|(?:volume|book|part)\s+\w+)"
    r"[\s:：.、—-]*",
    re.I,
)


@dataclass(frozen=True)
class ExportText:
    """The chapters that go into the file, and what is told of those that don't or that are odd."""

    config: BookConfig
    chapters: tuple[ManuscriptChapter, ...]
    words: dict[int, int]
    parts: tuple[Part, ...]
    skipped: list[Skipped]


def collect(book: BookDir, params: Export) -> ExportText:
    """Read the book as one committed state holds it.

    Raises NotFound ``chapter.not_found`` when no chapter is in the ranges that were asked for.
    """
    config = book.config()
    outlined = _in_order(volumes(book.read("outline.md") or ""))
    numbers, gaps = _wanted(book, params, outlined)
    facts = Records.of(book).facts
    chapters: list[ManuscriptChapter] = []
    words: dict[int, int] = {}
    skipped = [Skipped(number=n, reason="missing", left_out=True) for n in gaps]
    for number, text in book.chapter_texts(numbers):
        title, prose = split_chapter(text)
        known = facts.get(number)
        reason = _left_out(params, known, prose)
        if reason:
            skipped.append(Skipped(number=number, reason=reason, left_out=True))
            continue
        chapters.append(ManuscriptChapter(number, title, prose))
        words[number] = _words(text, prose, known, config.language)
        skipped += [Skipped(number=number, reason=r, left_out=False) for r in _odd(known)]
    return ExportText(
        config,
        tuple(chapters),
        words,
        _parts(outlined, config.language),
        sorted(skipped, key=lambda s: s.number),
    )


def _wanted(book: BookDir, params: Export, outlined: list[Volume]) -> tuple[list[int], list[int]]:
    """The chapters that exist and were asked for, and those missing between them."""
    existing, gaps = book.chapter_numbers(), book.gaps()
    latest = max(existing, default=0)
    for typed, found in (
        (params.chapters, _chapters),
        (params.volumes, _volumes),
    ):
        if typed is None:
            continue
        spans = found(typed, latest, outlined)
        existing = [n for n in existing if any(a <= n <= b for a, b in spans)]
        gaps = [n for n in gaps if any(a <= n <= b for a, b in spans)]
        if not existing:
            told = f"the latest is {latest}" if book.chapter_numbers() else "there is none yet"
            raise NotFound("chapter.not_found", f"There is no chapter in {typed}; {told}.")
    return existing, gaps


def _chapters(typed: str, latest: int, outlined: list[Volume]) -> list[tuple[int, int]]:
    return [span(typed, latest)]


def _volumes(typed: str, latest: int, outlined: list[Volume]) -> list[tuple[int, int]]:
    first, last = span(typed, len(outlined))
    chosen = outlined[max(first, 1) - 1 : last]
    if not chosen:
        raise UsageError(
            "usage.volumes",
            f"The outline has no volume {typed}; it has {len(outlined)}.",
            "A volume is a heading of the second level in outline.md that names its chapters.",
        )
    return [(volume.first, volume.last) for volume in chosen]


def _left_out(params: Export, known: RecordFacts | None, prose: str) -> str | None:
    if not prose.strip():
        return "empty"
    if params.approved_only and (known is None or known.status != "approved"):
        return "not approved"
    return None


def _odd(known: RecordFacts | None) -> list[str]:
    """What is told of a chapter that is in the file."""
    if known is None:
        return ["unsettled"]
    return [*(["stale"] if known.stale else []), *([] if known.settled else ["unsettled"])]


def _words(text: str, prose: str, known: RecordFacts | None, language: Language) -> int:
    if known is not None and known.digest == text_digest(text):
        return known.words
    from zencli.prose.count import count_words  # slow to import, and seldom needed

    return count_words(prose, language)


def _in_order(outlined: list[Volume]) -> list[Volume]:
    """The volumes without any whose chapters run backwards or into the one before."""
    found: list[Volume] = []
    for volume in outlined:
        if (found[-1].last if found else -1) < volume.first <= volume.last:
            found.append(volume)
    return found


def _parts(outlined: list[Volume], language: Language) -> tuple[Part, ...]:
    """The volumes as parts; a single one without a title is the whole book and no part of it."""
    titles = [
        _LABEL.sub("", volume.title, count=1) if _LABEL.match(volume.title) else volume.title
        for volume in outlined
    ]
    if len(outlined) < 2 and not any(titles):
        return ()
    found = []
    for number, (volume, title) in enumerate(zip(outlined, titles, strict=True), 1):
        label = f"第{number}卷" if language == "zh" else f"Volume {number}"
        between = " " if language == "zh" else ": "
        whole = f"{label}{between}{title}" if title else label
        found.append(Part(whole, volume.first, volume.last))
    return tuple(found)
