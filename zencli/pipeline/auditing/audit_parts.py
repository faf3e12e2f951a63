"""A long chapter in parts that overlap, so that a judge reads no more at once than it can weigh."""

from math import ceil

from zencli.llm.profiles import Profile, estimate_tokens
from zencli.prose.segment import Span, paragraph_spans, sentence_spans
from zencli.story.book import Language

PART_TOKENS = 6_000
"""A chapter of more tokens is judged in parts: about 9,000 Chinese characters, 4,000 words."""

WINDOW_SHARE = 2
"""A part takes at most one in so many of the window's tokens."""

OVERLAP = 8
"""One in so many characters of a part stands in the part before it as well."""


def parts_of(prose: str, language: Language, profile: Profile) -> list[str]:
    """The whole prose when it is short enough, else slices of it that end with a paragraph.

    Every paragraph is in a part. A part begins with the last paragraphs of the one before, about an
    eighth of it, so that no fault falls between two. A paragraph longer than half a part is cut at
    its sentences, and a sentence that is longer still anywhere.
    """
    tokens = estimate_tokens(prose, profile)
    most = min(PART_TOKENS, profile.window // WINDOW_SHARE)
    if tokens <= most:
        return [prose]
    size = max(2, len(prose) * most // tokens)
    return [prose[start:end] for start, end in _spans(_pieces(prose, language, size // 2), size)]


def _pieces(prose: str, language: Language, longest: int) -> list[Span]:
    pieces: list[Span] = []
    for start, end in paragraph_spans(prose):
        if end - start <= longest:
            pieces.append((start, end))
        else:
            for left, right in sentence_spans(prose[start:end], language):
                step = ceil((right - left) / ceil((right - left) / longest))
                cuts = range(start + left, start + right, step)
                pieces += [(cut, min(cut + step, start + right)) for cut in cuts]
    return pieces


def _spans(pieces: list[Span], size: int) -> list[Span]:
    spans: list[Span] = []
    first = 0
    while first < len(pieces):
        last = first
        while last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= size:
            last += 1
        spans.append((pieces[first][0], pieces[last][1]))
        if last + 1 == len(pieces):
            break
        following = last
        while following > first + 1 and pieces[last][1] - pieces[following][0] < size // OVERLAP:
            following -= 1
        first = max(following, first + 1)
    return spans
