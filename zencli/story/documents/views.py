"""``state.md`` and ``hooks.md``: the story so far, rendered from the records for reading."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.labels import chapter_word, colon, label
from zencli.story.state import CharacterState, Hook, HookStatus, ItemState, State

SHOWN = 5
"""How many of the things a character knows are told: the last ones."""

CHANGES_ZH: dict[str, str] = {
    "gains": "得到",
    "loses": "失去",
    "uses up": "用掉",
    "breaks": "损坏",
    "puts down": "放下",
}

STATUSES_ZH: dict[HookStatus, str] = {
    "planned": "未露面",
    "open": "未了",
    "advanced": "推进中",
    "deferred": "推迟",
    "paid": "已还",
    "dropped": "放下",
}


T = TypeVar("T")

_Rendered = tuple[list[object], list[str]]
_rendered: dict[tuple[str, Language], _Rendered] = {}
"""What each part was last rendered from, and to. Values of a state never change, and of a long book
a chapter replaces a few of thousands: the text of the others is the same."""


def render_state(state: State, language: Language) -> str:
    """The whole state as of its chapter, by heading; empty parts are left out."""
    parts = [f"# {label('state', language)}\n"]
    now = [
        (key, value) for key, value in (("now", state.time), ("reader_knows", state.reader_knows))
    ]
    head = [f"{label(k, language)}{colon(language)}{markdown.one_line(v)}" for k, v in now if v]
    parts.append("".join(f"- {line}\n" for line in head))
    for key, lines in state_lines(state, language).items():
        if lines:
            listed = "".join(f"- {line}\n" for line in lines)
            parts.append(f"## {label(key, language)}\n\n{listed}")
    return "\n".join(part for part in parts if part)


def state_lines(state: State, language: Language) -> dict[str, list[str]]:
    """The lines of ``state.md`` by the key of their heading, in the order of the state."""
    mark = colon(language)
    as_of = _Chapters(language)
    return {
        "characters": _lines(
            ("characters", language),
            state.characters.values(),
            lambda c: f"{c.name}{as_of[c.as_of]}{mark}{character_line(c, language)}",
        ),
        "items": _lines(
            ("items", language),
            state.items.values(),
            lambda i: f"{item_now(i, language)}{as_of[i.as_of]}",
        ),
        "relations": _lines(
            ("relations", language),
            state.relations.values(),
            lambda r: f"{r.a} / {r.b}{as_of[r.as_of]}{mark}{r.now}",
        ),
        "facts": _lines(
            ("facts", language),
            state.facts,
            lambda f: f"{f.about}{mark}{f.says}{as_of[f.chapter]}",
        ),
        "summaries": _lines(
            ("summaries", language),
            state.summaries,
            lambda s: f"{chapter_word(s.number, language)} {s.title}{mark}{s.text}",
        ),
    }


def _lines(part: tuple[str, Language], values: Iterable[T], line: Callable[[T], str]) -> list[str]:
    return _texts(part, values, lambda value: markdown.one_line(line(value)))


def _texts(part: tuple[str, Language], values: Iterable[T], text: Callable[[T], str]) -> list[str]:
    """The text of every value, as it was when the value stood in its place the last time."""
    now = list(values)
    before, known = _rendered.get(part, ([], []))
    told = [
        kept if value is old else text(value)
        for value, old, kept in zip(now, before, known, strict=False)
    ]
    told += [text(value) for value in now[len(told) :]]
    _rendered[part] = [*now], [*told]
    return told


def character_line(person: CharacterState, language: Language) -> str:
    """What is known of a character now, in one line."""
    gap, mark = ("；", "：") if language == "zh" else ("; ", ": ")
    first = person.status or (person.start if person.as_of == 0 else "")
    parts = [first] if first else []
    parts += [
        f"{label(key, language)}{mark}{value}"
        for key, value in (
            ("place", person.place),
            ("condition", person.condition),
            ("goal", person.goal),
        )
        if value
    ]
    if person.knows:
        known = gap.join(k.what for k in person.knows[-SHOWN:])
        parts.append(f"{label('knows', language)}{mark}{known}")
    return gap.join(parts)


def item_line(item: ItemState, language: Language) -> str:
    """A thing, whose it is, how many, where, what last happened to it, and when."""
    return f"{item_now(item, language)}{_as_of(item.as_of, language)}"


def item_now(item: ItemState, language: Language) -> str:
    """``item_line`` without the chapter."""
    change, quantity, where = item.change, item.quantity, item.where
    if language == "zh":
        detail = f"{f'，{quantity}' if quantity else ''}{f'，{where}' if where else ''}"
        owner = f"{item.owner}：" if item.owner else ""
        return f"{owner}{item.item}（{CHANGES_ZH[change]}{detail}）"
    detail = f"{f', {quantity}' if quantity else ''}{f', {where}' if where else ''}"
    owner = f"{item.owner}: " if item.owner else ""
    return f"{owner}{item.item} ({change}{detail})"


def render_hooks(hooks: dict[str, Hook], language: Language) -> str:
    """Every hook with its status, its sentence and its due chapter."""
    blocks = _texts(("hooks", language), hooks.values(), lambda hook: _hook_block(hook, language))
    return "\n".join([f"# {label('hooks', language)}\n", *blocks])


def _hook_block(hook: Hook, language: Language) -> str:
    values = (
        ("promise", hook.promise),
        ("kind", hook.kind),
        ("status", STATUSES_ZH[hook.status] if language == "zh" else hook.status),
        ("planted", chapter_word(hook.planted, language) if hook.planted else ""),
        ("quote", hook.quote),
        ("due", chapter_word(hook.due, language) if hook.due else ""),
    )
    lines = [
        f"- {label(k, language)}{colon(language)}{markdown.one_line(v)}" for k, v in values if v
    ]
    clues = [f"  - {markdown.one_line(clue)}" for clue in hook.clues]
    if clues:
        lines += [f"- {label('clues', language)}{colon(language).rstrip()}", *clues]
    return f"## {hook.id}\n\n" + "\n".join(lines) + "\n"


class _Chapters(dict[int, str]):
    """``_as_of`` of every chapter, each written once: a long book names them thousands of times."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language: Language = language

    def __missing__(self, chapter: int) -> str:
        text = self[chapter] = _as_of(chapter, self._language)
        return text


def _as_of(chapter: int, language: Language) -> str:
    return _brackets(chapter_word(chapter, language), language) if chapter > 0 else ""


def _brackets(text: str, language: Language) -> str:
    return f"（{text}）" if language == "zh" else f" ({text})"
