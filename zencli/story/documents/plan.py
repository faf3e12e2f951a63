"""``plans/NNNN.md``: a chapter's plan as the author may write it, or ``--plan-only`` leaves it."""

import re

from zencli.story import markdown
from zencli.story.book import Language
from zencli.story.labels import chapter_word, colon, key_of, label, separator, words_of
from zencli.story.plan import Amendment, Clue, HookStep, Plan, Scene

_TEXTS = {"purpose": "purpose", "choice": "choice", "fear": "stakes", "stops": "ending"}
_LISTS = ("keep", "hold_back", "leave", "new", "new_terms", "details", "cast")
_SCENE = ("where", "when", "who", "want", "turn", "leaves", "words")
_FIELDS = (*_TEXTS, *_LISTS, "clues", "hooks", "amended")
_MOVES = {"plant", "advance", "pay", "defer", "drop"}


def render_plan(number: int, plan: Plan, language: Language) -> str:
    """A plan as Markdown that ``parse_plan`` reads back to an equal plan."""
    title = markdown.one_line(plan.title) or chapter_word(number, language)
    parts = [f"# {title}\n"]
    parts.append(
        "\n".join(
            _line(key, getattr(plan, attribute), language)
            for key, attribute in _TEXTS.items()
            if getattr(plan, attribute)
        )
    )
    for scene in plan.scenes:
        lines = [_line(key, _scene_value(scene, key, language), language) for key in _SCENE]
        parts.append(f"\n## {label('scene', language)}\n\n" + "\n".join(x for x in lines if x))
    tail = [_list(key, getattr(plan, key), language) for key in _LISTS]
    tail.append(_list("clues", [f"{c.id} | {c.what} | {c.inside}" for c in plan.clues], language))
    tail.append(_list("hooks", [f"{h.id} | {h.do} | {h.how}" for h in plan.hooks], language))
    tail.append(_list("amended", [f"{a.chapter} | {a.change}" for a in plan.amend], language))
    rest = "\n".join(line for line in tail if line)
    if rest:
        parts.append(f"\n## {label('plan', language)}\n\n{rest}")
    return "\n".join(parts).rstrip() + "\n"


def _scene_value(scene: Scene, key: str, language: Language) -> str:
    if key == "who":
        return separator(language).join(scene.who)
    if key == "words":
        return str(scene.words) if scene.words else ""
    return str(getattr(scene, key))


def _line(key: str, value: str, language: Language) -> str:
    text = markdown.one_line(value)
    return f"- {label(key, language)}{colon(language)}{text}" if text else ""


def _list(key: str, values: list[str], language: Language) -> str:
    if not values:
        return ""
    items = "".join(f"\n  - {markdown.one_line(value)}" for value in values)
    return f"- {label(key, language)}{colon(language).rstrip()}{items}"


def parse_plan(text: str) -> Plan:
    """Read a plan; prose that stands outside the known fields becomes part of the purpose."""
    values: dict[str, str] = {}
    free: list[str] = []
    scenes: list[Scene] = []
    scene_words = words_of(("scene",))
    lead = markdown.body(text).split("\n## ", 1)[0]
    blocks = [("", "" if lead.startswith("## ") else lead), *markdown.sections(text)]
    for heading, content in blocks:
        if heading in scene_words:
            scenes.append(_parse_scene(content))
            continue
        found, rest = markdown.fields(content, words_of(_FIELDS))
        values.update({key_of(word, _FIELDS) or word: value for word, value in found.items()})
        free += [rest] if rest else []
    purpose = "\n\n".join([values.get("purpose", ""), *free]).strip()
    return Plan(
        title=markdown.first_heading(text),
        purpose=purpose,
        choice=values.get("choice", ""),
        stakes=values.get("fear", ""),
        ending=values.get("stops", ""),
        scenes=scenes,
        clues=[_clue(item) for item in _split(values.get("clues", ""))],
        hooks=[_hook(item) for item in _split(values.get("hooks", ""))],
        amend=[a for item in _split(values.get("amended", "")) if (a := _amendment(item))],
        keep=_split(values.get("keep", "")),
        hold_back=_split(values.get("hold_back", "")),
        leave=_split(values.get("leave", "")),
        new=_split(values.get("new", "")),
        new_terms=_split(values.get("new_terms", "")),
        details=_split(values.get("details", "")),
        cast=[name for item in _split(values.get("cast", "")) for name in _names(item)],
    )


def _parse_scene(content: str) -> Scene:
    values, rest = markdown.fields(content, words_of(_SCENE))
    by_key = {key_of(word, _SCENE): value for word, value in values.items()}
    number = re.search(r"\d{1,6}", by_key.get("words", ""))
    return Scene(
        where=by_key.get("where", ""),
        when=by_key.get("when", ""),
        who=_names(by_key.get("who", "")),
        want="\n".join(part for part in (by_key.get("want", ""), rest) if part),
        turn=by_key.get("turn", ""),
        leaves=by_key.get("leaves", ""),
        words=int(number.group()) if number else 0,
    )


def _split(value: str) -> list[str]:
    return [line.strip() for line in value.splitlines() if line.strip()]


def _names(value: str) -> list[str]:
    return [name.strip() for name in re.split(r"[、；;,，]", value) if name.strip()]


def _parts(item: str) -> list[str]:
    parts = [part.strip() for part in item.split("|", 2)]
    return parts + [""] * (3 - len(parts))


def _clue(item: str) -> Clue:
    if "|" not in item:
        return Clue(what=item)
    identifier, what, inside = _parts(item)
    return Clue(id=identifier, what=what, inside=inside)


def _amendment(item: str) -> Amendment | None:
    """``12 | what changes``; without a chapter in front there is nothing to amend."""
    found = re.match(r"\D{0,12}?(\d{1,6})\D*?[|：:]\s*(.+)", item)
    return Amendment(chapter=int(found[1]), change=found[2]) if found else None


def _hook(item: str) -> HookStep:
    identifier, move, how = (
        _parts(item) if "|" in item else (item.split(maxsplit=1)[0], "advance", item)
    )
    return HookStep.model_validate(
        {"id": identifier, "do": move if move in _MOVES else "advance", "how": how}
    )
