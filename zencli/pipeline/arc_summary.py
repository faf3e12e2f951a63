"""The summary of an arc that has just closed, by a model: a short call, where the book asks so."""

from collections.abc import Mapping

from zencli.context import wording
from zencli.context.arc_texts import ArcText, arc_digest, arcs_json, current_arcs
from zencli.context.canon import Canon
from zencli.context.layers import Layer
from zencli.errors import ModelError
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.prose.locate import locate
from zencli.store.layout import ARCS, BookDir
from zencli.store.transaction import Transaction
from zencli.story.documents.outline import volumes
from zencli.story.lenient import Lenient
from zencli.story.state import State
from zencli.story.tiers import Arc, divided, quoted_sentence

MOST_SENTENCES = 6


class ArcSentence(Lenient):
    """What an arc changed for good, with the chapter and the sentence of it."""

    says: str = ""
    chapter: int = 0
    quote: str = ""


class ArcReply(Lenient):
    """The summary of an arc."""

    sentences: list[ArcSentence] = []


def summarise_arc(ctx: RunContext, book: BookDir, number: int, verb: str, run_id: str) -> None:
    """Before chapter ``number``: have the arc that closed last summarised, and keep it.

    Sentences whose quotation isn't in their chapter are dropped; without any that stands, and for
    an unreadable reply, the fold goes on to serve. Other failures raise.
    """
    if book.config().context.arc_summaries != "model":
        return
    canon = Canon.load(book)
    state = canon.state_before(number)
    arc = _closed(canon, number)
    told = _chapters(state, arc) if arc else {}
    if arc is None or (arc.first, arc.last) in canon.arc_texts or len(told) <= MOST_SENTENCES:
        return
    text = _asked(ctx, book, canon, arc, told)
    if not text:
        return
    digest = arc_digest(canon.records, arc.first, arc.last)
    new = ArcText(first=arc.first, last=arc.last, digest=digest, text=text)
    kept = [*current_arcs(book, canon.records), new]
    transaction = Transaction(book, verb, run_id)
    transaction.write(ARCS, arcs_json(kept))
    transaction.commit()


def _closed(canon: Canon, number: int) -> Arc | None:
    """The arc that ends before a chapter, the latest."""
    every = [arc for v in divided(volumes(canon.outline), number) for arc in v.arcs]
    return max((a for a in every if a.last < number), key=lambda a: a.last, default=None)


def _chapters(state: State, arc: Arc) -> dict[int, dict[str, object]]:
    """What is known of each chapter: its summary and the sentences that facts and hooks rest on."""
    quotes: dict[int, list[str]] = {}
    for fact in state.facts:
        quotes.setdefault(fact.chapter, []).append(fact.quote)
    for hook in state.hooks.values():
        quotes.setdefault(hook.planted, []).append(hook.quote)
    return {
        s.number: {
            "number": s.number,
            "title": s.title,
            "text": s.text,
            "quotes": [quote for quote in quotes.get(s.number, []) if quote][:3],
        }
        for s in state.summaries
        if arc.first <= s.number <= arc.last and s.text
    }


def _asked(
    ctx: RunContext, book: BookDir, canon: Canon, arc: Arc, told: Mapping[int, object]
) -> str:
    language = canon.config.language
    task = ctx.prompts.render(
        "arc_summary",
        title=arc.title,
        first=arc.first,
        last=arc.last,
        chapters=list(told.values()),
    )

    def check(reply: ArcReply) -> list[str]:
        return [] if reply.sentences else [wording.missing("sentences", language)]

    try:
        reply = ctx.structured(
            "settler", "arc_summary", [Layer("task", task)], ArcReply, check=check
        )
    except ModelError as error:
        if error.code not in UNUSABLE:
            raise
        ctx.warn(f"arc_summary: chapters {arc.first}-{arc.last} are folded: {error.message}")
        return ""
    lines = []
    for sentence in reply.sentences[:MOST_SENTENCES]:
        exact = None
        if sentence.chapter in told and sentence.says:
            exact = locate(book.chapter(sentence.chapter)[1], sentence.quote)
        if exact is not None:
            lines.append(quoted_sentence(sentence.says, sentence.chapter, exact, language))
    dropped = len(reply.sentences[:MOST_SENTENCES]) - len(lines)
    if dropped:
        ctx.warn(f"arc_summary: {dropped} sentences dropped, their quote isn't in their chapter")
    return ("" if language == "zh" else " ").join(lines)
