"""Replacing exact passages of a text, and nothing else."""

from collections.abc import Sequence
from itertools import islice
from typing import Literal, NamedTuple

from zencli.prose.locate import occurrences
from zencli.prose.segment import Span, script, sentences

Reason = Literal[
    "not found", "found more than once", "overlaps another", "deletes too much", "no change"
]


class PatchResult(NamedTuple):
    """The new text; the indices of the patches in it, and of those left out with the reason."""

    text: str
    applied: list[int]
    missed: list[tuple[int, Reason]]


def apply_patches(text: str, patches: Sequence[tuple[str, str]]) -> PatchResult:
    """Replace each ``old`` by its ``new``. Everything outside the patches stays byte for byte.

    ``old`` must stand in the text exactly once (found as ``locate`` does). Where two patches
    overlap the first one given wins. An empty ``new`` deletes, one sentence at most. White space
    at the ends of ``old`` and ``new`` doesn't count, so the lines of the text stay as they are.
    """
    accepted: list[tuple[Span, int]] = []
    missed: list[tuple[int, Reason]] = []
    for index, (old, new) in enumerate(patches):
        outcome = _place(text, old, new, [span for span, _ in accepted])
        if isinstance(outcome, str):
            missed.append((index, outcome))
        else:
            accepted.append((outcome, index))
    patched = text
    for (start, end), index in sorted(accepted, reverse=True):
        patched = patched[:start] + patches[index][1].strip() + patched[end:]
    return PatchResult(patched, sorted(index for _, index in accepted), missed)


def _place(text: str, old: str, new: str, taken: list[Span]) -> Span | Reason:
    found = list(islice(occurrences(text, old), 2))
    if not found:
        return "not found"
    if len(found) > 1:
        return "found more than once"
    start, end = found[0]
    if any(start < right and left < end for left, right in taken):
        return "overlaps another"
    passage = text[start:end]
    if new.strip() == passage:
        return "no change"
    if not new.strip() and len(sentences(passage, script(passage))) > 1:
        return "deletes too much"
    return start, end
