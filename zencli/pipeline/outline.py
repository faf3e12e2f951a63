"""The outline: the whole book by volume and arc, and the near chapters in detail, in batches."""

from zencli.context import wording
from zencli.context.pack import Layer
from zencli.pipeline.architect import Architect
from zencli.pipeline.run_context import RunContext
from zencli.story.book import Language
from zencli.story.documents.outline import render_arc, render_entry
from zencli.story.foundation import Arc, OutlineBatch, OutlineEntry, Structure, Volume

ONE_ARC = 12
"""A book of so few chapters is a single arc: no call is spent on its structure."""

STRUCTURE_BATCH = 300
"""Chapters whose volumes and arcs are asked for in one call."""

OUTLINE_BATCH = 6
SMALL_BATCH = 2
SMALL_ARC = 10


def plan_structure(architect: Architect, concept: str, cast: str) -> Structure:
    """Volumes and arcs that cover every chapter exactly once.

    A short book is one arc; a model with a small window isn't asked, and gets arcs of even length.
    """
    target = architect.wish.target_chapters
    if target <= ONE_ARC:
        return Structure(volumes=[Volume(arcs=[Arc(first=1, last=target)])])
    if architect.small:
        firsts = range(1, target + 1, SMALL_ARC)
        arcs = [Arc(first=first, last=min(first + SMALL_ARC - 1, target)) for first in firsts]
        return Structure(volumes=[Volume(arcs=arcs)])
    volumes: list[Volume] = []
    for first in range(1, target + 1, STRUCTURE_BATCH):
        last = min(first + STRUCTURE_BATCH - 1, target)
        volumes += _structure_batch(architect, (concept, cast), volumes, first, last)
    return Structure(volumes=volumes)


def _structure_batch(
    architect: Architect,
    known_so_far: tuple[str, str],
    before: list[Volume],
    first: int,
    last: int,
) -> list[Volume]:
    language = architect.language
    known = [render_arc(arc, language) for volume in before for arc in volume.arcs]
    task = architect.task(
        "structure",
        concept=known_so_far[0],
        cast=known_so_far[1],
        before="\n".join(known[-6:]).strip(),
        first=first,
        last=last,
        target_chapters=architect.wish.target_chapters,
        chapter_words=architect.wish.chapter_word_count,
        genre_notes=architect.genre_notes("concept"),
    )
    structure = architect.ctx.structured(
        "architect",
        "structure",
        [task],
        Structure,
        check=lambda value: uncovered(value, first, last, language),
    )
    return [volume for volume in structure.volumes if volume.arcs]


def uncovered(structure: Structure, first: int, last: int, language: Language) -> list[str]:
    """What keeps the arcs from covering ``first`` to ``last`` exactly once, as sentences."""
    problems = []
    expected = first
    for arc in (arc for volume in structure.volumes for arc in volume.arcs):
        if arc.first != expected or arc.last < arc.first:
            problems.append(wording.span_problem(arc.first, arc.last, expected, language))
        expected = max(expected, arc.last + 1)
    if expected != last + 1:
        problems.append(wording.end_problem(expected - 1, last, language))
    return problems


def near_chapters(structure: Structure, *, small: bool) -> range:
    """The chapters outlined at the start: the first arc, or its first ones for a small window."""
    last = structure.volumes[0].arcs[0].last
    return range(1, min(last, SMALL_BATCH if small else last) + 1)


def outline_chapters(
    ctx: RunContext,
    arc: str,
    chapters: range,
    *,
    brief: str,
    concept: str,
    cast: str,
    story: str,
    target_chapters: int,
    chapter_words: int,
    genre_notes: str,
    language: Language,
    earlier: str = "",
    chapter: int | None = None,
) -> list[OutlineEntry]:
    """Detailed entries for all of ``chapters``, in batches; none is left out.

    ``arc`` is the text of their arc, ``earlier`` the outline just before the first of them,
    ``story`` where the story stands. ``chapter`` is the one at work that they are needed for.
    """
    small = ctx.profile("architect").small
    size = SMALL_BATCH if small else OUTLINE_BATCH
    entries: list[OutlineEntry] = []
    for first in range(chapters.start, chapters.stop, size):
        batch = range(first, min(first + size, chapters.stop))
        # the whole batch before, and one more: a clue shown there is used here
        near = entries[-size - 1 :]
        before = "\n\n".join(render_entry(entry, language).strip() for entry in near)
        task = ctx.prompts.render(
            "outline",
            brief=brief,
            concept=concept,
            cast=cast,
            arc=arc,
            before=before or earlier,
            story=story,
            first=batch.start,
            last=batch.stop - 1,
            target_chapters=target_chapters,
            chapter_words=chapter_words,
            genre_notes=genre_notes,
            small=small,
        )
        entries += _batch(ctx, task, batch, language, chapter)
    return entries


def _batch(
    ctx: RunContext, task: str, batch: range, language: Language, chapter: int | None
) -> list[OutlineEntry]:
    def check(value: OutlineBatch) -> list[str]:
        given = {entry.number for entry in in_order(value, batch) if entry.event}
        lacking = [number for number in batch if number not in given]
        return [wording.missing_chapters(lacking, language)] if lacking else []

    reply = ctx.structured(
        "architect",
        "outline",
        [Layer("outline", task)],
        OutlineBatch,
        check=check,
        counts={"chapters": len(batch)},
        chapter=chapter,
    )
    by_number = {entry.number: entry for entry in in_order(reply, batch)}
    return [by_number[number] for number in batch]


def in_order(reply: OutlineBatch, batch: range) -> list[OutlineEntry]:
    """The entries by their numbers, or by their order when there are just as many as asked for."""
    numbers = [entry.number for entry in reply.chapters]
    if sorted(numbers) != list(batch) and len(numbers) == len(batch):
        pairs = zip(reply.chapters, batch, strict=True)
        return [entry.model_copy(update={"number": number}) for entry, number in pairs]
    return reply.chapters
