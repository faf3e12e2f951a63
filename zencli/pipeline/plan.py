"""Step 1: the plan of a chapter, by the planner or by the author."""

import re

from zencli.context import wording
from zencli.context.canon import Canon
from zencli.context.pack import Layer, Pack
from zencli.pipeline.outline import OUTLINE_BATCH, SMALL_BATCH, outline_chapters
from zencli.pipeline.run_context import RunContext
from zencli.store.layout import BookDir
from zencli.story import markdown
from zencli.story.documents.outline import arc_of, entries
from zencli.story.documents.plan import parse_plan
from zencli.story.labels import chapter_word
from zencli.story.plan import Plan

CONCEPT_FILES = ("story_bible.md", "rules.md", "timeline.md", "secrets.md")
"""What a later batch of the outline is planned from, as the first one was."""

_NUMBERED = re.compile(
    r"^\s*(?:第\s*[0-9零〇一二三四五六七八九十百千两]+\s*[章回]|chapter\s+\d+)[\s:：、.-]*", re.I
)


def author_plan(book: BookDir, canon: Canon, number: int) -> Plan | None:
    """The plan that stands in ``plans/NNNN.md``; its cast is filled from the names it mentions."""
    text = book.read(book.plan_file(number))
    if text is None or not text.strip():
        return None
    plan = parse_plan(text)
    if plan.names():
        return plan
    named = [c.name for c in canon.cards if any(n and n in text for n in (c.name, *c.aliases))]
    return plan.model_copy(update={"cast": named})


def plan_chapter(ctx: RunContext, pack: Pack, instruction: str) -> Plan:
    """Ask the planner. Raises ``ModelError`` when no plan with a scene came."""
    language = pack.canon.config.language

    def check(value: Plan) -> list[str]:
        problems = [] if value.scenes else [wording.missing("scenes", language)]
        return problems if value.purpose else [*problems, wording.missing("purpose", language)]

    only = pack.for_planner()
    task = ctx.prompts.render(
        "plan",
        number=pack.number,
        words=pack.words,
        outline=only.outline(),
        secrets=only.secrets(),
        unshown=only.unshown(),
        carried=only.carried(),
        timeline=only.timeline(),
        cast_lines=only.cast(),
        places=only.places(),
        instruction=instruction,
        small=pack.small,
    )
    layers = [pack.constitution, pack.story, Layer("task", task, only.sections)]
    return ctx.structured("planner", "plan", layers, Plan, check=check, chapter=pack.number)


def chapter_title(plan: Plan, pack: Pack) -> str:
    """The plan's title in one line, without a number of its own; never empty."""
    title = markdown.bare_title(_NUMBERED.sub("", markdown.bare_title(plan.title)))
    return title or chapter_word(pack.number, pack.canon.config.language)


def with_outline(ctx: RunContext, canon: Canon, pack: Pack) -> Canon:
    """The canon with the pack's chapter outlined, when its arc is known but not yet detailed."""
    number, text = pack.number, canon.outline
    arc = arc_of(text, number)
    if arc is None or number in entries(text):
        return canon
    size = SMALL_BATCH if pack.small else OUTLINE_BATCH
    chapters = range(number, min(arc[1], number + size - 1) + 1)
    files, known = canon.files, entries(text)
    concept = "\n\n".join(markdown.without_empty_sections(files[n]) for n in CONCEPT_FILES)
    before = [known[n] for n in range(number - size - 1, number) if n in known]
    new = outline_chapters(
        ctx,
        arc[2],
        chapters,
        brief=canon.brief,
        concept=concept.strip(),
        cast="\n".join(pack.cast_lines()),
        story=pack.story.text,
        target_chapters=canon.config.target_chapters,
        chapter_words=canon.config.chapter_words,
        genre_notes=ctx.prompts.genre(canon.config.genre, "plan"),
        language=canon.config.language,
        earlier="\n\n".join(before),
        chapter=number,
    )
    return canon.with_outlined(new)
