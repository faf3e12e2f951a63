"""The numbers of a text, and the same in words for the prompt that works against them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from zencli.prose.count import count_words
from zencli.prose.repeat import RecentRuns, overlap, repetition
from zencli.prose.segment import dialogue_share, sentence_spans, sentences
from zencli.prose.wordlists import ai_score, hit_score, hits
from zencli.story.book import Language


@dataclass(frozen=True)
class Measures:
    """``words`` in units of the language; ``sentence_variation`` deviation over mean;
    ``repetition``, ``overlap``, ``dialogue_share`` shares from 0 to 1; ``ai_score`` weight per
    thousand units; ``turns`` the stock turns found, the most frequent first."""

    words: int
    sentence_variation: float
    repetition: float
    overlap: float
    dialogue_share: float
    ai_score: float
    turns: tuple[str, ...] = ()


def sentence_variation(text: str, language: Language) -> float:
    """The standard deviation of the sentences' lengths over their mean; 0 without sentences.

    Lengths are in characters (zh) or in words between spaces (en).
    """
    spans = sentence_spans(text, language)
    if language == "zh":
        lengths = [end - start for start, end in spans]
    else:
        lengths = [len(text[start:end].split()) for start, end in spans]
    mean = fmean(lengths) if lengths else 0.0
    return pstdev(lengths) / mean if mean else 0.0


EVEN = {"zh": 0.5, "en": 0.6}
"""The sentence variation that human novels keep above."""

_EVEN_WEIGHT = 20.0
_LEAST_SENTENCES = 30


def machine_score(text: str, language: Language) -> float:
    """How machine-made the surface measures: stock turns per thousand units (``ai_score``), and 2
    more for each 0.1 by which the sentence variation stays under that of human novels.

    Human chapters score 0 to 2. Rhythm isn't judged in under thirty sentences.
    """
    score = ai_score(text, language)
    if len(sentences(text, language)) < _LEAST_SENTENCES:
        return score
    return score + _EVEN_WEIGHT * max(0.0, EVEN[language] - sentence_variation(text, language))


def measures(text: str, language: Language, previous: Sequence[str] = ()) -> Measures:
    """Everything that is measured of one chapter; ``previous`` are recent chapters' prose."""
    return _measures(text, language, overlap(text, previous, language))


def measures_in_order(texts: Iterable[str], language: Language, most: int) -> Iterator[Measures]:
    """``measures`` of each text against the ``most`` before it."""
    recent = RecentRuns(language, most)
    for text in texts:
        yield _measures(text, language, recent.overlap(text))


def _measures(text: str, language: Language, shared: float) -> Measures:
    found = hits(text, language)
    turns = Counter(text[hit.start : hit.end].lower() for hit in found)
    words = count_words(text, language)
    return Measures(
        words=words,
        sentence_variation=sentence_variation(text, language),
        repetition=repetition(text, language),
        overlap=shared,
        dialogue_share=dialogue_share(text, language),
        ai_score=hit_score(found, words),
        turns=tuple(sorted(turns, key=lambda turn: (-turns[turn], turn))),
    )


def describe(measured: Measures, language: Language) -> list[str]:
    """One line for each number, with what human novels reach, in the language of the book."""
    m = measured
    turns = m.turns[:8]
    if language == "zh":
        lines = [
            f"句长变化为均值的 {m.sentence_variation:.2f}（人写的小说 0.5 到 0.9）",
            f"套话每千字 {m.ai_score:.1f}（应在 2 以下）",
            f"本章内重复的文字 {100 * m.repetition:.1f}%（应在 1% 以下）",
            f"与前几章重合的文字 {100 * m.overlap:.1f}%（应在 0.4% 以下）",
            f"对话占 {100 * m.dialogue_share:.0f}%",
        ]
        return lines + (["用过的套话：" + "、".join(turns)] if turns else [])
    lines = [
        f"sentence length varies by {m.sentence_variation:.2f} of the mean (novels: 0.6 to 0.95)",
        f"stock turns per thousand words: {m.ai_score:.1f} (should be under 2)",
        f"words repeated within the chapter: {100 * m.repetition:.1f} % (should be under 1 %)",
        f"words shared with recent chapters: {100 * m.overlap:.1f} % (should be under 0.1 %)",
        f"dialogue: {100 * m.dialogue_share:.0f} %",
    ]
    return lines + (["stock turns used: " + "; ".join(turns)] if turns else [])


def describe_goal(was: float, wanted: float, language: Language) -> str:
    """What the machine score must come to, in the language of the book."""
    if language == "zh":
        return f"机器味总分（套话加句长太匀）{was:.1f}，改完须在 {max(wanted, 0.1):.1f} 以下"
    return (
        f"machine score (stock turns and even sentences): {was:.1f}; afterwards at most "
        f"{max(wanted, 0.1):.1f}"
    )
