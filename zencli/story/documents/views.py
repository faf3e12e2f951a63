"""``state.md`` and ``hooks.md``: the story so far, rendered from the records for reading."""

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
    lines = {
        "characters": [
            f"{c.name}{as_of[c.as_of]}{mark}{character_line(c, language)}"
            for c in state.characters.values()
        ],
        "items": [f"{item_now(i, language)}{as_of[i.as_of]}" for i in state.items.values()],
        "relations": [
            f"{r.a} / {r.b}{as_of[r.as_of]}{mark}{r.now}" for r in state.relations.values()
        ],
        "facts": [f"{f.about}{mark}{f.says}{as_of[f.chapter]}" for f in state.facts],
        "summaries": [
            f"{chapter_word(s.number, language)} {s.title}{mark}{s.text}" for s in state.summaries
        ],
    }
    return {key: [markdown.one_line(line) for line in texts] for key, texts in lines.items()}


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
    parts = [f"# {label('hooks', language)}\n"]
    for hook in hooks.values():
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
        parts.append(f"## {hook.id}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


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
