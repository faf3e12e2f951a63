"""Step 6: one pass over the length, only outside the hard band."""

from zencli.context.pack import Pack
from zencli.errors import ModelError
from zencli.pipeline.revising.revise_kept import lost_people
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.pipeline.write import whole_text
from zencli.prose.count import bands, count_words
from zencli.story.plan import Plan


def normalise(ctx: RunContext, pack: Pack, plan: Plan, title: str, prose: str) -> str:
    """The chapter within the hard band if one pass brings it there, else as it was.

    A pass that overshoots the other bound, moves away from the target, drops somebody or comes to
    nothing is thrown away and told.
    """
    language = pack.canon.config.language
    band, have = bands(pack.words), count_words(prose, language)
    if band.low_hard <= have <= band.high_hard:
        return prose
    task = ctx.prompts.render(
        "normalise",
        number=pack.number,
        have=have,
        words=pack.words,
        low=band.low,
        high=band.high,
        direction="shorten" if have > band.high_hard else "lengthen",
    )
    layers = pack.about_draft(plan, title, prose, task)
    try:
        text = whole_text(ctx, pack, "normaliser", "normalise", layers)
    except ModelError as error:
        if error.code not in UNUSABLE:
            raise
        ctx.warn(f"normalise: the chapter stays as it was: {error.message}")
        return prose
    got = count_words(text, language)
    crossed = got < band.low_hard if have > band.high_hard else got > band.high_hard
    if crossed or abs(got - pack.words) >= abs(have - pack.words):
        ctx.warn(f"normalise: not kept, {have} became {got} for a target of {pack.words}")
        return prose
    lost = lost_people(pack.canon, prose, text)
    if lost:
        ctx.warn(f"normalise: not kept, names are lost: {', '.join(lost)}")
        return prose
    return text
