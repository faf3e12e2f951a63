"""The review gate's evidence: what the reviewer is given to judge by."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from zencli.agent.evidence import Place, mixed_marks, number_facts, repeated_paragraphs, repeats
from zencli.agent.length_demands import length_demands
from zencli.agent.session import PastTurn
from zencli.agent.turn import Turn
from zencli.context.prompts import Prompts
from zencli.prose.count import count_words
from zencli.store.layout import BookDir

MOST_CHARACTERS = 9_000
"""Of a long file that was there before the request only the changed passage is given."""

NUMBERED = re.compile(r"(chapters|scripts)/(\d+)\.md")
BEFORE = 2
"""How many chapters before are compared."""

_HEAD = 30
"""Characters by which a repeat is known as the beginning of a paragraph."""

_DEMANDING = ("brief.md", "style.md", "notes.md")
"""Where an author's demands on length stand."""


@dataclass(frozen=True)
class Judged:
    """A file that is up for review: its words, and its text or only the passage that changed."""

    path: str
    words: int
    unit: str
    text: str
    part: bool


@dataclass(frozen=True)
class ReviewText:
    """What the reviewer is given, and the files that stand in it in full."""

    text: str = ""
    whole: list[str] = field(default_factory=list)


def review_text(turn: Turn, prompts: Prompts, past: Sequence[PastTurn]) -> ReviewText:
    """The saved text of the body files written in this request, demands on length, and facts."""
    book = turn.book
    if book is None:
        return ReviewText()
    language = book.config().language
    paths = [path for path in turn.files.words if book.read(path)]
    texts = {path: book.read(path) or "" for path in paths}
    facts: dict[str, list[object]] = {"repeats": [], "paragraphs": [], "marks": [], "numbers": []}
    for path, text in texts.items():
        earlier = _before(book, path)
        whole = repeated_paragraphs(text, earlier, language)
        facts["paragraphs"] += whole
        facts["repeats"] += [
            place for place in repeats(text, earlier, language) if not _told(place, whole)
        ]
        facts["marks"] += mixed_marks(text)
        facts["numbers"] += number_facts(text, earlier, language)
    files = [_judged(turn, path, text, prompts) for path, text in texts.items()]
    demands = demands_on_length(turn, past)
    told = prompts.render("agent/review", files=files, demands=demands, **facts)
    return ReviewText(told, [file.path for file in files if not file.part])


def _told(place: Place, paragraphs: Sequence[Place]) -> bool:
    """Whether a repeat is that of a whole paragraph, which is told as such."""
    head = place.passage.rstrip("…")[:_HEAD]
    return any(one.where == place.where and head in one.passage for one in paragraphs)


def demands_on_length(turn: Turn, past: Sequence[PastTurn]) -> list[str]:
    """What the author said about length: in this turn, in the session, and in the book's files."""
    texts = [turn.asked.message, *(one.message for one in reversed(past))]
    if turn.book is not None:
        texts += [turn.book.read(name) or "" for name in _DEMANDING]
    return length_demands(texts)


def _before(book: BookDir, path: str) -> list[tuple[str, str]]:
    """The two chapters (or episodes) before a file, by path."""
    found = NUMBERED.fullmatch(path)
    if found is None:
        return []
    folder, digits = found.groups()
    number = int(digits)
    names = [f"{folder}/{n:0{len(digits)}d}.md" for n in range(max(0, number - BEFORE), number)]
    return [(name, text) for name in names if (text := book.read(name))]


def _judged(turn: Turn, path: str, text: str, prompts: Prompts) -> Judged:
    assert turn.book is not None
    config = turn.book.config()
    words = count_words(text, config.language)
    unit = {"chars": "字", "words": "词"}[config.unit] if prompts.language == "zh" else config.unit
    before = turn.files.before.get(path) or ""
    if not before.strip() or len(text) <= MOST_CHARACTERS:
        return Judged(path, words, unit, text.strip(), part=False)
    return Judged(path, words, unit, changed_passage(before, text), part=True)


def changed_passage(before: str, after: str) -> str:
    """The paragraphs of ``after`` from the first to the last one that changed, and a neighbour on
    each side; cut to ``MOST_CHARACTERS``."""
    old, new = before.split("\n"), after.split("\n")
    changes = [
        (start, end)
        for tag, _, _, start, end in difflib.SequenceMatcher(
            None, old, new, autojunk=False
        ).get_opcodes()
        if tag != "equal"
    ]
    if not changes:
        return after[:MOST_CHARACTERS].strip()
    first = max(0, changes[0][0] - 2)
    last = min(len(new), changes[-1][1] + 2)
    return "\n".join(new[first:last]).strip()[:MOST_CHARACTERS]
