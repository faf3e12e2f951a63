"""The lines of ``state.md``: what each says of whom."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from zencli.story import markdown
from zencli.story.corrections import SEPARATOR, Kind
from zencli.story.documents.view_entry import Entry, Unreadable
from zencli.story.documents.views import CHANGES_ZH
from zencli.story.labels import key_of, words_of
from zencli.story.state import CharacterState, FactState, ItemState, State

_SECTIONS: dict[str, Kind] = {
    "characters": "character",
    "items": "item",
    "relations": "relation",
    "facts": "fact",
    "summaries": "summary",
}
_STORY = {"now": "time", "reader_knows": "reader_knows"}
_PERSON = ("place", "condition", "goal", "knows")
_AS_OF = r"(?:\s*[（(]\s*(?:第\s*\d+\s*章|[Cc]hapter\s+\d+)\s*[）)])"
_NUMERAL = re.compile(r"[0-9０-９零〇一二两三四五六七八九十百千万半]")
_PERSON_FIELD = re.compile(
    rf"(?:^|[；;]\s*)({'|'.join(map(re.escape, words_of(_PERSON)))})\s*[：:]\s*"
)


@dataclass(frozen=True)
class Line:
    """A list item: the key of its heading ("" above the first), its text in one line."""

    section: str
    text: str
    number: int

    @property
    def same(self) -> tuple[str, str]:
        """What makes two lines the same."""
        return self.section, self.text


def state_view(text: str, *, strict: bool) -> list[Line]:
    """The list items of ``state.md``; ``strict`` refuses everything else."""
    lines: list[Line] = []
    section: str | None = ""
    for number, raw in enumerate(text.splitlines(), 1):
        heading = re.match(r"#{1,6}[ \t]+(.+?)[ \t]*$", raw)
        bullet = re.match(r"[-*+](?:[ \t]+(.*))?$", raw)
        if heading and raw.startswith("##"):
            section = key_of(heading[1], tuple(_SECTIONS))
            if section is None and strict:
                raise Unreadable(number, f"{heading[1]!r} is no heading of this file")
        elif bullet:
            said = markdown.one_line(bullet[1] or "")
            if said and section is not None:
                lines.append(Line(section, said, number))
        elif raw[:1].isspace() and raw.strip() and lines:
            last = lines[-1]
            lines[-1] = Line(last.section, markdown.one_line(f"{last.text} {raw}"), last.number)
        elif raw.strip() and not heading and strict:
            raise Unreadable(number, "this is no list item; begin it with `- `")
    return lines


def read_line(line: Line, known: State, fact: FactState | None = None) -> Entry:
    """What a line says; ``fact`` is the fact whose line it is, when it is known.

    Raises ``Unreadable``.
    """
    if line.section == "characters":
        return _person(line, known)
    if line.section == "items":
        return _item(line, known)
    if line.section == "relations":
        return _relation(line, known)
    if line.section == "facts":
        return _fact(line, fact)
    if line.section == "summaries":
        return _summary(line, known)
    word, value = _split(line)
    key = key_of(word, tuple(_STORY))
    if key is None:
        raise Unreadable(line.number, f"{word!r} isn't known here")
    return Entry("story", _STORY[key], {_STORY[key]: value}, line.number)


def _split(line: Line, text: str | None = None) -> tuple[str, str]:
    """Both sides of the first colon, the chapter before it taken off."""
    match = re.match(rf"(.+?){_AS_OF}?\s*[：:]\s*(.*)$", line.text if text is None else text)
    if match is None:
        raise Unreadable(line.number, "there is no colon in it")
    return match[1].strip(), match[2].strip()


def _after(line: Line, prefixes: dict[str, str], ending: str) -> tuple[str, str] | None:
    """The key of the longest prefix that the line begins with, and what comes after ``ending``."""
    for prefix in sorted(prefixes, key=len, reverse=True):
        if prefix and line.text.startswith(prefix):
            match = re.match(ending, line.text[len(prefix) :])
            if match is not None:
                return prefixes[prefix], line.text[len(prefix) + match.end() :].strip()
    return None


def _person(line: Line, known: State) -> Entry:
    names = {markdown.one_line(name): name for name in known.characters}
    found = _after(line, names, rf"{_AS_OF}?\s*[：:]")
    key, said = found or _split(line)
    person = known.characters.get(key) or CharacterState(name=key)
    marks = list(_PERSON_FIELD.finditer(said))
    first = said[: marks[0].start()] if marks else said
    opening = person.as_of == 0 and not person.status and key in known.characters
    dated = re.match(rf".+?{_AS_OF}\s*[：:]", line.text) is not None
    values = {"start" if opening and not dated else "status": first.strip("；; ")}
    many: tuple[str, ...] = ()
    ends = [*(mark.start() for mark in marks[1:]), len(said)]
    for mark, end in zip(marks, ends, strict=False):
        name = key_of(mark[1], _PERSON) or ""
        value = said[mark.end() : end].strip("；; ")
        if name == "knows":
            many += tuple(_known_things(value, person))
        else:
            values[name] = value
    return Entry("character", key, values, line.number, many)


def _known_things(text: str, person: CharacterState) -> Iterator[str]:
    """The things known, which may hold the mark that stands between them."""
    things = {markdown.one_line(known.what): known.what for known in person.knows}
    ordered = sorted((thing for thing in things if thing), key=len, reverse=True)
    while text:
        thing = next((t for t in ordered if re.match(re.escape(t) + r"(?:\s*[；;]|$)", text)), None)
        if thing is None:
            thing = re.split(r"[；;]", text, maxsplit=1)[0]
        text = re.sub(r"^\s*[；;]\s*", "", text[len(thing) :])
        if thing.strip():
            yield thing.strip()


def _item(line: Line, known: State) -> Entry:
    text = re.sub(rf"{_AS_OF}$", "", line.text)
    shown = {
        (f"{i.owner}{mark}{i.item}" if i.owner else i.item): key
        for key, i in known.items.items()
        for mark in ("：", ":", ": ")
    }
    prefixes = {markdown.one_line(prefix): key for prefix, key in shown.items()}
    found = _after(Line("", text, line.number), prefixes, r"(?=\s*(?:[（(]|$))")
    if found is not None:
        key, inner = found
        bracket = re.fullmatch(r"[（(](.*)[）)]", inner)
    else:
        bracket = re.search(r"[（(]([^（(]*)[）)]$", text)
        name = text[: bracket.start()] if bracket else text
        owner, colon, item = name.replace(":", "：").partition("：")
        owner, item = (owner, item) if colon else ("", owner)
        key = f"{owner.strip()}{SEPARATOR}{item.strip()}"
    if key.endswith(SEPARATOR) or (found is not None and found[1] and bracket is None):
        raise Unreadable(line.number, "write it as owner: thing (what happened, number, place)")
    values = _item_values(line, bracket[1] if bracket else "", known.items.get(key))
    return Entry("item", key, values, line.number)


def _item_values(line: Line, inner: str, old: ItemState | None) -> dict[str, str]:
    word, *details = re.split(r"[，,]\s*", inner, maxsplit=1)
    change = next((c for c, zh in CHANGES_ZH.items() if word.strip().lower() in (c, zh)), None)
    if change is None and word.strip():
        allowed = ", ".join([*CHANGES_ZH, *CHANGES_ZH.values()])
        raise Unreadable(line.number, f"{word.strip()!r} isn't one of: {allowed}")
    quantity, where = _number_and_place(details[0].strip() if details else "", old)
    return {"change": change or "gains", "quantity": quantity, "where": where}


def _number_and_place(text: str, old: ItemState | None) -> tuple[str, str]:
    """Each may be missing: what the old entry has, or the look of it, tells which one it is."""
    had = (markdown.one_line(old.quantity), markdown.one_line(old.where)) if old else ("", "")
    if text in had:
        return (text, "") if text == had[0] else ("", text)
    gap = r"[，,]\s*"
    after = re.fullmatch(rf"{re.escape(had[0])}{gap}(.+)", text) if had[0] else None
    if after:
        return had[0], after[1]
    before = re.fullmatch(rf"(.+?){gap}{re.escape(had[1])}", text) if had[1] else None
    if before:
        return before[1], had[1]
    parts = re.split(gap, text, maxsplit=1)
    if len(parts) == 2:
        return parts[0], parts[1]
    only_number = bool(had[0]) if bool(had[0]) != bool(had[1]) else bool(_NUMERAL.search(text))
    return (text, "") if only_number else ("", text)


def _relation(line: Line, known: State) -> Entry:
    pairs = {markdown.one_line(f"{r.a} / {r.b}"): key for key, r in known.relations.items()}
    found = _after(line, pairs, rf"{_AS_OF}?\s*[：:]")
    if found is not None:
        key, now = found
    else:
        both, now = _split(line)
        sides = [side.strip() for side in both.split("/")]
        if len(sides) != 2 or not all(sides):
            raise Unreadable(line.number, "write it as A / B: how they stand")
        key = SEPARATOR.join(sorted(sides))
    if not now:
        raise Unreadable(line.number, "it doesn't say how they stand; delete the line to drop it")
    return Entry("relation", key, {"now": now}, line.number)


def _fact(line: Line, fact: FactState | None) -> Entry:
    if fact is not None:
        return Entry("fact", fact.about, {"says": fact.says}, line.number)
    text = re.sub(rf"{_AS_OF}$", "", line.text)
    match = re.match(r"([^：:]*)[：:]\s*(.*)$", text)
    about, says = (match[1].strip(), match[2].strip()) if match else ("", text.strip())
    if not says:
        raise Unreadable(line.number, "it says nothing; delete the line to drop the fact")
    return Entry("fact", about, {"says": says}, line.number)


def _summary(line: Line, known: State) -> Entry:
    match = re.match(r"(?:第\s*(\d{1,6})\s*章|[Cc]hapter\s+(\d{1,6}))\s*(.*)$", line.text)
    if match is None:
        raise Unreadable(line.number, "it doesn't begin with its chapter")
    number = int(match[1] or match[2])
    old = next((s for s in known.summaries if s.number == number), None)
    title = markdown.one_line(old.title) if old else ""
    rest = match[3]
    same = re.match(rf"{re.escape(title)}\s*[：:]\s*(.*)$", rest)
    title, said = (
        (title, same[1]) if same else _split(line, rest if rest[:1] not in "：:" else " " + rest)
    )
    if not said:
        raise Unreadable(line.number, "it says nothing; delete the line to drop the summary")
    return Entry("summary", str(number), {"title": title, "text": said}, line.number)
