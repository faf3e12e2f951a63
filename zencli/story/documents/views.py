"""``state.md`` and ``hooks.md``: the story so far, rendered from the records for reading."""

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.labels import chapter_word, colon, label
from zencli.story.state import CharacterState, Hook, HookStatus, ItemState, State


def render_state(state: State, language: Language) -> str:
    """The whole state as of its chapter, by heading; empty parts are left out."""
    parts = [f"# {label('state', language)}\n"]
    now = [
        (key, value) for key, value in (("now", state.time), ("reader_knows", state.reader_knows))
    ]
    parts.append("".join(f"- {label(k, language)}{colon(language)}{v}\n" for k, v in now if v))
    people = [
        f"{c.name}{_as_of(c.as_of, language)}{colon(language)}{character_line(c, language)}"
        for c in state.characters.values()
    ]
    relations = [
        f"{r.a} / {r.b}{_as_of(r.as_of, language)}{colon(language)}{r.now}"
        for r in state.relations.values()
    ]
    facts = [
        f"{f.about}{colon(language)}{f.says}{_as_of(f.chapter, language)}" for f in state.facts
    ]
    summaries = [
        f"{chapter_word(s.number, language)} {s.title}{colon(language)}{s.text}"
        for s in state.summaries
    ]
    items = [item_line(item, language) for item in state.items.values()]
    for key, lines in (
        ("characters", people),
        ("items", items),
        ("relations", relations),
        ("facts", facts),
        ("summaries", summaries),
    ):
        if lines:
            listed = "".join(f"- {markdown.one_line(line)}\n" for line in lines)
            parts.append(f"## {label(key, language)}\n\n{listed}")
    return "\n".join(part for part in parts if part)


def character_line(person: CharacterState, language: Language) -> str:
    """What is known of a character now, in one line."""
    gap, mark = ("；", "：") if language == "zh" else ("; ", ": ")
    if person.as_of == 0:
        return person.start
    parts = [person.status] if person.status else []
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
        known = gap.join(k.what for k in person.knows[-5:])
        parts.append(f"{label('knows', language)}{mark}{known}")
    return gap.join(parts)


_CHANGES_ZH = {
    "gains": "得到",
    "loses": "失去",
    "uses up": "用掉",
    "breaks": "损坏",
    "puts down": "放下",
}


def item_line(item: ItemState, language: Language) -> str:
    """A thing, whose it is, how many, where, and what last happened to it."""
    change = _CHANGES_ZH[item.change] if language == "zh" else item.change
    left = f"现有{item.quantity}" if language == "zh" else f"now {item.quantity}"
    detail = [part for part in (left if item.quantity else "", item.where) if part]
    inner = ("，" if language == "zh" else ", ").join([change, *detail])
    owner = f"{item.owner}{colon(language)}" if item.owner else ""
    return f"{owner}{item.item}{_brackets(inner, language)}{_as_of(item.as_of, language)}"


_HOOKS_ZH: dict[HookStatus, str] = {
    "planned": "未露面",
    "open": "未了",
    "advanced": "推进中",
    "deferred": "推迟",
    "paid": "已还",
    "dropped": "放下",
}


def render_hooks(hooks: dict[str, Hook], language: Language) -> str:
    """Every hook with its status, its sentence and its due chapter."""
    parts = [f"# {label('hooks', language)}\n"]
    for hook in hooks.values():
        values = (
            ("promise", hook.promise),
            ("kind", hook.kind),
            ("status", _HOOKS_ZH[hook.status] if language == "zh" else hook.status),
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


def _as_of(chapter: int, language: Language) -> str:
    return _brackets(chapter_word(chapter, language), language) if chapter > 0 else ""


def _brackets(text: str, language: Language) -> str:
    return f"（{text}）" if language == "zh" else f" ({text})"
