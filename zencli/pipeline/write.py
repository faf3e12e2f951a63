"""Step 2: the prose of a chapter."""

import re

from zencli.context.pack import Layer, Pack, chapter_tokens
from zencli.pipeline.run_context import RunContext
from zencli.prose.count import bands, count_words
from zencli.story.plan import Plan

SENTENCE_TOKENS = 80
"""Room to end the last sentence in."""

_FENCE = re.compile(r"^```[a-z]*\n(.*?)\n?```\s*$", re.S)
_HEADING = re.compile(r"^\s*#{1,6}[ \t]+.*(?:\n+|\Z)")


def write_prose(ctx: RunContext, pack: Pack, plan: Plan, instruction: str) -> str:
    """Ask the writer for the chapter's prose, without title or notes."""
    band = bands(pack.words)
    task = ctx.prompts.render(
        "write",
        number=pack.number,
        words=pack.words,
        low=band.low,
        high=band.high,
        instruction=instruction,
        small=pack.small,
    )
    layers = [pack.constitution, pack.story, pack.needs(plan), Layer("task", task)]
    return whole_text(ctx, pack, "writer", "write", layers)


def whole_text(ctx: RunContext, pack: Pack, role: str, step: str, layers: list[Layer]) -> str:
    """Prose for the whole chapter from any role, cleaned of what isn't prose."""
    language = pack.canon.config.language
    return ctx.prose(
        role,
        step,
        layers,
        chapter=pack.number,
        target_words=pack.words,
        count=lambda part: count_words(part, language),
        enough=bands(pack.words).low_hard,
        clean=clean_prose,
        most_tokens=_most_tokens(pack),
    )


def _most_tokens(pack: Pack) -> int | None:
    """A small model runs on and on: it gets room for the hard band and no more."""
    if not pack.small:
        return None
    high = bands(pack.words).high_hard
    return chapter_tokens(high, pack.canon.config.language, pack.profile) + SENTENCE_TOKENS


def clean_prose(text: str) -> str:
    """Take off a code fence around the whole and headings in front; the prose stays as it is.

    Lone surrogates, halves of an emoji that was cut in two, go too: no file can hold them.
    """
    text = text.encode("utf-8", "ignore").decode()
    fenced = _FENCE.match(text.strip())
    text = fenced[1] if fenced else text
    while _HEADING.match(text):
        text = _HEADING.sub("", text, count=1)
    return text.strip()
