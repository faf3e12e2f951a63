"""Where the story stands: the layer that is the same for all calls of a chapter.

It holds what a reader of the chapters so far knows, and what the author wants said; the plan isn't
made yet, so it is chosen by the outline's entry, the author's notes and the page before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from zencli.context import wording
from zencli.context.author_control import Control
from zencli.context.budget import Allowance
from zencli.context.canon import Canon
from zencli.context.history import told_so_far
from zencli.context.layers import Layer, Sizes
from zencli.context.lookup import Lookup
from zencli.context.names import Named
from zencli.context.prompts import Prompts
from zencli.prose.segment import ending, opening, tail
from zencli.story import markdown
from zencli.story.documents.outline import arc_of, around
from zencli.story.documents.views import character_line, item_line
from zencli.story.labels import LABELS, chapter_word, colon
from zencli.story.state import CharacterState, FactState, Hook, ItemState, RelationState
from zencli.story.tiers import cut

TAIL_CHARS = {"zh": 600, "en": 1500}
SMALL_TAIL_CHARS = {"zh": 400, "en": 1000}
"""How much of the page before is shown, and how much in a small window."""

EDGES = 3
"""Openings and endings of how many chapters are shown, so that they aren't repeated."""

EDGE_CHARS = {"zh": 60, "en": 160}
SOON = 3
"""A hook that must pay within so many chapters is due."""


@dataclass(frozen=True)
class StoryLayer:
    """The layer, and what in it must not be said again."""

    layer: Layer
    people: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    facts: frozenset[tuple[str, str]] = frozenset()
    hooks: frozenset[str] = frozenset()
    chapters: frozenset[int] = frozenset()


class StoryBuilder:
    """Chooses and renders the layer. ``recent`` is the prose of the last chapters by number."""

    def __init__(
        self,
        canon: Canon,
        control: Control,
        prompts: Prompts,
        sizes: Sizes,
        number: int,
        lookup: Lookup,
        recent: Sequence[tuple[int, str]],
        *,
        small: bool,
        instruction: str,
    ) -> None:
        self._canon = canon
        self._control = control
        self._prompts = prompts
        self._number = number
        self._lookup = lookup
        state = self._state = lookup.state
        self._recent = recent
        self._small = small
        self._language = canon.config.language
        entry = around(canon.outline, number, before=0, after=0)
        names = canon.names(state)
        near = "\n".join([entry, *control.notes, instruction])
        self._near = Named(near)
        self._present = set(names.mentioned(near))
        self._before = set(names.mentioned(recent[-1][1])) if recent else set()
        self._allowance: Allowance = sizes.allowance(
            "story", sum(map(sizes.estimate, control.pins))
        )

    def build(self) -> StoryLayer:
        """The layer. Sections are asked for in the order of their shares."""
        state, take = self._state, self._allowance
        take.apart("pinned", self._control.pins, "pinned by the author")
        focus = take.text("focus", "\n".join(self._control.notes), "focus.md, as it holds now")
        end = self._tail()
        hooks = self._hooks()
        people = self._people()
        items = self._items()
        relations = self._relations()
        openings = self._openings()
        endings = self._endings()
        told = told_so_far(take, state, self._canon, self._number, self._control, small=self._small)
        facts = self._facts()
        text = self._prompts.render(
            "story_so_far",
            number=self._number,
            now=state.time,
            reader_knows=state.reader_knows,
            pinned=list(self._control.pins),
            focus=focus,
            arc=self._arc_promise(),
            characters=[
                {"name": c.name, "as_of": c.as_of, "line": character_line(c, self._language)}
                for c in people
            ],
            items=[item_line(item, self._language) for item in items],
            relations=[_relation(r, colon(self._language)) for r in relations],
            facts=[self._fact(fact) for fact in facts],
            hooks=[self._hook(hook) for hook in hooks],
            earlier=told.earlier,
            summaries=told.chapters,
            openings=openings,
            endings=endings,
            tail=end,
        )
        return StoryLayer(
            Layer("story_so_far", text, tuple(take.sections)),
            people=frozenset(c.name for c in people),
            items=frozenset(f"{i.owner}\x1f{i.item}" for i in items),
            facts=frozenset((f.about, f.says) for f in facts),
            hooks=frozenset(hook.id for hook in hooks),
            chapters=frozenset(number for number, _ in self._recent[-1:]),
        )

    def _tail(self) -> str:
        if not self._recent:
            return ""
        chars = (SMALL_TAIL_CHARS if self._small else TAIL_CHARS)[self._language]
        end = tail(self._recent[-1][1], chars)
        limit = self._allowance.limit("tail")
        for _ in range(3):  # an estimate by script is exact after one step, or nearly
            tokens = self._allowance.tokens(end)
            if tokens <= limit:
                break
            end = tail(self._recent[-1][1], max(1, len(end) * limit // tokens))
        self._allowance.note("tail", end, "the page before, word for word")
        return end

    def _hooks(self) -> list[Hook]:
        shown = [h for h in self._state.hooks.values() if h.unpaid and h.planted]
        ranked = sorted(
            (hook for hook in shown if self._control.keeps(hook.id, hook.promise)),
            key=lambda h: (
                not self._due(h),
                h.id not in self._near,
                h.due == 0,
                h.due,
                -h.last,
            ),
        )
        return self._allowance.items(
            "hooks",
            ranked,
            lambda h: f"[{h.id}] {h.promise} {h.quote} {wording.due(h.due, self._language)}",
            lambda h: "due" if self._due(h) else f"open, last touched in chapter {h.last}",
        )

    def _due(self, hook: Hook) -> bool:
        return 0 < hook.due <= self._number + SOON

    def _people(self) -> list[CharacterState]:
        """Those who were on the page: the others are for the planner alone."""
        shown = [
            c for c in self._state.characters.values() if c.as_of and self._control.keeps(c.name)
        ]
        ranked = sorted(
            shown, key=lambda c: (c.name not in self._present, c.name not in self._before, -c.as_of)
        )
        return self._allowance.items(
            "people",
            (c for c in ranked if character_line(c, self._language)),
            lambda c: f"{c.name}: {character_line(c, self._language)}",
            lambda c: self._why(c.name, c.as_of),
        )

    def _why(self, name: str, as_of: int) -> str:
        if name in self._present:
            return "named in the outline, the focus or the instruction"
        if name in self._before:
            return "in the chapter before"
        return f"changed in chapter {as_of}"

    def _items(self) -> list[ItemState]:
        near = self._lookup.items_near(sorted(self._present), self._near)
        known = {id(item) for item in near}
        rest = [item for item in self._lookup.latest_items() if id(item) not in known]
        ranked = [i for i in [*near, *rest] if self._control.keeps(i.owner, i.item)]
        return self._allowance.items(
            "items",
            ranked,
            lambda i: item_line(i, self._language),
            lambda i: self._why(i.owner, i.as_of),
            beyond=len(self._state.items) - len(ranked),
        )

    def _relations(self) -> list[RelationState]:
        ranked = sorted(
            (r for r in self._state.relations.values() if self._control.keeps(r.a, r.b)),
            key=lambda r: (r.a not in self._present and r.b not in self._present, -r.as_of),
        )
        return self._allowance.items(
            "relations",
            ranked,
            lambda r: _relation(r, ": "),
            lambda r: self._why(r.a if r.a in self._present else r.b, r.as_of),
        )

    def _facts(self) -> list[FactState]:
        """Those about what is near first, each group from the latest chapter backwards."""
        near = self._lookup.facts_near(self._near)
        known = {id(fact) for fact in near}
        rest = [fact for fact in self._lookup.latest_facts() if id(fact) not in known]
        ranked = [f for f in [*near, *rest] if self._control.keeps(f.about, f.says)]
        return self._allowance.items(
            "facts",
            ranked,
            self._fact,
            lambda f: f"settled in chapter {f.chapter}",
            beyond=len(self._state.facts) - len(ranked),
        )

    def _fact(self, fact: FactState) -> str:
        return f"{fact.about}{colon(self._language)}{fact.says}" if fact.about else fact.says

    def _hook(self, hook: Hook) -> dict[str, str | int]:
        near = self._due(hook)
        due = wording.due_now if near else None
        return {
            "id": hook.id,
            "promise": hook.promise,
            "planted": hook.planted,
            "quote": ""
            if wording.same(hook.promise, hook.quote)
            else wording.unquoted(hook.quote, self._language),
            "due": due(hook.due, self._number, self._language)
            if due
            else wording.due(hook.due, self._language),
        }

    def _openings(self) -> list[str]:
        most = EDGE_CHARS[self._language]
        edges = [(n, cut(opening(prose), most)) for n, prose in self._recent[-EDGES:]]
        return self._edges("openings", edges)

    def _endings(self) -> list[str]:
        """The kind of thing that the last chapters stopped on, and their last words.

        The last words of the chapter just before are its last page.
        """
        most = EDGE_CHARS[self._language]
        kinds = {s.number: s.ending for s in self._state.summaries[-EDGES:]}
        quoted = {n: cut(ending(prose), most) for n, prose in self._recent[-EDGES:-1]}
        numbers = sorted({*(n for n, kind in kinds.items() if kind), *quoted})[-EDGES:]
        lines = [
            (n, wording.ended(kinds.get(n, ""), quoted.get(n, ""), self._language)) for n in numbers
        ]
        return self._edges("endings", lines)

    def _edges(self, name: str, edges: list[tuple[int, str]]) -> list[str]:
        kept = self._allowance.items(
            name,
            [e for e in reversed(edges) if e[1] and self._control.keeps_chapter(e[0])],
            lambda edge: edge[1],
            lambda edge: f"chapter {edge[0]}, not to be repeated",
        )
        mark = colon(self._language)
        return [f"{chapter_word(n, self._language)}{mark}{text}" for n, text in reversed(kept)]

    def _arc_promise(self) -> str:
        arc = arc_of(self._canon.outline, self._number)
        words = [table["promise"] for table in LABELS.values()]
        values, _ = markdown.fields(arc[2] if arc else "", words)
        return next(iter(values.values()), "")


def _relation(relation: RelationState, mark: str) -> str:
    return f"{relation.a} / {relation.b}{mark}{relation.now}"
