"""What of a book could matter to a request, by rank."""

import re
from collections.abc import Iterable, Iterator, Sequence

from zencli.agent.memory.ranked import Candidate, Item, Rank
from zencli.agent.tools.passage_search import search
from zencli.agent.tools.places import type_of
from zencli.agent.tools.saving import text_or_none
from zencli.agent.tools.scanning import paths_of
from zencli.agent.tools.search_terms import names_on_cards, terms_of
from zencli.agent.turn import AgentRole, Turn
from zencli.prose.numerals import chinese_number
from zencli.store.layout import BookDir
from zencli.story.documents.cards import parse_card

NAMED = 10.0
"""What a card or a lore entry scores when the message has its name."""

PASSAGE = 3.0
"""What a passage scores besides how well it fits: it's short, and before the lore."""

PASSAGES = 8
NEIGHBOURS = 1
"""Chapters on each side of one that is pointed at."""

_BINDING = ("notes.md", "focus.md", "rules.md", "brief.md", "story_bible.md", "tasks.md")
"""What the author laid down, besides the cards, the most binding first."""

_UNSAID = ("secrets.md", "timeline.md")
"""What really happened, and what the reader doesn't know yet."""

_LORE = ("outline.md", "style.md", *_UNSAID)
_RENDERED = ("state.md", "hooks.md")
_CHAPTER = re.compile(
    r"第\s*([0-9０-９零〇一二三四五六七八九十百千两]+)\s*[章回节]|chapter\s+(\d+)", re.I
)
"""A chapter that a message names."""


_ORDERS = re.compile(
    r"[0-9０-９零〇一二三四五六七八九十百千两,，]+\s*[字章]|接着写|往下写|续写|重写|改写|润色|修改|规划|大纲|正文|章节"
    r"|下一章|这一章|开头|结尾|\b(?:please|about|first|then|next|more|words?|chapters?|write|rewrite|plan"
    r"|edit|change|polish|outline|paragraphs?|whatever|needs?|make|go|on|do|not?|the|an?)\b|\d+",
    re.IGNORECASE,
)
"""What an order is made of: it tells agents what to do, and finds nothing in a story."""


def given(turn: Turn) -> Iterator[Candidate]:
    """What the author himself put before the agents: all of it is critical."""
    asked = turn.asked
    if turn.book is not None:
        for path in asked.files:
            text = text_or_none(turn.book, path)
            if text is not None:
                yield Candidate(Rank.CRITICAL, "file", path, text, score=5)
    for number, quote in enumerate(asked.quotes, start=1):
        yield Candidate(Rank.CRITICAL, "quote", str(number), quote, score=6)
    for name, text in asked.attachments:
        yield Candidate(Rank.CRITICAL, "attachment", name, text, score=4)
    for skill in turn.skills.used.values():
        if skill.name in asked.skills:
            yield Candidate(Rank.CRITICAL, "skill", skill.name, skill.body, score=3)


def of_book(
    book: BookDir, message: str, shown: Sequence[str], agent: AgentRole, at_work: Sequence[str] = ()
) -> Iterator[Candidate]:
    """The files of the book, but for those that are ``shown`` already.

    ``at_work`` are those that the request is about: opened by the author, or written in it. Secrets
    aren't put before the writer: what he knows, he gives away.
    """
    hidden = {*shown, *(_UNSAID if agent == "writer" else ())}
    paths = [path for path in paths_of(book) if path not in hidden]
    pointed = pointed_at(message, at_work)
    numbers = book.chapter_numbers()
    latest = numbers[-1] if numbers else None
    before = max((n for n in numbers if pointed and n < min(pointed)), default=latest)
    for path in paths:
        rank, score = _place(path, pointed, before)
        text = text_or_none(book, path) if rank is not None else None
        if rank is None or text is None or not text.strip():
            continue
        score += NAMED if _named(path, text, message) else 0.0
        yield Candidate(rank, "file", path, text, score)


def passages(
    book: BookDir,
    message: str,
    shown: Iterable[Item],
    agent: AgentRole,
    aside: Sequence[str] = (),
) -> list[Candidate]:
    """Passages that the message's words find, but for those that stand in what is shown, or in a
    file that stands ``aside``."""
    subject = _ORDERS.sub(" ", _CHAPTER.sub(" ", message))
    terms = terms_of(subject, names_on_cards(book)) if subject.strip() else []
    if all(len(term.text) < 2 for term in terms):
        return []
    seen = {item.name: item.text for item in shown if item.kind == "file"}
    found = []
    for hit in search(book, terms, ()):
        unsaid = agent == "writer" and hit.path in _UNSAID
        hidden = unsaid or hit.path in (*_RENDERED, *aside)
        if not hidden and hit.text not in seen.get(hit.path, ""):
            found.append(
                Candidate(
                    Rank.RELEVANT, "passage", hit.path, hit.text, PASSAGE + hit.score, hit.line
                )
            )
        if len(found) == PASSAGES:
            break
    return found


def pointed_at(message: str, opened: Sequence[str]) -> set[int]:
    """The chapters that a message names or the author has open."""
    found = {int(path[9:-3]) for path in opened if re.fullmatch(r"chapters/\d{4,}\.md", path)}
    for match in _CHAPTER.finditer(message):
        said = match[1] or match[2]
        number = int(said) if said.isdecimal() else chinese_number(said)
        if number is not None:
            found.add(number)
    return found


def _place(path: str, pointed: set[int], before: int | None) -> tuple[Rank | None, float]:
    """The rank of a file, and what it scores within it. None: only in the list of files."""
    kind = type_of(path)
    if kind == "character":
        return Rank.CONSTRAINT, 3.0
    if path in _BINDING:
        return Rank.CONSTRAINT, 2.0 - _BINDING.index(path) / 10
    if kind == "draft":
        number = int(path[9:-3]) if re.fullmatch(r"chapters/\d{4,}\.md", path) else None
        if number is not None and number in pointed:
            return Rank.CONSTRAINT, 1.0
        if number is not None and number == before:
            return Rank.CONSTRAINT, 0.0
        near = number is not None and any(0 < abs(number - n) <= NEIGHBOURS for n in pointed)
        return (Rank.RELEVANT, 1.0) if near else (None, 0.0)
    if path in _LORE:
        return Rank.RELEVANT, 3.0 - _LORE.index(path) / 10
    if kind in ("lore", "outline"):
        return Rank.RELEVANT, 2.0
    if path in _RENDERED:
        return Rank.RELEVANT, 0.0
    return (Rank.INSPIRATION, 0.0) if kind in ("document", "script", "snippet") else (None, 0.0)


def _named(path: str, text: str, message: str) -> bool:
    """Whether a message has the name of a card or a lore entry."""
    kind = type_of(path)
    if kind not in ("character", "lore"):
        return False
    names = [path.rpartition("/")[2].removesuffix(".md")]
    if kind == "character":
        card = parse_card(text)
        names += [card.name, *card.aliases]
    return any(len(name) > 1 and name.lower() in message.lower() for name in names if name)
