"""Values for every variable that a prompt template may use, full and empty."""

from collections.abc import Iterator
from typing import Any

from zencli.pipeline.auditing.audit_groups import Dimension, Group
from zencli.story.plan import Amendment, Clue, HookStep, Plan, Scene

TEXTS: dict[str, str] = {
    name: f"<{name}>"
    for name in (
        "arc", "before", "bible", "brief", "cast", "concept", "focus", "genre_notes",
        "instruction", "now", "outline", "plan_notes", "platform", "platform_notes", "reader_knows",
        "rejected", "rules", "story", "style", "tail", "text", "title", "write_notes",
    )
}  # fmt: skip
FINDING = {"number": 1, "severity": "warning", "quote": "<q>", "problem": "<p>", "fix": "<f>"}
LISTS: dict[str, list[Any]] = {
    "cards": [
        {"name": "<n>", "role": "<r>", "card": "<c>", "last": "<last>"},
        {"name": "<n>", "role": "", "card": "<c>", "last": ""},
    ],
    "carried": ["<carried>"],
    "cast_lines": ["<line>"],
    "chapters": [
        {"number": 2, "title": "<t>", "text": "<s>", "quotes": ["<q>"]},
        {"number": 3, "title": "", "text": "<s>", "quotes": []},
    ],
    "characters": [
        {"name": "<n>", "as_of": 0, "line": "<l>"},
        {"name": "<n>", "as_of": 2, "line": "<l>"},
    ],
    "documents": [{"name": "timeline", "text": "<text>"}, {"name": "rules", "text": "<text>"}],
    "due": [
        {"id": "H1", "promise": "<p>", "due": "<due>"},
        {"id": "H2", "promise": "<p>", "due": ""},
    ],
    "earlier": ["<earlier>"],
    "endings": ["<ending>"],
    "excerpts": ["<excerpt>"],
    "facts": ["<fact>"],
    "findings": [FINDING, {**FINDING, "number": 2, "quote": "", "fix": ""}],
    "groups": [
        Group("g", "<g>", (Dimension("d", "<d>", "<looks>"), Dimension("e", "<e>", "<looks>"))),
        Group("h", "<h>", (Dimension("f", "<f>", "<looks>"),)),
    ],
    "hooks": [
        {"id": "H1", "promise": "<p>", "planted": 2, "quote": "<q>", "due": "<due>"},
        {"id": "H2", "promise": "<p>", "planted": 0, "quote": "", "due": ""},
    ],
    "items": ["<item>"],
    "measures": ["<measure>"],
    "misses": [
        {"finding": 1, "old": "<old>", "new": "<new>", "twice": False, "near": ["<near>"]},
        {"finding": 2, "old": "<old>", "new": "<new>", "twice": True, "near": ["<near>"]},
        {"finding": 3, "old": "<old>", "new": "<new>", "twice": False, "near": []},
    ],
    "must_keep": ["<name>", "<number>"],
    "new": ["<new>"],
    "openings": ["<opening>"],
    "passages": [{"chapter": 2, "text": "<passage>"}],
    "pinned": ["<pin>"],
    "places": ["<place>"],
    "problems": ["<problem>"],
    "relations": ["<relation>"],
    "secrets": ["<secret>"],
    "summaries": [{"number": 2, "title": "<t>", "text": "<s>"}],
    "timeline": ["<happening>"],
    "unshown": [
        {"id": "H1", "promise": "<p>", "due": "<due>"},
        {"id": "H2", "promise": "<p>", "due": ""},
    ],
}
PLAN = Plan(
    title="<title>",
    purpose="<purpose>",
    choice="<choice>",
    stakes="<stakes>",
    scenes=[
        Scene(where="<w>", when="<h>", who=["<a>"], want="<x>", turn="<t>", leaves="<l>", words=9),
        Scene(want="<x>"),
    ],
    clues=[Clue(id="C1", what="<what>", inside="<inside>"), Clue(what="<what>")],
    hooks=[
        HookStep(id="H1", do="plant", how="<how>"),
        HookStep(id="new", do="pay"),
        HookStep(id="H2", do="advance"),
        HookStep(id="H3", do="defer"),
        HookStep(id="H4", do="drop"),
    ],
    keep=["<keep>"],
    hold_back=["<hold>"],
    leave=["<leave>"],
    amend=[Amendment(chapter=4, change="<change>")],
    new=["<new>"],
    new_terms=["<term>"],
    details=["<detail>"],
    ending="<ending>",
    cast=["<a>"],
)

# Each line is a situation in which templates print other parts: a short book, the end of a long
# one, a batch in its middle, a prologue, long and short chapters.
NUMBERS: tuple[dict[str, Any], ...] = (
    {"number": 1, "first": 1, "last": 3, "target_chapters": 3, "words": 600},
    {"number": 200, "first": 181, "last": 200, "target_chapters": 200, "words": 2500},
    {"number": 30, "first": 1, "last": 100, "target_chapters": 400, "words": 6000},
    {"number": 3, "first": 101, "last": 400, "target_chapters": 400, "words": 3000},
    {"number": 0, "first": 1, "last": 40, "target_chapters": 40, "words": 900},
)
NEVER_EMPTY = ("text", "problems", "groups", "misses")
"""A draft has prose, what is asked again has a reason, and an auditor has something to look for."""


FULL: dict[str, Any] = {**TEXTS, **LISTS, "plan": PLAN}
EMPTY: dict[str, Any] = {
    **dict.fromkeys(TEXTS, ""),
    **{name: [] for name in LISTS},
    "plan": Plan(),
    **{name: FULL[name] for name in NEVER_EMPTY},
}


def situations() -> Iterator[dict[str, Any]]:
    """Values for all variables: all full, all empty, each alone full and each alone empty."""
    for numbers in NUMBERS:
        for small in (False, True):
            yield {**FULL, **_numbers(numbers, small)}
            yield {**EMPTY, **_numbers(numbers, small)}
    for name, value in FULL.items():
        for small in (False, True):
            yield {**EMPTY, name: value, **_numbers(NUMBERS[1], small)}
            yield {**FULL, name: EMPTY[name], **_numbers(NUMBERS[1], small)}


def _numbers(numbers: dict[str, Any], small: bool) -> dict[str, Any]:
    return {
        **numbers,
        "chapter_words": numbers["words"],
        "low": numbers["words"] - 100,
        "high": numbers["words"] + 100,
        "part": 2 if small else 1,
        "parts": 3 if small else 1,
        "have": numbers["words"] * (1 if small else 2),
        "words_left": 300,
        "direction": "lengthen" if small else "shorten",
        "small": small,
        "genre": "<genre>",
    }
