"""The verb ``style``: a sample is measured, described, and written into ``style.md``."""

from dataclasses import dataclass
from pathlib import Path

from zencli.context.pack import Layer
from zencli.errors import ModelError, UsageError
from zencli.pipeline.importing.import_source import read_source
from zencli.pipeline.run_context import UNUSABLE, RunContext
from zencli.pipeline.style.style_params import StyleLearn
from zencli.pipeline.style.style_results import (
    ChapterDistance,
    Feature,
    StyleResult,
    StyleView,
)
from zencli.prose.count import count_words
from zencli.prose.fingerprint import FEATURES, LEAST, Fingerprint, distance, fingerprint, pieces
from zencli.prose.headings import read_heading
from zencli.prose.segment import sentences
from zencli.prose.style_block import block_of, feature_lines, parse_block, render_block, with_block
from zencli.store.known_files import accept
from zencli.store.layout import BookDir
from zencli.store.transaction import Transaction
from zencli.story.book import BookConfig
from zencli.story.labels import label
from zencli.story.lenient import Lenient

STYLE = "style.md"

_NAMES = {"zh": "Chinese", "en": "English"}
_EXCERPTS = 4
_EXCERPT = {"zh": 500, "en": 1400}
"""Characters of each excerpt that the model sees."""
_LONGEST = 1500
_LEAST_SENTENCES = 30
"""What has fewer shows no rhythm: it is a list, a table or a text without stops."""
_LATEST = 20
"""Chapters whose distance ``style show`` tells."""


class StyleReply(Lenient):
    """The model's words on the voice of a sample."""

    voice: str = ""


@dataclass(frozen=True)
class Sample:
    """A text to learn from, without its headings."""

    source: str
    prose: str
    units: int
    print: Fingerprint


def read_sample(params: StyleLearn, config: BookConfig) -> Sample:
    """Read and measure a sample. Nothing is written.

    Raises ``UsageError``: ``usage.file`` for a file that can't be read, is empty or in another
    language than the book, ``usage.sample`` for one that is too short or without sentences, saying
    what it needs.
    """
    path = Path(params.file)
    if path.is_dir():
        raise UsageError("usage.file", f"{path} is a folder.", "Name a txt, md or epub file.")
    try:
        read = read_source(path)
    except UsageError as error:
        raise UsageError("usage.file", error.message, error.hint) from error
    lines = [line for s in read.sources for line in [*s.text.split("\n"), ""]]
    prose = "\n".join(line for line in lines if not read_heading(line)).strip()
    language = config.language
    if read.language != language:
        raise UsageError(
            "usage.file",
            f"{path} is in {_NAMES[read.language]}, the book is in {_NAMES[language]}.",
            "Learn from a text in the language of the book.",
        )
    units = count_words(prose, language)
    if units < LEAST[language]:
        kind = "characters" if language == "zh" else "words"
        raise UsageError(
            "usage.sample",
            f"{path} has {units} {kind}; a sample needs at least {LEAST[language]}.",
            "Give a longer text, a whole chapter or several.",
        )
    told = len(sentences(prose, language))
    if told < _LEAST_SENTENCES:
        raise UsageError(
            "usage.sample",
            f"{path} has {told} {'sentence' if told == 1 else 'sentences'}; a sample needs at least"
            f" {_LEAST_SENTENCES}.",
            "Give prose with its full stops.",
        )
    return Sample(path.name, prose, units, fingerprint(prose, language))


def learn_style(
    ctx: RunContext, book: BookDir, config: BookConfig, sample: Sample, run_id: str, no_llm: bool
) -> StyleResult:
    """Write the sample's section of ``style.md``; the author's own text around it stays.

    Without a usable description the numbers are written all the same, and a warning says so.
    """
    language = config.language
    described = "" if no_llm else _described(ctx, config, sample)
    block = render_block(sample.print, language, sample.source, sample.units, described)
    before = book.read(STYLE) or ""
    after = with_block(before or f"# {label('style', language)}\n", block)
    changed = after != before and not ctx.dry_run
    if changed:
        transaction = Transaction(book, "style", run_id)
        transaction.write(STYLE, after)
        accept(transaction, book, views=False)
        transaction.commit()
    return StyleResult(
        book_id=book.id,
        path=str(book.path / STYLE),
        source=sample.source,
        units=sample.units,
        unit=config.unit,
        features=_features(sample.print),
        favourites=list(sample.print.favourites),
        described=described,
        changed=changed,
    )


def _described(ctx: RunContext, config: BookConfig, sample: Sample) -> str:
    language = config.language
    parts = pieces(sample.prose, language)
    chosen = [parts[i * len(parts) // _EXCERPTS] for i in range(min(_EXCERPTS, len(parts)))]
    task = ctx.prompts.render(
        "style",
        excerpts=[part[: _EXCERPT[language]] for part in dict.fromkeys(chosen)],
        measures=feature_lines(sample.print, language),
    )
    try:
        reply = ctx.structured("architect", "style", [Layer("task", task)], StyleReply, check=_told)
    except ModelError as error:
        if error.code not in UNUSABLE:
            raise
        ctx.warn(f"style: written without a description: {error.message}")
        return ""
    return reply.voice.strip()


def _told(reply: StyleReply) -> list[str]:
    voice = reply.voice.strip()
    if not voice:
        return ["voice: empty"]
    return [f"voice: over {_LONGEST} characters"] if len(voice) > _LONGEST else []


def show_style(book: BookDir, config: BookConfig) -> StyleView:
    """What was learnt, and the distance of the latest chapters to it."""
    text = book.read(STYLE) or ""
    learnt = parse_block(text)
    numbers = book.chapter_numbers()[-_LATEST:] if learnt else []
    return StyleView(
        book_id=book.id,
        path=str(book.path / STYLE),
        text=(block_of(text) or "") if learnt else "",
        features=_features(learnt) if learnt else [],
        favourites=list(learnt.favourites) if learnt else [],
        chapters=[
            ChapterDistance(
                number=n,
                distance=round(distance(book.chapter(n)[1], config.language, learnt)[0], 2),
            )
            for n in numbers
            if learnt
        ],
    )


def _features(learnt: Fingerprint) -> list[Feature]:
    return [
        Feature(name=n, mean=round(learnt.means[n], 4), spread=round(learnt.spreads[n], 4))
        for n in FEATURES
        if n in learnt.means
    ]
